package reports_test

import (
	"testing"

	"github.com/understudy-eval/understudy/reports"
)

// A kappa whose error is 0 has no interval: two answers, or full agreement, say nothing
// of how far it may be off.
func TestKappaWithoutError(t *testing.T) {
	table := func(at ...[3]int) [][]int {
		all := make([][]int, 6)
		for i := range all {
			all[i] = make([]int, 6)
		}
		for _, x := range at {
			all[x[0]][x[1]] = x[2]
		}
		return all
	}
	for _, c := range []struct {
		name     string
		table    [][]int
		interval bool
	}{
		{"two answers", table([3]int{0, 1, 1}, [3]int{1, 0, 1}), false},
		{"full agreement", table([3]int{0, 0, 40}, [3]int{3, 3, 20}), false},
		{"some agreement", table([3]int{0, 0, 40}, [3]int{3, 3, 20}, [3]int{1, 2, 9}), true},
	} {
		exact, _, kappa, interval := reports.Agreed(c.table, 0.95)
		if kappa == nil || exact.N == 0 || (interval != nil) != c.interval {
			t.Errorf("%s: kappa %v, interval %+v", c.name, kappa, interval)
		}
	}
}
