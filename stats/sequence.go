package stats

import (
	"fmt"
	"math"
)

// Sequence is an asymptotic confidence sequence: intervals for a mean that may be
// looked at after every observation, and all hold together with probability
// 1 − alpha. It replaces the 1.96 of a single look by Multiplier(t) ≥ 3.
//
//	rho² = (−W₋₁(−alpha² / e) − 1) / tOpt                 (Lambert W, lower branch)
//	m(t) = sqrt(2 (1 + 1/(t rho²)) · log(sqrt(t rho² + 1) / alpha))
//
// alpha and tOpt are fixed before the first observation; other values are
// another sequence. The guarantee needs a burn-in (50 pairs or 30 clusters):
// before it the standard error of grades can be 0 by chance, the interval a point,
// and the false alarm certain. The zero Sequence is not usable.
type Sequence struct{ alpha, rho2 float64 }

// NewSequence makes the sequence that is tightest when tOpt observations (or
// clusters, if standard errors are clustered) have come in: use the planned
// number. Errors: ErrRange unless 0 < alpha < 1 and tOpt is positive and finite.
//
// Source: Waudby-Smith et al. (2024), Annals of Statistics, arXiv 2103.06476;
// checked against R drconfseq, testdata/asymptotic_cs.json.
func NewSequence(alpha, tOpt float64) (Sequence, error) {
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return Sequence{}, err
	}
	if err := checkPositive("tOpt", tOpt); err != nil {
		return Sequence{}, err
	}
	s := Sequence{alpha: alpha, rho2: mixture(alpha) / tOpt}
	if !(s.rho2 > 0) || math.IsInf(s.rho2, 1) {
		return Sequence{}, fmt.Errorf("alpha %v with tOpt %v: %w", alpha, tOpt, ErrRange)
	}
	return s, nil
}

// Multiplier is m(t), the number of standard errors on each side after t
// observations or clusters. Errors: ErrRange unless t is positive and finite, or
// for the zero Sequence.
func (s Sequence) Multiplier(t float64) (float64, error) {
	if err := checkPositive("t", t); err != nil {
		return 0, err
	}
	if s.alpha == 0 {
		return 0, fmt.Errorf("sequence without alpha: %w", ErrRange)
	}
	tr := t * s.rho2
	return finite("multiplier", math.Sqrt(2*(1+1/tr)*(math.Log1p(tr)/2-math.Log(s.alpha))))
}

// CI is Value ∓ m(t) · SE. t counts what SE is built on: clusters if it is
// clustered, else observations. Level is 1 − alpha, over all looks together.
// Errors: as Multiplier; ErrTooFew without a standard error; ErrNotFinite.
func (s Sequence) CI(e Estimate, t float64) (Interval, error) {
	m, err := s.Multiplier(t)
	if err != nil {
		return Interval{}, err
	}
	if err := e.check(); err != nil {
		return Interval{}, err
	}
	return around(e.Value, m*e.SE, 1-s.alpha)
}

// EValue is the evidence against "the true value is null" after t observations or
// clusters, as its natural logarithm, and the p-value min(1, 1/e) that stays
// valid however often one looks.
//
//	log e = −log(1 + t rho²)/2 + t rho² z² / (2 (1 + t rho²));  z = (Value − null)/SE
//
// e is at least 1/alpha exactly when null is outside CI. E-values of independent
// runs multiply: add their logarithms. p is 0 if 1/e is below the smallest
// float64. Errors: as CI, and ErrUndefined if SE is 0.
//
// Source: Robbins' normal mixture, as in Johari et al., arXiv 1512.04922; checked in
// testdata/asymptotic_cs.json and against confseq, testdata/normal_mixture.json.
func (s Sequence) EValue(e Estimate, t, null float64) (logE, p float64, err error) {
	if _, err := s.Multiplier(t); err != nil {
		return 0, 0, err
	}
	if !isFinite(null) {
		return 0, 0, fmt.Errorf("null %v: %w", null, ErrNotFinite)
	}
	e.Value -= null
	z, err := e.InSE()
	if err != nil {
		return 0, 0, err
	}
	tr := t * s.rho2
	logE, err = finite("log of e", -math.Log1p(tr)/2+z*(tr/(1+tr)*z)/2)
	if err != nil {
		return 0, 0, err
	}
	return logE, min(1, math.Exp(-logE)), nil
}

// mixture is y = −W₋₁(−alpha²/e) − 1, the root of y − log(1+y) = −2 log alpha,
// by Newton's method. The function is convex and increasing for y > 0, so from a
// start right of the root every step stays right of it.
func mixture(alpha float64) float64 {
	c := -2 * math.Log(alpha)
	y := c + math.Sqrt(2*c) + 1
	for range 100 {
		next := y - (y-math.Log1p(y)-c)*(1+y)/y
		if math.Abs(next-y) <= 2*eps*y {
			return next
		}
		y = next
	}
	return y
}
