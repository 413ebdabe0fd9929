package stats

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// Metric says how far two ratings are apart for Krippendorff's alpha.
type Metric int

const (
	// Ordinal: the square of the number of ratings that lie between, each end
	// counting half. The choice for grades.
	Ordinal Metric = iota
	// Nominal: 1 unless they are equal.
	Nominal
	// IntervalScale: the square of their difference.
	IntervalScale
)

// KrippendorffAlpha is the agreement of any number of raters with holes: units[u]
// holds the ratings of unit u in any order; units with fewer than two are left
// out. pairable counts the ratings that are not.
//
//	alpha = 1 − (n−1) Σ_u Σ_{pairs in u} δ² / (m_u − 1) / Σ_{all pairs} δ²
//
// It is 1 for full agreement, 0 for chance, and may be negative. Cost is linear
// in the ratings but for sorting. Errors: ErrNotFinite; ErrRange for an unknown
// metric; ErrTooFew if no unit has two ratings; ErrUndefined if all ratings are
// the same (say "no variation"; it is not agreement 1), with pairable filled.
//
// Source: Krippendorff (2004); checked against fast-krippendorff, R irr and
// Inspect, testdata/krippendorff.json.
func KrippendorffAlpha(units [][]float64, metric Metric) (alpha float64, pairable int, err error) {
	var rating []float64
	var size []int
	for u, unit := range units {
		if err := checkFinite(fmt.Sprintf("unit %d", u), unit); err != nil {
			return 0, 0, err
		}
		if len(unit) >= 2 {
			rating = append(rating, unit...)
			size = append(size, len(unit))
		}
	}
	if len(rating) == 0 {
		return 0, 0, fmt.Errorf("alpha without a unit of two ratings: %w", ErrTooFew)
	}
	pairable = len(rating)
	if floats.Min(rating) == floats.Max(rating) {
		return 0, pairable, fmt.Errorf("alpha of ratings that are all equal: %w", ErrUndefined)
	}
	apart := spread
	switch metric {
	case Ordinal: // midranks: their differences are the ratings in between
		rating = placements(rating, rating)
	case Nominal:
		apart = unequal
	case IntervalScale:
	default:
		return 0, 0, fmt.Errorf("metric %d: %w", metric, ErrRange)
	}
	within, at := 0.0, 0
	for _, m := range size {
		within += apart(rating[at:at+m]) / float64(m-1)
		at += m
	}
	alpha, err = finite("alpha", 1-float64(pairable-1)*(within/apart(rating)))
	return alpha, pairable, err
}

// spread is Σ (x_i − x_j)² over pairs i < j, from the mean.
func spread(x []float64) float64 {
	_, e := centre(x)
	return float64(len(x)) * floats.Dot(e, e)
}

// unequal counts the pairs i < j with x_i ≠ x_j.
func unequal(x []float64) float64 {
	count := make(map[float64]float64, len(x))
	n := float64(len(x))
	equal := 0.0
	for _, v := range x {
		equal += count[v] // pairs with the earlier ones of that value
		count[v]++
	}
	return n*(n-1)/2 - equal
}
