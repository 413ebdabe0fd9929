package reports

import (
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/stats"
)

// Comparison is a candidate against live, and what the gate's increases are
// measured against: the control arm where there is one, else live. Every
// difference is candidate − the other.
type Comparison struct {
	Arm     shadow.Arm `json:"arm"`
	Control bool       `json:"control,omitempty"`
	Quality Quality    `json:"quality"`
	// Unredacted is the grade difference over the pairs that redaction did not
	// touch; nil if it touched none.
	Unredacted *Estimate `json:"unredacted,omitempty"`
	// Unsuspected is the same over the pairs without an answer that looks like an attack
	// on the judge; nil if there is none such.
	Unsuspected *Estimate `json:"unsuspected,omitempty"`
	// JudgeNoise is how much of the difference's error is the judge's; nil if it is not known.
	JudgeNoise *JudgeNoise `json:"judge_noise,omitempty"`
	Ungraded   Ungraded    `json:"ungraded"`
	// Over is the difference of the share of calls over each limit, to live.
	Over []OverDelta `json:"over"`
	// Quantiles are the differences of p50, p95 and p99 of the time to the whole
	// answer, to live. FirstToken is the same over the samples that both streamed;
	// nil without any.
	Quantiles  []QuantileDelta `json:"quantiles"`
	FirstToken *FirstTokens    `json:"first_token"`
	// Length looks at pairs whose answers are about equally long.
	Length Length `json:"length"`
	// Best and Worst are pairs to look up, of those in which the candidate's grade is
	// better or worse.
	Best  []GradedPair `json:"best"`
	Worst []GradedPair `json:"worst"`
	// Cost is to live, CostIncrease to the arm that Against names.
	Cost         CostDelta `json:"cost"`
	CostIncrease CostDelta `json:"cost_increase"`

	// Against names the arm that the rest is measured against.
	Against  shadow.Arm     `json:"against"`
	P95      QuantileDelta  `json:"p95"`
	Failures ShareDelta     `json:"failures"`
	Problems []ProblemDelta `json:"problems"`
	// Discipline is the difference of the share of answers outside the request's own
	// schema or list, over pairs of which it can be told of both.
	Discipline ShareDelta `json:"outside_contract"`
}

// Ungraded compares the shares of answers without a grade (failed or not graded),
// over the pairs that both arms were asked and the judge's share drew.
type Ungraded struct {
	Pairs     int      `json:"pairs"`
	Live      int      `json:"live"`
	Candidate int      `json:"candidate"`
	Delta     *float64 `json:"delta"`
	// Interval is that of a [ShareDelta].
	Interval *Interval `json:"interval"`
	// Differ: by more than one percentage point, so there is no go.
	Differ bool `json:"differ"`
}

// ShareDelta is the difference of two shares over pairs, candidate − the other.
type ShareDelta struct {
	Pairs     int      `json:"pairs"`
	Both      int      `json:"both"`
	OtherOnly int      `json:"other_only"`
	CandOnly  int      `json:"candidate_only"`
	Delta     *float64 `json:"delta"`
	// Interval is Newcombe's for pairs. Clustered: sessions have several pairs, and
	// it is widened to hold the clustered interval too, which alone would collapse
	// to a point where an event is rare. Without a pair that differs it is Newcombe's
	// alone, as if pairs were independent. Nil without pairs or with a single session
	// of several.
	Interval  *Interval `json:"interval"`
	Clustered bool      `json:"clustered,omitempty"`
	// P tests that the shares are equal: McNemar's mid-p, or where Clustered the
	// larger of it and of the clustered t test's. Nil as Interval.
	P *float64 `json:"p"`
}

// OverDelta is the difference of the share of calls over a limit.
type OverDelta struct {
	Limit time.Duration `json:"limit_ns"`
	Delta ShareDelta    `json:"delta"`
}

// maxLossPoints is by how many percentage points the ungraded shares of two arms
// may differ; the rule of the books.
const maxLossPoints = 1

func comparisonOf(i int, v view, e Experiment) Comparison {
	r, c := comparedOf(i, v, e)
	pairs, against := c.pairs, c.against
	r.Quality.Poor = shareDelta(c.graded, isPoor, e.Level)
	r.Quality.BetterUnpaired = unpairedChance(v, i+1, e.Level)
	r.Unredacted, r.Unsuspected = without(pairs, (*obs).redacted), without(pairs, (*obs).suspect)
	r.Over = overs(pairs, answer.latency, e.latencyLimits(), e.Level)
	r.Cost = costDelta(pairs, shadow.Live, e.Level)
	r.Quantiles, r.FirstToken = quantileDeltas(pairs, answer.latency, e.Level), firstTokenDeltas(pairs, e)
	r.Length = lengthOf(pairs, e)
	r.Discipline = disciplineDelta(against, e.Level)
	r.Best, r.Worst = extremePairs(pairs.filter(pair.comparable))
	if r.CostIncrease, r.P95 = r.Cost, r.Quantiles[1]; against.base != 0 {
		r.CostIncrease, r.P95 = costDelta(against, r.Against, e.Level), p95Of(against, e)
	}
	return r
}

