package stats

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// BrunnerMunzel estimates, for two independent sets of values on an ordered
// scale, the probability that a candidate's value is smaller than a live one,
// ties counting half. No distance between values enters, and variances may differ.
//
//	Value = P(candidate < live) + P(candidate = live)/2
//	u_i, v_j = placements: the share of the other arm's values that value i (j)
//	           beats or is beaten by, ties half
//	SE = sqrt(s_u²/n_live + s_v²/n_cand), DF as in Welch
//
// Above 0.5 favours the candidate where smaller is better; test it with
// PValue(0.5). N counts both arms. LogitCI keeps the interval inside 0..1.
// Errors: ErrNotFinite; ErrTooFew if an arm has fewer than two values (Value is
// filled if both have one); ErrUndefined if placements do not vary, as when the
// arms do not overlap: then Value is filled and SE 0.
//
// Source: Brunner & Munzel (2000); checked against R, SciPy and the paper's pain
// scores, testdata/unpaired_ordinal.json.
func BrunnerMunzel(live, candidate []float64) (Estimate, error) {
	if err := checkFinite("live", live); err != nil {
		return Estimate{}, err
	}
	if err := checkFinite("candidate", candidate); err != nil {
		return Estimate{}, err
	}
	if len(live) == 0 || len(candidate) == 0 {
		return Estimate{}, fmt.Errorf("comparison with an empty arm: %w", ErrTooFew)
	}
	below := placements(live, candidate)
	l, errLive := plainMean(below, make([]float64, len(below)))
	above := placements(candidate, live)
	c, errCand := plainMean(above, make([]float64, len(above)))
	value := l.Value // the mean of u; that of v is 1 − it
	if errLive != nil || errCand != nil {
		return Estimate{N: l.N + c.N, Value: value}, fmt.Errorf("an arm of one value: %w", ErrTooFew)
	}
	e, err := Sum(l, c)
	e.Value = value
	return e, err
}

// placements is, for each x, the share of others that are smaller, ties half.
func placements(x, others []float64) []float64 {
	sorted := slices.Clone(others)
	slices.Sort(sorted)
	out := make([]float64, len(x))
	for i, v := range x {
		less := sort.SearchFloat64s(sorted, v)
		upTo := less + sort.Search(len(sorted)-less, func(j int) bool { return sorted[less+j] > v })
		out[i] = (float64(less) + float64(upTo)) / 2 / float64(len(others))
	}
	return out
}

// Zeros says what a signed-rank test does with pairs that do not differ.
type Zeros int

const (
	// DropZeros leaves them out before ranking (Wilcoxon; what R does).
	DropZeros Zeros = iota
	// RankZeros ranks them too and then leaves them out (Pratt).
	RankZeros
)

// SignedRanks is the result of SignedRank. Positive is the sum of the ranks of
// positive differences (R's V), Pairs the number of pairs that differ, Z the
// standardised Positive, P its two-sided normal p-value, and PCorrected the same
// with the continuity correction.
type SignedRanks struct {
	Positive         float64
	Pairs            int
	Z, P, PCorrected float64
}

// SignedRank tests that the paired differences candidate − live are symmetric
// around 0, by the ranks r of their absolute values (midranks for ties).
//
//	V = Σ r over positive d; Z = (V − Σr/2) / sqrt(Σr²/4)
//
// A negative Z means that the candidate's values are smaller. With half of the
// pairs tied the two rules for zeros differ: name the one used. Neither slice is
// changed. Errors: ErrMismatch; ErrNotFinite; ErrRange for an unknown rule;
// ErrTooFew without pairs; ErrUndefined if no pair differs.
//
// Source: Wilcoxon (1945), Pratt (1959); checked against R wilcox.test and coin,
// testdata/paired_ordinal.json.
func SignedRank(live, candidate []float64, zeros Zeros) (SignedRanks, error) {
	d, _, err := differences(live, candidate)
	if err != nil {
		return SignedRanks{}, err
	}
	if zeros != DropZeros && zeros != RankZeros {
		return SignedRanks{}, fmt.Errorf("rule %d for zeros: %w", zeros, ErrRange)
	}
	if len(d) == 0 {
		return SignedRanks{}, fmt.Errorf("signed ranks of no pairs: %w", ErrTooFew)
	}
	if zeros == DropZeros {
		d = slices.DeleteFunc(d, func(v float64) bool { return v == 0 })
	}
	var s SignedRanks
	var sum, squares float64
	for i, r := range absRanks(d) {
		if d[i] == 0 {
			continue
		}
		s.Pairs++
		sum += r
		squares += r * r
		if d[i] > 0 {
			s.Positive += r
		}
	}
	if s.Pairs == 0 {
		return SignedRanks{}, fmt.Errorf("signed ranks, no pair differs: %w", ErrUndefined)
	}
	off, sd := s.Positive-sum/2, math.Sqrt(squares)/2
	s.Z = off / sd
	s.P = zTwoSided(s.Z)
	s.PCorrected = zTwoSided(max(0, math.Abs(off)-0.5) / sd)
	return s, nil
}

// absRanks are the midranks, from 1, of |d|.
func absRanks(d []float64) []float64 {
	abs := make([]float64, len(d))
	for i, v := range d {
		abs[i] = math.Abs(v)
	}
	ranks := placements(abs, abs)
	for i := range ranks {
		ranks[i] = ranks[i]*float64(len(d)) + 0.5
	}
	return ranks
}
