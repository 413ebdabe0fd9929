package reports

import (
	"math"
	"slices"
	"time"
)

// kind says how a time is to be read.
type kind uint8

const (
	untimed kind = iota // there is none: not asked, or a stream without content
	exact               // it took that long
	cut                 // a time-out: slower than any limit, and longer than its time
	failed              // slower than any limit; its time says nothing
	left                // the user left: longer than its time, not slower than any limit
)

// timing is one call's time in microseconds.
type timing struct {
	us   int64
	kind kind
}

// over says whether the call took longer than the limit, and whether that is known.
// A call that the user left before the limit is not known.
func (t timing) over(limit time.Duration) (over, known bool) {
	late := time.Duration(t.us) > limit/time.Microsecond // whole microseconds: as exact as t.us > limit
	switch t.kind {
	case exact:
		return late, true
	case cut, failed:
		return true, true
	case left:
		return late, late
	}
	return false, false
}

// ranked are the times in ascending order with every failure as +Inf, slower than
// any limit. A call that the user left counts at the time of leaving.
func ranked(times []timing) []float64 {
	return sorted(times, func(t timing) float64 {
		if t.kind == cut || t.kind == failed {
			return math.Inf(1)
		}
		return float64(t.us)
	})
}

// atLeast are lower bounds of the times, in ascending order: as ranked, but a
// time-out counts at its own time.
func atLeast(times []timing) []float64 {
	return sorted(times, func(t timing) float64 {
		if t.kind == failed {
			return math.Inf(1)
		}
		return float64(t.us)
	})
}

func sorted(times []timing, value func(timing) float64) []float64 {
	out := make([]float64, 0, len(times))
	for _, t := range times {
		if t.kind != untimed {
			out = append(out, value(t))
		}
	}
	slices.Sort(out)
	return out
}

func only(times []timing, k kind) []timing {
	var out []timing
	for _, t := range times {
		if t.kind == k {
			out = append(out, t)
		}
	}
	return out
}
