package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestKappaGolden(t *testing.T) {
	golden(t, "kappa", func(t *testing.T, in input) fields {
		var table [][]int
		in.into("table", &table)
		got := fields{}
		for name, w := range map[string]stats.Weights{"unweighted": stats.Unweighted, "linear": stats.Linear, "quadratic": stats.Quadratic} {
			a, err := stats.Kappa(table, w)
			got["n"] = a.N
			got[name] = fields{"agreement": a.Observed, "expected": a.Expected, "kappa": val(t, a.Kappa, err), "se": val(t, a.SE, err)}
		}
		x, n, err := stats.Within(table, 0)
		exact := got["unweighted"].(fields)["agreement"].(float64)
		if ok(t, x, err); math.Abs(float64(x)/float64(n)-exact) > 1e-12 {
			t.Errorf("exact agreement %d of %d, want %v", x, n, exact)
		}
		return got
	})
}

func TestCrossTable(t *testing.T) {
	table, err := stats.CrossTable([]int{1, 2, 6, 2}, []int{1, 3, 6, 2}, []int{1, 2, 3, 4, 5, 6})
	ok(t, table, err)
	x, n, err := stats.Within(table, 1)
	if ok(t, x, err); x != 4 || n != 4 || table[1][2] != 1 || table[5][5] != 1 {
		t.Errorf("%d of %d within 1, table %v", x, n, table)
	}
	for _, c := range []struct {
		name, why string
		a, b      []string
		labels    []string
		err       error
	}{
		{"not on the list", "a label outside is never read as another one", []string{"x"}, []string{"yes"}, []string{"yes", "no"}, stats.ErrRange},
		{"not on the list, b", "either side", []string{"yes"}, []string{""}, []string{"yes", "no"}, stats.ErrRange},
		{"listed twice", "two rows for one label", []string{"yes"}, []string{"yes"}, []string{"yes", "yes"}, stats.ErrRange},
		{"lengths", "an item without a second label", []string{"yes"}, nil, []string{"yes"}, stats.ErrMismatch},
		{"no list", "the list must be closed", nil, nil, nil, stats.ErrTooFew},
	} {
		_, err := stats.CrossTable(c.a, c.b, c.labels)
		if wantErr(t, err, c.err); t.Failed() {
			t.Fatal(c.name, c.why)
		}
	}
}

func TestKappaEdges(t *testing.T) {
	for _, c := range []struct {
		name  string
		table [][]int
		w     stats.Weights
		err   error
	}{
		{"nothing", nil, stats.Quadratic, stats.ErrTooFew},
		{"no items", [][]int{{0, 0}, {0, 0}}, stats.Quadratic, stats.ErrTooFew},
		{"not square", [][]int{{1, 0}}, stats.Quadratic, stats.ErrMismatch},
		{"negative", [][]int{{1, 0}, {-1, 2}}, stats.Quadratic, stats.ErrRange},
		{"overflow", [][]int{{math.MaxInt, 1}, {0, 0}}, stats.Quadratic, stats.ErrRange},
		{"weights", [][]int{{1, 0}, {0, 1}}, stats.Weights(9), stats.ErrRange},
		{"one label", [][]int{{7}}, stats.Quadratic, stats.ErrUndefined},
	} {
		_, err := stats.Kappa(c.table, c.w)
		if wantErr(t, err, c.err); t.Failed() {
			t.Fatal(c.name)
		}
	}
	_, _, err := stats.Within([][]int{{1}}, -1)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.Agreement{}.CI(0.95)
	wantErr(t, err, stats.ErrTooFew)
	a, err := stats.Kappa([][]int{{88, 8}, {8, 43}}, stats.Unweighted)
	ok(t, a, err)
	iv, err := a.CI(0.95)
	if ok(t, iv, err); math.Abs(iv.Lower-(a.Kappa-1.959963984540054*a.SE)) > 1e-12 {
		t.Errorf("interval %+v of %+v", iv, a)
	}
	_, err = a.CI(2)
	wantErr(t, err, stats.ErrRange)
}

func TestKrippendorffGolden(t *testing.T) {
	golden(t, "krippendorff", func(t *testing.T, in input) fields {
		got := fields{}
		for name, m := range map[string]stats.Metric{"nominal": stats.Nominal, "ordinal": stats.Ordinal, "interval": stats.IntervalScale} {
			alpha, pairable, err := stats.KrippendorffAlpha(in.floatLists("units"), m)
			got[name], got["pairable"] = val(t, alpha, err), pairable
		}
		return got
	})
	_, _, err := stats.KrippendorffAlpha([][]float64{{1}, {2}, nil}, stats.Ordinal)
	wantErr(t, err, stats.ErrTooFew)
	_, _, err = stats.KrippendorffAlpha([][]float64{{1, math.NaN()}}, stats.Ordinal)
	wantErr(t, err, stats.ErrNotFinite)
	_, _, err = stats.KrippendorffAlpha([][]float64{{1, 2}}, stats.Metric(5))
	wantErr(t, err, stats.ErrRange)
}

