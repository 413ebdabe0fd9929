package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestEstimateErrors(t *testing.T) {
	nan, inf, huge := math.NaN(), math.Inf(1), math.MaxFloat64
	type result struct {
		e   stats.Estimate
		err error
	}
	do := func(e stats.Estimate, err error) result { return result{e, err} }
	for _, c := range []struct {
		name, why string
		got       result
		err       error
		want      stats.Estimate
	}{
		{"mean of nothing", "no mean", do(stats.Mean(nil)), stats.ErrTooFew, stats.Estimate{}},
		{"mean of one", "the mean exists, its error does not", do(stats.Mean([]float64{3})), stats.ErrTooFew, stats.Estimate{N: 1, Value: 3}},
		{"mean of nan", "a missing grade is no number", do(stats.Mean([]float64{1, nan})), stats.ErrNotFinite, stats.Estimate{}},
		{"mean of infinity", "failures belong into quantiles", do(stats.Mean([]float64{1, inf})), stats.ErrNotFinite, stats.Estimate{}},
		{"mean overflows", "the spread has no float64", do(stats.Mean([]float64{-huge, huge})), stats.ErrNotFinite, stats.Estimate{}},
		{"paired lengths", "a dropped row shifts all pairs", do(stats.PairedDelta([]float64{1}, []float64{1, 2})), stats.ErrMismatch, stats.Estimate{}},
		{"paired nothing", "no pair", do(stats.PairedDelta(nil, nil)), stats.ErrTooFew, stats.Estimate{}},
		{"paired overflow", "candidate − live overflows", do(stats.PairedDelta([]float64{-huge, 0}, []float64{huge, 0})), stats.ErrNotFinite, stats.Estimate{}},
		{"paired nan", "in the candidate", do(stats.PairedDelta([]float64{1, 2}, []float64{1, nan})), stats.ErrNotFinite, stats.Estimate{}},
		{"clustered lengths", "keys must match", do(stats.ClusteredDelta([]float64{1, 2}, []float64{1, 2}, []string{"a"})), stats.ErrMismatch, stats.Estimate{}},
		{"clustered nil keys", "no key is not one cluster", do(stats.ClusteredMean([]float64{1, 2}, nil)), stats.ErrMismatch, stats.Estimate{}},
		{"clustered nothing", "no row", do(stats.ClusteredMean(nil, nil)), stats.ErrTooFew, stats.Estimate{}},
		{"one cluster", "nothing to compare with", do(stats.ClusteredDelta([]float64{1, 2}, []float64{2, 3}, []string{"a", "a"})), stats.ErrTooFew, stats.Estimate{N: 2, Clusters: 1, Value: 1}},
		{"empty key", "rows without session are no cluster", do(stats.ClusteredDelta([]float64{1, 2}, []float64{2, 3}, []string{"a", ""})), stats.ErrNoCluster, stats.Estimate{}},
		{"welch one each", "both means exist", do(stats.Welch([]float64{3}, []float64{2})), stats.ErrTooFew, stats.Estimate{N: 2, Value: -1}},
		{"welch empty arm", "no difference", do(stats.Welch(nil, []float64{2, 3})), stats.ErrTooFew, stats.Estimate{}},
		{"welch constant arms", "SE 0, degrees of freedom 0/0", do(stats.Welch([]float64{2, 2}, []float64{1, 1})), stats.ErrUndefined, stats.Estimate{N: 4, Value: -1}},
		{"sum of nothing", "no term", do(stats.Sum()), stats.ErrTooFew, stats.Estimate{}},
		{"weights 0", "1/probability is never 0", do(stats.WeightedMean([]float64{1, 2}, []float64{1, 0}, nil, nil)), stats.ErrRange, stats.Estimate{}},
		{"weights negative", "no such probability", do(stats.WeightedMean([]float64{1, 2}, []float64{1, -1}, nil, nil)), stats.ErrRange, stats.Estimate{}},
		{"weights infinite", "rate 0", do(stats.WeightedMean([]float64{1, 2}, []float64{1, inf}, nil, nil)), stats.ErrNotFinite, stats.Estimate{}},
		{"weights lengths", "a weight is missing", do(stats.WeightedMean([]float64{1, 2}, []float64{1}, nil, nil)), stats.ErrMismatch, stats.Estimate{}},
		{"strata lengths", "a stratum is missing", do(stats.WeightedMean([]float64{1, 2}, []float64{1, 1}, nil, []string{"a"})), stats.ErrMismatch, stats.Estimate{}},
		{"weighted empty key", "as clustered", do(stats.WeightedMean([]float64{1, 2}, []float64{1, 1}, []string{"a", ""}, nil)), stats.ErrNoCluster, stats.Estimate{}},
		{"weighted nothing", "no row", do(stats.WeightedMean(nil, nil, nil, nil)), stats.ErrTooFew, stats.Estimate{}},
		{"weighted cluster lengths", "a key is missing", do(stats.WeightedMean([]float64{1, 2}, []float64{1, 1}, []string{"a"}, nil)), stats.ErrMismatch, stats.Estimate{}},
		{"stratum of one cluster", "no spread inside it", do(stats.WeightedMean([]float64{1, 2, 3}, []float64{1, 1, 1}, nil, []string{"a", "a", "b"})), stats.ErrTooFew, stats.Estimate{N: 3, Value: 2}},
		{"share lengths", "as clustered", do(stats.ClusteredShareDelta([]bool{true}, []bool{true, false}, []string{"a"})), stats.ErrMismatch, stats.Estimate{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantErr(t, c.got.err, c.err)
			if c.got.e != c.want {
				t.Errorf("got %+v, want %+v: %s", c.got.e, c.want, c.why)
			}
		})
	}
}

