package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestSequenceGolden(t *testing.T) {
	golden(t, "asymptotic_cs", func(t *testing.T, in input) fields {
		const inner = skipped("an inner value; it shows in the multiplier")
		tOpt, alpha := in.num("t_opt"), in.num("alpha")
		s, err := stats.NewSequence(alpha, tOpt)
		ok(t, s, err)
		switch in.text("kind") {
		case "rho2":
			m, err := s.Multiplier(tOpt)
			return fields{"rho2": inner, "t_opt_times_rho2": inner, "multiplier_at_t_opt": ok(t, m, err)}
		case "multiplier":
			var se, margin []any
			for _, n := range in.floats("t") {
				m, err := s.Multiplier(n)
				se = append(se, ok(t, m, err))
				margin = append(margin, m/math.Sqrt(n))
			}
			return fields{"rho2": inner, "se_multiplier": se, "margin_unit_variance": margin}
		case "sequence":
			return running(t, s, in.floats("x"))
		}
		n := in.num("t")
		e := stats.Estimate{N: int(n), Value: in.num("mean"), SE: in.num("sd") / math.Sqrt(n), DF: n - 1}
		logE, p, err := s.EValue(e, n, in.num("null"))
		return fields{"log_e": ok(t, logE, err), "e": math.Exp(logE), "p_anytime": p}
	})
}

func running(t *testing.T, s stats.Sequence, x []float64) fields {
	var means, variances, lowers, uppers []any
	for i := range x {
		e, err := stats.Mean(x[:i+1])
		iv, ivErr := s.CI(e, float64(e.N))
		lower, upper := bounds(t, iv, ivErr)
		means = append(means, e.Value)
		variances = append(variances, val(t, e.SE*e.SE*float64(e.N), err))
		lowers, uppers = append(lowers, lower), append(uppers, upper)
	}
	return fields{"mean": means, "var": variances, "lower": lowers, "upper": uppers}
}

// confseq writes the same boundary on the scale of the sum, with rho = 1/rho², and
// takes an approximate rho; a sequence with that rho is made by choosing tOpt.
// 8.21… is tOpt·rho² for alpha 0.05 (asymptotic_cs.json).
func TestSequenceAgainstConfseq(t *testing.T) {
	const scale = 8.21196806206825
	golden(t, "normal_mixture", func(t *testing.T, in input) fields {
		far := -2 * math.Log(in.num("alpha_opt"))
		rho := in.num("v_opt") / (far + math.Log1p(far))
		if !in.has("v") {
			return fields{"rho": rho}
		}
		s, err := stats.NewSequence(0.05, scale*rho)
		ok(t, s, err)
		v := in.num("v")
		if in.has("s") {
			logE, _, err := s.EValue(stats.Estimate{N: 1, Value: in.num("s") / v, SE: 1 / math.Sqrt(v), DF: 1}, v, 0)
			return fields{"log_e": ok(t, logE, err)}
		}
		m, err := s.Multiplier(v)
		return fields{"bound": ok(t, m, err) * math.Sqrt(v)}
	})
}

// e ≥ 1/alpha exactly when the null value is outside the interval.
func TestEValueMatchesInterval(t *testing.T) {
	s, err := stats.NewSequence(0.05, 500)
	ok(t, s, err)
	for _, n := range []float64{50, 100, 500, 5000} {
		m, err := s.Multiplier(n)
		ok(t, m, err)
		for _, f := range []float64{0.5, 0.999999, 1.000001, 2} {
			logE, p, err := s.EValue(stats.Estimate{N: 1, Value: -f * m, SE: 1, DF: 9}, n, 0)
			ok(t, logE, err)
			if (logE >= math.Log(20)) != (f > 1) || (p <= 0.05) != (f > 1) {
				t.Errorf("t %v, %v margins from 0: log e %v, p %v", n, f, logE, p)
			}
		}
	}
}

func TestSequenceEdges(t *testing.T) {
	for _, c := range []struct {
		name, why   string
		alpha, tOpt float64
	}{
		{"alpha 0", "certainty has no interval", 0, 10},
		{"alpha 1", "no confidence", 1, 10},
		{"alpha nan", "not a number", math.NaN(), 10},
		{"tOpt 0", "no plan", 0.05, 0},
		{"tOpt negative", "no plan", 0.05, -1},
		{"tOpt infinite", "no plan", 0.05, math.Inf(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := stats.NewSequence(c.alpha, c.tOpt)
			wantErr(t, err, stats.ErrRange)
		})
	}
	var zero stats.Sequence
	_, err := zero.Multiplier(10)
	wantErr(t, err, stats.ErrRange)
	s, err := stats.NewSequence(0.05, 100)
	ok(t, s, err)
	for _, n := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := s.Multiplier(n)
		wantErr(t, err, stats.ErrRange)
	}
	flat := stats.Estimate{N: 50, Value: -1, DF: 49}
	_, _, err = s.EValue(flat, 50, 0)
	wantErr(t, err, stats.ErrUndefined)
	_, err = s.CI(stats.Estimate{N: 1, Value: 2}, 1)
	wantErr(t, err, stats.ErrTooFew)
	for _, alpha := range []float64{1e-300, 1e-9, 0.5, 0.999999} {
		s, err := stats.NewSequence(alpha, 1000)
		ok(t, s, err)
		m, err := s.Multiplier(1000)
		if ok(t, m, err); !(m > 0) {
			t.Errorf("alpha %v: multiplier %v", alpha, m)
		}
	}
}
