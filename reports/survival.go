package reports

import (
	"cmp"
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
// be over t and is left out there, as in overCount. Of many points some are kept,
// always the same ones, and the last one at or before each limit, so that the curve
// is exact at limits. Empty without calls.
func survivalOf(times []timing, limits []time.Duration) []SurvivalPoint {
	all := steps(times)
	keep := make([]bool, len(all))
	for _, i := range thinned(len(all)) {
		keep[i] = true
	}
	for _, limit := range limits {
		after, _ := slices.BinarySearchFunc(all, limit+1, func(p SurvivalPoint, t time.Duration) int { return cmp.Compare(p.Time, t) })
		if after > 0 {
			keep[after-1] = true
		}
	}
	out := []SurvivalPoint{}
	for i, p := range all {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out
}

// steps has a point for every different time at which a call ended or was left.
func steps(times []timing) []SurvivalPoint {
	ends := slices.DeleteFunc(slices.Clone(times), func(t timing) bool { return t.kind != exact && t.kind != left })
	slices.SortFunc(ends, func(a, b timing) int { return cmp.Compare(a.us, b.us) })
	over := 0 // calls that take longer than the time at hand
	for _, t := range times {
		if t.kind != untimed {
			over++
		}
	}
	known := over
	var out []SurvivalPoint
	for i, t := range ends {
		over--
		if t.kind == left {
			known--
		}
		last := i == len(ends)-1 || ends[i+1].us != t.us
		if last && known > 0 {
			out = append(out, SurvivalPoint{time.Duration(t.us) * time.Microsecond, float64(over) / float64(known)})
		}
	}
	return out
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
