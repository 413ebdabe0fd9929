package stats

import (
	"fmt"
	"math"
)

// Ratio is a ratio of two means. The embedded Estimate has the standard error of the
// delta method, for a reader; CI is Fieller's interval, which decides.
type Ratio struct {
	Estimate
	baseVar float64 // variance of the mean of live, over its square
	cov     float64 // its covariance with the mean residual candidate − Value · live, likewise
}

// ClusteredRatio estimates the ratio of the candidate's mean to the live one, over
// pairs that come in clusters.
//
//	Value = Σ candidate_i / Σ live_i = c / l
//	d_i   = candidate_i − Value · live_i
//	SE    = SE(mean of d) / |l|           (delta method; CR2 as in ClusteredMean)
//
// Each mean counts a pair alike; multiply both columns by 1/chance where chances are
// unequal. Index i is the same observation in all three slices; none is changed. If
// all pairs have the same ratio SE is 0.
//
// Errors: ErrMismatch, ErrNotFinite, ErrNoCluster; ErrUndefined if the live mean is 0;
// ErrTooFew (no pairs: nothing is defined; one cluster: N, Clusters and Value are).
func ClusteredRatio(live, candidate []float64, cluster []string) (Ratio, error) {
	if err := checkLen("cluster", len(cluster), len(live)); err != nil {
		return Ratio{}, err
	}
	if _, _, err := differences(live, candidate); err != nil {
		return Ratio{}, err
	}
	if err := checkKeys(cluster); err != nil {
		return Ratio{}, err
	}
	if len(live) == 0 {
		return Ratio{}, fmt.Errorf("ratio of no values: %w", ErrTooFew)
	}
	base, eBase := centre(live)
	mean, eCand := centre(candidate)
	r := Ratio{Estimate: Estimate{N: len(live), Value: mean / base}}
	switch {
	case base == 0:
		return Ratio{}, fmt.Errorf("ratio to a mean of 0: %w", ErrUndefined)
	case !isFinite(r.Value):
		return Ratio{}, fmt.Errorf("ratio: %w", ErrNotFinite)
	}
	index, size := groups(cluster)
	if r.Clusters = len(size); r.Clusters < 2 {
		return r, fmt.Errorf("standard error from one cluster: %w", ErrTooFew)
	}
	r.DF = clusterDF(size, float64(r.N))
	r.moments(base, eBase, eCand, live, index, size)
	if !isFinite(r.SE) || !isFinite(r.baseVar) || !isFinite(r.cov) {
		return Ratio{}, fmt.Errorf("standard error: %w", ErrNotFinite)
	}
	return r, nil
}

// moments fills SE, and the CR2 variance and covariance, in units of the mean of
// live, so that no square underflows. A residual that is no more than rounding counts
// as 0.
func (r *Ratio) moments(base float64, eBase, eCand, live []float64, index []int, size []float64) {
	sums, ofBase := make([]float64, len(size)), make([]float64, len(size))
	noise := make([]float64, len(size))
	for i, g := range index {
		sums[g] += (eCand[i] - r.Value*eBase[i]) / base
		ofBase[g] += eBase[i] / base
		noise[g] += 4 * eps * math.Abs(r.Value) * (math.Abs(live[i]/base) + 1)
	}
	n, spread, same := float64(r.N), 0.0, quiet(sums, noise, 0)
	for g, k := range size {
		scale := 1 / (n * n * (1 - k/n))
		r.baseVar += ofBase[g] * ofBase[g] * scale
		if !same {
			spread += sums[g] * sums[g] * scale
			r.cov += sums[g] * ofBase[g] * scale
		}
	}
	r.SE = math.Sqrt(spread)
}

// CI is Fieller's interval: every ratio ρ that the pairs do not rule out, because the
// mean of candidate_i − ρ · live_i lies within t(1−(1−level)/2, DF) of its own
// standard errors around 0. Swapping the arms gives its reciprocal. With ρ = Value + δ,
//
//	(1 − t² V_l) δ² + 2 t² V_dl δ − t² SE² ≤ 0
//
// where V_l is the variance of the mean of live and V_dl its covariance with the mean
// of d, both over l². It is not symmetric around Value, and bounded only if the live mean itself is
// apart from 0. With SE 0 it is the point Value.
//
// Errors: ErrRange unless 0 < level < 1, ErrTooFew if there is no standard error,
// ErrUndefined if it is not bounded, ErrNotFinite on overflow.
//
// Source: Fieller (1954), Some problems in interval estimation, J. R. Stat. Soc. B 16;
// checked against ClusteredMean of the residuals at both ends, and by simulation.
func (r Ratio) CI(level float64) (Interval, error) {
	if err := checkOpenUnit("level", level); err != nil {
		return Interval{}, err
	}
	if err := r.check(); err != nil {
		return Interval{}, err
	}
	if r.SE == 0 {
		return around(r.Value, 0, level)
	}
	t := tQuantile(level, r.DF)
	a := 1 - t*t*r.baseVar
	if !(a > 0) {
		return Interval{}, fmt.Errorf("interval of a ratio to a mean that may be 0: %w", ErrUndefined)
	}
	middle := -t * t * r.cov / a
	half := t * math.Hypot(t*r.cov, math.Sqrt(a)*r.SE) / a
	return around(r.Value+middle, half, level)
}
