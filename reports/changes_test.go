package reports_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// twoWeeks has four samples in W41 and four in W42, a day after the other: live's
// grades are 1, 2, 3, 2 and then 3, 4, 5, 4, one and then three of its calls take
// over 3 s. The candidate stays as it is, and one of its calls fails in W42.
func twoWeeks() []sinks.Row {
	var rows []sinks.Row
	for i, grade := range []int{1, 2, 3, 2, 3, 4, 5, 4} {
		took := time.Second
		if i == 0 || i > 4 {
			took = 4 * time.Second
		}
		live, cand := graded(i, shadow.Live, grade, took), graded(i, "cand-a", 1+i%2, time.Second)
		if i == 7 {
			cand = failed(i, "cand-a", llm.Status5xx, time.Second)
		}
		for _, r := range []*sinks.Row{&live, &cand} {
			r.Seen = monday.AddDate(0, 0, i+i/4*3)
		}
		rows = append(rows, live, cand)
	}
	return rows
}

// TestChangeFromNone: a week without a case has no error of its own, which would make
// three cases in a thousand calls after none 1.73 SE; Newcombe's interval says 1.36, and
// the chance that all three lie in one of the weeks by chance is a quarter: 1.15.
func TestChangeFromNone(t *testing.T) {
	var rows []sinks.Row
	for i := range 2000 {
		r := graded(i, shadow.Live, 2, time.Second)
		if r.Seen = monday; i >= 1000 {
			r.Seen = monday.AddDate(0, 0, 7)
		}
		if i >= 1997 {
			r.Took = new(5 * time.Second)
		}
		rows = append(rows, r)
	}
	for _, x := range inWindow(t, liveOnly(), rows, week(t, "2026-W42")).Changes.List {
		if x.Figure == reports.FigureOver && *x.Limit == 3*time.Second {
			if delta := cmp.Diff([]float64{0.003, 0.002198}, []float64{x.Delta, *x.SE}, cmpopts.EquateApprox(0, 1e-6)); delta != "" {
				t.Errorf("%v SE\n%s", *x.InSE, delta)
			}
			return
		}
	}
	t.Error("the limit is not compared")
}

// TestChanges: the figures were computed by hand. Of four values a, b, c, b one apart
// the SE is sqrt(2/3)/2; of one or three in four it is 1/4.
func TestChanges(t *testing.T) {
	r := inWindow(t, experiment(), twoWeeks(), week(t, "2026-W42"))
	c := r.Changes
	if c == nil || c.Week != "2026-W42" || c.Before != "2026-W41" || c.Spanning != 0 {
		t.Fatalf("%+v", c)
	}
	find := func(arm shadow.Arm, figure reports.ChangeFigure) reports.Change {
		for _, x := range c.List {
			if x.Arm == arm && x.Figure == figure {
				return x
			}
		}
		t.Fatalf("no %s of %s", figure, arm)
		return reports.Change{}
	}
	for _, w := range []struct {
		arm                      shadow.Arm
		figure                   reports.ChangeFigure
		before, after, delta, se float64
		beyond                   bool
	}{
		{shadow.Live, reports.FigureMean, 2, 4, 2, math.Sqrt(1. / 3), true},
		{shadow.Live, reports.FigureOver, 0.25, 0.75, 0.5, math.Sqrt(1. / 8), false},
		{"cand-a", reports.FigureFailures, 0, 0.25, 0.25, 0.270835, false}, // (0.25 + 0.2808) / 1.96, by Newcombe's lower end
		{"cand-a", reports.FigureMean, 1.5, 4. / 3, -1. / 6, math.Sqrt(1./12 + 1./9), false},
	} {
		x := find(w.arm, w.figure)
		got := []float64{x.Before, x.After, x.Delta, *x.SE, *x.InSE}
		if diff := cmp.Diff([]float64{w.before, w.after, w.delta, w.se, w.delta / w.se}, got, near); diff != "" || x.Beyond != w.beyond || x.Interval == nil {
			t.Errorf("%s of %s, beyond %v: %s", w.figure, w.arm, x.Beyond, diff)
		}
	}
	if x := find(shadow.Live, reports.FigureFailures); x.SE != nil || x.InSE != nil || x.Interval == nil || x.Beyond {
		t.Errorf("no failure in either week: %+v", x)
	}
	if x := find(shadow.Live, reports.FigureP95); x.SE != nil || x.Interval.Upper != nil {
		t.Errorf("p95 of four calls: %+v", x)
	}
	seen := 0
	for i, x := range c.List {
		if i > 0 && x.InSE != nil && (c.List[i-1].InSE == nil || math.Abs(*x.InSE) > math.Abs(*c.List[i-1].InSE)) {
			t.Errorf("%s of %s stands behind %v", x.Figure, x.Arm, c.List[i-1])
		}
		if x.InSE != nil {
			seen++
		}
		if problem := x.Figure == reports.FigureProblem; (problem && x.SE != nil) != (x.P != nil) || (x.P == nil) != (x.PHolm == nil) {
			t.Errorf("p of %s is %v, by Holm %v", x.Figure, x.P, x.PHolm)
		}
	}
	if seen != c.Compared {
		t.Errorf("%d with SE, compared %d", seen, c.Compared)
	}
}

