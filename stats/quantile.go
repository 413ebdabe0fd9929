package stats

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// Quantile is the type-7 quantile (the default of R, NumPy and Excel) of values
// in ascending order.
//
//	h = (n−1) p;   x[⌊h⌋] + (h − ⌊h⌋) · (x[⌊h⌋+1] − x[⌊h⌋])
//
// p is 0..1, both ends included. Entries at the upper end may be +Inf: a failed
// call counts as slower than any limit. If the quantile is +Inf, or would lie
// between a finite value and +Inf, there is no number for it: the result is the
// largest finite value and ErrBeyond, and is printed as "> max" (with no finite
// value at all the result is 0 and means nothing).
//
// Errors: ErrTooFew without values, ErrRange for p, ErrUnsorted, ErrNotFinite for
// NaN or −Inf, ErrBeyond.
//
// Source: Hyndman & Fan (1996); checked against R quantile(type=7),
// testdata/quantile_ci.json.
func Quantile(sorted []float64, p float64) (float64, error) {
	finite, err := checkSorted(sorted)
	if err != nil {
		return 0, err
	}
	if !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("p %v is not 0..1: %w", p, ErrRange)
	}
	if len(sorted) == 0 {
		return 0, fmt.Errorf("quantile of no values: %w", ErrTooFew)
	}
	return quantile(values(sorted), finite, p)
}

// Ascending is numbers in ascending order that need not lie in one slice: At gives
// the one at index i in 0..Len−1, the first Finite of them are finite, and the
// others are +Inf, for which At is not asked.
type Ascending interface {
	Len() int
	Finite() int
	At(i int) float64
}

// values are checked numbers in a slice.
type values []float64

func (v values) Len() int         { return len(v) }
func (v values) At(i int) float64 { return v[i] }

func (v values) Finite() int {
	return sort.Search(len(v), func(i int) bool { return math.IsInf(v[i], 1) })
}

// QuantileOf is Quantile of numbers whose order is not checked.
func QuantileOf(x Ascending, p float64) (float64, error) {
	if !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("p %v is not 0..1: %w", p, ErrRange)
	}
	if x.Len() == 0 {
		return 0, fmt.Errorf("quantile of no values: %w", ErrTooFew)
	}
	return quantile(x, x.Finite(), p)
}

// quantile works on numbers of which the first finite ones are finite.
func quantile(x Ascending, finite int, p float64) (float64, error) {
	h := float64(x.Len()-1) * p
	if r := math.Round(h); math.Abs(h-r) <= 4*eps*max(1, h) {
		h = r // (n−1)p that is whole but for rounding
	}
	i := int(h)
	part := h - float64(i)
	last := i
	if part > 0 {
		last = i + 1
	}
	if last >= finite {
		if finite == 0 {
			return 0, fmt.Errorf("quantile %v of no finite value: %w", p, ErrBeyond)
		}
		return x.At(finite - 1), fmt.Errorf("quantile %v: %w", p, ErrBeyond)
	}
	low, high := x.At(i), x.At(last)
	step := high - low
	if math.IsInf(step, 1) { // of two huge values
		return low*(1-part) + high*part, nil
	}
	return low + part*step, nil
}

// checkSorted returns how many leading entries are finite.
func checkSorted(sorted []float64) (finite int, err error) {
	for i, v := range sorted {
		if math.IsNaN(v) || math.IsInf(v, -1) {
			return 0, fmt.Errorf("value %d is %v: %w", i, v, ErrNotFinite)
		}
		if i > 0 && v < sorted[i-1] {
			return 0, fmt.Errorf("value %d: %w", i, ErrUnsorted)
		}
		if !math.IsInf(v, 1) {
			finite++
		}
	}
	return finite, nil
}

// QuantileCI is the distribution-free interval for the quantile p of independent
// observations, from two order statistics of the ascending values.
//
//	F(k)  = P(Binomial(n, p) ≤ k);  a = 1 − level;  ranks from 1
//	lower = the largest rank l with F(l−1) ≤ a/2; none: open
//	upper = the smallest rank u with F(u−1) ≥ 1 − a/2; none: open
//	Level = F(u−1) − F(l−1), at least level (1 and 0 in place of a missing term)
//
// A missing upper bound is printed "> max": p95 needs 72 values for one at 95 %,
// p99 needs 368. An upper bound that falls on +Inf is open too; a lower bound that
// falls on +Inf is given as the largest finite value, which it exceeds. Ties make
// the interval conservative.
//
// Errors: ErrTooFew without values, ErrRange unless 0 < p < 1 and 0 < level < 1,
// ErrUnsorted, ErrNotFinite for NaN or −Inf.
//
// Source: Le Boudec, Performance Evaluation, appendix A; checked against R
// qbinom, testdata/quantile_ci.json.
func QuantileCI(sorted []float64, p, level float64) (Interval, error) {
	finite, err := checkSorted(sorted)
	if err != nil {
		return Interval{}, err
	}
	return quantileCI(values(sorted), finite, p, level)
}

// QuantileCIOf is QuantileCI of numbers whose order is not checked.
func QuantileCIOf(x Ascending, p, level float64) (Interval, error) {
	return quantileCI(x, x.Finite(), p, level)
}

func quantileCI(x Ascending, finite int, p, level float64) (Interval, error) {
	if err := checkOpenUnit("p", p); err != nil {
		return Interval{}, err
	}
	if err := checkOpenUnit("level", level); err != nil {
		return Interval{}, err
	}
	if x.Len() == 0 {
		return Interval{}, fmt.Errorf("quantile of no values: %w", ErrTooFew)
	}
	lower, upper, reached := ranks(x.Len(), p, level)
	iv := Interval{Level: reached}
	switch {
	case lower == 0 || finite == 0:
		iv.LowerOpen = true
	default:
		iv.Lower = x.At(min(lower, finite) - 1)
	}
	if upper == 0 || upper > finite {
		iv.UpperOpen = true
	} else {
		iv.Upper = x.At(upper - 1)
	}
	return iv, nil
}

// ranks are the two order statistics, from 1, and the confidence that they
// reach; 0 stands for a rank that does not exist.
func ranks(n int, p, level float64) (lower, upper int, reached float64) {
	tail := (1 - level) / 2
	b := distuv.Binomial{N: float64(n), P: p}
	cdf := func(k int) float64 { return b.CDF(float64(k)) }
	lower = sort.Search(n, func(k int) bool { return cdf(k) > tail })
	upper = 1 + sort.Search(n, func(k int) bool { return cdf(k) >= 1-tail })
	reached = 1
	if upper > n {
		upper = 0
	} else {
		reached = cdf(upper - 1)
	}
	if lower > 0 {
		reached -= cdf(lower - 1)
	}
	return lower, upper, reached
}

// MinNForUpper is the smallest number of values from which QuantileCI has an upper
// bound: the smallest n with p^n ≤ (1−level)/2. Errors: ErrRange unless both are
// between 0 and 1, or if n would exceed 2^53. Source: testdata/quantile_ci.json.
func MinNForUpper(p, level float64) (int, error) {
	if err := checkOpenUnit("p", p); err != nil {
		return 0, err
	}
	if err := checkOpenUnit("level", level); err != nil {
		return 0, err
	}
	n := math.Ceil(math.Log((1-level)/2) / math.Log(p) * (1 - 4*eps))
	if !(n <= 1<<53) {
		return 0, fmt.Errorf("values needed for quantile %v: %w", p, ErrRange)
	}
	return int(max(1, n)), nil
}
