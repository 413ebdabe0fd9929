package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/understudy-eval/understudy/stats"
)

func TestMeanGolden(t *testing.T) {
	golden(t, "mean_ci", func(t *testing.T, in input) fields {
		e, err := stats.Mean(in.floats("x"))
		lower, upper := ci(t, e, in.num("conf"))
		return fields{
			"n": e.N, "mean": mean(t, e, err), "se": se(t, e, err), "df": df(t, e, err),
			"sd":    val(t, e.SE*math.Sqrt(float64(e.N)), err),
			"lower": lower, "upper": upper,
		}
	})
}

func TestMeanNIST(t *testing.T) {
	golden(t, "nist_univariate", func(t *testing.T, in input) fields {
		var x []float64
		if in.has("x") {
			x = in.floats("x")
		} else {
			x = []float64{in.num("first")}
			for range in.count("repeats") {
				x = append(x, in.num("a"), in.num("b"))
			}
		}
		e, err := stats.Mean(x)
		return fields{
			"n": e.N, "mean": mean(t, e, err),
			"sd":   val(t, e.SE*math.Sqrt(float64(e.N)), err),
			"lag1": skipped("autocorrelation: rows are not taken as a time series"),
		}
	})
}

func TestPairedDeltaGolden(t *testing.T) {
	golden(t, "paired_mean_diff", func(t *testing.T, in input) fields {
		live, cand := in.floats("live"), in.floats("cand")
		l, _ := stats.Mean(live)
		c, _ := stats.Mean(cand)
		e, err := stats.PairedDelta(live, cand)
		apart, apartErr := stats.Welch(live, cand)
		r, rErr := stats.Correlation(live, cand)
		lower, upper := ci(t, e, in.num("conf"))
		return fields{
			"n": e.N, "mean_live": l.Value, "mean_cand": c.Value, "delta": e.Value,
			"sd_delta": val(t, e.SE*math.Sqrt(float64(e.N)), err),
			"se":       se(t, e, err), "df": df(t, e, err),
			"delta_in_se": inSE(t, e), "t": inSE(t, e), "p_two_sided": pValue(t, e),
			"lower": lower, "upper": upper,
			"correlation": val(t, r, rErr), "se_if_unpaired": se(t, apart, apartErr),
		}
	})
}

func TestWelchGolden(t *testing.T) {
	type summary struct {
		Mean, SD float64
		N        int
	}
	estimate := func(s summary) stats.Estimate {
		return stats.Estimate{N: s.N, Value: s.Mean, SE: s.SD / math.Sqrt(float64(s.N)), DF: float64(s.N - 1)}
	}
	golden(t, "welch", func(t *testing.T, in input) fields {
		var e stats.Estimate
		var err error
		if in.raw["live"][0] == '[' {
			e, err = stats.Welch(in.floats("live"), in.floats("cand"))
		} else {
			var live, cand summary
			in.into("live", &live)
			in.into("cand", &cand)
			e, err = stats.Difference(estimate(live), estimate(cand))
		}
		lower, upper := ci(t, e, in.num("conf"))
		return fields{
			"delta": e.Value, "se": se(t, e, err), "df": df(t, e, err),
			"t": inSE(t, e), "p_two_sided": pValue(t, e), "lower": lower, "upper": upper,
		}
	})
}

func TestSumGolden(t *testing.T) {
	golden(t, "satterthwaite", func(t *testing.T, in input) fields {
		nu := in.floats("nu")
		var terms []stats.Estimate
		for i, v := range in.floats("v") {
			terms = append(terms, stats.Estimate{N: 1, SE: math.Sqrt(v), DF: nu[i]})
		}
		e, err := stats.Sum(terms...)
		return fields{"variance": val(t, e.SE*e.SE, err), "se": se(t, e, err), "df": df(t, e, err)}
	})
}

// The normal distribution and Student's t show through intervals and p-values; the
// others are those that the package builds on.
func TestDistributionsGolden(t *testing.T) {
	quantile := func(t *testing.T, p, df float64) float64 {
		iv := ok2(t, stats.Estimate{N: 9, SE: 1, DF: df}, math.Abs(2*p-1))
		return math.Copysign(iv.Upper, p-0.5)
	}
	const manyDF = 1e15 // normal
	golden(t, "distributions", func(t *testing.T, in input) fields {
		switch {
		case in.has("z"):
			return fields{"p": each(in, "z", func(_ int, z float64) float64 {
				p, err := stats.Estimate{N: 9, Value: z, SE: 1, DF: manyDF}.PValue(0)
				return ok(t, p, err) / 2
			})}
		case in.has("t"):
			return fields{"p": each(in, "t", func(i int, v float64) float64 {
				p, err := stats.Estimate{N: 9, Value: v, SE: 1, DF: in.floats("df")[i]}.PValue(0)
				if ok(t, p, err); v > 0 {
					return 1 - p/2
				}
				return p / 2
			})}
		case in.has("df"):
			p := map[string]float64{"qt_975": 0.975, "qt_995": 0.995}[lastName(t)]
			return fields{"q": each(in, "df", func(_ int, df float64) float64 { return quantile(t, p, df) })}
		case in.has("a"):
			return fields{"q": each(in, "p", func(i int, p float64) float64 {
				return distuv.Beta{Alpha: in.floats("a")[i], Beta: in.floats("b")[i]}.Quantile(p)
			})}
		case in.has("k"):
			return fields{"P": each(in, "k", func(i int, k float64) float64 {
				return distuv.Binomial{N: in.floats("n")[i], P: in.floats("p")[i]}.CDF(k)
			})}
		case in.has("x"):
			return fields{"y": each(in, "x", func(_ int, x float64) float64 { y, _ := math.Lgamma(x); return y })}
		}
		return fields{"q": each(in, "p", func(_ int, p float64) float64 {
			if p == 0.5 || p < 1e-9 { // level 0 is refused, and 1 − 2e-10 has lost digits of p
				return distuv.UnitNormal.Quantile(p)
			}
			return quantile(t, p, manyDF)
		})}
	})
}

// each is f of every entry of an input.
func each(in input, key string, f func(i int, v float64) float64) []any {
	var out []any
	for i, v := range in.floats(key) {
		out = append(out, f(i, v))
	}
	return out
}
