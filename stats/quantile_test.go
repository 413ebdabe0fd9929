package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestQuantileGolden(t *testing.T) {
	golden(t, "quantile_ci", func(t *testing.T, in input) fields {
		p, level := in.num("p"), in.num("conf")
		if !in.has("x") && !in.has("n") {
			n, err := stats.MinNForUpper(p, level)
			return fields{"min_n_for_finite_upper": ok(t, n, err)}
		}
		var x []float64
		if in.has("x") {
			x = in.sorted("x")
		} else { // the ranks themselves
			for i := range in.count("n") {
				x = append(x, float64(i+1))
			}
		}
		q, qErr := stats.Quantile(x, p)
		iv, err := stats.QuantileCI(x, p, level)
		lower, upper := bounds(t, iv, err)
		got := fields{
			"n": len(x), "quantile_type7": val(t, q, qErr), "lower": lower, "upper": upper, "coverage": iv.Level,
			"quantile_type1": skipped("type 7 is the one quantile"),
			"rank_lower":     lower, "rank_upper": upper,
		}
		if in.has("x") {
			why := skipped("ranks show in the bounds")
			got["rank_lower"], got["rank_upper"] = why, why
		}
		return got
	})
}

func TestQuantileDeltaGolden(t *testing.T) {
	golden(t, "quantile_difference", func(t *testing.T, in input) fields {
		p, level := in.num("p"), in.num("conf")
		arm := func(x []float64) fields {
			q, qErr := stats.Quantile(x, p)
			iv, err := stats.QuantileCI(x, p, level)
			lower, upper := bounds(t, iv, err)
			return fields{"q": val(t, q, qErr), "lower": lower, "upper": upper}
		}
		live, cand := in.sorted("live"), in.sorted("cand")
		delta, iv, err := stats.QuantileDelta(live, cand, p, level)
		lower, upper := bounds(t, iv, err)
		return fields{"live": arm(live), "cand": arm(cand), "delta": val(t, delta, err), "lower": lower, "upper": upper}
	})
}

func TestQuantileBeyond(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name, why string
		x         []float64
		p, want   float64
		err       error
	}{
		{"finite part", "failures above do not move a lower quantile", []float64{1, 2, 3, inf, inf}, 0.5, 3, nil},
		{"on infinity", "the 4th of 5 is a failure", []float64{1, 2, 3, inf, inf}, 0.75, 3, stats.ErrBeyond},
		{"between", "half-way between 3 and a failure is no number", []float64{1, 2, 3, inf}, 0.9, 3, stats.ErrBeyond},
		{"just below", "a whole rank needs no neighbour", []float64{1, 2, 3, inf}, 2. / 3, 3, nil},
		{"rounded rank", "100·0.29 is 28.999999999999996: the rank is 29", append(seq(30), repeat(inf, 71)...), 0.29, 30, nil},
		{"all failed", "nothing finite: there is no max", []float64{inf, inf}, 0.5, 0, stats.ErrBeyond},
		{"maximum", "p 1 of finite values", []float64{1, 5}, 1, 5, nil},
		{"minimum", "p 0", []float64{1, 5}, 0, 1, nil},
		{"empty", "no quantile of nothing", nil, 0.5, 0, stats.ErrTooFew},
		{"unsorted", "silently wrong otherwise", []float64{2, 1}, 0.5, 0, stats.ErrUnsorted},
		{"unsorted infinity", "a finite value after a failure", []float64{1, inf, 2}, 0.5, 0, stats.ErrUnsorted},
		{"nan", "NaN sorts nowhere", []float64{1, math.NaN()}, 0.5, 0, stats.ErrNotFinite},
		{"minus infinity", "no latency is below every number", []float64{math.Inf(-1), 1}, 0.5, 0, stats.ErrNotFinite},
		{"p above 1", "95 instead of 0.95", []float64{1}, 95, 0, stats.ErrRange},
		{"p nan", "not a share", []float64{1}, math.NaN(), 0, stats.ErrRange},
		{"ties", "interpolating equal values must give that value exactly", []float64{0.1, 0.1, 0.1}, 0.77, 0.1, nil},
		{"huge", "the difference of neighbours overflows", []float64{-math.MaxFloat64, math.MaxFloat64}, 0.5, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := stats.Quantile(c.x, c.p)
			wantErr(t, err, c.err)
			if got != c.want {
				t.Errorf("got %v, want %v: %s", got, c.want, c.why)
			}
		})
	}
}

