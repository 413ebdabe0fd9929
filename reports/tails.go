package reports

import (
	"errors"
	"time"

	"github.com/understudy-eval/understudy/stats"
)

// Tail is the distribution of a time over an arm's calls. A failed call counts as
// slower than any limit; Answers are the times of answered calls alone, which
// decide nothing.
//
// A call that the user left is censored at the time of leaving: its true time is
// longer, but the model did not fail. It counts over a limit if it was left after
// the limit and is left out of that share otherwise; in quantiles it counts at the
// time of leaving, so that they are a lower bound; their upper bounds take it as one of
// any time. It is not taken for cut at random, as by Kaplan and Meier: users leave
// because it takes long.
type Tail struct {
	// Calls = Answered + Failed + Left. TimedOut is the part of Failed that was cut
	// off by a limit: it took more than its time.
	Calls     int         `json:"calls"`
	Answered  int         `json:"answered"`
	Failed    int         `json:"failed"`
	TimedOut  int         `json:"timed_out"`
	Left      int         `json:"left_by_user"`
	Quantiles []Quantile  `json:"quantiles"`
	Over      []OverLimit `json:"over"`
}

// Quantile is one quantile (type 7) of a tail with its order-statistic interval.
type Quantile struct {
	P float64 `json:"p"`
	// Value is nil when the quantile lies among failed calls. AtLeast then bounds it
	// from below: reached by time-outs (≥), or exceeded where Exceeds is set (>).
	Value   *time.Duration `json:"value_ns"`
	AtLeast *time.Duration `json:"at_least_ns,omitempty"`
	Exceeds bool           `json:"exceeds,omitempty"`
	// LowerBound: calls that the user left count at the time of leaving in Value, and it
	// would be larger if they had taken long.
	LowerBound bool `json:"lower_bound,omitempty"`
	// Lower and Upper bound it at Level, which is what the order statistics reach.
	// A nil Upper is open: more than Longest, the longest time that is known.
	Lower   *time.Duration `json:"lower_ns"`
	Upper   *time.Duration `json:"upper_ns"`
	Longest *time.Duration `json:"longest_ns"`
	Level   float64        `json:"level"`
	// Answers is the quantile of answered calls alone.
	Answers *time.Duration `json:"answers_ns"`
}

// OverLimit is the share of calls that took longer than a limit.
type OverLimit struct {
	Limit time.Duration `json:"limit_ns"`
	Share Share         `json:"share"`
	// Answers is the same over answered calls alone.
	Answers Share `json:"answers"`
}

// tailOf describes sorted times; the shares have no interval yet, see [Tail.cluster].
func tailOf(x *times, limits []time.Duration, level float64) Tail {
	t := Tail{
		Calls: x.len(), Answered: x.exact.len(), Failed: x.cut.len() + x.failed, TimedOut: x.cut.len(), Left: x.left.len(),
		Quantiles: []Quantile{}, Over: []OverLimit{},
	}
	for _, p := range tailQuantiles() {
		t.Quantiles = append(t.Quantiles, quantileOf(x, p, level))
	}
	for _, limit := range limits {
		late, known := x.over(limit)
		lateAnswers := x.exact.over(limit)
		t.Over = append(t.Over, OverLimit{
			Limit: limit, Share: countedShare(late, known), Answers: countedShare(lateAnswers, x.exact.len()),
		})
	}
	return t
}

// quantileOf reads the quantile from high (failures are +Inf); where it lies among
// them, low (time-outs at their own time) still bounds it from below.
func quantileOf(x *times, p, level float64) Quantile {
	high, low := x.ranked(), x.atLeast()
	q := Quantile{P: p, Level: level}
	if v, err := stats.QuantileOf(x.answers(), p); err == nil {
		q.Answers = new(micros(v))
	}
	if longest, err := stats.QuantileOf(low, 1); err == nil || (errors.Is(err, stats.ErrBeyond) && longest > 0) {
		q.Longest = new(micros(longest))
	}
	v, err := stats.QuantileOf(high, p)
	switch {
	case err == nil:
		q.Value = new(micros(v))
		most, errMost := stats.QuantileOf(x.atMost(), p)
		q.LowerBound = errMost != nil || most > v
	case errors.Is(err, stats.ErrBeyond):
		bound, errLow := stats.QuantileOf(low, p)
		q.Exceeds = errLow != nil || bound < v
		if bound = max(bound, v); bound > 0 {
			q.AtLeast = new(micros(bound))
		}
	}
	q.bound(x, level)
	return q
}

// bound fills the interval. Calls that were left or cut count at their own time in its
// lower bound, and as slower than any in its upper one; a failure does in both.
func (q *Quantile) bound(x *times, level float64) {
	above, errAbove := stats.QuantileCIOf(x.atMost(), q.P, level)
	below, errBelow := stats.QuantileCIOf(x.atLeast(), q.P, level)
	if errAbove != nil || errBelow != nil {
		return
	}
	q.Level = above.Level
	if !below.LowerOpen {
		q.Lower = new(micros(below.Lower))
	}
	if !above.UpperOpen {
		q.Upper = new(micros(above.Upper))
	}
}
