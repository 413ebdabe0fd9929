package stats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/stats"
)

// benchRows: 100,000 pairs in about 33,000 sessions are a year of a busy
// service at 1 %.
const benchRows = 100_000

var sink float64 // keeps the bare work from being optimised away

// against runs work under the benchmark's loop, then bare at most 50 times, and
// reports how many times as long work took: a ratio of one run on one machine.
func against(b *testing.B, bareName string, bare func(), work func() error) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}
	took := b.Elapsed().Seconds() / float64(b.N)
	times := min(b.N, 50)
	start := time.Now()
	for range times {
		bare()
	}
	b.ReportMetric(took/(time.Since(start).Seconds()/float64(times)), "x-"+bareName)
}

func benchPairs() (live, cand []float64, key []string) {
	r := rand.New(rand.NewPCG(1, 1))
	live, cand, key = make([]float64, benchRows), make([]float64, benchRows), make([]string, benchRows)
	for i := range benchRows {
		live[i], cand[i] = float64(1+r.IntN(6)), float64(1+r.IntN(6))
		key[i] = fmt.Sprintf("session-%d", i/3)
	}
	return live, cand, key
}

// Against the least that any clustered statistic does: add up the differences of
// each session in a map.
func BenchmarkClusteredDelta(b *testing.B) {
	live, cand, key := benchPairs()
	bare := func() {
		sums := make(map[string]float64)
		for i, k := range key {
			sums[k] += cand[i] - live[i]
		}
		sink = sums[key[0]]
	}
	against(b, "sum-by-session", bare, func() error {
		_, err := stats.ClusteredDelta(live, cand, key)
		return err
	})
}

// Against a bare sum of the differences.
func BenchmarkPairedDelta(b *testing.B) {
	live, cand, _ := benchPairs()
	bare := func() {
		sum := 0.0
		for i := range live {
			sum += cand[i] - live[i]
		}
		sink = sum
	}
	against(b, "bare-sum", bare, func() error {
		_, err := stats.PairedDelta(live, cand)
		return err
	})
}

// Against sorting the values, which the caller does first.
func BenchmarkQuantileDelta(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	raw := make([]float64, benchRows)
	for i := range raw {
		raw[i] = r.ExpFloat64()
	}
	x := sortedCopy(raw)
	bare := func() {
		y := slices.Clone(raw)
		slices.Sort(y)
		sink = y[0]
	}
	against(b, "one-sort", bare, func() error {
		_, _, err := stats.QuantileDelta(x, x, 0.95, 0.95)
		return err
	})
}
