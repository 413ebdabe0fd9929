package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// seriesFrom is the number of degrees of freedom from which Student's t goes by
// expansions around the normal distribution. They are good to 1e-11 there, while
// gonum's incomplete beta function loses digits as its parameters grow.
const seriesFrom = 1e4

// zQuantile is the two-sided normal quantile, 1.96 for level 0.95.
func zQuantile(level float64) float64 { return zUpper((1 - level) / 2) }

// zUpper is the z that a standard normal exceeds with probability tail.
func zUpper(tail float64) float64 { return -distuv.UnitNormal.Quantile(tail) }

// zTwoSided is P(|Z| ≥ |z|).
func zTwoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// tTwoSided is P(|T| ≥ |t|). From seriesFrom on it is that of the normal value
// with the same tail by Hill (1970), Communications of the ACM 13:617.
func tTwoSided(t, df float64) float64 {
	if df < seriesFrom {
		return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(t))
	}
	a := df - 0.5
	w := math.Sqrt(a * math.Log1p(t/df*t))
	if w > 40 { // P is below the smallest float64
		return 0
	}
	b, ww := 48*a*a, w*w
	w += w * (ww + 3 - (((4*ww+33)*ww+240)*ww+855)/(10*(b+0.8*ww*ww+100))) / b
	return zTwoSided(w)
}

// tQuantile is the two-sided quantile of Student's t, +Inf where it overflows.
//
// From seriesFrom on it is Fisher's expansion around the normal quantile z.
// Below, it inverts the distribution function by Newton's method on log P over
// log t, from z: the tail is straight there for few degrees of freedom and bends
// downwards for many, so that the steps close in from one side. gonum's own
// quantile is off far out (90 in place of 6.1 for level 1 − 1e-9 and 120,000
// degrees of freedom).
func tQuantile(level, df float64) float64 {
	z := zQuantile(level)
	if z <= 0 {
		return 0
	}
	if df >= seriesFrom {
		zz := z * z
		return z + z*((zz+1)/4+((5*zz+16)*zz+3)/96/df+(((3*zz+19)*zz+17)*zz-15)/384/df/df)/df
	}
	d := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
	target, t := (1-level)/2, z
	for range 20 {
		tail := d.CDF(-t)
		step := math.Log(tail/target) * tail / (t * d.Prob(t))
		t *= math.Exp(step)
		if !(math.Abs(step) > 1e-9) || math.IsInf(t, 1) {
			break // steps shrink quadratically: the next one would be below 1e-17
		}
	}
	return t
}
