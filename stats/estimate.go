package stats

import (
	"fmt"
)

// Estimate is a value with its standard error.
//
// N counts observations (pairs for a paired difference, both arms together for
// an unpaired one). Clusters counts the clusters that the standard error is
// built on, 0 if the observations were taken as independent. SE is in the unit
// of Value. DF are the degrees of freedom of SE, not always whole; 0 means that
// SE does not exist (the function that made the estimate said so by its error).
type Estimate struct {
	N, Clusters   int
	Value, SE, DF float64
}

// Interval is a confidence interval. If LowerOpen (UpperOpen) is true that bound
// does not exist, and the number in Lower (Upper) is 0 and means nothing: print
// "open" or "> max". Level is the confidence the interval really has: the level
// asked for, or what order statistics reach, which is at least that.
type Interval struct {
	Lower, Upper         float64
	LowerOpen, UpperOpen bool
	Level                float64
}

// Contains reports whether v lies inside the interval, bounds included. An open
// side holds everything.
func (iv Interval) Contains(v float64) bool {
	return (iv.LowerOpen || v >= iv.Lower) && (iv.UpperOpen || v <= iv.Upper)
}

// InSE is the value in standard errors, Value / SE: the t statistic against 0.
//
// Errors: ErrTooFew if there is no standard error, ErrUndefined if it is 0,
// ErrNotFinite if the estimate holds such a number or the quotient overflows,
// ErrRange for what no estimate has: SE below 0, or DF between 0 and 0.5.
func (e Estimate) InSE() (float64, error) {
	if err := e.check(); err != nil {
		return 0, err
	}
	if e.SE == 0 {
		return 0, fmt.Errorf("value in standard errors, SE is 0: %w", ErrUndefined)
	}
	return finite("value in standard errors", e.Value/e.SE)
}

// CI is the two-sided interval Value ∓ t(1−(1−level)/2, DF) · SE, Student's t
// with DF degrees of freedom. With SE 0 it is the point Value.
//
// Errors: ErrRange unless 0 < level < 1 and as for InSE, ErrTooFew if there is no
// standard error, ErrNotFinite on overflow. Checked against R qt, testdata/mean_ci.json.
func (e Estimate) CI(level float64) (Interval, error) {
	if err := checkOpenUnit("level", level); err != nil {
		return Interval{}, err
	}
	if err := e.check(); err != nil {
		return Interval{}, err
	}
	return around(e.Value, e.half(level), level)
}

// PValue is the two-sided p-value of "the true value is null", by Student's t
// with DF degrees of freedom.
//
// Errors: as InSE, and ErrNotFinite for null.
func (e Estimate) PValue(null float64) (float64, error) {
	if !isFinite(null) {
		return 0, fmt.Errorf("null %v: %w", null, ErrNotFinite)
	}
	e.Value -= null
	t, err := e.InSE()
	if err != nil {
		return 0, err
	}
	return tTwoSided(t, e.DF), nil
}

// leastDF: a standard error has at least one degree of freedom; Satterthwaite's
// may round to a little less. Far below, Student's t has no quantiles in float64.
const leastDF = 0.5

func (e Estimate) check() error {
	if !isFinite(e.Value) || !isFinite(e.SE) || !isFinite(e.DF) {
		return fmt.Errorf("estimate: %w", ErrNotFinite)
	}
	if e.DF <= 0 {
		return fmt.Errorf("no standard error from %d observations: %w", e.N, ErrTooFew)
	}
	if e.SE < 0 || e.DF < leastDF {
		return fmt.Errorf("standard error %v with %v degrees of freedom: %w", e.SE, e.DF, ErrRange)
	}
	return nil
}

// half is half the width of a checked estimate's interval.
func (e Estimate) half(level float64) float64 {
	if e.SE == 0 {
		return 0 // also where the quantile overflows
	}
	return tQuantile(level, e.DF) * e.SE
}

// around is centre ∓ half as an interval, or ErrNotFinite.
func around(centre, half, level float64) (Interval, error) {
	iv := Interval{Lower: centre - half, Upper: centre + half, Level: level}
	if !isFinite(iv.Lower) || !isFinite(iv.Upper) {
		return Interval{}, fmt.Errorf("interval: %w", ErrNotFinite)
	}
	return iv, nil
}

func finite(what string, v float64) (float64, error) {
	if !isFinite(v) {
		return 0, fmt.Errorf("%s: %w", what, ErrNotFinite)
	}
	return v, nil
}