// TestChangesSpeak: live first, then what stands out, then among how many.
func TestChangesSpeak(t *testing.T) {
	text := func(rows []sinks.Row, w string) string {
		var b bytes.Buffer
		if err := inWindow(t, experiment(), rows, week(t, w)).Text(&b, 0, nil); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := text(twoWeeks(), "2026-W42")
	at := 0
	for _, part := range []string{
		"Changes from 2026-W41 to 2026-W42, after - before; by size in SE, negative is better, but for none",
		"live itself: from 2.0 to 4.0, +2.0 grades (+3.5 SE); nothing marks a release of live, so suspect the judge or the traffic",
		"figures were compared, ", " would be so by chance alone", "not two whole weeks", "  mean grade ", "exactly the same in both weeks: live over 6 s, live over 10 s, live failed,",
	} {
		i := strings.Index(got[at:], part)
		if i < 0 {
			t.Fatalf("no %q behind\n%s", part, got[:at])
		}
		at += i
	}
	if one := text(twoWeeks(), "2026-W41"); strings.Contains(one, "Changes from") {
		t.Error("the first week has none before it")
	}
	if gap := text(on("2026-10-05", "2026-10-19"), "2026-W43"); !strings.Contains(gap, "nothing can be compared: 2026-W42 has no rows") {
		t.Error("a week without rows is not called so")
	}
	span := twoWeeks()
	for i := range span {
		span[i].Session = fmt.Sprint("s-", i/2%4)
	}
	if both := text(span, "2026-W42"); !strings.Contains(both, "4 sessions lie in both weeks, so these are not wholly independent") {
		t.Error("sessions in both weeks are not named")
	}
}

// TestChangesMirror: the weeks the other way round change every sign.
func TestChangesMirror(t *testing.T) {
	rows, back := hourly(t), hourly(t)
	for i := range back {
		if d := back[i].Seen.Sub(monday); d < 14*24*time.Hour {
			back[i].Seen = monday.Add((d + 7*24*time.Hour) % (14 * 24 * time.Hour))
		}
	}
	size := func(x reports.Change) string {
		return fmt.Sprint(x.Arm, x.Figure, x.Problem, x.Limit == nil || *x.Limit > 0)
	}
	there, again := inWindow(t, experiment(), rows, week(t, "2026-W42")).Changes, inWindow(t, experiment(), back, week(t, "2026-W42")).Changes
	mirror := map[string][]reports.Change{}
	for _, x := range again.List {
		mirror[size(x)] = append(mirror[size(x)], x)
	}
	for _, x := range there.List {
		found := false
		for _, y := range mirror[size(x)] {
			found = found || math.Abs(x.Delta+y.Delta) < 1e-9 && x.Before == y.After && x.After == y.Before &&
				(x.Interval.Upper == nil || math.Abs(*x.Interval.Upper+*y.Interval.Lower) < 1e-9)
		}
		if !found {
			t.Errorf("%s of %s has no mirror: %+v", x.Figure, x.Arm, mirror[size(x)])
		}
	}
}
