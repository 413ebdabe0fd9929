package stats_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/stats"
)

// costs are positive, skewed and alike within a cluster; the candidate's are about
// ratio times the live ones.
func costs(r *rand.Rand, clusters int, ratio float64) (live, cand []float64, key []string) {
	for g := range clusters {
		common := math.Exp(0.5 * r.NormFloat64())
		for range []int{1, 2, 3, 8}[r.IntN(4)] {
			live = append(live, common*(0.5+r.ExpFloat64()))
			cand = append(cand, ratio*common*(0.5+r.ExpFloat64()))
			key = append(key, fmt.Sprint(g))
		}
	}
	return live, cand, key
}

// At both ends of Fieller's interval the mean of candidate − ρ · live is exactly its
// own t standard errors away from 0, by the estimator that R's values check.
func TestRatioEndsAreWhereTheResidualTouchesZero(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 200 {
		live, cand, key := costs(r, 6+r.IntN(30), 1.3)
		ratio, err := stats.ClusteredRatio(live, cand, key)
		ok(t, ratio, err)
		iv, err := ratio.CI(0.95)
		if errors.Is(err, stats.ErrUndefined) {
			continue
		}
		ok(t, iv, err)
		for _, end := range []float64{iv.Lower, iv.Upper} {
			d := make([]float64, len(live))
			for i := range d {
				d[i] = cand[i] - end*live[i]
			}
			e, err := stats.ClusteredMean(d, key)
			ok(t, e, err)
			at, err := e.CI(0.95)
			ok(t, at, err)
			if gap := min(math.Abs(at.Lower), math.Abs(at.Upper)); gap > 1e-9 {
				t.Fatalf("at ratio %v the residual's interval is %v to %v, want an end at 0", end, at.Lower, at.Upper)
			}
		}
	}
}

func TestRatioProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	near := cmpopts.EquateApprox(1e-9, 0)
	for range 50 {
		live, cand, key := costs(r, 30, 0.7)
		ratio, err := stats.ClusteredRatio(live, cand, key)
		ok(t, ratio, err)
		iv, err := ratio.CI(0.9)
		ok(t, iv, err)
		swapped, err := stats.ClusteredRatio(cand, live, key)
		ok(t, swapped, err)
		back, err := swapped.CI(0.9)
		ok(t, back, err)
		want := stats.Interval{Lower: 1 / back.Upper, Upper: 1 / back.Lower, Level: 0.9}
		if diff := cmp.Diff(want, iv, near); diff != "" {
			t.Errorf("swapping the arms must give the reciprocal (-want +got):\n%s", diff)
		}
		nano := make([]float64, len(live))
		for i := range live {
			nano[i] = 1e9 * live[i]
		}
		scaled, err := stats.ClusteredRatio(nano, cand, key)
		ok(t, scaled, err)
		if diff := cmp.Diff([]float64{ratio.Value, ratio.SE}, []float64{1e9 * scaled.Value, 1e9 * scaled.SE}, near); diff != "" {
			t.Errorf("the unit must not matter (-want +got):\n%s", diff)
		}
		tinyLive, tinyCand := make([]float64, len(live)), make([]float64, len(live))
		for i := range live {
			tinyLive[i], tinyCand[i] = 1e-200*live[i], 1e-200*cand[i]
		}
		tiny, err := stats.ClusteredRatio(tinyLive, tinyCand, key)
		ok(t, tiny, err)
		tinyCI, err := tiny.CI(0.9)
		ok(t, tinyCI, err)
		if diff := cmp.Diff([]any{ratio.Estimate, iv}, []any{tiny.Estimate, tinyCI}, near); diff != "" {
			t.Errorf("no square may underflow (-want +got):\n%s", diff)
		}
		order := r.Perm(len(live))
		shuffled, err := stats.ClusteredRatio(pick(live, order), pick(cand, order), pick(key, order))
		ok(t, shuffled, err)
		if diff := cmp.Diff(ratio.Estimate, shuffled.Estimate, near); diff != "" {
			t.Errorf("the order must not matter (-want +got):\n%s", diff)
		}
	}
}

