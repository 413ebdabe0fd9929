package reports_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
)

// TestArrangedNumbers: numbers follow their samples into another order.
func TestArrangedNumbers(t *testing.T) {
	const n = 10_000 // more than two chunks
	rng := rand.New(rand.NewPCG(3, 8))
	shuffled, backwards := make([]uint32, n), make([]uint32, n)
	for i, k := range rng.Perm(n) {
		shuffled[i], backwards[i] = uint32(k), uint32(n-1-i)
	}
	for _, c := range []struct {
		name, why string
		value     func(i int) int64
	}{
		{"all known", "the plain case", func(i int) int64 { return int64(i) }},
		{"none", "a column without chunks stays so", func(int) int64 { return -1 }},
		{"the first few", "later chunks do not exist", func(i int) int64 { return int64(max(-1, 5-i)) }},
		{"the last few", "earlier chunks do not exist", func(i int) int64 { return int64(max(-1, i-n+5)) }},
		{"large ones", "they lie apart", func(i int) int64 { return math.MaxUint32 - 3 + int64(i%5) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			values := make([]int64, n)
			for i := range values {
				values[i] = c.value(i)
			}
			for _, order := range [][]uint32{shuffled, backwards} {
				var want []int64
				for _, k := range order {
					want = append(want, values[k])
				}
				if diff := cmp.Diff(want, reports.ArrangedNumbers(slices.Clone(values), order)); diff != "" {
					t.Errorf("%s: %s", c.why, diff)
				}
			}
		})
	}
}
