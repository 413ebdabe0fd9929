package duckdb_test

import (
	"maps"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
)

// figures are what the sides compute from the same files.
type figures struct {
	// The difference of the grades, candidate − live, over the graded pairs.
	Pairs, Sessions int
	Delta, SE, DF   float64
	Arms            map[shadow.Arm]arm
	// Further is nil among the listed figures.
	Further *further
}

// listed are the listed figures alone.
func (f figures) listed() figures {
	f.Further = nil
	return f
}

type arm struct {
	Calls int
	// Quantiles are p50, p95 and p99 in whole microseconds; nil among failed calls.
	Quantiles [3]*int64
	// Over counts calls over 3, 6 and 10 s, Known those of which that is known.
	Over, Known [3]int
	Grades      [6]int
	Problems    map[string]int
	FailedBy    map[string]int
}

func newArm() arm { return arm{Problems: map[string]int{}, FailedBy: map[string]int{}} }

// diff compares counts and quantiles exactly, and floats within 1e-9 of their size: SQL
// adds them in any order.
func diff(a, b figures) string { return cmp.Diff(a, b, cmpopts.EquateApprox(1e-9, 0)) }

// figuresOf takes the listed figures out of a report.
func figuresOf(r reports.Report) figures {
	d := r.Comparisons[0].Quality.Delta
	f := figures{Pairs: d.N, Sessions: d.Sessions, Delta: *d.Value, SE: *d.SE, DF: *d.DF, Arms: map[shadow.Arm]arm{}}
	for _, a := range r.Arms {
		out := newArm()
		out.Calls, out.Grades = a.Latency.Calls, a.Grades
		for i, q := range a.Latency.Quantiles {
			out.Quantiles[i] = microseconds(q.Value)
		}
		for i, o := range a.Latency.Over {
			out.Over[i], out.Known[i] = o.Share.X, o.Share.N
		}
		for _, p := range a.Problems {
			out.Problems[string(p.Problem)] = p.Share.X
		}
		for _, c := range a.FailedBy {
			out.FailedBy[c.Name] = int(c.N)
		}
		maps.DeleteFunc(out.Problems, func(_ string, n int) bool { return n == 0 })
		f.Arms[a.Name] = out
	}
	return f
}
