package stats

import (
	"fmt"
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
// difference). Source: Miller, arXiv 2411.00640; checked against R power.t.test,
// testdata/power_mde.json.
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
// ErrRange if delta is 0 or not finite, ErrNotFinite on overflow. Source:
// testdata/power_mde.json, against R power.t.test and Miller, arXiv 2411.00640.
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

// Power is the chance that n pairs show a true difference delta, in its own
// direction, in a two-sided test at alpha: Φ(|delta| sqrt(n) / sd − z(1−alpha/2)),
// the inverse of MDE. With delta 0 it is alpha/2. Errors: ErrRange as for MDE;
// delta may be 0 but must be finite; ErrNotFinite where nothing is left of alpha.
// Source: testdata/power_mde.json.
func Power(sd, n, delta, alpha float64) (float64, error) {
	if err := checkPositive("sd", sd); err != nil {
		return 0, err
	}
	if err := checkPositive("n", n); err != nil {
		return 0, err
	}
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return 0, err
	}
	if !isFinite(delta) {
		return 0, fmt.Errorf("delta %v: %w", delta, ErrRange)
	}
	shift := math.Abs(delta) / sd * math.Sqrt(n)
	return finite("power", distuv.UnitNormal.CDF(shift-zUpper(alpha/2)))
}

// SharePairsNeeded is how many pairs show a true difference delta of two shares,
// when a share discordant of the pairs differs at all, not rounded:
//
//	((z(1−alpha/2) sqrt(discordant) + z(power) sqrt(discordant − delta²)) / delta)²
//
// Errors: ErrRange unless 0 < |delta| ≤ discordant ≤ 1, and as for MDE. Source:
// Connor (1987); testdata/power_mde.json.
func SharePairsNeeded(discordant, delta, alpha, power float64) (float64, error) {
	delta = math.Abs(delta)
	if !(delta > 0 && delta <= discordant && discordant <= 1) {
		return 0, fmt.Errorf("difference %v with %v discordant: %w", delta, discordant, ErrRange)
	}
	if _, err := planned(1, alpha, power); err != nil {
		return 0, err
	}
	zb := distuv.UnitNormal.Quantile(power)
	r := (zUpper(alpha/2)*math.Sqrt(discordant) + zb*math.Sqrt(discordant-delta*delta)) / delta
	return finite("pairs needed", r*r)
}

// ShareTrialsNeeded is how many trials of each arm show that two independent
// shares differ, not rounded (normal formula, R power.prop.test):
//
//	((z(1−alpha/2) sqrt(2 m (1−m)) + z(power) sqrt(l(1−l) + c(1−c))) / (c − l))²
//
// l and c are the shares of the arms, m their mean. For pairs SharePairsNeeded is
// the right one, and usually smaller. Errors: ErrRange unless the shares differ
// and lie in 0..1, and as for MDE. Source: Fleiss (1981); testdata/power_mde.json.
func ShareTrialsNeeded(live, candidate, alpha, power float64) (float64, error) {
	if !(min(live, candidate) >= 0 && max(live, candidate) <= 1 && live != candidate) {
		return 0, fmt.Errorf("shares %v and %v: %w", live, candidate, ErrRange)
	}
	if _, err := planned(1, alpha, power); err != nil {
		return 0, err
	}
	m := (live + candidate) / 2
	apart := live*(1-live) + candidate*(1-candidate)
	zb := distuv.UnitNormal.Quantile(power)
	r := (zUpper(alpha/2)*math.Sqrt(2*m*(1-m)) + zb*math.Sqrt(apart)) / (candidate - live)
	return finite("trials needed", r*r)
}

// DesignEffect is the factor by which clusters of m rows with intraclass
// correlation icc inflate a variance, 1 + (m−1) icc: multiply PairsNeeded by it.
// m may be a mean size. Errors: ErrRange unless m ≥ 1 is finite and icc is −1..1,
// or if the factor is negative, which no such clusters have. Source: Kish (1965).
func DesignEffect(m, icc float64) (float64, error) {
	if !(m >= 1) || math.IsInf(m, 1) || !(icc >= -1 && icc <= 1) {
		return 0, fmt.Errorf("clusters of %v with correlation %v: %w", m, icc, ErrRange)
	}
	d := 1 + (m-1)*icc
	if d < 0 {
		return 0, fmt.Errorf("correlation %v in clusters of %v: %w", icc, m, ErrRange)
	}
	return finite("design effect", d)
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
	if power < alpha/2 {
		return 0, fmt.Errorf("power %v is below alpha/2: %w", power, ErrRange)
	}
	return zUpper(alpha/2) + distuv.UnitNormal.Quantile(power), nil
}
