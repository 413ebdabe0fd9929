package stats_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// unitCI is the upper bound of 0 ∓ 1 SE: the two-sided quantile itself.
func unitCI(t *testing.T, level, df float64) float64 {
	t.Helper()
	iv, err := stats.Estimate{N: 9, SE: 1, DF: df}.CI(level)
	return ok(t, iv, err).Upper
}

var levels = []float64{0.001, 0.5, 0.8, 0.95, 0.999, 0.999999, 1 - 1e-9, 1 - 1e-12}

// Student's t has closed quantiles for 1 and 2 degrees of freedom.
func TestStudentClosedForms(t *testing.T) {
	for _, level := range levels {
		tail := 1 - level
		for df, want := range map[float64]float64{
			1: 1 / math.Tan(math.Pi/2*tail),
			2: level * math.Sqrt(2/(tail*(1+level))),
		} {
			if got := unitCI(t, level, df); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("level %v, %v degrees of freedom: %.15g, want %.15g", level, df, got, want)
			}
		}
	}
}

// A bound at level 1 − a has the p-value a, for all degrees of freedom: many
// comparisons need levels far out, and large samples many degrees of freedom.
func TestIntervalAndPValueAgree(t *testing.T) {
	for _, df := range []float64{0.7, 1, 1.3, 2.7, 17.3, 100, 999.5, 9999, 1e4, 123456.7, 1e6, 1e12} {
		for _, level := range levels {
			q := unitCI(t, level, df)
			p, err := stats.Estimate{N: 9, Value: q, SE: 1, DF: df}.PValue(0)
			if ok(t, p, err); math.Abs(p/(1-level)-1) > 1e-9 {
				t.Errorf("level %v, %v degrees of freedom: bound %.12g has p %.12g", level, df, q, p)
			}
		}
	}
}

// Fewer degrees of freedom give a wider interval, without a step where the
// expansions take over.
func TestStudentWidensWithFewerDegrees(t *testing.T) {
	for _, level := range levels {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			normal := unitCI(t, level, 1e9)
			last := normal
			for _, df := range []float64{1e8, 1e6, 1e5, 10_000, 9_999, 1e3, 100, 10, 3, 1} {
				q := unitCI(t, level, df)
				if q < last {
					t.Errorf("%v degrees of freedom: %v is below %v", df, q, last)
				}
				if df >= 1e5 {
					z := normal // the first term of the expansion in 1/df
					if want := z + (z*z*z+z)/(4*df); math.Abs(q/want-1) > 1e-7 {
						t.Errorf("%v degrees of freedom: %.12g, want about %.12g", df, q, want)
					}
				}
				last = q
			}
		})
	}
}
