package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// Without censoring the survival curve is the share of larger values, and its
// quantile the one that averages two values where the curve is flat (type 2).
func TestSurvivalWithoutCensoring(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 53))
		x := make([]float64, 1+r.IntN(60))
		done := make([]bool, len(x))
		for i := range x {
			x[i], done[i] = float64(r.IntN(40)), true
		}
		curve, err := stats.KaplanMeier(x, done)
		ok(t, curve, err)
		slices.Sort(x)
		n := float64(len(x))
		at := x[r.IntN(len(x))]
		larger := 0.0
		for _, v := range x {
			if v > at {
				larger++
			}
		}
		if point, err := curve.At(at, 0.95); larger == 0 {
			wantErr(t, err, stats.ErrUndefined)
		} else {
			close9(t, "share of larger values", seed, ok(t, point, err).Share, larger/n)
			close9(t, "its binomial standard error", seed, point.SE, math.Sqrt(larger/n*(1-larger/n)/n))
		}
		for _, p := range []float64{0.25, 0.5, 0.9} {
			k := n * p
			want := x[min(int(math.Ceil(k)), len(x))-1]
			if k == math.Trunc(k) {
				want = (x[int(k)-1] + x[int(k)]) / 2
			}
			q, _, err := curve.Quantile(p, 0.95)
			close9(t, "quantile", seed, ok(t, q, err), want)
		}
	}
}

// Krippendorff's alpha as the book computes it, from the matrix of coincidences.
func TestAlphaFromCoincidences(t *testing.T) {
	const grades = 6
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 59))
		units := make([][]float64, 3+r.IntN(10))
		var coincidence [grades][grades]float64
		for u := range units {
			for range 1 + r.IntN(4) {
				units[u] = append(units[u], float64(1+r.IntN(grades)))
			}
			m := float64(len(units[u]))
			for i, a := range units[u] {
				for j, b := range units[u] {
					if i != j {
						coincidence[int(a)-1][int(b)-1] += 1 / (m - 1)
					}
				}
			}
		}
		var count [grades]float64
		n := 0.0
		for c := range grades {
			for k := range grades {
				count[c] += coincidence[c][k]
			}
			n += count[c]
		}
		for metric, apart := range map[stats.Metric]func(c, k int) float64{
			stats.Nominal:       func(c, k int) float64 { return min(1, math.Abs(float64(c-k))) },
			stats.IntervalScale: func(c, k int) float64 { return float64(c - k) },
			stats.Ordinal: func(c, k int) float64 {
				between := -(count[c] + count[k]) / 2
				for g := min(c, k); g <= max(c, k); g++ {
					between += count[g]
				}
				return between
			},
		} {
			var observed, expected float64
			for c := range grades {
				for k := range grades {
					d := apart(c, k)
					observed += coincidence[c][k] * d * d
					expected += count[c] * count[k] * d * d / (n - 1)
				}
			}
			alpha, pairable, err := stats.KrippendorffAlpha(units, metric)
			if expected == 0 {
				if err == nil {
					t.Errorf("seed %d: alpha %v without variation", seed, alpha)
				}
				continue
			}
			close9(t, "alpha", seed, ok(t, alpha, err), 1-observed/expected)
			close9(t, "pairable", seed, float64(pairable), n)
		}
	}
}
