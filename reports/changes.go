package reports

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// Changes compare the last week of a trend with the week before it, arm by arm. The
// weeks count as independent of each other.
type Changes struct {
	Week   string `json:"week"`
	Before string `json:"before"`
	// Incomplete: one of the two weeks is, so that days of the week may differ.
	Incomplete bool `json:"incomplete,omitempty"`
	// Spanning counts sessions with samples in both weeks: the more of them, the less
	// the weeks are independent.
	Spanning int `json:"spanning_sessions"`
	// Compared counts the entries of List that have a standard error. About 4.6 % of
	// them lie beyond 2 of it by chance alone.
	Compared int `json:"compared"`
	// List has the largest |InSE| first, then what has none. A figure that one of the
	// weeks does not have is left out.
	List []Change `json:"list"`
}

// Change is how a figure of an arm moved: Delta = After − Before.
type Change struct {
	Arm    shadow.Arm   `json:"arm"`
	Figure ChangeFigure `json:"figure"`
	// Limit belongs to FigureOver, Problem to FigureProblem.
	Limit   *time.Duration `json:"limit_ns,omitempty"`
	Problem rubric.Problem `json:"problem,omitempty"`
	// Before, After, Delta, SE and Interval are in Unit: grades, share (0..1) or s.
	Unit   string  `json:"unit"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Delta  float64 `json:"delta"`
	// SE = sqrt(SE_before² + SE_after²), each clustered by session. A share of 0 or 1
	// in one of the weeks has no error of its own: SE is then at least the one that
	// Interval's end towards 0 stands for by the normal distribution. A quantile has none; SE and InSE
	// are nil too where neither week varies.
	SE   *float64 `json:"se"`
	InSE *float64 `json:"in_se"`
	// Interval of a mean is Welch's. That of a share is Newcombe's for independent
	// shares, widened to hold the clustered one where sessions have several calls.
	// That of a quantile is MOVER's.
	Interval *Interval `json:"interval"`
	// P tests that nothing changed; PHolm adjusts it over the problems of the arm.
	// Both are nil for other figures than problems.
	P     *float64 `json:"p,omitempty"`
	PHolm *float64 `json:"p_holm,omitempty"`
	// Beyond: more than 2 SE; for a quantile, its interval does not hold 0.
	Beyond bool `json:"beyond_2_se,omitempty"`
}

// ChangeFigure is what is compared.
type ChangeFigure string

// The figures of an arm that are compared.
const (
	FigureMean     ChangeFigure = "mean_grade"
	FigureOver     ChangeFigure = "over"
	FigureFailures ChangeFigure = "failures"
	FigureProblem  ChangeFigure = "problem"
	FigureP95      ChangeFigure = "p95"
)

// standsOut is from how many standard errors on a change is named in a sentence.
const standsOut = 2

// changesOf compares the last two weeks of a trend; nil if it has one.
func changesOf(all view, weeks []Week, trend []TrendWeek, e Experiment) *Changes {
	if len(weeks) < 2 {
		return nil
	}
	last := len(weeks) - 1
	after, before := all.during(weeks[last]), all.during(weeks[last-1])
	c := &Changes{
		Week: trend[last].Week, Before: trend[last-1].Week, Spanning: spanning(before, after), List: []Change{},
		Incomplete: trend[last].Incomplete != "" || trend[last-1].Incomplete != "",
	}
	c.List = append(c.List, armChanges(shadow.Live, before, after, 0, e)...)
	for i, a := range e.Candidates {
		c.List = append(c.List, armChanges(a.Name, before, after, i+1, e)...)
	}
	for _, x := range c.List {
		if x.InSE != nil {
			c.Compared++
		}
	}
	slices.SortStableFunc(c.List, func(a, b Change) int { return cmp.Compare(b.weight(), a.weight()) })
	return c
}

// weight orders changes: by |InSE|, below all of these what stands out without one,
// then the rest.
func (c Change) weight() float64 {
	switch {
	case c.InSE != nil:
		return math.Abs(*c.InSE)
	case c.Beyond:
		return -1
	}
	return -2
}

// during is the part of a view that lies in a week.
func (v view) during(w Week) view {
	return v.between(w.Monday().UnixMicro(), w.Window().To.UnixMicro())
}

// spanning counts the sessions that have samples in both views.
func spanning(before, after view) int {
	seen := map[uint32]bool{}
	for _, s := range before.index {
		seen[before.samples.at(int(s)).session] = true
	}
	n := 0
	for _, s := range after.index {
		if code := after.samples.at(int(s)).session; code != 0 && seen[code] {
			n++
			seen[code] = false
		}
	}
	return n
}

// armChanges are the changes of one arm's figures.
func armChanges(name shadow.Arm, before, after view, arm int, e Experiment) []Change {
	var out []Change
	add := func(c Change, ok bool) {
		if ok {
			c.Arm = name
			out = append(out, c)
		}
	}
	add(meanChange(before.gradeMean(arm), after.gradeMean(arm), e.Level))
	for _, limit := range rising(e.Limits, limitsOf(e.Gate.Over)) {
		over := func(a answer) (bool, bool) { return a.latency().over(limit) }
		c, ok := shareChange(before.share(arm, over), after.share(arm, over), e.Level)
		c.Figure, c.Limit, c.P = FigureOver, new(limit), nil
		add(c, ok)
	}
	c, ok := shareChange(before.failures(arm), after.failures(arm), e.Level)
	c.Figure, c.P = FigureFailures, nil
	add(c, ok)
	for _, c := range problemChanges(before, after, arm, e) {
		add(c, true)
	}
	add(p95Change(before.times(arm, answer.latency), after.times(arm, answer.latency), e.Level))
	return out
}

// problemChanges has every problem of the list that either week has.
func problemChanges(before, after view, arm int, e Experiment) []Change {
	_, first := before.gradeShares(arm)
	_, second := after.gradeShares(arm)
	seen := tally{}
	for code, share := range first {
		if n := share.x + second[code].x; n > 0 {
			seen[code] = int64(n)
		}
	}
	named := before.named(seen)
	list := problemList(e, named)
	p := make([]*float64, len(list))
	var out []Change
	var places []int
	for i, problem := range list {
		code := before.words.codes[string(problem)]
		if named[string(problem)] == 0 {
			continue
		}
		c, ok := shareChange(first[code], second[code], e.Level)
		if !ok {
			continue
		}
		c.Figure, c.Problem = FigureProblem, problem
		p[i] = c.P
		out, places = append(out, c), append(places, i)
	}
	adjusted := holm(p)
	for k, i := range places {
		out[k].PHolm = adjusted[i]
	}
	return out
}
