package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Mean estimates the mean of independent observations.
//
//	Value = Σ x_i / n
//	SE    = sqrt(Σ (x_i − Value)² / (n−1)) / sqrt(n)
//	DF    = n − 1
//
// x is not changed and its order does not matter. If all x_i are equal, SE is 0
// and InSE undefined; spread that is no more than the rounding of the input
// counts as equal. Errors: ErrTooFew (n = 0: nothing is defined; n = 1: N and
// Value are), ErrNotFinite.
//
// Source: Student (1908); checked against R t.test, testdata/mean_ci.json, and
// the certified values of NIST StRD, testdata/nist_univariate.json.
func Mean(x []float64) (Estimate, error) {
	if err := checkFinite("x", x); err != nil {
		return Estimate{}, err
	}
	return plainMean(x, rounding(x))
}

// PairedDelta estimates the mean difference candidate − live over pairs that are
// independent of each other.
//
//	d_i   = candidate_i − live_i
//	Value = Σ d_i / n
//	SE    = sqrt(Σ (d_i − Value)² / (n−1)) / sqrt(n)
//	DF    = n − 1
//
// Index i is the same observation in both slices; neither is changed. With all
// d_i equal (up to the rounding of the input) SE is 0 and InSE undefined.
// Errors: ErrMismatch, ErrNotFinite, ErrTooFew (one pair: N and Value are filled).
//
// Source: Student (1908); checked against R t.test(paired=TRUE),
// testdata/paired_mean_diff.json.
func PairedDelta(live, candidate []float64) (Estimate, error) {
	d, noise, err := differences(live, candidate)
	if err != nil {
		return Estimate{}, err
	}
	return plainMean(d, noise)
}

// Welch estimates the difference of two means, candidate − live, from two
// independent sets of observations that need not have the same size or variance.
//
//	v_k = s_k² / n_k      SE = sqrt(v_1 + v_2)
//	DF  = (v_1 + v_2)² / (v_1²/(n_1−1) + v_2²/(n_2−1))
//
// N counts both arms. Errors: ErrNotFinite; ErrTooFew if an arm has fewer than two
// values (Value is filled if both have one); ErrUndefined if neither arm varies:
// then Value is filled and SE is 0, but DF does not exist.
//
// Source: Welch (1947); checked against R t.test, testdata/welch.json.
func Welch(live, candidate []float64) (Estimate, error) {
	l, errLive := Mean(live)
	if errLive != nil && l.N == 0 {
		return Estimate{}, fmt.Errorf("live: %w", errLive)
	}
	c, errCand := Mean(candidate)
	if errCand != nil && c.N == 0 {
		return Estimate{}, fmt.Errorf("candidate: %w", errCand)
	}
	return Difference(l, c)
}

// plainMean is Mean of checked values; x_i may be off by noise_i.
func plainMean(x, noise []float64) (Estimate, error) {
	n := len(x)
	if n == 0 {
		return Estimate{}, fmt.Errorf("mean of no values: %w", ErrTooFew)
	}
	mean, e := centre(x)
	est := Estimate{N: n, Value: mean}
	if !isFinite(mean) {
		return Estimate{}, fmt.Errorf("mean: %w", ErrNotFinite)
	}
	if n == 1 {
		return est, fmt.Errorf("standard error of one value: %w", ErrTooFew)
	}
	est.DF = float64(n - 1)
	if quiet(e, noise, average(noise)) {
		return est, nil
	}
	est.SE = floats.Norm(e, 2) / math.Sqrt(est.DF) / math.Sqrt(float64(n))
	if !isFinite(est.SE) {
		return Estimate{}, fmt.Errorf("standard error: %w", ErrNotFinite)
	}
	return est, nil
}

// differences is candidate − live, and how much each may be off by rounding.
func differences(live, candidate []float64) (d, noise []float64, err error) {
	if err := checkLen("candidate", len(candidate), len(live)); err != nil {
		return nil, nil, err
	}
	if err := checkFinite("live", live); err != nil {
		return nil, nil, err
	}
	if err := checkFinite("candidate", candidate); err != nil {
		return nil, nil, err
	}
	d, noise = make([]float64, len(live)), make([]float64, len(live))
	for i := range live {
		d[i] = candidate[i] - live[i]
		noise[i] = eps * max(math.Abs(live[i]), math.Abs(candidate[i]))
	}
	if err := checkFinite("difference", d); err != nil {
		return nil, nil, err
	}
	return d, noise, nil
}

// centre returns the mean and the residuals x_i − mean. The second pass keeps
// the residuals good when the values share a large offset.
func centre(x []float64) (mean float64, e []float64) {
	n := float64(len(x))
	e = make([]float64, len(x))
	if floats.Min(x) == floats.Max(x) {
		return x[0], e
	}
	first := floats.Sum(x) / n
	if math.IsInf(first, 0) {
		first = average(x)
	}
	for i, v := range x {
		e[i] = v - first
	}
	rest := floats.Sum(e) / n
	floats.AddConst(-rest, e)
	return first + rest, e
}

// rounding is how much each value may be off because it was rounded.
func rounding(x []float64) []float64 {
	noise := make([]float64, len(x))
	for i, v := range x {
		noise[i] = eps * math.Abs(v)
	}
	return noise
}

// quiet reports whether every residual is within the rounding of its value and
// of the mean, so that the spread is 0 as far as float64 can tell.
func quiet(e, noise []float64, ofMean float64) bool {
	for i, v := range e {
		if math.Abs(v) > noise[i]+ofMean {
			return false
		}
	}
	return true
}

// average is the mean of values that may be large.
func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}
