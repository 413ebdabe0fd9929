package reports_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// hourly are the founding case's rows, a sample an hour: four weeks from W41 on, of
// which the last one ends on its Thursday.
func hourly(t testing.TB) []sinks.Row {
	rows := foundingRows(t)
	for i := range rows {
		rows[i].Seen = monday.Add(time.Duration(int(rows[i].Sample[14])<<8|int(rows[i].Sample[15])-1) * time.Hour)
	}
	return rows
}

// booksOf are books that balance with rows, of which live has one per sample.
func booksOf(rows []sinks.Row) []shadow.Books {
	b := shadow.Books{Experiment: "support-2026-10", Source: "tap-1", Number: 1}
	for _, row := range rows {
		if row.Arm != shadow.Live {
			continue
		}
		for _, entry := range []shadow.Entry{shadow.Seen, shadow.EntrySampled, shadow.EntryPublished} {
			b.Lines = append(b.Lines, shadow.Line{Day: row.Seen.Format(time.DateOnly), Endpoint: "/v1/chat/completions", Entry: entry, Count: 1})
		}
	}
	return []shadow.Books{b}
}

func inWindow(t *testing.T, e reports.Experiment, rows []sinks.Row, w reports.Window) reports.Report {
	t.Helper()
	r, err := reports.Build(seq(rows), seq(booksOf(rows)), e, w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func week(t *testing.T, text string) reports.Window {
	t.Helper()
	w, err := reports.ParseWeek(text)
	if err != nil {
		t.Fatal(err)
	}
	return w.Window()
}

// TestDecisionRestsOnTheWhole: no choice of days makes another decision, and a week
// shows no interval that could be taken for one.
func TestDecisionRestsOnTheWhole(t *testing.T) {
	checks := cmpopts.IgnoreUnexported(reports.Check{}) // its words, which the sentence has
	rows, e := hourly(t), experiment()
	third := week(t, "2026-W43")
	r := inWindow(t, e, rows, third)
	now := third.To.AddDate(0, 1, 0)
	got, err := e.Gate.DecideAll(r, now)
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.Gate.DecideAll(inWindow(t, e, rows, reports.Window{To: third.To}), now)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, checks); diff != "" {
		t.Error(diff)
	}
	if q := r.Comparisons[0].Quality; q.Delta.N != 168 || got[0].Quality.N != 3*168 || q.Anytime != nil || q.Tests != (reports.AnytimeTests{}) {
		t.Errorf("%d pairs in the week, %d decide, anytime %v, %v", q.Delta.N, got[0].Quality.N, q.Anytime, q.Tests)
	}
	var b bytes.Buffer
	if err := r.Text(&b, 0, got); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"support-2026-10: week 2026-W43, 2026-10-19 to 2026-10-25 (UTC)",
		"decided on all that was seen so far, 2026-10-05 to 2026-10-25 (UTC); all tables but the gate's are of this week",
		"\n  this week alone: grade difference ", ", 95 % interval, as if this were the only look, ", ", 504 pairs in 336 sessions", ", 168 pairs in 112 sessions",
	} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q in\n%s", part, b.String()[:1500])
		}
	}
	if strings.Contains(b.String(), "anytime interval, which decides") || strings.Contains(b.String(), "p of no difference, anytime") {
		t.Error("the week has a row of its own for what decides")
	}
	var back struct{ Report reports.Report }
	b.Reset()
	if err := r.JSON(&b, got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	again, err := e.Gate.DecideAll(back.Report, now)
	if diff := cmp.Diff(want, again, checks); diff != "" || err != nil {
		t.Error("after JSON:", diff, err)
	}
}

// TestDecisionAsOfTheWindow: at the end of a week before the stop nothing is
// undecided, however late one asks; in the last week it is.
func TestDecisionAsOfTheWindow(t *testing.T) {
	rows, e := hourly(t), experiment()
	e.Gate.Over, e.Gate.Margin, e.Stop = nil, 0.0001, monday.AddDate(0, 0, 21)
	for i := 0; i < len(rows); i += 4 { // hardly a difference, so it stays open
		rows[i].Grade, rows[i+1].Grade = rows[i+1].Grade, rows[i].Grade
	}
	late := e.Stop.AddDate(1, 0, 0)
	for name, c := range map[string]struct {
		window reports.Window
		now    time.Time
		want   reports.Outcome
	}{
		"first week": {week(t, "2026-W41"), late, reports.KeepRunning}, "first week by days": {reports.Window{To: monday.AddDate(0, 0, 7)}, late, reports.KeepRunning},
		"last week": {week(t, "2026-W43"), late, reports.NoGo}, "all": {reports.Window{}, late, reports.NoGo}, "all, before the stop": {reports.Window{}, monday, reports.KeepRunning},
		"last week, before it ends": {week(t, "2026-W43"), monday.AddDate(0, 0, 20), reports.KeepRunning},
	} {
		d, err := e.Gate.Decide(inWindow(t, e, rows, c.window), "cand-a", c.now)
		if err != nil || d.Outcome != c.want || (c.want == reports.NoGo) != slices.Contains(d.Reasons, reports.CodeUndecided) {
			t.Errorf("%s: %s, %v (%v), want %s", name, d.Outcome, d.Reasons, err, c.want)
		}
	}
}

// TestWindowsAddUp: rows that were left out count in their own week, and in the whole.
func TestWindowsAddUp(t *testing.T) {
	rows := hourly(t)
	for _, i := range []int{1, 3, 401} { // two samples of W41, one of W42
		rows[i].JudgePinned = "another"
	}
	rows = append(rows, rows[0], rows[402])
	for _, c := range []struct {
		window                    string
		used, other, twice, total int
	}{{"2026-W41", 334, 2, 1, 1}, {"2026-W42", 335, 1, 1, 2}, {"2026-W43", 336, 0, 0, 2}} {
		r := inWindow(t, experiment(), rows, week(t, c.window))
		n := r.Rows
		if n.Used != c.used || n.OtherJudge != c.other || n.Duplicates != c.twice || r.Whole.Rows.Duplicates != c.total || r.Arms[1].LeftOut != c.other {
			t.Errorf("%s: %+v, left out %d, whole %+v", c.window, n, r.Arms[1].LeftOut, r.Whole.Rows)
		}
		if from := week(t, c.window).From; !r.First.Equal(from) || !r.Whole.First.Equal(monday) || !r.Whole.Last.Equal(r.Last) {
			t.Errorf("%s: %v to %v, whole %v to %v", c.window, r.First, r.Last, r.Whole.First, r.Whole.Last)
		}
	}
}
