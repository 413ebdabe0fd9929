package stats

import (
	"fmt"
	"math"
)

// BrunnerMunzelCounts is BrunnerMunzel of values on a short ordered scale, from how
// often each arm has each value: index 0 is the smallest one. It takes time in
// proportion to the scale, and its sums are whole numbers until the end, so that the
// result depends on the counts alone.
//
// Errors: as BrunnerMunzel; ErrMismatch unless both have a count for every value;
// ErrRange for a negative count, or more than 2^30 values in an arm.
func BrunnerMunzelCounts(live, candidate []int) (Estimate, error) {
	if err := checkLen("candidate", len(candidate), len(live)); err != nil {
		return Estimate{}, err
	}
	nLive, err := countAll("live", live)
	if err != nil {
		return Estimate{}, err
	}
	nCand, err := countAll("candidate", candidate)
	if err != nil {
		return Estimate{}, err
	}
	if nLive == 0 || nCand == 0 {
		return Estimate{}, fmt.Errorf("comparison with an empty arm: %w", ErrTooFew)
	}
	l, c := placementMean(live, candidate, nLive, nCand), placementMean(candidate, live, nCand, nLive)
	if nLive == 1 || nCand == 1 {
		return Estimate{N: nLive + nCand, Value: l.Value}, fmt.Errorf("an arm of one value: %w", ErrTooFew)
	}
	e, err := Sum(l, c)
	e.Value = l.Value
	return e, err
}

// maxCounted bounds an arm so that products of two counts stay whole numbers.
const maxCounted = 1 << 30

func countAll(what string, counts []int) (int, error) {
	n := 0
	for i, k := range counts {
		if k < 0 || k > maxCounted-n {
			return 0, fmt.Errorf("%s[%d] is %d after %d others: %w", what, i, k, n, ErrRange)
		}
		n += k
	}
	return n, nil
}

// placementMean is the mean placement of n values among m others, from the counts
// of both: a placement is the share of the others that are smaller, ties half.
func placementMean(counts, others []int, n, m int) Estimate {
	twice := make([]int, len(counts)) // placements times 2m
	below, sum := 0, 0
	for i, k := range counts {
		twice[i] = 2*below + others[i]
		below += others[i]
		sum += k * twice[i]
	}
	squares := 0.0
	for i, k := range counts {
		off := float64(twice[i]*n-sum) / float64(n)
		squares += float64(k) * off * off
	}
	e := Estimate{N: n, Value: float64(sum) / float64(n) / float64(2*m)}
	if n > 1 {
		e.SE, e.DF = math.Sqrt(squares/float64(n-1)/float64(n))/float64(2*m), float64(n-1)
	}
	return e
}
