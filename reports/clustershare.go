package reports

import (
	"iter"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/stats"
)

// share is how often an event happened, x times over all rows; column is that of its
// sums by session, below 0 without one. Where sessions repeat, the interval is Wilson's
// with as many rows as are independent; there is none if a single session has them all
// or a row lacks its session, since these may all be alike.
//
// A share of 0 or 1 does not tell how alike the rows of a session are. Those of like
// do, the sums of another event of the same rows that happens to about half of them;
// below 0, or where that does not vary either, rows of a session count as all alike.
func (b *bySession) share(column, like, x int, level float64) Share {
	s := countedShare(x, b.rows)
	if s.Clustered = b.clustered(); !s.Clustered {
		s.Interval = intervalOf(stats.Wilson(x, b.rows, level))
		return s
	}
	if b.keyless || b.clusters < 2 {
		return s
	}
	totals := &stats.ClusterTotals{}
	if column >= 0 {
		totals = &b.totals[column]
	}
	c, err := b.sizes.Share(totals, level)
	if err == nil && c.Plain {
		c, err = c.WithDesignEffect(b.likeness(like, level), level)
	}
	if s.Interval = intervalOf(c.CI, err); err == nil {
		s.EffectiveN = new(c.EffectiveN)
	}
	return s
}

// likeness is the design effect of a column, or the worst there can be where that does
// not vary, or where few sessions tell.
func (b *bySession) likeness(column int, level float64) float64 {
	worst := b.sizes.Alike()
	if column < 0 || b.clusters < fewSessions {
		return worst
	}
	if c, err := b.sizes.Share(&b.totals[column], level); err == nil && !c.Plain {
		return min(max(1, c.DesignEffect), worst)
	}
	return worst
}

// share01 is how often an event happened to the calls of an arm that it can be told
// of: a column of sums by session, and the one that tells how alike these are.
type share01 struct {
	x, column, like int
	calls           *bySession
}

func (f share01) report(level float64) Share { return f.calls.share(f.column, f.like, f.x, level) }

// share collects how often an event happened to an arm's calls; event also says
// whether that is known.
func (v view) share(arm int, event func(answer) (happened, known bool)) share01 {
	f := share01{calls: sums(1), like: -1}
	for a := range v.answers(arm) {
		happened, known := event(a)
		if !known {
			continue
		}
		sum := f.calls.row(v.samples.at(a.sample).session)
		if happened {
			sum[0]++
			f.x++
		}
	}
	f.calls.done()
	return f
}

// failures is how many calls failed, without those that the user left.
func (v view) failures(arm int) share01 {
	return v.share(arm, func(a answer) (bool, bool) { return a.failed(), a.asked() && a.reason != v.rules.clientAbort })
}

// gradeShares is how often graded answers have grade 5 or 6, and every problem by its
// code. How alike those of a session are is told by the grades of the worse half.
func (v view) gradeShares(arm int) (poor share01, problems map[uint32]share01) {
	codes, column := v.problemColumns()
	like, middle := len(codes)+1, v.middleGrade(arm)
	calls, counts := sums(len(codes)+2), make([]int, len(codes))
	poor = share01{column: len(codes), like: like, calls: calls}
	for a := range v.answers(arm) {
		if !a.graded() {
			continue
		}
		row, at := calls.row(v.samples.at(a.sample).session), column[a.problem]
		row[at]++
		counts[at]++
		if isPoor(a) {
			row[poor.column]++
			poor.x++
		}
		if a.grade > middle {
			row[like]++
		}
	}
	calls.done()
	problems = map[uint32]share01{}
	for at, code := range codes {
		problems[code] = share01{counts[at], at, like, calls}
	}
	return poor, problems
}

// middleGrade is the grade that parts an arm's graded answers most evenly into those up
// to it and worse ones.
func (v view) middleGrade(arm int) uint8 {
	var counts [rubric.Worst + 1]int
	all := 0
	for o, n := range v.shapesOf(arm) {
		if o.graded() {
			counts[o.grade] += n
			all += n
		}
	}
	middle, upTo, least := rubric.Best, 0, all
	for g := rubric.Best; g < rubric.Worst; g++ {
		upTo += counts[g]
		if apart := max(2*upTo-all, all-2*upTo); apart < least {
			middle, least = g, apart
		}
	}
	return uint8(middle)
}

// clusterGrades gives the shares of grades and problems their intervals.
func (r *ArmReport) clusterGrades(v view, arm int, level float64) {
	poor, problems := v.gradeShares(arm)
	r.Poor = poor.report(level)
	for i := range r.Problems {
		p := &r.Problems[i]
		f, seen := problems[v.words.codes[string(p.Problem)]]
		if !seen {
			f = share01{0, -1, poor.like, poor.calls}
		}
		p.Share = f.report(level)
	}
}

// cluster gives the shares over limits their intervals; calls are those of the tail.
// How alike the calls of a session are is told by those slower than the median answer.
func (t *Tail) cluster(calls iter.Seq2[uint32, timing], level float64) {
	var median time.Duration
	if q := t.Quantiles[0]; q.Answers != nil {
		median = *q.Answers
	}
	late := func(limits []OverLimit, counts func(timing) bool) *lateCalls {
		return &lateCalls{counts, limits, median, sums(len(limits) + 1)}
	}
	answers := late(t.Over, func(c timing) bool { return c.kind == exact })
	sets, all, of := []*lateCalls{answers}, answers, make([]share01, len(t.Over))
	if t.Failed > 0 && t.Left == 0 {
		all = late(t.Over, func(c timing) bool { return c.kind != untimed })
		sets = append(sets, all)
	}
	for i, o := range t.Over {
		of[i] = share01{o.Share.X, i, len(t.Over), all.calls}
		if t.Left > 0 { // of each limit other calls are known
			known := late(t.Over[i:i+1], func(c timing) bool { _, known := c.over(o.Limit); return known })
			sets, of[i] = append(sets, known), share01{o.Share.X, 0, 1, known.calls}
		}
	}
	for session, call := range calls {
		for _, set := range sets {
			set.add(session, call)
		}
	}
	for _, set := range sets {
		set.calls.done()
	}
	for i := range t.Over {
		o := &t.Over[i]
		o.Share, o.Answers = of[i].report(level), answers.calls.share(i, len(t.Over), o.Answers.X, level)
	}
}

// lateCalls sums up which of the calls that count are over limits, which rise; the last
// column has those over the median.
type lateCalls struct {
	counts func(timing) bool
	limits []OverLimit
	median time.Duration
	calls  *bySession
}

func (l *lateCalls) add(session uint32, call timing) {
	if !l.counts(call) {
		return
	}
	row := l.calls.row(session)
	if over, _ := call.over(l.median); over {
		row[len(l.limits)]++
	}
	for i := range l.limits {
		if over, _ := call.over(l.limits[i].Limit); !over {
			return
		}
		row[i]++
	}
}

// callsOf are the times of an arm's calls in some samples, with their sessions.
func (c *collection) callsOf(index []uint32, arm int, of func(answer) timing) iter.Seq2[uint32, timing] {
	return func(yield func(uint32, timing) bool) {
		for _, s := range index {
			if a := c.answer(arm, int(s)); a.there() && !yield(c.samples.at(int(s)).session, of(a)) {
				return
			}
		}
	}
}
