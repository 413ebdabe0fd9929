package stats

import (
	"fmt"
	"math"
)

// MaxSignFlip is the largest number of clusters that SignFlip takes: 2^16
// patterns are counted one by one, and above it CR2 does well.
const MaxSignFlip = 16

// SignFlip is the exact two-sided p-value of "no difference" with few clusters:
// under it each cluster's sum of differences could as well have the other sign.
//
//	p = share of the 2^G sign patterns s with |Σ s_g S_g| ≥ |Σ S_g|
//
// sums holds one sum per cluster (see ClusterSums); the observed pattern counts,
// so p is at least 2/2^G (5 clusters cannot reach 0.05). Sums that differ by
// rounding only count as equal. Errors: ErrTooFew without clusters, ErrRange
// above MaxSignFlip, ErrNotFinite.
//
// Source: Fisher (1935), by enumeration, testdata/sign_flip.json.
func SignFlip(sums []float64) (float64, error) {
	if err := checkFinite("sum", sums); err != nil {
		return 0, err
	}
	if len(sums) == 0 {
		return 0, fmt.Errorf("sign-flip test of no clusters: %w", ErrTooFew)
	}
	if len(sums) > MaxSignFlip {
		return 0, fmt.Errorf("sign-flip test of %d clusters, at most %d: %w", len(sums), MaxSignFlip, ErrRange)
	}
	var observed, size float64
	for _, s := range sums {
		observed += s
		size += math.Abs(s)
	}
	if !isFinite(size) {
		return 0, fmt.Errorf("cluster sums: %w", ErrNotFinite)
	}
	limit := math.Abs(observed) - 1e-9*size
	patterns := 1 << (len(sums) - 1) // the first sign fixed: the rest is its mirror
	extreme := 0
	for pattern := range patterns {
		total := sums[0]
		for g, s := range sums[1:] {
			if pattern>>g&1 == 1 {
				s = -s
			}
			total += s
		}
		if math.Abs(total) >= limit {
			extreme++
		}
	}
	return float64(extreme) / float64(patterns), nil
}

// ClusterSums adds up x within clusters, in the order in which their keys first
// appear. Errors: ErrMismatch, ErrNotFinite (also on overflow), ErrNoCluster.
func ClusterSums(x []float64, cluster []string) ([]float64, error) {
	if err := checkLen("cluster", len(cluster), len(x)); err != nil {
		return nil, err
	}
	if err := checkFinite("x", x); err != nil {
		return nil, err
	}
	if err := checkKeys(cluster); err != nil {
		return nil, err
	}
	index, size := groups(cluster)
	sums := make([]float64, len(size))
	for i, g := range index {
		sums[g] += x[i]
	}
	if err := checkFinite("cluster sum", sums); err != nil {
		return nil, err
	}
	return sums, nil
}
