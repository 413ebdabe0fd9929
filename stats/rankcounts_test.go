package stats_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// expanded are the values that counts stand for.
func expanded(counts []int) []float64 {
	var out []float64
	for level, n := range counts {
		for range n {
			out = append(out, float64(level+1))
		}
	}
	return out
}

// TestBrunnerMunzelCounts: counts give what the values give.
func TestBrunnerMunzelCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	random := func(most int) []int {
		out := make([]int, 6)
		for i := range out {
			out[i] = rng.IntN(most)
		}
		return out
	}
	for range 200 {
		live, cand := random(40), random(9)
		want, errWant := stats.BrunnerMunzel(expanded(live), expanded(cand))
		got, err := stats.BrunnerMunzelCounts(live, cand)
		if !errors.Is(err, errors.Unwrap(errWant)) || got.N != want.N ||
			math.Abs(got.Value-want.Value) > 1e-12 || math.Abs(got.SE-want.SE) > 1e-12 || math.Abs(got.DF-want.DF) > 1e-9*want.DF {
			t.Errorf("%v against %v: %+v %v, want %+v %v", live, cand, got, err, want, errWant)
		}
	}
}

func TestBrunnerMunzelCountsEdges(t *testing.T) {
	for _, c := range []struct {
		name, why  string
		live, cand []int
		value      float64
		err        error
	}{
		{"arms apart", "placements do not vary", []int{0, 0, 3}, []int{2, 1, 0}, 1, stats.ErrUndefined},
		{"all tied", "no win and no loss is a half", []int{0, 4, 0}, []int{0, 7, 0}, 0.5, stats.ErrUndefined},
		{"arm of one", "a value, but no error", []int{0, 0, 0, 1}, []int{0, 0, 1, 1}, 0.75, stats.ErrTooFew},
		{"no candidate", "nothing to compare", []int{1, 1}, []int{0, 0}, 0, stats.ErrTooFew},
		{"no live", "nothing to compare", []int{0, 0}, []int{1, 1}, 0, stats.ErrTooFew},
		{"no scale", "no values at all", nil, nil, 0, stats.ErrTooFew},
		{"another scale", "index 2 of one is not on the other", []int{1, 1, 1}, []int{1, 1}, 0, stats.ErrMismatch},
		{"negative", "no count", []int{1, -1}, []int{1, 1}, 0, stats.ErrRange},
		{"too many", "products would not fit", []int{1 << 30, 1}, []int{1, 1}, 0, stats.ErrRange},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := stats.BrunnerMunzelCounts(c.live, c.cand)
			if !errors.Is(err, c.err) || e.Value != c.value {
				t.Errorf("%s: %+v, %v; want %v and %v", c.why, e, err, c.value, c.err)
			}
		})
	}
	half := []int{1 << 28, 1 << 28, 1 << 28}
	if e, err := stats.BrunnerMunzelCounts(half, half); err != nil || e.Value != 0.5 || !(e.SE > 0) {
		t.Errorf("many equal values: %+v, %v", e, err)
	}
}
