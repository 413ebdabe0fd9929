package reports

import (
	"errors"
	"time"

	"github.com/understudy-eval/understudy/stats"
)

// tailQuantiles are the quantiles of every tail.
func tailQuantiles() []float64 { return []float64{0.5, 0.95, 0.99} }

// QuantileDelta is the difference of a quantile over samples that both arms were
// asked, by MOVER, which takes the two as independent: on pairs that is wide rather
// than narrow. It is no mean of differences. Delta is nil if a quantile lies among
// failed calls; a bound is nil where it is open.
type QuantileDelta struct {
	P     float64        `json:"p"`
	Calls int            `json:"calls"`
	Delta *time.Duration `json:"delta_ns"`
	Lower *time.Duration `json:"lower_ns"`
	Upper *time.Duration `json:"upper_ns"`
	Level float64        `json:"level"`
}

// FirstTokens compares the time to the first token over the samples that both arms
// streamed; Over has the limits of the gate.
type FirstTokens struct {
	Quantiles []QuantileDelta `json:"quantiles"`
	Over      []OverDelta     `json:"over"`
}

func firstTokenDeltas(all pairs, e Experiment) *FirstTokens {
	both := all.filter(func(p pair) bool { return p.base.obs.first != untimed && p.cand.obs.first != untimed })
	if both.len() == 0 {
		return nil
	}
	return &FirstTokens{
		Quantiles: quantileDeltas(both, answer.first, e.Level),
		Over:      overs(both, answer.first, rising(limitsOf(e.Gate.FirstTokenOver)), e.Level),
	}
}

// overs compares the shares of calls over limits, in one pass. It leaves out pairs of
// which one is not known to be over the limit or not.
func overs(all pairs, of func(answer) timing, limits []time.Duration, level float64) []OverDelta {
	out := make([]OverDelta, len(limits))
	by := make([]*bySession, len(limits))
	for i, limit := range limits {
		out[i].Limit, by[i] = limit, sums(1)
	}
	for _, p := range all.all() {
		session := all.samples.at(p.base.sample).session
		base, cand := of(p.base), of(p.cand)
		for i, limit := range limits {
			overBase, knownBase := base.over(limit)
			overCand, knownCand := cand.over(limit)
			if knownBase && knownCand {
				by[i].row(session)[0] += out[i].Delta.count(overBase, overCand, 1)
			}
		}
	}
	for i := range out {
		out[i].Delta = out[i].Delta.estimated(by[i].done(), 0, level)
	}
	return out
}

// quantileDeltas are the differences of p50, p95 and p99.
func quantileDeltas(pairs pairs, of func(answer) timing, level float64) []QuantileDelta {
	base, cand := pairs.times(of)
	out := []QuantileDelta{}
	for _, p := range tailQuantiles() {
		out = append(out, quantileDelta(base, cand, p, level))
	}
	return out
}

func quantileDelta(base, cand *times, p, level float64) QuantileDelta {
	d := QuantileDelta{P: p, Calls: base.len(), Level: level}
	delta, iv, err := stats.QuantileDeltaOf(base.ranked(), cand.ranked(), p, level)
	if err == nil {
		d.Delta = new(micros(delta))
	}
	if base.left.len()+cand.left.len() > 0 { // those may have taken any time
		_, low, _ := stats.QuantileDeltaOf(base.atMost(), cand.ranked(), p, level)
		_, high, _ := stats.QuantileDeltaOf(base.ranked(), cand.atMost(), p, level)
		iv.Lower, iv.LowerOpen, iv.Upper, iv.UpperOpen = low.Lower, low.LowerOpen, high.Upper, high.UpperOpen
	}
	if err == nil || errors.Is(err, stats.ErrBeyond) {
		if !iv.LowerOpen {
			d.Lower = new(micros(iv.Lower))
		}
		if !iv.UpperOpen {
			d.Upper = new(micros(iv.Upper))
		}
	}
	// Time-outs at their own time bound the candidate from below, and often better.
	_, iv, err = stats.QuantileDeltaOf(base.atMost(), cand.atLeast(), p, level)
	if (err == nil || errors.Is(err, stats.ErrBeyond)) && !iv.LowerOpen {
		if bound := micros(iv.Lower); d.Lower == nil || bound > *d.Lower {
			d.Lower = &bound
		}
	}
	return d
}
