package reports

import (
	"cmp"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
	"github.com/understudy-eval/understudy/stats"
)

// armReport counts what an arm did and estimates its grades, problems and tails.
func armReport(a Arm, rows []obs, e Experiment) ArmReport {
	r := ArmReport{Name: a.Name, Model: a.Model, Control: a.Control, Samples: len(rows)}
	r.countStates(rows)
	r.gradesOf(rows, e)
	limits := rising(e.Limits, limitsOf(e.Gate.Over))
	r.Latency = tailOf(times(rows, func(o obs) timing { return o.latency }), limits, e.Level)
	first := tailOf(times(rows, func(o obs) timing { return o.first }), rising(limitsOf(e.Gate.FirstTokenOver)), e.Level)
	if first.Calls > 0 {
		r.FirstToken = &first
	}
	r.TokensOut = tokensOf(rows)
	return r
}

func times(rows []obs, of func(obs) timing) []timing {
	out := make([]timing, 0, len(rows))
	for _, o := range rows {
		if t := of(o); t.kind != untimed {
			out = append(out, t)
		}
	}
	return out
}

func (r *ArmReport) countStates(rows []obs) {
	notAsked, failures, notGraded, models := map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}
	for _, o := range rows {
		switch o.state {
		case sinks.NotAsked:
			r.NotAsked++
			notAsked[o.reason]++
			continue
		case sinks.Failed:
			r.Failed++
			failures[o.reason]++
			continue
		}
		r.Answered++
		models[string(o.model)]++
		switch o.judged {
		case judge.StateGraded:
			r.Graded++
		case judge.StateNotGraded:
			r.NotGraded++
			notGraded[string(o.why)]++
		case judge.StateNotDrawn:
			r.NotDrawn++
		default:
			r.Pending++
		}
	}
	r.Asked = r.Answered + r.Failed
	r.NotAskedBy = counts(notAsked, shadow.NotAskedReasons())
	r.FailedBy = counts(failures, llm.Reasons())
	r.NotGradedBy = counts(notGraded, judge.NotGradedReasons())
	r.Snapshots = counts(models, []string(nil))
	if drawn := r.Asked - r.NotDrawn; drawn > 0 {
		r.Coverage = new(float64(r.Graded) / float64(drawn))
	}
}

// counts lists what occurred: known names in their order, then the others by name.
func counts[S ~string](n map[string]int64, order []S) []Count {
	rank := map[string]int{}
	for i, name := range order {
		rank[string(name)] = i - len(order)
	}
	out := make([]Count, 0, len(n))
	for name, k := range n {
		out = append(out, Count{name, k})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(rank[a.Name], rank[b.Name]), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func (r *ArmReport) gradesOf(rows []obs, e Experiment) {
	var graded []*obs
	problems, poor := map[rubric.Problem]int{}, 0
	for i := range rows {
		if o := &rows[i]; o.graded() {
			graded = append(graded, o)
			r.Grades[o.grade-rubric.Best]++
			problems[o.problem]++
			if isPoor(o) {
				poor++
			}
		}
	}
	est, weighted, err := meanGrade(graded, graded)
	r.Mean, r.Weighted = estimateOf(len(graded), est, err), weighted
	r.Poor = shareOf(poor, len(graded), e.Level)
	r.Problems = []ProblemShare{}
	for _, p := range problemList(e, problems) {
		r.Problems = append(r.Problems, ProblemShare{p, shareOf(problems[p], len(graded), e.Level)})
	}
}

// isPoor says whether an answer got grade 5 or 6.
func isPoor(o *obs) bool { return o.grade >= rubric.Worst-1 }

// problemList is the closed list, then what occurred but is not on it (only when
// the experiment has no list).
func problemList(e Experiment, seen map[rubric.Problem]int) []rubric.Problem {
	list := slices.Clone(e.Problems)
	var others []rubric.Problem
	for p := range seen {
		if !slices.Contains(list, p) {
			others = append(others, p)
		}
	}
	slices.Sort(others)
	return append(list, others...)
}

// meanGrade estimates the mean grade of answers, clustered by session, weighted if
// the chances in rates (one per answer) differ.
func meanGrade(answers, rates []*obs) (stats.Estimate, bool, error) {
	x, session := make([]float64, len(answers)), make([]string, len(answers))
	for i, o := range answers {
		x[i], session[i] = float64(o.grade), o.session
	}
	weight := weights(rates)
	if weight == nil {
		est, err := stats.ClusteredMean(x, session)
		return est, false, err
	}
	est, err := stats.WeightedMean(x, weight, session, nil)
	return est, true, err
}

// weights are 1/rate, or nil if all rates are equal.
func weights(rows []*obs) []float64 {
	w, equal := make([]float64, len(rows)), true
	for i, o := range rows {
		w[i] = 1 / o.rate
		equal = equal && w[i] == w[0]
	}
	if equal {
		return nil
	}
	return w
}

func tokensOf(rows []obs) Tokens {
	var out []float64
	for _, o := range rows {
		if o.state == sinks.Answered && o.tokens != nil && *o.tokens >= 0 {
			out = append(out, float64(*o.tokens))
		}
	}
	slices.Sort(out)
	t := Tokens{N: len(out)}
	if median, err := stats.Quantile(out, 0.5); err == nil {
		t.Median = new(median)
	}
	return t
}

// limitOver finds a limit's share in a tail.
func (t Tail) limitOver(limit time.Duration) (Share, bool) {
	for _, o := range t.Over {
		if o.Limit == limit {
			return o.Share, true
		}
	}
	return Share{}, false
}
