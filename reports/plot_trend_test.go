package reports_test

import (
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/reports"
)

// TestTrends: a line per arm over the weeks, with a gap where a week has no figure.
func TestTrends(t *testing.T) {
	weeks := []string{"2026-W52", "2026-W53", "2027-W01", "2027-W02"}
	known := func(values ...float64) (out []*float64) {
		for _, v := range values {
			if out = append(out, new(v)); v == 0 {
				out[len(out)-1] = nil
			}
		}
		return out
	}
	nothing := known(0, 0, 0, 0)
	live := reports.Weekly{Arm: "live", Mean: known(2.7, 2.6, 2.65, 2.7), SE: known(0.1, 0.1, 0.1, 0), P95: known(2.4, 2.5, 2.4, 2.5)}
	cand := reports.Weekly{Arm: "cand-a", Mean: known(2.4, 0, 2.3, 2.2), SE: known(0.1, 0, 0.2, 0), P95: known(0, 11.6, 9, 8)}
	for _, c := range []struct {
		name, why  string
		arms       []reports.Weekly
		lines      int // between weeks, in the plot of grades
		has, lacks []string
	}{
		{"two arms", "the candidate's second week is unknown, its fourth has no error", []reports.Weekly{live, cand}, 3 + 1,
			[]string{">W53<", ">W01<", "cand-a, mean grade: 2026-W52: 2.40 ± 0.10, 2026-W53: undefined ± undefined", "a gap is a week", "an open circle is a week that is not complete"}, nil},
		{"live alone", "no gap", []reports.Weekly{live}, 3, []string{"mean grade"}, []string{"a gap"}},
	} {
		grades, tail, err := reports.Trends(weeks, c.arms)
		if err != nil {
			t.Fatal(err)
		}
		says(t, grades, c.has, append(c.lacks, "NaN", "style="))
		says(t, tail, []string{"p95 in seconds", ">W52<"}, []string{"NaN"})
		if got := strings.Count(grades, `stroke-width="1.6"`) - bars(c.arms) - len(c.arms); got != c.lines { // an open circle each
			t.Errorf("%s: %d lines between weeks, want %d: %s", c.name, got, c.lines, c.why)
		}
	}
	if grades, tail, err := reports.Trends(weeks, []reports.Weekly{{Arm: "live", Mean: nothing, SE: nothing, P95: nothing}}); grades+tail != "" || err != nil {
		t.Errorf("a plot of nothing: %s, %v", grades+tail, err)
	}
}

// bars counts the standard errors that are drawn.
func bars(arms []reports.Weekly) int {
	n := 0
	for _, a := range arms {
		for i, se := range a.SE {
			if se != nil && a.Mean[i] != nil {
				n++
			}
		}
	}
	return n
}
