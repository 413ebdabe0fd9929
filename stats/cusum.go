package stats

import (
	"fmt"
	"math"
)

// CusumPath is the result of Cusum: the two sums after each value, in standard
// deviations, and the 1-based index of the first value at which each exceeds h,
// 0 if none does.
type CusumPath struct {
	High, Low           []float64
	FirstHigh, FirstLow int
}

// Cusum watches a series for a lasting shift of its mean (two-sided tabular
// CUSUM).
//
//	z_t = (x_t − target) / sd
//	High_t = max(0, High_{t−1} + z_t − k);  Low_t = max(0, Low_{t−1} − z_t − k)
//	alarm when a sum exceeds h
//
// k (the slack) is half the shift to be found, h the limit, both in standard
// deviations of a single x; 0.5 and 5 are usual. The order of x is time; x is not
// changed; no x gives an empty path. Errors: ErrNotFinite; ErrRange unless sd and
// h are positive and k is not negative.
//
// Source: Page (1954); Montgomery, Introduction to SQC, tables 9.1 and 9.2;
// checked against R qcc, testdata/cusum.json.
func Cusum(x []float64, target, sd, k, h float64) (CusumPath, error) {
	if err := checkFinite("x", x); err != nil {
		return CusumPath{}, err
	}
	if err := checkFinite("target", []float64{target}); err != nil {
		return CusumPath{}, err
	}
	if err := checkPositive("sd", sd); err != nil {
		return CusumPath{}, err
	}
	if err := checkChart(k, h); err != nil {
		return CusumPath{}, err
	}
	p := CusumPath{High: make([]float64, len(x)), Low: make([]float64, len(x))}
	var high, low float64
	for i, v := range x {
		z := (v - target) / sd
		high, low = max(0, high+z-k), max(0, low-z-k)
		if !isFinite(high) || !isFinite(low) {
			return CusumPath{}, fmt.Errorf("sum at %d: %w", i, ErrNotFinite)
		}
		p.High[i], p.Low[i] = high, low
		if high > h && p.FirstHigh == 0 {
			p.FirstHigh = i + 1
		}
		if low > h && p.FirstLow == 0 {
			p.FirstLow = i + 1
		}
	}
	return p, nil
}

// CusumRunLength is the mean number of values until Cusum alarms when the mean
// has shifted by shift standard deviations (0: until a false alarm), by
// Siegmund's approximation: within a few per cent for shifts up to about 2, too
// short for larger ones, and never below 1.
//
//	b = h + 1.166; D = ±shift − k; one side: (e^(−2Db) + 2Db − 1) / (2D²)
//	both sides: 1 / (1/ARL⁺ + 1/ARL⁻)
//
// Errors: ErrRange as for Cusum, or if shift is not finite. Source: Siegmund
// (1985); testdata/cusum.json.
func CusumRunLength(k, h, shift float64) (float64, error) {
	if err := checkChart(k, h); err != nil {
		return 0, err
	}
	if !isFinite(shift) {
		return 0, fmt.Errorf("shift %v: %w", shift, ErrRange)
	}
	rate := 1/oneSided(shift-k, h) + 1/oneSided(-shift-k, h)
	length, err := finite("run length", 1/rate)
	return max(length, 1), err
}

// oneSided may be +Inf where it overflows: that side then never alarms.
func oneSided(d, h float64) float64 {
	b := h + 1.166
	if math.Abs(d*b) < 1e-5 { // the limit, before the differences lose their digits
		return b * b
	}
	return (math.Expm1(-2*d*b) + 2*d*b) / (2 * d * d)
}

func checkChart(k, h float64) error {
	if !(k >= 0) || math.IsInf(k, 1) {
		return fmt.Errorf("slack %v: %w", k, ErrRange)
	}
	return checkPositive("limit", h)
}
