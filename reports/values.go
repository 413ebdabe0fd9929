package reports

import (
	"errors"
	"math"
	"time"

	"github.com/understudy-eval/understudy/stats"
)

// Interval is a confidence interval. A nil bound is open: it does not exist.
type Interval struct {
	Lower *float64 `json:"lower"`
	Upper *float64 `json:"upper"`
	Level float64  `json:"level"`
}

// Estimate is a figure with its error, in grades unless its field says otherwise. What
// is nil is undefined, and Undefined says why: too_few, cluster_key_missing or not_computable.
type Estimate struct {
	// N counts answers, or pairs for a difference; Sessions what the standard error
	// is clustered by.
	N        int      `json:"n"`
	Sessions int      `json:"sessions"`
	Value    *float64 `json:"value"`
	SE       *float64 `json:"se"`
	DF       *float64 `json:"df"`
	// InSE is Value / SE; nil when SE is 0.
	InSE      *float64 `json:"in_se"`
	Undefined string   `json:"undefined,omitempty"`
}

// Share is x of n. Its interval is Wilson's. Clustered: sessions have several of the n,
// and it is Wilson's with as many of them as are independent, EffectiveN; it is nil then
// if there is one session only, or not every one is known.
//
// EffectiveN is n over the design effect of the share itself. A share of 0 or 1 has none:
// then it is that of the calls slower than the median one, for times, or of the grades of
// the worse half, for grades and problems; where that does not exist, for other shares
// and below 6 sessions, it is the worst there is, Σ n_g² / n, with which equally large
// sessions count as one answer each.
type Share struct {
	X          int       `json:"x"`
	N          int       `json:"n"`
	Share      *float64  `json:"share"`
	Interval   *Interval `json:"interval"`
	Clustered  bool      `json:"clustered,omitempty"`
	EffectiveN *float64  `json:"effective_n,omitempty"`
}

// extreme says that sessions repeat and the share of 0 or 1 does not tell how alike their
// answers are.
func (s Share) extreme() bool { return s.Clustered && s.Interval != nil && (s.X == 0 || s.X == s.N) }

// Count is how often a reason or a name occurred.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// Why an estimate is undefined.
const (
	undefinedTooFew    = "too_few"
	undefinedCluster   = "cluster_key_missing"
	undefinedOtherwise = "not_computable"
)

func estimateOf(n int, e stats.Estimate, err error) Estimate {
	out := Estimate{N: n, Sessions: e.Clusters}
	switch {
	case err == nil:
		out.Value, out.SE, out.DF = new(e.Value), new(e.SE), new(e.DF)
		if t, err := e.InSE(); err == nil {
			out.InSE = new(t)
		}
	case errors.Is(err, stats.ErrTooFew):
		out.Undefined = undefinedTooFew
		if e.N > 0 {
			out.Value = new(e.Value)
		}
	case errors.Is(err, stats.ErrNoCluster):
		out.Undefined = undefinedCluster
	default:
		out.Undefined = undefinedOtherwise
	}
	return out
}

// intervalOf takes the result of a stats call; an error leaves no interval.
func intervalOf(iv stats.Interval, err error) *Interval {
	if err != nil {
		return nil
	}
	out := Interval{Level: iv.Level}
	if !iv.LowerOpen {
		out.Lower = new(iv.Lower)
	}
	if !iv.UpperOpen {
		out.Upper = new(iv.Upper)
	}
	return &out
}

// shareOf is a share of independent rows.
func shareOf(x, n int, level float64) Share {
	s := countedShare(x, n)
	s.Interval = intervalOf(stats.Wilson(x, n, level))
	return s
}

// countedShare is a share whose interval comes later, or not at all.
func countedShare(x, n int) Share {
	s := Share{X: x, N: n}
	if n > 0 {
		s.Share = new(float64(x) / float64(n))
	}
	return s
}

// micros turns a number of microseconds back into a duration.
func micros(us float64) time.Duration {
	return time.Duration(math.Round(us)) * time.Microsecond
}
