package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// draw is one random set of pairs: integer grades in clusters, with weights and
// strata that do not cut a cluster.
type draw struct {
	live, cand, weight []float64
	cluster, stratum   []string
}

func randomDraw(r *rand.Rand) draw {
	var d draw
	for g := range 8 + r.IntN(20) {
		h := fmt.Sprint(g % 3)
		for range 1 + r.IntN(5) {
			d.live = append(d.live, float64(1+r.IntN(6)))
			d.cand = append(d.cand, float64(1+r.IntN(6)))
			d.weight = append(d.weight, []float64{1, 5, 100}[g%3])
			d.cluster = append(d.cluster, fmt.Sprintf("s%d", g))
			d.stratum = append(d.stratum, h)
		}
	}
	return d
}

func (d draw) shuffled(r *rand.Rand) draw {
	order := r.Perm(len(d.live))
	return draw{pick(d.live, order), pick(d.cand, order), pick(d.weight, order), pick(d.cluster, order), pick(d.stratum, order)}
}

func (d draw) clone() draw {
	return draw{slices.Clone(d.live), slices.Clone(d.cand), slices.Clone(d.weight), slices.Clone(d.cluster), slices.Clone(d.stratum)}
}

func pick[T any](x []T, order []int) []T {
	out := make([]T, len(x))
	for i, j := range order {
		out[i] = x[j]
	}
	return out
}

// deltas are all estimates of candidate − live on paired data.
var deltas = map[string]func(d draw) (stats.Estimate, error){
	"paired":    func(d draw) (stats.Estimate, error) { return stats.PairedDelta(d.live, d.cand) },
	"clustered": func(d draw) (stats.Estimate, error) { return stats.ClusteredDelta(d.live, d.cand, d.cluster) },
	"welch":     func(d draw) (stats.Estimate, error) { return stats.Welch(d.live, d.cand) },
	"weighted": func(d draw) (stats.Estimate, error) {
		return stats.WeightedDelta(d.live, d.cand, d.weight, d.cluster, d.stratum)
	},
	"net wins": func(d draw) (stats.Estimate, error) {
		_, _, _, net, err := stats.WinTieLoss(d.live, d.cand, d.cluster)
		return net, err
	},
	"share": func(d draw) (stats.Estimate, error) {
		return stats.ClusteredShareDelta(above(d.live, 4), above(d.cand, 4), d.cluster)
	},
}

func above(x []float64, limit float64) []bool {
	out := make([]bool, len(x))
	for i, v := range x {
		out[i] = v > limit
	}
	return out
}

func TestDeltaProperties(t *testing.T) {
	for name, f := range deltas {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				r := rand.New(rand.NewPCG(seed, 1))
				d := randomDraw(r)
				before := d.clone()
				e, err := f(d)
				ok(t, e, err)
				if fmt.Sprint(before) != fmt.Sprint(d) {
					t.Fatal("input was changed")
				}
				again, err := f(d)
				if ok(t, again, err) != e {
					t.Errorf("seed %d: two runs differ: %+v, %+v", seed, e, again)
				}
				swapped := d
				swapped.live, swapped.cand = d.cand, d.live
				s, err := f(swapped)
				s.Value = -s.Value
				same(t, "swapping the arms flips the sign only", ok(t, s, err), e)
				s, err = f(d.shuffled(r))
				alike(t, "order does not matter but for rounding", ok(t, s, err), e, 1e-13)
				moved := d.clone()
				for i := range moved.live {
					moved.live[i] += 1e6
					moved.cand[i] += 1e6
				}
				if name != "share" {
					s, err = f(moved)
					same(t, "a common shift does not matter", ok(t, s, err), e)
				}
			}
		})
	}
}

func same(t *testing.T, why string, got, want stats.Estimate) {
	t.Helper()
	alike(t, why, got, want, 1e-9)
}

func alike(t *testing.T, why string, got, want stats.Estimate, tolerance float64) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) }
	if got.N != want.N || got.Clusters != want.Clusters ||
		!near(got.Value, want.Value) || !near(got.SE, want.SE) || !near(got.DF, want.DF) {
		t.Errorf("%s: got %+v, want %+v", why, got, want)
	}
}

func TestWeightsHaveNoScale(t *testing.T) {
	for seed := range uint64(20) {
		d := randomDraw(rand.New(rand.NewPCG(seed, 2)))
		e, err := stats.WeightedMean(d.live, d.weight, d.cluster, d.stratum)
		ok(t, e, err)
		n, err := stats.KishN(d.weight)
		ok(t, n, err)
		for _, scale := range []float64{1e-300, 1e-3, 7, 1e300} {
			w := slices.Clone(d.weight)
			for i := range w {
				w[i] *= scale
			}
			s, err := stats.WeightedMean(d.live, w, d.cluster, d.stratum)
			same(t, fmt.Sprint("weights times ", scale), ok(t, s, err), e)
			k, err := stats.KishN(w)
			if ok(t, k, err); math.Abs(k-n) > 1e-9*n {
				t.Errorf("Kish n %v, scaled %v", n, k)
			}
		}
	}
}

func TestSingletonsEqualPlainFormula(t *testing.T) {
	for seed := range uint64(20) {
		d := randomDraw(rand.New(rand.NewPCG(seed, 3)))
		alone := make([]string, len(d.live))
		for i := range alone {
			alone[i] = fmt.Sprint("row", i)
		}
		plain, err := stats.PairedDelta(d.live, d.cand)
		ok(t, plain, err)
		plain.Clusters = plain.N
		c, err := stats.ClusteredDelta(d.live, d.cand, alone)
		same(t, "one row a cluster", ok(t, c, err), plain)
		w, err := stats.WeightedDelta(d.live, d.cand, repeat(3, len(alone)), alone, nil)
		same(t, "equal weights, one row a cluster", ok(t, w, err), plain)
	}
}

// Two strata that share a cluster are one stratum: their sums depend on each
// other.
func TestStrataWithCommonClusterMerge(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 2}
	w := repeat(1, 6)
	cluster := []string{"a", "b", "b", "c", "d", "e"}
	cut := []string{"north", "north", "south", "south", "west", "west"}
	joined := []string{"n", "n", "n", "n", "w", "w"}
	got, err := stats.WeightedMean(x, w, cluster, cut)
	ok(t, got, err)
	want, err := stats.WeightedMean(x, w, cluster, joined)
	same(t, "merged", got, ok(t, want, err))
	if got.DF != 5-2 {
		t.Errorf("DF %v, want 3", got.DF)
	}
}

// A candidate that repeats every live value plus a constant differs by that
// constant with no spread; float64 must not turn rounding into 10^15 SE.
func TestConstantShiftHasNoSpread(t *testing.T) {
	live := []float64{0.1, 0.2, 0.3, 0.7, 1.1, 2.3}
	cand := make([]float64, len(live))
	for i, v := range live {
		cand[i] = v + 0.1
	}
	key := []string{"a", "b", "c", "d", "e", "f"}
	for name, f := range map[string]func() (stats.Estimate, error){
		"paired":    func() (stats.Estimate, error) { return stats.PairedDelta(live, cand) },
		"clustered": func() (stats.Estimate, error) { return stats.ClusteredDelta(live, cand, key) },
		"weighted":  func() (stats.Estimate, error) { return stats.WeightedDelta(live, cand, seq(6), key, nil) },
	} {
		e, err := f()
		ok(t, e, err)
		_, err = e.InSE()
		wantErr(t, err, stats.ErrUndefined)
		if e.SE != 0 || math.Abs(e.Value-0.1) > 1e-15 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