func TestEstimateMethods(t *testing.T) {
	nan := math.NaN()
	good := stats.Estimate{N: 10, Value: -1, SE: 0.5, DF: 9}
	for _, level := range []float64{0, 1, -0.5, 95, nan, math.Inf(1)} {
		_, err := good.CI(level)
		wantErr(t, err, stats.ErrRange)
	}
	for _, c := range []struct {
		name string
		e    stats.Estimate
		err  error
	}{
		{"zero value", stats.Estimate{}, stats.ErrTooFew},
		{"one row", stats.Estimate{N: 1, Value: 2}, stats.ErrTooFew},
		{"nan value", stats.Estimate{N: 9, Value: nan, SE: 1, DF: 8}, stats.ErrNotFinite},
		{"nan se", stats.Estimate{N: 9, SE: nan, DF: 8}, stats.ErrNotFinite},
		{"nan df", stats.Estimate{N: 9, SE: 1, DF: nan}, stats.ErrNotFinite},
		{"infinite df", stats.Estimate{N: 9, SE: 1, DF: math.Inf(1)}, stats.ErrNotFinite},
		{"negative se", stats.Estimate{N: 9, SE: -1, DF: 8}, stats.ErrRange},
		{"df near 0", stats.Estimate{N: 9, SE: 1, DF: 5e-324}, stats.ErrRange},
		{"overflow", stats.Estimate{N: 9, Value: 1, SE: math.MaxFloat64, DF: 1}, stats.ErrNotFinite},
	} {
		_, err := c.e.CI(0.95)
		if wantErr(t, err, c.err); t.Failed() {
			t.Fatal(c.name)
		}
	}
	flat := stats.Estimate{N: 5, Value: -1, DF: 4}
	iv, err := flat.CI(0.95)
	if ok(t, iv, err); iv.Lower != -1 || iv.Upper != -1 {
		t.Errorf("SE 0 gives the point: %+v", iv)
	}
	_, err = flat.InSE()
	wantErr(t, err, stats.ErrUndefined)
	_, err = stats.Estimate{N: 9, Value: 1, SE: 1, DF: 5e-324}.PValue(0)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.Estimate{N: 5, Value: 1e300, SE: 1e-300, DF: 4}.InSE()
	wantErr(t, err, stats.ErrNotFinite)
	_, err = good.PValue(nan)
	wantErr(t, err, stats.ErrNotFinite)
	if iv := (stats.Interval{Lower: 1, UpperOpen: true}); !iv.Contains(1e9) || iv.Contains(0.5) {
		t.Error("an open side holds everything, a closed one does not")
	}
}

func TestShareErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		x, n  int
		level float64
		err   error
	}{
		{"none", 0, 0, 0.95, stats.ErrTooFew},
		{"negative", -1, 5, 0.95, stats.ErrRange},
		{"more than all", 6, 5, 0.95, stats.ErrRange},
		{"negative n", 0, -5, 0.95, stats.ErrRange},
		{"percent for level", 1, 5, 95, stats.ErrRange},
	} {
		_, err := stats.Wilson(c.x, c.n, c.level)
		wantErr(t, err, c.err)
		_, _, err = stats.NewcombeIndependent(1, 2, c.x, c.n, c.level)
		wantErr(t, err, c.err)
		_, _, err = stats.NewcombeIndependent(c.x, c.n, 1, 2, c.level)
		wantErr(t, err, c.err)
	}
	_, _, err := stats.NewcombePaired(0, 0, 0, 0, 0.95)
	wantErr(t, err, stats.ErrTooFew)
	_, _, err = stats.NewcombePaired(1, -1, 0, 0, 0.95)
	wantErr(t, err, stats.ErrRange)
	_, _, err = stats.NewcombePaired(1, 1, 0, 0, 0)
	wantErr(t, err, stats.ErrRange)
	for _, n := range []int{1, 7, 1000, 1 << 40} {
		lower, err := stats.Wilson(0, n, 0.95)
		if ok(t, lower, err); lower.Lower != 0 || !(lower.Upper > 0) {
			t.Errorf("0 of %d: %+v", n, lower)
		}
		upper, err := stats.Wilson(n, n, 0.95)
		if ok(t, upper, err); upper.Upper != 1 || !(upper.Lower < 1) {
			t.Errorf("%d of %d: %+v", n, n, upper)
		}
	}
}

func TestPlanningErrors(t *testing.T) {
	nan := math.NaN()
	for _, v := range []float64{0, -1, nan, math.Inf(1)} {
		_, err := stats.MDE(v, 100, 0.05, 0.8)
		wantErr(t, err, stats.ErrRange)
		_, err = stats.MDE(1, v, 0.05, 0.8)
		wantErr(t, err, stats.ErrRange)
		_, err = stats.PairsNeeded(v, 0.1, 0.05, 0.8)
		wantErr(t, err, stats.ErrRange)
		_, err = stats.Power(1, v, 0.1, 0.05)
		wantErr(t, err, stats.ErrRange)
	}
	for _, v := range []float64{0, nan, math.Inf(-1)} {
		_, err := stats.PairsNeeded(1, v, 0.05, 0.8)
		wantErr(t, err, stats.ErrRange)
	}
	for _, v := range []float64{0, 1, -1, 80, nan} {
		_, err := stats.MDE(1, 100, v, 0.8)
		wantErr(t, err, stats.ErrRange)
		_, err = stats.MDE(1, 100, 0.05, v)
		wantErr(t, err, stats.ErrRange)
	}
	_, err := stats.MDE(1, 100, 0.5, 0.1)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.SharePairsNeeded(0.02, 0.05, 0.05, 0.8)
	wantErr(t, err, stats.ErrRange)
	for _, shares := range [][2]float64{{0.1, 0.1}, {-0.1, 0.5}, {0.5, 1.1}, {nan, 0.5}} {
		_, err = stats.ShareTrialsNeeded(shares[0], shares[1], 0.05, 0.8)
		wantErr(t, err, stats.ErrRange)
	}
	_, err = stats.ShareTrialsNeeded(0.1, 0.2, 0.05, 80)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.DesignEffect(3, -0.9)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.MinNForUpper(0.95, 1)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.MinNForUpper(math.Nextafter(1, 0), 0.95)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.Correlation([]float64{1, 1}, []float64{1, 2})
	wantErr(t, err, stats.ErrUndefined)
	_, err = stats.Correlation([]float64{1}, []float64{1})
	wantErr(t, err, stats.ErrTooFew)
	_, err = stats.Correlation([]float64{1}, nil)
	wantErr(t, err, stats.ErrMismatch)
}
