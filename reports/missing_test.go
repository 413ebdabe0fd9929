package reports_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/stats"
)

// TestMissingGrades: what missing grades could do to the decision is said.
func TestMissingGrades(t *testing.T) {
	for _, c := range []struct {
		name, why    string
		wins, losses int // of 100 pairs
		missing      int // further pairs without the candidate's grade, live's being 1; negative: without live's, the candidate's being 1
		state        reports.State
		says         string
	}{
		{"none missing", "nothing to say", 60, 5, 0, reports.Pass, ""},
		{"pass holds", "0.55 better: two sixes change little", 60, 5, 2, reports.Pass, "2 pairs without both grades: at their worst for the candidate the difference is -0.44, still within the margin, so they cannot turn the grades"},
		{"pass could turn", "sixteen sixes are worse than the gain", 60, 5, 16, reports.Pass, "so they could turn the grades"},
		{"fail holds", "live's grades are known to be 1: the best case is a 1", 5, 60, 2, reports.Fail, "2 pairs without both grades: at their best for the candidate the difference is +0.54, still beyond the margin, so they cannot turn the grades"},
		{"fail could turn", "sixty ones against what may have been sixes", 16, 60, -60, reports.Fail, "so they could turn the grades"},
		{"open", "is open anyway", 10, 10, 1, reports.Unknown, "1 pair without both grades: at their best and worst the difference is 0.00 to +0.05; the grades are open anyway"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := gradePairs("cand-a", winsAndLosses(100, c.wins, c.losses)...)
			for i := range -c.missing {
				rows = append(rows, notGraded(100+i, shadow.Live, judge.NoMalformed), graded(100+i, "cand-a", 1, 1))
			}
			for i := range c.missing {
				rows = append(rows, graded(100+i, shadow.Live, 1, 1), notGraded(100+i, "cand-a", judge.NoMalformed))
			}
			r := build(t, experiment(), rows, booksFor(100+max(c.missing, -c.missing)))
			d := decide(t, r)
			if d.Quality.State != c.state || !strings.Contains(d.Missing, c.says) || (c.says == "") != (d.Missing == "") {
				t.Errorf("%s: %s, %q", c.why, d.Quality.State, d.Missing)
			}
			if could := strings.Contains(c.says, "could turn"); d.Turnable != could || could != strings.Contains(everyForm(t, r), "missing grades: ") {
				t.Errorf("could turn: %v, at the top: %v", d.Turnable, !could)
			}
			if d.Missing != "" && !strings.Contains(strings.Join(strings.Fields(everyForm(t, r)), " "), d.Missing) {
				t.Error("the report does not say it")
			}
		})
	}
}

// TestUngradedInterval: 7 of 60 pairs lack the candidate's grade alone, 2 live's.
func TestUngradedInterval(t *testing.T) {
	rows := gradePairs("cand-a", winsAndLosses(60, 1, 1)...)
	for i := range 9 {
		if i < 7 {
			rows[2*i+1] = notGraded(i, "cand-a", judge.NoMalformed)
		} else {
			rows[2*i] = notGraded(i, shadow.Live, judge.NoMalformed)
		}
	}
	_, iv, err := stats.NewcombePaired(0, 2, 7, 51, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	want := reports.Ungraded{Pairs: 60, Live: 2, Candidate: 7, Delta: new(5.0 / 60), Interval: interval(iv.Lower, iv.Upper), Differ: true}
	if diff := cmp.Diff(want, build(t, experiment(), rows, nil).Comparisons[0].Ungraded); diff != "" {
		t.Error(diff)
	}
}
