package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestKaplanMeierGolden(t *testing.T) {
	const other = skipped("one scale for the band: log-log, which stays inside 0..1")
	golden(t, "kaplan_meier", func(t *testing.T, in input) fields {
		level := in.num("conf")
		s, err := stats.KaplanMeier(in.floats("time"), above(in.floats("event"), 0.5))
		ok(t, s, err)
		n, events := s.Counts()
		var ask struct {
			Quantiles []struct{ P float64 }
			Survival  []struct{ T float64 }
		}
		in.expectInto(&ask)
		var quantiles, points []any
		for _, q := range ask.Quantiles {
			v, iv, err := s.Quantile(q.P, level)
			lower, upper := bounds(t, iv, nil)
			quantiles = append(quantiles, fields{
				"p": q.P, "quantile": val(t, v, err), "lower_loglog": lower, "upper_loglog": upper,
				"lower_log": other, "upper_log": other,
			})
		}
		for _, q := range ask.Survival {
			p, err := s.At(q.T, level)
			lower, upper := bounds(t, p.CI, nil)
			points = append(points, fields{
				"t": q.T, "surv": p.Share, "se": val(t, p.SE, err), "lower_loglog": lower, "upper_loglog": upper,
			})
		}
		return fields{"n": n, "events": events, "quantiles": quantiles, "survival": points}
	})
}

// With one fixed limit the curve says what the sorted values say.
func TestKaplanMeierWithFixedLimit(t *testing.T) {
	const limit = 20
	var times, sorted []float64
	var done []bool
	for i := range 101 {
		v := float64(i) / 4
		times, done = append(times, math.Min(v, limit)), append(done, v < limit)
		if v >= limit {
			v = math.Inf(1)
		}
		sorted = append(sorted, v)
	}
	s, err := stats.KaplanMeier(times, done)
	ok(t, s, err)
	for _, p := range []float64{0.1, 0.5, 0.7} {
		km, _, err := s.Quantile(p, 0.95)
		ok(t, km, err)
		q, err := stats.Quantile(sorted, p)
		if ok(t, q, err); math.Abs(km-q) > 0.25 {
			t.Errorf("p %v: curve %v, type 7 %v", p, km, q)
		}
	}
	last, iv, err := s.Quantile(0.95, 0.95)
	wantErr(t, err, stats.ErrBeyond)
	if last != limit || !iv.UpperOpen {
		t.Errorf("p95 is above the limit: %v %+v", last, iv)
	}
}

func TestKaplanMeierEdges(t *testing.T) {
	_, err := stats.KaplanMeier(nil, nil)
	wantErr(t, err, stats.ErrTooFew)
	_, err = stats.KaplanMeier([]float64{1}, nil)
	wantErr(t, err, stats.ErrMismatch)
	_, err = stats.KaplanMeier([]float64{math.Inf(1)}, []bool{true})
	wantErr(t, err, stats.ErrNotFinite)
	var zero stats.Survival
	_, err = zero.At(1, 0.95)
	wantErr(t, err, stats.ErrTooFew)
	_, _, err = zero.Quantile(0.5, 0.95)
	wantErr(t, err, stats.ErrTooFew)
	half, err := stats.KaplanMeier([]float64{1, 2, 3, 4}, []bool{true, true, false, false})
	ok(t, half, err)
	median, iv, err := half.Quantile(0.5, 0.95) // ½ from 2 on, seen until 4
	if ok(t, median, err); median != 3 || !iv.UpperOpen {
		t.Errorf("median %v, %+v", median, iv)
	}
	last, iv, err := half.Quantile(0.51, 0.95)
	wantErr(t, err, stats.ErrBeyond)
	if last != 4 || !iv.UpperOpen {
		t.Errorf("a curve that stays above: last %v, %+v", last, iv)
	}
	s, err := stats.KaplanMeier([]float64{1, 2}, []bool{true, true})
	ok(t, s, err)
	_, err = s.At(math.NaN(), 0.95)
	wantErr(t, err, stats.ErrRange)
	_, _, err = s.Quantile(95, 0.95)
	wantErr(t, err, stats.ErrRange)
	_, _, err = s.Quantile(0.5, 0)
	wantErr(t, err, stats.ErrRange)
}
