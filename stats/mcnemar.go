package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxDiscordant is where the binomial probabilities keep four digits.
const maxDiscordant = 1 << 31

// McNemar tests that two shares over the same pairs are equal, from the pairs in
// which the event happened on one side only. It is also the sign test on wins and
// losses.
//
//	n = liveOnly + candidateOnly; k the smaller one
//	exact = min(1, 2 P(Binomial(n, ½) ≤ k))
//	midP  = exact − P(Binomial(n, ½) = k), or 1 − that if both counts are equal
//
// midP is the default choice: exact is too careful (it needs 6 pairs all one way
// for 0.05). Both are two-sided and symmetric in the counts. Without discordant
// pairs both are 1. Pairs must be independent: for clusters see SignFlip and
// ClusteredShareDelta. Errors: ErrRange for a count that is negative or above 2^31.
//
// Source: McNemar (1947); Fagerland, Lydersen & Laake (2013); checked against R
// binom.test, testdata/mcnemar.json.
func McNemar(liveOnly, candidateOnly int) (exact, midP float64, err error) {
	if min(liveOnly, candidateOnly) < 0 || max(liveOnly, candidateOnly) > maxDiscordant {
		return 0, 0, fmt.Errorf("discordant pairs %d and %d: %w", liveOnly, candidateOnly, ErrRange)
	}
	if liveOnly == 0 && candidateOnly == 0 {
		return 1, 1, nil
	}
	k := float64(min(liveOnly, candidateOnly))
	b := distuv.Binomial{N: float64(liveOnly) + float64(candidateOnly), P: 0.5}
	at := b.Prob(k)
	if liveOnly == candidateOnly {
		return 1, 1 - at, nil
	}
	exact = min(1, 2*b.CDF(k))
	return exact, max(0, exact-at), nil
}

// Holm adjusts p-values for the number of comparisons that were planned, so that
// the chance of any false finding stays at the level they are compared with.
//
//	adjusted_(i) = max over j ≤ i of min(1, (planned − j + 1) p_(j))    p ascending
//
// The result has the order of p, which is not changed; nil for no p. planned
// counts every comparison, also those without data, so it is at least len(p).
// Errors: ErrRange if it is not, or for a p outside 0..1; ErrNotFinite for NaN.
//
// Source: Holm (1979); checked against R p.adjust, testdata/holm.json.
func Holm(p []float64, planned int) ([]float64, error) {
	if planned < len(p) {
		return nil, fmt.Errorf("%d comparisons planned, %d given: %w", planned, len(p), ErrRange)
	}
	if err := checkFinite("p", p); err != nil {
		return nil, err
	}
	order := make([]int, len(p))
	for i, v := range p {
		if v < 0 || v > 1 {
			return nil, fmt.Errorf("p[%d] is %v: %w", i, v, ErrRange)
		}
		order[i] = i
	}
	if len(p) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	running := 0.0
	for j, i := range order {
		running = math.Max(running, min(1, float64(planned-j)*p[i]))
		out[i] = running
	}
	return out, nil
}
