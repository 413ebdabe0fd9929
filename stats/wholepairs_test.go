package stats_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// TestWholePairs: the correlation over sums is the one over values.
func TestWholePairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		name string
		n    int
		deal func() (x, y int64)
		err  error
	}{
		{name: "related", n: 1000, deal: func() (int64, int64) { x := rng.Int64N(3000); return x, 1 + (x/600+rng.Int64N(3))%6 }},
		{name: "opposite", n: 50, deal: func() (int64, int64) { x := rng.Int64N(100); return x, 100 - x }},
		{name: "large", n: 500, deal: func() (int64, int64) { return math.MaxUint32 - rng.Int64N(9), math.MaxUint32 - rng.Int64N(9) }},
		{name: "none", err: stats.ErrTooFew},
		{name: "one", n: 1, deal: func() (int64, int64) { return 1, 2 }, err: stats.ErrTooFew},
		{name: "equal", n: 9, deal: func() (int64, int64) { return rng.Int64N(9), 3 }, err: stats.ErrUndefined},
		{name: "negative", n: 9, deal: func() (int64, int64) { return -1, 3 }, err: stats.ErrRange},
	} {
		var pairs stats.WholePairs
		var xs, ys []float64
		for range c.n {
			x, y := c.deal()
			pairs.Add(x, y)
			xs, ys = append(xs, float64(x)), append(ys, float64(y))
		}
		got, err := pairs.Correlation()
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
		}
		if c.err == nil {
			if want, err := stats.Correlation(xs, ys); err != nil || math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %v, want %v, %v", c.name, got, want, err)
			}
		}
	}
}
