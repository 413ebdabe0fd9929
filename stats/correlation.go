package stats

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// Correlation is Pearson's r of pairs, −1..1:
//
//	r = Σ (x_i − x̄)(y_i − ȳ) / sqrt(Σ (x_i − x̄)² · Σ (y_i − ȳ)²)
//
// Index i is the same observation in both slices; neither is changed. Errors:
// ErrMismatch; ErrNotFinite; ErrTooFew below two pairs; ErrUndefined if one side
// does not vary (up to the rounding of its values). Source: Pearson (1896); checked
// in testdata/paired_mean_diff.json.
func Correlation(x, y []float64) (float64, error) {
	if err := checkLen("y", len(y), len(x)); err != nil {
		return 0, err
	}
	if err := checkFinite("x", x); err != nil {
		return 0, err
	}
	if err := checkFinite("y", y); err != nil {
		return 0, err
	}
	if len(x) < 2 {
		return 0, fmt.Errorf("correlation of %d pairs: %w", len(x), ErrTooFew)
	}
	_, ex := centre(x)
	_, ey := centre(y)
	if still(x, ex) || still(y, ey) {
		return 0, fmt.Errorf("correlation with a constant: %w", ErrUndefined)
	}
	normalise(ex)
	normalise(ey)
	r, err := finite("correlation", floats.Dot(ex, ey))
	return max(-1, min(1, r)), err
}

func normalise(e []float64) {
	n := floats.Norm(e, 2)
	for i := range e {
		e[i] /= n
	}
}

// still reports whether x does not vary beyond its rounding; e are its residuals.
func still(x, e []float64) bool {
	noise := rounding(x)
	return quiet(e, noise, average(noise))
}
