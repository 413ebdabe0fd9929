package duckdb_test

import (
	"maps"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
)

// figures are what both sides compute from the same files.
type figures struct {
	// The difference of the grades, candidate − live, over the graded pairs.
	Pairs, Sessions int
	Delta, SE, DF   float64
	Arms            map[shadow.Arm]arm
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

// diff compares counts and quantiles exactly, and the figures of the standard error
// within 1e-9 of their size: SQL adds floats in any order.
func diff(a, b figures) string { return cmp.Diff(a, b, cmpopts.EquateApprox(1e-9, 0)) }

// figuresOf takes the figures out of a report.
func figuresOf(r reports.Report) figures {
	d := r.Comparisons[0].Quality.Delta
	f := figures{Pairs: d.N, Sessions: d.Sessions, Delta: *d.Value, SE: *d.SE, DF: *d.DF, Arms: map[shadow.Arm]arm{}}
	for _, a := range r.Arms {
		out := arm{Calls: a.Latency.Calls, Grades: a.Grades, Problems: map[string]int{}, FailedBy: map[string]int{}}
		for i, q := range a.Latency.Quantiles {
			if q.Value != nil {
				out.Quantiles[i] = new(int64(*q.Value / time.Microsecond))
			}
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
