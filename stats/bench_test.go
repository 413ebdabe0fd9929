package stats_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// 100,000 pairs in about 33,000 sessions: a year of a busy service at 1 %.
func BenchmarkClusteredDelta(b *testing.B) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 1))
	live, cand, key := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		live[i], cand[i] = float64(1+r.IntN(6)), float64(1+r.IntN(6))
		key[i] = fmt.Sprintf("session-%d", i/3)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stats.ClusteredDelta(live, cand, key); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuantile(b *testing.B) {
	x := seq(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stats.Quantile(x, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuantileDelta(b *testing.B) {
	x := seq(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := stats.QuantileDelta(x, x, 0.95, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}
