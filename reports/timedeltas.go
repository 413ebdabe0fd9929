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
	both := all.filter(func(p pair) bool { return p.base.first().kind != untimed && p.cand.first().kind != untimed })
	if both.len() == 0 {
		return nil
	}
	f := FirstTokens{Quantiles: quantileDeltas(both, answer.first, e.Level), Over: []OverDelta{}}
	for _, limit := range rising(limitsOf(e.Gate.FirstTokenOver)) {
		f.Over = append(f.Over, OverDelta{limit, overDelta(both, answer.first, limit, e.Level)})
	}
	return &f
}

// overDelta leaves out pairs of which one is not known to be over the limit or not.
func overDelta(all pairs, of func(answer) timing, limit time.Duration, level float64) ShareDelta {
	known := all.filter(func(p pair) bool {
		_, base := of(p.base).over(limit)
		_, cand := of(p.cand).over(limit)
		return base && cand
	})
	return shareDelta(known, func(a answer) bool { over, _ := of(a).over(limit); return over }, level)
}

// quantileDeltas are the differences of p50, p95 and p99.
func quantileDeltas(pairs pairs, of func(answer) timing, level float64) []QuantileDelta {
	n := pairs.len()
	base, cand := make([]timing, n), make([]timing, n)
	for i, x := range pairs.all() {
		base[i], cand[i] = of(x.base), of(x.cand)
	}
	live, high, low := ranked(base), ranked(cand), atLeast(cand)
	out := []QuantileDelta{}
	for _, p := range tailQuantiles() {
		out = append(out, quantileDelta(live, high, low, p, level))
	}
	return out
}

// quantileDelta compares base with the candidate's times, failures as +Inf in high,
// and time-outs at their own time in low.
func quantileDelta(base, high, low []float64, p, level float64) QuantileDelta {
	d := QuantileDelta{P: p, Calls: len(base), Level: level}
	delta, iv, err := stats.QuantileDelta(base, high, p, level)
	if err == nil {
		d.Delta = new(micros(delta))
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
	_, iv, err = stats.QuantileDelta(base, low, p, level)
	if (err == nil || errors.Is(err, stats.ErrBeyond)) && !iv.LowerOpen {
		if bound := micros(iv.Lower); d.Lower == nil || bound > *d.Lower {
			d.Lower = &bound
		}
	}
	return d
}