func TestQuantileIntervalErrors(t *testing.T) {
	for _, c := range []struct {
		name     string
		x        []float64
		p, level float64
		err      error
	}{
		{"no values", nil, 0.5, 0.95, stats.ErrTooFew},
		{"p 0 has no interval", []float64{1}, 0, 0.95, stats.ErrRange},
		{"p 1 neither", []float64{1}, 1, 0.95, stats.ErrRange},
		{"level 1", []float64{1}, 0.5, 1, stats.ErrRange},
		{"unsorted", []float64{2, 1}, 0.5, 0.95, stats.ErrUnsorted},
		{"nan", []float64{1, math.NaN()}, 0.5, 0.95, stats.ErrNotFinite},
	} {
		_, err := stats.QuantileCI(c.x, c.p, c.level)
		wantErr(t, err, c.err)
		_, _, err = stats.QuantileDelta(c.x, []float64{1}, c.p, c.level)
		wantErr(t, err, c.err)
		_, _, err = stats.QuantileDelta([]float64{1}, c.x, c.p, c.level)
		if wantErr(t, err, c.err); t.Failed() {
			t.Fatal(c.name)
		}
	}
	iv, err := stats.QuantileCI([]float64{7}, 0.5, 0.95)
	if ok(t, iv, err); !iv.LowerOpen || !iv.UpperOpen || iv.Level != 1 {
		t.Errorf("one value bounds nothing: %+v", iv)
	}
}

func TestQuantileIntervalWithFailures(t *testing.T) {
	inf := math.Inf(1)
	x := append(seq(95), repeat(inf, 5)...) // ranks for p95 of 100 are 90 and 100
	iv, err := stats.QuantileCI(x, 0.95, 0.95)
	if ok(t, iv, err); iv.Lower != 90 || iv.LowerOpen || !iv.UpperOpen || iv.Upper != 0 {
		t.Errorf("upper bound on a failure must be open: %+v", iv)
	}
	x = append(seq(10), repeat(inf, 90)...)
	iv, err = stats.QuantileCI(x, 0.95, 0.95)
	if ok(t, iv, err); iv.Lower != 10 || iv.LowerOpen || !iv.UpperOpen {
		t.Errorf("lower bound on a failure is above the largest finite value: %+v", iv)
	}
	iv, err = stats.QuantileCI(repeat(inf, 100), 0.95, 0.95)
	if ok(t, iv, err); !iv.LowerOpen || !iv.UpperOpen {
		t.Errorf("no finite value, no bound: %+v", iv)
	}
	live := seq(100)
	_, iv, err = stats.QuantileDelta(live, x, 0.5, 0.95)
	wantErr(t, err, stats.ErrBeyond)
	if iv.LowerOpen || iv.Lower != 10-50.5 || !iv.UpperOpen {
		t.Errorf("candidate beyond: the limit of the lower bound stays: %+v", iv)
	}
	_, iv, err = stats.QuantileDelta(x, live, 0.5, 0.95)
	wantErr(t, err, stats.ErrBeyond)
	if iv.UpperOpen || iv.Upper != 50.5-10 || !iv.LowerOpen {
		t.Errorf("live beyond: the limit of the upper bound stays: %+v", iv)
	}
	_, iv, err = stats.QuantileDelta(x, x, 0.5, 0.95)
	wantErr(t, err, stats.ErrBeyond)
	if !iv.UpperOpen || !iv.LowerOpen {
		t.Errorf("both beyond: nothing is known: %+v", iv)
	}
}
