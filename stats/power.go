package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MDE is the smallest true difference that n pairs show with the given power in a
// two-sided test at alpha (normal formula, within 1 % of the exact one for
// n ≥ 100):
//
//	(z(1−alpha/2) + z(power)) · sd / sqrt(n)
//
// sd is the standard deviation of the pair differences, in the unit of the
// result. A sequence that may be looked at daily sees about 1.38 times this.
// Errors: ErrRange unless sd and n are positive and finite, and alpha and power
// between 0 and 1 with power at least alpha/2 (a test has that much without any
// difference). Source: testdata/power_mde.json.
func MDE(sd, n, alpha, power float64) (float64, error) {
	z, err := planned(sd, alpha, power)
	if err != nil {
		return 0, err
	}
	if err := checkPositive("n", n); err != nil {
		return 0, err
	}
	return finite("smallest visible difference", z*sd/math.Sqrt(n))
}

// PairsNeeded is how many pairs show a true difference delta with the given power
// in a two-sided test at alpha, not rounded:
//
//	((z(1−alpha/2) + z(power)) · sd / delta)²
//
// The sign of delta does not matter. For non-inferiority within a margin take
// delta = margin − expected true difference. Round up. Errors: as MDE, and
// ErrRange if delta is 0 or not finite.
func PairsNeeded(sd, delta, alpha, power float64) (float64, error) {
	z, err := planned(sd, alpha, power)
	if err != nil {
		return 0, err
	}
	if err := checkPositive("delta", math.Abs(delta)); err != nil {
		return 0, err
	}
	r := z * (sd / math.Abs(delta))
	return finite("pairs needed", r*r)
}

// planned checks a plan and returns z(1−alpha/2) + z(power).
func planned(sd, alpha, power float64) (float64, error) {
	if err := checkPositive("sd", sd); err != nil {
		return 0, err
	}
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return 0, err
	}
	if err := checkOpenUnit("power", power); err != nil {
		return 0, err
	}
	z := zQuantile(1-alpha) + distuv.UnitNormal.Quantile(power)
	if z < 0 {
		return 0, checkOpenUnit("power below alpha/2:", -power)
	}
	return z, nil
}
