package stats_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// dealClusters deals whole numbers to clusters of unequal sizes.
func dealClusters(rng *rand.Rand, clusters int, value func() int64) (x []float64, key []string, sums [][2]int64) {
	for g := range clusters {
		n := 1 + rng.IntN(6)
		if g%17 == 0 {
			n = 60 + rng.IntN(30) // also beyond the sizes that lie in an array
		}
		var sum int64
		for range n {
			v := value()
			x, key, sum = append(x, float64(v)), append(key, string(rune('a'+g))), sum+v
		}
		sums = append(sums, [2]int64{int64(n), sum})
	}
	return x, key, sums
}

func totalsOf(sums [][2]int64) (*stats.ClusterSizes, *stats.ClusterTotals) {
	var sizes stats.ClusterSizes
	var totals stats.ClusterTotals
	for _, s := range sums {
		sizes.Add(int(s[0]))
		totals.Add(int(s[0]), s[1])
	}
	return &sizes, &totals
}

func nearly(a, b float64) bool { return math.Abs(a-b) <= 1e-10*max(1e-3, math.Abs(b)) }

// TestClusterTotals: whole sums give the estimates of the functions over rows, bit for
// bit the same in any order of clusters.
func TestClusterTotals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct {
		name, why string
		clusters  int
		value     func() int64
	}{
		{"grades", "the usual case", 400, func() int64 { return 1 + rng.Int64N(6) }},
		{"two clusters", "the fewest that have a standard error", 2, func() int64 { return rng.Int64N(9) - 4 }},
		{"rare", "most clusters add nothing", 300, func() int64 { return rng.Int64N(100) / 99 }},
		{"money", "squares beyond 64 bits", 50, func() int64 { return rng.Int64N(9e12) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, key, sums := dealClusters(rng, c.clusters, c.value)
			want, err := stats.ClusteredMean(x, key)
			if err != nil {
				t.Fatal(err)
			}
			sizes, totals := totalsOf(sums)
			got, err := sizes.Mean(totals)
			if err != nil || got.N != want.N || got.Clusters != want.Clusters ||
				!nearly(got.Value, want.Value) || !nearly(got.SE, want.SE) || !nearly(got.DF, want.DF) {
				t.Errorf("%s: got %+v, %v; want %+v", c.why, got, err, want)
			}
			rng.Shuffle(len(sums), func(i, j int) { sums[i], sums[j] = sums[j], sums[i] })
			sizes, totals = totalsOf(sums)
			if again, _ := sizes.Mean(totals); again != got {
				t.Errorf("another order: %+v, then %+v", got, again)
			}
		})
	}
}

// TestClusterTotalsShare: the same for a share.
func TestClusterTotalsShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for _, rate := range []int64{0, 1, 30, 99, 100} {
		x, key, sums := dealClusters(rng, 120, func() int64 {
			if rng.Int64N(100) < rate {
				return 1
			}
			return 0
		})
		hits := make([]bool, len(x))
		for i, v := range x {
			hits[i] = v == 1
		}
		want, err := stats.ClusteredShare(hits, key, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		sizes, totals := totalsOf(sums)
		got, err := sizes.Share(totals, 0.95)
		if err != nil || got.Plain != want.Plain || got.N != want.N || !nearly(got.Value, want.Value) || !nearly(got.SE, want.SE) ||
			!nearly(got.CI.Lower, want.CI.Lower) || !nearly(got.CI.Upper, want.CI.Upper) || !nearly(got.EffectiveN, want.EffectiveN) {
			t.Errorf("%d %%: got %+v, %v; want %+v", rate, got, err, want)
		}
	}
}

// TestClusterTotalsEdges: what is undefined is an error, never a number.
func TestClusterTotalsEdges(t *testing.T) {
	for _, c := range []struct {
		name, why string
		sums      [][2]int64
		n         int
		want      error
	}{
		{"none", "no rows", nil, 0, stats.ErrTooFew},
		{"one", "a value without an error", [][2]int64{{4, 8}}, 4, stats.ErrTooFew},
		{"overflow", "a sum beyond int64", [][2]int64{{1, math.MaxInt64}, {1, 1}}, 0, stats.ErrNotFinite},
		{"overflow below", "a sum beyond int64", [][2]int64{{1, math.MinInt64 + 1}, {2, -9}}, 0, stats.ErrNotFinite},
	} {
		sizes, totals := totalsOf(c.sums)
		got, err := sizes.Mean(totals)
		if !errors.Is(err, c.want) || got.N != c.n || got.SE != 0 || (c.n > 0 && got.Value != 2) {
			t.Errorf("%s (%s): %+v, %v", c.name, c.why, got, err)
		}
	}
	sizes, totals := totalsOf([][2]int64{{1, 5}, {3, 15}, {70, 350}})
	if got, err := sizes.Mean(totals); err != nil || got.Value != 5 || got.SE != 0 || got.DF <= 0 {
		t.Errorf("equal values: %+v, %v; want SE 0", got, err)
	}
	if _, err := sizes.Share(totals, 1); !errors.Is(err, stats.ErrRange) {
		t.Errorf("level 1: %v", err)
	}
	if s, err := (&stats.ClusterSizes{}).Share(&stats.ClusterTotals{}, 0.9); !errors.Is(err, stats.ErrTooFew) || s.N != 0 {
		t.Errorf("share of nothing: %+v, %v", s, err)
	}
}
