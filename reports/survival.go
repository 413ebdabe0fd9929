package reports

import (
	"iter"
	"math"
	"slices"
	"time"
)

// SurvivalPoint says which share of an arm's calls takes longer than a time; see
// [Tail.Over], whose definition it has: failures and time-outs are slower than any
// time, so that the share does not reach 0 where there are any.
type SurvivalPoint struct {
	Time  time.Duration `json:"time_ns"`
	Share float64       `json:"share"`
}

// survivalPoints is how many points of a curve are kept beside those at limits:
// more than half of them evenly over the calls, the others ever closer to the
// slowest call, which is kept itself.
const survivalPoints = 80

// survivalOf is the share of calls over t for the times t at which it falls, in
// rising order; before the first point it is 1. It is a step function: a share
// holds up to the next point. A call that the user left before t is not known to
// be over t and is left out there, as in times.over. Of many points some are kept,
// always the same ones, and the last one at or before each limit, so that the curve
// is exact at limits. Empty without calls.
func survivalOf(x *times, limits []time.Duration) []SurvivalPoint {
	n := 0
	before := make([]int, len(limits)) // points at or before a limit
	for p := range x.steps() {
		n++
		for i, limit := range limits {
			if p.Time <= limit {
				before[i] = n
			}
		}
	}
	keep := thinned(n)
	for _, n := range before {
		if n > 0 {
			keep = append(keep, n-1)
		}
	}
	slices.Sort(keep)
	out := []SurvivalPoint{}
	at := 0
	for p := range x.steps() {
		if len(keep) > 0 && keep[0] == at {
			out = append(out, p)
			for len(keep) > 0 && keep[0] == at {
				keep = keep[1:]
			}
		}
		at++
	}
	return out
}

// steps has a point for every different time at which a call ended or was left.
func (t *times) steps() iter.Seq[SurvivalPoint] {
	return func(yield func(SurvivalPoint) bool) {
		over := t.len() // calls that take longer than the time at hand
		known := over
		for i, j := 0, 0; i < t.exact.len() || j < t.left.len(); {
			us := int64(math.MaxInt64)
			if i < t.exact.len() {
				us = t.exact.at(i)
			}
			if j < t.left.len() {
				us = min(us, t.left.at(j))
			}
			for ; i < t.exact.len() && t.exact.at(i) == us; i++ {
				over--
			}
			for ; j < t.left.len() && t.left.at(j) == us; j++ {
				over--
				known--
			}
			point := SurvivalPoint{time.Duration(us) * time.Microsecond, float64(over) / float64(known)}
			if known > 0 && !yield(point) {
				return
			}
		}
	}
}

// thinned are the indices of n points to keep.
func thinned(n int) []int {
	var out []int
	if n <= survivalPoints {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	const even = survivalPoints * 5 / 8
	for i := range even {
		out = append(out, i*(n-1)/(even-1))
	}
	const close = survivalPoints - even
	for i := range close {
		back := math.Exp(float64(i) / (close - 1) * math.Log(float64(n)))
		out = append(out, max(n-int(back), 0))
	}
	return out
}
