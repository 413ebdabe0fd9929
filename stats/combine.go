package stats

import (
	"fmt"
	"math"
)

// Difference is candidate − live of two independent estimates.
//
//	SE = sqrt(SE_l² + SE_c²)
//	DF = SE⁴ / (SE_l⁴/DF_l + SE_c⁴/DF_c)      (Welch, Satterthwaite)
//
// N and Clusters are summed. Errors: ErrTooFew if one of them has no standard
// error (N, Value are filled), ErrUndefined if both are 0 (N, Value, and SE 0 are
// filled, DF does not exist), ErrNotFinite, ErrRange as for InSE. Source: Welch
// (1947), testdata/welch.json.
func Difference(live, candidate Estimate) (Estimate, error) {
	live.Value = -live.Value
	return Sum(candidate, live)
}

// Sum adds independent estimates: values add, squared standard errors add, and
// the degrees of freedom are Satterthwaite's,
//
//	DF = (Σ SE_k²)² / Σ (SE_k⁴ / DF_k).
//
// Terms with SE 0 add nothing to it. N and Clusters are summed. Errors as for
// Difference; no term at all is ErrTooFew.
//
// Source: Satterthwaite (1946); checked in testdata/satterthwaite.json.
func Sum(terms ...Estimate) (Estimate, error) {
	var sum Estimate
	var worst error
	largest := 0.0
	for _, e := range terms {
		sum.N += e.N
		sum.Clusters += e.Clusters
		sum.Value += e.Value
		largest = max(largest, e.SE)
		if err := e.check(); err != nil && worst == nil {
			worst = err
		}
	}
	if !isFinite(sum.Value) {
		return Estimate{}, fmt.Errorf("sum of estimates: %w", ErrNotFinite)
	}
	if len(terms) == 0 {
		worst = fmt.Errorf("sum of no estimates: %w", ErrTooFew)
	}
	if worst != nil {
		return sum, worst
	}
	if largest == 0 {
		return sum, fmt.Errorf("degrees of freedom, every SE is 0: %w", ErrUndefined)
	}
	sum.SE, sum.DF = satterthwaite(terms, largest)
	if !isFinite(sum.SE) {
		return Estimate{}, fmt.Errorf("standard error: %w", ErrNotFinite)
	}
	return sum, nil
}

// satterthwaite works on SE/largest, so that no square overflows.
func satterthwaite(terms []Estimate, largest float64) (se, df float64) {
	var v, q float64
	for _, e := range terms {
		r := e.SE / largest
		v += r * r
		q += r * r * r * r / e.DF
	}
	return largest * math.Sqrt(v), v * v / q
}
