package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// WeightedMean estimates the mean of a population from rows that were sampled
// with unequal probabilities (Hájek's mean).
//
//	Value = Σ w_i x_i / Σ w_i                       w_i = 1 / P(row i was sampled)
//	z_i   = w_i (x_i − Value) / Σ w_i;  z_g = Σ z_i in cluster g
//	SE²   = Σ_h G_h/(G_h−1) · Σ_{g in h} (z_g − mean_h z)²     over strata h
//	DF    = number of clusters − number of strata
//
// A nil cluster makes every row its own cluster (Clusters is 0 then); a nil
// stratum means one stratum. A stratum is a part of the traffic that was sampled
// on its own, such as a route; its key may be empty. Strata that share a cluster
// are merged first, because their sums are not independent. Only the ratios of
// the weights matter; they are not counts. There is no correction for a finite
// population. No slice is changed.
//
// Errors: ErrMismatch; ErrNotFinite; ErrRange unless every weight is positive;
// ErrNoCluster; ErrTooFew (no rows: nothing is defined; a stratum with a single
// cluster: N, Clusters and Value are).
//
// Source: Hájek (1971), linearised as in Särndal, Swensson & Wretman; checked
// against R survey, testdata/weighted_mean.json.
func WeightedMean(x, weight []float64, cluster, stratum []string) (Estimate, error) {
	if err := checkFinite("x", x); err != nil {
		return Estimate{}, err
	}
	return weightedMean(x, rounding(x), weight, cluster, stratum)
}

// WeightedDelta is WeightedMean of the paired differences candidate − live. With
// all differences equal (up to the rounding of the input) SE is 0. Errors as
// WeightedMean.
func WeightedDelta(live, candidate, weight []float64, cluster, stratum []string) (Estimate, error) {
	d, noise, err := differences(live, candidate)
	if err != nil {
		return Estimate{}, err
	}
	return weightedMean(d, noise, weight, cluster, stratum)
}

// KishN is the effective number of rows under unequal weights,
// (Σ w)² / Σ w²: n for equal weights, less otherwise. It shows how much of the
// sample the weights leave; WeightedMean does not need it.
//
// Errors: ErrTooFew without weights, ErrNotFinite, ErrRange unless every weight
// is positive. Source: Kish (1965).
func KishN(weight []float64) (float64, error) {
	w, err := relative(weight)
	if err != nil {
		return 0, err
	}
	if len(w) == 0 {
		return 0, fmt.Errorf("effective number of no rows: %w", ErrTooFew)
	}
	sum := floats.Sum(w)
	return sum / floats.Dot(w, w) * sum, nil
}

// relative checks weights and divides them by the largest, so that no scale of
// theirs can overflow.
func relative(weight []float64) ([]float64, error) {
	if err := checkFinite("weight", weight); err != nil {
		return nil, err
	}
	largest := 0.0
	for i, v := range weight {
		if v <= 0 {
			return nil, fmt.Errorf("weight[%d] is %v, not positive: %w", i, v, ErrRange)
		}
		largest = max(largest, v)
	}
	w := make([]float64, len(weight))
	for i, v := range weight {
		w[i] = v / largest
	}
	return w, nil
}

func weightedMean(x, noise, weight []float64, cluster, stratum []string) (Estimate, error) {
	if err := checkLen("weight", len(weight), len(x)); err != nil {
		return Estimate{}, err
	}
	w, err := relative(weight)
	if err != nil {
		return Estimate{}, err
	}
	index, strata, err := design(len(x), cluster, stratum)
	if err != nil {
		return Estimate{}, err
	}
	if len(x) == 0 {
		return Estimate{}, fmt.Errorf("mean of no values: %w", ErrTooFew)
	}
	mean, z := weightedCentre(x, w)
	est := Estimate{N: len(x), Value: mean}
	if !isFinite(mean) {
		return Estimate{}, fmt.Errorf("weighted mean: %w", ErrNotFinite)
	}
	if cluster != nil {
		est.Clusters = len(strata)
	}
	sums, sumNoise := make([]float64, len(strata)), make([]float64, len(strata))
	total, ofMean := floats.Sum(w), 0.0
	for i := range w {
		ofMean += w[i] / total * noise[i]
	}
	for i, g := range index {
		sums[g] += z[i]
		sumNoise[g] += w[i]/total*(noise[i]+ofMean) + 4*eps*math.Abs(z[i])
	}
	return stratified(est, sums, sumNoise, strata)
}

// weightedCentre returns the weighted mean and z_i = w_i (x_i − mean) / Σ w.
func weightedCentre(x, w []float64) (mean float64, z []float64) {
	z = make([]float64, len(x))
	if floats.Min(x) == floats.Max(x) {
		return x[0], z
	}
	total := floats.Sum(w)
	var first, rest float64
	for i, v := range x {
		first += w[i] / total * v
	}
	for i, v := range x {
		rest += w[i] / total * (v - first)
	}
	for i, v := range x {
		z[i] = w[i] / total * (v - first - rest)
	}
	return first + rest, z
}

// stratified completes est from the cluster sums; strata[g] is g's stratum.
func stratified(est Estimate, sums, noise []float64, strata []int) (Estimate, error) {
	count, mean := map[int]float64{}, map[int]float64{}
	for g, h := range strata {
		count[h]++
		mean[h] += sums[g]
	}
	for _, h := range strata {
		if count[h] < 2 {
			return est, fmt.Errorf("standard error of a stratum with one cluster: %w", ErrTooFew)
		}
	}
	est.DF = float64(len(sums) - len(count))
	if quiet(sums, noise, 0) {
		return est, nil
	}
	parts := make([]float64, len(sums))
	for g, h := range strata {
		k := count[h]
		parts[g] = (sums[g] - mean[h]/k) * math.Sqrt(k/(k-1))
	}
	est.SE = floats.Norm(parts, 2)
	if !isFinite(est.SE) {
		return Estimate{}, fmt.Errorf("standard error: %w", ErrNotFinite)
	}
	return est, nil
}

// design numbers the clusters, index[i] for row i, and gives each its stratum.
func design(n int, cluster, stratum []string) (index, strata []int, err error) {
	if cluster != nil {
		if err := checkLen("cluster", len(cluster), n); err != nil {
			return nil, nil, err
		}
		if err := checkKeys(cluster); err != nil {
			return nil, nil, err
		}
		var size []float64
		index, size = groups(cluster)
		strata = make([]int, len(size))
	} else {
		index, strata = make([]int, n), make([]int, n)
		for i := range index {
			index[i] = i
		}
	}
	if stratum == nil {
		return index, strata, nil
	}
	if err := checkLen("stratum", len(stratum), n); err != nil {
		return nil, nil, err
	}
	mergeStrata(index, strata, stratum)
	return index, strata, nil
}

// mergeStrata fills strata[g], joining the strata that share a cluster.
func mergeStrata(index, strata []int, stratum []string) {
	of, size := groups(stratum)
	parent := make([]int, len(size))
	for h := range parent {
		parent[h] = h
	}
	root := func(h int) int {
		for parent[h] != h {
			parent[h] = parent[parent[h]]
			h = parent[h]
		}
		return h
	}
	first := make([]int, len(strata))
	for g := range first {
		first[g] = -1
	}
	for i, g := range index {
		if first[g] < 0 {
			first[g] = of[i]
			continue
		}
		a, b := root(first[g]), root(of[i])
		parent[max(a, b)] = min(a, b)
	}
	for g := range strata {
		strata[g] = root(first[g])
	}
}
