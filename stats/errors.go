package stats

import (
	"errors"
	"fmt"
	"math"
)

// Sentinels, tested with errors.Is. A function that returns one still fills the
// fields of its result that are defined.
var (
	// ErrTooFew: not enough values, pairs, clusters or strata for what was asked.
	ErrTooFew = errors.New("too few observations")
	// ErrMismatch: slices that must have the same length do not.
	ErrMismatch = errors.New("lengths differ")
	// ErrUndefined: enough data, yet the quantity does not exist for it, as a
	// difference in standard errors when the standard error is 0.
	ErrUndefined = errors.New("undefined for this input")
	// ErrNotFinite: NaN or an infinity in the input, or numbers so large that the
	// result overflows.
	ErrNotFinite = errors.New("not a finite number")
	// ErrNoCluster: an empty cluster key. Rows without a key would otherwise
	// become one giant cluster.
	ErrNoCluster = errors.New("empty cluster key")
	// ErrRange: a parameter or value outside the range that the function documents.
	ErrRange = errors.New("out of range")
	// ErrUnsorted: the quantile functions need ascending input.
	ErrUnsorted = errors.New("not in ascending order")
	// ErrBeyond: the quantile lies on or next to an infinite value, so it is above
	// the largest finite one. Print "> max".
	ErrBeyond = errors.New("quantile lies above the largest finite value")
)

// eps is the distance from 1 to the next float64.
const eps = 0x1p-52

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func checkFinite(what string, x []float64) error {
	for i, v := range x {
		if !isFinite(v) {
			return fmt.Errorf("%s[%d] is %v: %w", what, i, v, ErrNotFinite)
		}
	}
	return nil
}

func checkLen(what string, got int, want int) error {
	if got != want {
		return fmt.Errorf("%s has %d entries, want %d: %w", what, got, want, ErrMismatch)
	}
	return nil
}

// checkOpenUnit refuses everything but 0 < v < 1.
func checkOpenUnit(what string, v float64) error {
	if !(v > 0 && v < 1) {
		return fmt.Errorf("%s %v is not between 0 and 1: %w", what, v, ErrRange)
	}
	return nil
}

func checkPositive(what string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s %v is not positive and finite: %w", what, v, ErrRange)
	}
	return nil
}