// compared are the pairs of a comparison: with live, with the arm that increases are
// measured against, and those with live of which one judge graded both answers.
type compared struct{ pairs, against, graded pairs }

// comparedOf compares grades, problems and failures.
func comparedOf(i int, v view, e Experiment) (Comparison, compared) {
	arm := e.Candidates[i]
	base, name := baseline(i, e)
	c := compared{pairs: v.pairs(0, i+1)}
	if c.against = c.pairs; base != 0 {
		c.against = v.pairs(base, i+1)
	}
	asked := c.pairs.filter(pair.drawn)
	c.graded = asked.filter(pair.comparable)
	r := Comparison{
		Arm: arm.Name, Control: arm.Control, Against: name, Quality: qualityOf(asked, c.graded, e), Ungraded: ungradedOf(asked, e.Level),
		Failures: shareDelta(c.against.filter(func(p pair) bool { return !v.userLeft(p) }), answer.failed, e.Level),
	}
	if r.Problems = r.Quality.Problems; base != 0 {
		r.Problems = problemDeltas(c.against.filter(pair.comparable), e)
	}
	return r, c
}

func p95Of(pairs pairs, e Experiment) QuantileDelta {
	return quantileDeltas(pairs, answer.latency, e.Level)[1]
}

// baseline is the arm that increases are measured against: the first control arm,
// unless it is the candidate itself, else live.
func baseline(candidate int, e Experiment) (index int, name shadow.Arm) {
	for i, a := range e.Candidates {
		if a.Control && i != candidate && !e.Candidates[candidate].Control {
			return i + 1, a.Name
		}
	}
	return 0, shadow.Live
}

// without is the grade difference over the pairs of which neither answer is marked;
// nil if none is.
func without(all pairs, marked func(*obs) bool) *Estimate {
	clean := all.filter(func(p pair) bool { return !marked(p.base.obs) && !marked(p.cand.obs) })
	if clean.len() == all.len() {
		return nil
	}
	graded := clean.filter(pair.comparable)
	est, err := graded.delta()
	return new(estimateOf(graded.len(), est, err))
}

func ungradedOf(asked pairs, level float64) Ungraded {
	d := shareDelta(asked, func(a answer) bool { return !a.graded() }, level)
	u := Ungraded{Pairs: d.Pairs, Live: d.Both + d.OtherOnly, Candidate: d.Both + d.CandOnly, Interval: d.Interval}
	if u.Pairs > 0 {
		more := u.Candidate - u.Live
		u.Delta = new(float64(more) / float64(u.Pairs))
		u.Differ = 100*max(more, -more) > maxLossPoints*u.Pairs
	}
	return u
}

// shareDelta compares how often an event, which no number decides, happened to the two
// answers of a pair.
func shareDelta(pairs pairs, event func(answer) bool, level float64) ShareDelta {
	var d ShareDelta
	sums := pairs.sums(1, func(p pair, n int, to []int64) { to[0] = d.count(event(p.base), event(p.cand), n) })
	return d.estimated(sums, 0, level)
}

// count takes n pairs in and gives the difference of the events of each.
func (d *ShareDelta) count(base, cand bool, n int) int64 {
	switch {
	case base && cand:
		d.Both += n
	case base:
		d.OtherOnly += n
		return -1
	case cand:
		d.CandOnly += n
		return 1
	}
	return 0
}

// estimated completes the counts by what the sums of the events' differences over
// all pairs say; a column below 0 is one without an event.
func (d ShareDelta) estimated(sums *bySession, column int, level float64) ShareDelta {
	d.Pairs = sums.rows
	delta, iv, err := d.newcombe(1, level)
	if err != nil {
		return d
	}
	d.Delta = new(delta)
	_, p, errP := stats.McNemar(d.OtherOnly, d.CandOnly)
	if d.Clustered = sums.clustered(); d.Clustered {
		est, errMean := sums.mean(column)
		iv, p, err = widened(iv, p, est, errMean, level)
	}
	if d.Interval = intervalOf(iv, err); err == nil && errP == nil {
		d.P = new(p)
	}
	return d
}

// newcombe is the interval of k times as many pairs with the same shares.
func (d ShareDelta) newcombe(k int, level float64) (float64, stats.Interval, error) {
	neither := d.Pairs - d.Both - d.OtherOnly - d.CandOnly
	return stats.NewcombePaired(k*d.Both, k*d.OtherOnly, k*d.CandOnly, k*neither, level)
}

// widened joins Newcombe's interval and McNemar's p with the clustered ones.
func widened(iv stats.Interval, p float64, est stats.Estimate, err error, level float64) (stats.Interval, float64, error) {
	if err != nil {
		return stats.Interval{}, 0, err
	}
	clustered, err := est.CI(level)
	if err != nil {
		return stats.Interval{}, 0, err
	}
	iv.Lower = max(-1, min(iv.Lower, clustered.Lower))
	iv.Upper = min(1, max(iv.Upper, clustered.Upper))
	if other, err := est.PValue(0); err == nil { // else every session has the same difference
		p = max(p, other)
	}
	return iv, p, nil
}
