package reports

import (
	"cmp"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/stats"
)

// armReport counts what an arm did in a view and estimates its grades, problems
// and tails.
func armReport(a Arm, v view, arm int, e Experiment) ArmReport {
	r, latency := countedArm(a, v, arm, e)
	r.Survival = survivalOf(latency, e.latencyLimits())
	r.FirstToken = firstTokenOf(v, arm, e)
	r.clusterGrades(v, arm, e.Level)
	r.estimateMean(v, arm)
	r.TokensOut, r.Reasoning, r.Speed = tokensOf(v, arm), reasoningOf(v, arm, e.Level), speedOf(v, arm)
	r.GradeLength = gradeLength(v, arm)
	r.Slowest, r.Fastest = v.calls(arm)
	r.Vantage = vantageOf(arm)
	r.Discipline = disciplineOf(v, arm, e.Level)
	r.Cost = costOf(v, arm, e.Level)
	return r
}

// countedArm is an arm's counts and its latency, with the sorted times.
func countedArm(a Arm, v view, arm int, e Experiment) (ArmReport, *times) {
	r := ArmReport{Name: a.Name, Model: a.Model, Control: a.Control}
	r.countStates(v, arm)
	r.countGrades(v, arm, e)
	latency := v.times(arm, answer.latency)
	r.Latency = tailOf(latency, e.latencyLimits(), e.Level)
	r.Latency.cluster(v.callsOf(v.index, arm, answer.latency), e.Level)
	return r, latency
}

// latencyLimits are those of the experiment and of its gate.
func (e Experiment) latencyLimits() []time.Duration { return rising(e.Limits, limitsOf(e.Gate.Over)) }

// firstTokenOf is nil if no call was streamed.
func firstTokenOf(v view, arm int, e Experiment) *Tail {
	first := tailOf(v.times(arm, answer.first), rising(limitsOf(e.Gate.FirstTokenOver)), e.Level)
	if first.Calls == 0 {
		return nil
	}
	first.cluster(v.callsOf(v.index, arm, answer.first), e.Level)
	return &first
}

// times are the known times of an arm's answers.
func (v view) times(arm int, of func(answer) timing) *times {
	t := &times{}
	t.exact.room(len(v.index))
	for a := range v.answers(arm) {
		t.add(of(a))
	}
	return t.sort()
}

func (r *ArmReport) countStates(v view, arm int) {
	notAsked, failures, notGraded, models := tally{}, tally{}, tally{}, tally{}
	for o, n := range v.shapesOf(arm) {
		r.Samples += n
		switch {
		case !o.asked():
			r.NotAsked += n
			notAsked[o.reason] += int64(n)
			continue
		case o.failed():
			r.Failed += n
			failures[o.reason] += int64(n)
			continue
		}
		r.Answered += n
		models[o.model] += int64(n)
		switch o.judged {
		case judgedGraded:
			r.Graded += n
		case judgedNotGraded:
			r.NotGraded += n
			notGraded[o.why] += int64(n)
		case judgedNotDrawn:
			r.NotDrawn += n
		default:
			r.Pending += n
		}
	}
	r.Asked = r.Answered + r.Failed
	r.NotAskedBy = counts(v.named(notAsked), shadow.NotAskedReasons())
	r.FailedBy = counts(v.named(failures), llm.Reasons())
	r.NotGradedBy = counts(v.named(notGraded), judge.NotGradedReasons())
	r.Snapshots = counts(v.named(models), []string(nil))
	if drawn := r.Asked - r.NotDrawn; drawn > 0 {
		r.Coverage = new(float64(r.Graded) / float64(drawn))
	}
}

// tally counts by the code of a word.
type tally map[uint32]int64

// named is a tally by word.
func (c *codes) named(n tally) map[string]int64 {
	out := make(map[string]int64, len(n))
	for code, k := range n {
		out[c.word(code)] = k
	}
	return out
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

// countGrades counts grades and problems; the shares have no interval yet.
func (r *ArmReport) countGrades(v view, arm int, e Experiment) {
	problems, poor, n := tally{}, 0, 0
	for o, k := range v.shapesOf(arm) {
		if !o.graded() {
			continue
		}
		n += k
		r.Grades[o.grade-uint8(rubric.Best)] += k
		problems[o.problem] += int64(k)
		if isPoor(answer{obs: o}) {
			poor += k
		}
	}
	r.Poor = countedShare(poor, n)
	r.Problems = []ProblemShare{}
	named := v.named(problems)
	for _, p := range problemList(e, named) {
		r.Problems = append(r.Problems, ProblemShare{p, countedShare(int(named[string(p)]), n)})
	}
}

// estimateMean comes after countGrades.
func (r *ArmReport) estimateMean(v view, arm int) {
	est, weighted, err := v.meanOf(arm, func(a answer) (int64, bool) { return int64(a.grade), a.graded() })
	r.Mean, r.Weighted = estimateOf(r.Poor.N, est, err), weighted
}

// meanOf estimates the mean of a number over an arm's answers that have it, clustered
// by session: plain when all had the same chance, else weighted by 1/chance.
func (v view) meanOf(arm int, of func(answer) (int64, bool)) (est stats.Estimate, weighted bool, err error) {
	column, rates := sums(1), rates{}
	for a := range v.answers(arm) {
		if x, known := of(a); known {
			column.row(v.samples.at(a.sample).session)[0] += x
			rates.add(a.obs.rate)
		}
	}
	if !rates.differ {
		est, err = column.done().mean(0)
		return est, false, err
	}
	var c columns
	var chance []float64
	for a := range v.answers(arm) {
		if x, known := of(a); known {
			c.base, c.session, chance = append(c.base, float64(x)), append(c.session, v.session(a.sample)), append(chance, v.rate(a))
		}
	}
	c.weight = weights(chance)
	est, err = c.mean(c.base)
	return est, true, err
}

// rates says whether chances differ, by their codes.
type rates struct {
	code   uint32 // 0: none yet
	differ bool
}

func (r *rates) add(code uint32) {
	r.differ = r.differ || (r.code != 0 && code != r.code)
	r.code = code
}

// isPoor says whether an answer got grade 5 or 6.
func isPoor(a answer) bool { return a.grade >= uint8(rubric.Worst)-1 }

// problemList is the closed list, then what occurred but is not on it (only when
// the experiment has no list).
func problemList(e Experiment, seen map[string]int64) []rubric.Problem {
	list := slices.Clone(e.Problems)
	var others []rubric.Problem
	for name := range seen {
		if p := rubric.Problem(name); !slices.Contains(list, p) {
			others = append(others, p)
		}
	}
	slices.Sort(others)
	return append(list, others...)
}

// weights are 1/chance, or nil if all are equal.
func weights(chance []float64) []float64 {
	w, equal := make([]float64, len(chance)), true
	for i, p := range chance {
		w[i] = 1 / p
		equal = equal && w[i] == w[0]
	}
	if equal {
		return nil
	}
	return w
}

func tokensOf(v view, arm int) Tokens {
	var out whole
	out.room(len(v.index))
	for a := range v.answers(arm) {
		if n, known := a.number(tokensOut); known && a.answered() {
			out.add(n)
		}
	}
	out.sort()
	return Tokens{N: out.len(), Median: quantileIn(out.all(), 0.5)}
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
