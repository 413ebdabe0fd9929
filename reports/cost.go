package reports

import (
	"slices"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/stats"
)

// ArmCost is what the calls of an arm cost and what judging its answers did, in USD at
// the prices of the day on which they were made. A failed call costs too. A cost is
// known where the model's price and the tokens are; what is not known is left out of
// every figure and never taken for 0.
type ArmCost struct {
	// Known of Calls (asked, answered or failed) have a cost. TotalNUSD is their sum,
	// in 1e-9 USD; nil if none has.
	Calls     int    `json:"calls"`
	Known     int    `json:"known"`
	TotalNUSD *int64 `json:"total_nusd"`
	// PerAnswer is the mean over the known costs, in USD, its standard error clustered
	// by session; weighted by 1/rate where rates differ. Interval is for one look.
	PerAnswer Estimate  `json:"per_answer"`
	Interval  *Interval `json:"interval"`
	// Median and P95 are quantiles (type 7) of the known costs, in USD.
	Median *float64 `json:"median"`
	P95    *float64 `json:"p95"`

	TokensIn        MeanCount `json:"tokens_in"`
	TokensOut       MeanCount `json:"tokens_out"`
	TokensReasoning MeanCount `json:"tokens_reasoning"` // part of TokensOut

	Judging JudgingCost `json:"judging"`
}

// MeanCount is a mean over the N calls that say the number; nil if none does.
type MeanCount struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"`
}

// JudgingCost is what verdicts on an arm's answers cost.
type JudgingCost struct {
	// Known of the Judged answers (graded or not graded) have a cost of judging;
	// TotalNUSD is their sum, in 1e-9 USD; nil if none has.
	Judged    int    `json:"judged"`
	Known     int    `json:"known"`
	TotalNUSD *int64 `json:"total_nusd"`
	// PerGraded is the sum for each graded answer among the known ones, in USD.
	PerGraded *float64 `json:"per_graded"`
}

// CostDelta compares what two arms' calls cost, over pairs of which both costs are
// known. Delta is candidate − the other in USD per answer: negative is cheaper.
type CostDelta struct {
	Against shadow.Arm `json:"against"`
	// Pairs of Asked (pairs that both arms were asked) have both costs.
	Asked int `json:"asked"`
	Pairs int `json:"pairs"`
	// Other and Candidate are the means over the pairs, in USD.
	Other     *float64  `json:"other"`
	Candidate *float64  `json:"candidate"`
	Delta     Estimate  `json:"delta"`
	Interval  *Interval `json:"interval"`
	// Ratio is Candidate / Other with Fieller's interval, both clustered by session;
	// nil where Other is 0.
	Ratio         *float64  `json:"ratio"`
	RatioInterval *Interval `json:"ratio_interval"`
}

const usdPerNano = 1e-9

func costOf(v view, arm int, level float64) ArmCost {
	c := ArmCost{Judging: judgingOf(v, arm)}
	var known columns
	var chance []float64
	var in, out, reasoning, total sum
	for a := range v.answers(arm) {
		if !a.asked() {
			continue
		}
		c.Calls++
		in.add(a.number(tokensIn))
		out.add(a.number(tokensOut))
		reasoning.add(a.number(tokensReasoning))
		nano, ok := a.number(costNUSD)
		if !ok {
			continue
		}
		total.add(nano, ok)
		known.base = append(known.base, float64(nano))
		known.session = append(known.session, v.session(a.sample))
		chance = append(chance, v.rate(a))
	}
	c.TokensIn, c.TokensOut, c.TokensReasoning = in.mean(), out.mean(), reasoning.mean()
	c.Known, c.TotalNUSD, known.weight = total.n, total.known(), weights(chance)
	est, err := known.mean(known.base)
	c.PerAnswer, c.Interval = inUSD(c.Known, est, err, level)
	slices.Sort(known.base)
	c.Median, c.P95 = quantileUSD(known.base, 0.5), quantileUSD(known.base, 0.95)
	return c
}

// sum adds up the numbers that are known.
type sum struct {
	n     int
	total int64
}

func (s *sum) add(v int64, known bool) {
	if known {
		s.n++
		s.total += v
	}
}

// known is the sum; nil if no number was known.
func (s sum) known() *int64 {
	if s.n == 0 {
		return nil
	}
	return &s.total
}

func (s sum) mean() MeanCount {
	m := MeanCount{N: s.n}
	if s.n > 0 {
		m.Mean = new(float64(s.total) / float64(s.n))
	}
	return m
}

func judgingOf(v view, arm int) JudgingCost {
	var j JudgingCost
	var total sum
	graded := 0
	for a := range v.answers(arm) {
		if !a.ruled() {
			continue
		}
		j.Judged++
		nano, known := a.number(judgeCostNUSD)
		total.add(nano, known)
		if known && a.graded() {
			graded++
		}
	}
	if j.Known, j.TotalNUSD = total.n, total.known(); graded > 0 {
		j.PerGraded = new(usdPerNano * float64(total.total) / float64(graded))
	}
	return j
}

// inUSD turns an estimate in 1e-9 USD into USD, with its interval.
func inUSD(n int, e stats.Estimate, err error, level float64) (Estimate, *Interval) {
	e.Value *= usdPerNano
	e.SE *= usdPerNano
	out := estimateOf(n, e, err)
	if err != nil {
		return out, nil
	}
	return out, intervalOf(e.CI(level))
}

func quantileUSD(sorted []float64, p float64) *float64 {
	v, err := stats.Quantile(sorted, p)
	if err != nil {
		return nil
	}
	return new(usdPerNano * v)
}

// costDelta compares costs over the pairs that both arms were asked.
func costDelta(asked pairs, against shadow.Arm, level float64) CostDelta {
	known := asked.where(func(p pair) bool {
		_, base := p.base.number(costNUSD)
		_, cand := p.cand.number(costNUSD)
		return base && cand
	})
	d := CostDelta{Against: against, Asked: asked.len(), Pairs: known.len()}
	c := columnsOf(known)
	for i, p := range known.all() {
		base, _ := p.base.number(costNUSD)
		cand, _ := p.cand.number(costNUSD)
		c.base[i], c.cand[i] = float64(base), float64(cand)
	}
	delta, err := c.delta()
	d.Delta, d.Interval = inUSD(d.Pairs, delta, err, level)
	if d.Pairs == 0 {
		return d
	}
	base, cand := c.weighted(c.base), c.weighted(c.cand)
	d.Other, d.Candidate = c.meanUSD(base), c.meanUSD(cand)
	r, err := stats.ClusteredRatio(base, cand, c.session)
	if *d.Other > 0 {
		d.Ratio = new(*d.Candidate / *d.Other)
	}
	if err == nil {
		d.RatioInterval = intervalOf(r.CI(level))
	}
	return d
}

// weighted is a column times its weights, so that sums of it are weighted sums.
func (c columns) weighted(x []float64) []float64 {
	if c.weight == nil {
		return x
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * c.weight[i]
	}
	return out
}

// meanUSD is the mean of a weighted column of 1e-9 USD.
func (c columns) meanUSD(weighted []float64) *float64 {
	total, weight := 0.0, float64(len(weighted))
	for _, v := range weighted {
		total += v
	}
	if c.weight != nil {
		weight = 0
		for _, w := range c.weight {
			weight += w
		}
	}
	return new(usdPerNano * total / weight)
}