func TestRepeatVarianceGolden(t *testing.T) {
	golden(t, "judge_variance", func(t *testing.T, in input) fields {
		v, err := stats.RepeatVariance(in.floatLists("grades"))
		ok(t, v, err)
		icc, iccErr := v.ICC()
		one, err := v.MeanSE(1)
		ok(t, one, err)
		many, err := v.MeanSE(math.Inf(1))
		return fields{
			"items": v.Items, "runs": v.Runs, "ms_between": v.Between, "ms_within": v.Within,
			"var_item": v.Item, "var_judge": v.Repeat, "icc1": val(t, icc, iccErr),
			"mean": v.Mean.Value, "se_mean": v.Mean.SE, "se_if_1_run": one, "se_if_inf_runs": ok(t, many, err),
			"exact_agreement_pairs": v.EqualPairs,
		}
	})
	for _, c := range []struct {
		name    string
		ratings [][]float64
		err     error
	}{
		{"one item", [][]float64{{1, 2}}, stats.ErrTooFew},
		{"one run", [][]float64{{1}, {2}}, stats.ErrTooFew},
		{"no run", [][]float64{{}, {}}, stats.ErrTooFew},
		{"hole", [][]float64{{1, 2}, {2}}, stats.ErrMismatch},
		{"nan", [][]float64{{1, 2}, {2, math.NaN()}}, stats.ErrNotFinite},
	} {
		_, err := stats.RepeatVariance(c.ratings)
		if wantErr(t, err, c.err); t.Failed() {
			t.Fatal(c.name)
		}
	}
	flat, err := stats.RepeatVariance([][]float64{{2, 2}, {2, 2}})
	ok(t, flat, err)
	_, err = flat.ICC()
	wantErr(t, err, stats.ErrUndefined)
	_, err = flat.RepeatShare()
	wantErr(t, err, stats.ErrUndefined)
	_, err = flat.MeanSE(0.5)
	wantErr(t, err, stats.ErrRange)
}

func TestCusumGolden(t *testing.T) {
	golden(t, "cusum", func(t *testing.T, in input) fields {
		if !in.has("x") {
			length := func(shift float64) float64 {
				l, err := stats.CusumRunLength(in.num("k"), in.num("h"), shift)
				return ok(t, l, err)
			}
			return fields{"arl0": length(0), "arl1_shift1": length(1), "arl_shift0_5": length(-0.5)}
		}
		p, err := stats.Cusum(in.floats("x"), in.num("target"), in.num("sd"), in.num("k"), in.num("h"))
		ok(t, p, err)
		index := func(i int) any {
			if i == 0 {
				return nil
			}
			return i
		}
		return fields{"high": list(p.High), "low": list(p.Low), "first_alarm_high": index(p.FirstHigh), "first_alarm_low": index(p.FirstLow)}
	})
	for _, c := range []struct {
		name             string
		x                []float64
		target, sd, k, h float64
		err              error
	}{
		{"nan", []float64{math.NaN()}, 0, 1, 0.5, 5, stats.ErrNotFinite},
		{"target", []float64{1}, math.Inf(1), 1, 0.5, 5, stats.ErrNotFinite},
		{"sd 0", []float64{1}, 0, 0, 0.5, 5, stats.ErrRange},
		{"slack", []float64{1}, 0, 1, -1, 5, stats.ErrRange},
		{"limit", []float64{1}, 0, 1, 0.5, 0, stats.ErrRange},
		{"overflow", []float64{1e300}, 0, 1e-300, 0.5, 5, stats.ErrNotFinite},
	} {
		_, err := stats.Cusum(c.x, c.target, c.sd, c.k, c.h)
		if wantErr(t, err, c.err); t.Failed() {
			t.Fatal(c.name)
		}
	}
	p, err := stats.Cusum(nil, 0, 1, 0.5, 5)
	if ok(t, p, err); len(p.High) != 0 || p.FirstHigh != 0 {
		t.Errorf("empty path: %+v", p)
	}
	_, err = stats.CusumRunLength(0.5, 5, math.NaN())
	wantErr(t, err, stats.ErrRange)
	exact, err := stats.CusumRunLength(0.5, 5, 0.5) // D = 0 on one side
	ok(t, exact, err)
	near, err := stats.CusumRunLength(0.5, 5, 0.5+1e-4)
	if ok(t, near, err); math.Abs(near-exact) > 1e-3*exact {
		t.Errorf("run length jumps at D = 0: %v, %v", exact, near)
	}
	far, err := stats.CusumRunLength(0.5, 5, 100)
	if ok(t, far, err); far != 1 {
		t.Errorf("an alarm needs at least one value, not %v", far)
	}
}