func TestRatioEdges(t *testing.T) {
	ab := []string{"a", "b", "c"}
	tests := []struct {
		name, why  string
		live, cand []float64
		key        []string
		err        error // of the ratio
		value      float64
		ci         error
		point      bool
	}{
		{name: "same ratio", why: "0.1 and 0.3 differ from 1 and 3 by rounding only", live: []float64{1, 2, 3}, cand: []float64{0.1, 0.2, 0.3}, key: ab, value: 0.1, point: true},
		{name: "both constant", why: "fixed prices and lengths are known exactly", live: []float64{2, 2, 2}, cand: []float64{3, 3, 3}, key: ab, value: 1.5, point: true},
		{name: "free candidate", why: "0 is a ratio like any other", live: []float64{1, 2, 3}, cand: []float64{0, 0, 0}, key: ab, value: 0, point: true},
		{name: "free live", why: "nothing can be a multiple of 0", live: []float64{0, 0, 0}, cand: []float64{1, 2, 3}, key: ab, err: stats.ErrUndefined},
		{name: "live near 0", why: "any ratio is possible, no finite interval is", live: []float64{-1, 0, 2}, cand: []float64{1, 2, 3}, key: ab, value: 6, ci: stats.ErrUndefined},
		{name: "one cluster", why: "the value is known, its error is not", live: []float64{1, 2}, cand: []float64{2, 4}, key: []string{"a", "a"}, err: stats.ErrTooFew, value: 2},
		{name: "no pairs", why: "nothing is defined", err: stats.ErrTooFew},
		{name: "no key", why: "rows without a session would be one giant cluster", live: []float64{1}, cand: []float64{1}, key: []string{""}, err: stats.ErrNoCluster},
		{name: "lengths", why: "index i is one pair", live: []float64{1, 2}, cand: []float64{1}, key: []string{"a", "b"}, err: stats.ErrMismatch},
		{name: "infinite", why: "refused at the door", live: []float64{1, math.Inf(1)}, cand: []float64{1, 2}, key: []string{"a", "b"}, err: stats.ErrNotFinite},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := stats.ClusteredRatio(tt.live, tt.cand, tt.key)
			if !errors.Is(err, tt.err) || math.Abs(r.Value-tt.value) > 1e-12 {
				t.Fatalf("%s: ratio %v, error %v; want %v, %v", tt.why, r.Value, err, tt.value, tt.err)
			}
			iv, err := r.CI(0.95)
			switch {
			case tt.err != nil:
				if err == nil {
					t.Errorf("%s: an interval without a standard error", tt.why)
				}
			case !errors.Is(err, tt.ci):
				t.Errorf("%s: interval's error %v, want %v", tt.why, err, tt.ci)
			case tt.point && (iv.Lower != r.Value || iv.Upper != r.Value):
				t.Errorf("%s: %v to %v, want the point %v", tt.why, iv.Lower, iv.Upper, r.Value)
			}
		})
	}
}

// The 95 % interval of a ratio of skewed, clustered costs holds about its level.
func TestCoverageOfClusteredRatio(t *testing.T) {
	runs := 2000 * *coverage
	for clusters, want := range map[int]float64{10: 0.95, 30: 0.95} {
		r := rand.New(rand.NewPCG(11, uint64(clusters)))
		covered := 0
		for range runs {
			live, cand, key := costs(r, clusters, 1.3)
			ratio, err := stats.ClusteredRatio(live, cand, key)
			ok(t, ratio, err)
			iv, err := ratio.CI(0.95)
			if errors.Is(err, stats.ErrUndefined) || ok(t, iv, err).Contains(1.3) {
				covered++
			}
		}
		within3(t, fmt.Sprintf("Fieller, %d clusters", clusters), covered, runs, want, 0.02)
	}
}
