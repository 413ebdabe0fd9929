package stats_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if want == nil && got != nil || want != nil && !errors.Is(got, want) {
		t.Errorf("error %v, want %v", got, want)
	}
}

// seq is 1, 2, … n.
func seq(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x
}

func repeat(v float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

func lastName(t *testing.T) string {
	return t.Name()[strings.LastIndex(t.Name(), "/")+1:]
}

func ok2(t *testing.T, e stats.Estimate, level float64) stats.Interval {
	t.Helper()
	iv, err := e.CI(level)
	return ok(t, iv, err)
}

func sortedCopy(x []float64) []float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x
}
