package reports_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// TestTrend: each week says what a report on it alone says, from one look at the rows.
func TestTrend(t *testing.T) {
	rows, e := hourly(t), experiment()
	looks := 0
	counted := func(yield func(sinks.Row, error) bool) {
		looks++
		seq(rows)(yield)
	}
	r, err := reports.Build(counted, seq(booksOf(rows)), e, week(t, "2026-W44"))
	if err != nil || looks != 1 {
		t.Fatalf("%d looks, %v", looks, err)
	}
	var names []string
	for _, w := range r.Trend {
		names = append(names, fmt.Sprintf("%s %s %d", w.Week, w.Incomplete, w.Samples))
		own := inWindow(t, e, rows, week(t, w.Week))
		for k, a := range own.Arms {
			got := w.Arms[k]
			if diff := cmp.Diff(a.Latency, got.Latency) + cmp.Diff(a.Problems, got.Problems) + cmp.Diff(a.Mean, got.Mean); diff != "" || got.Name != a.Name || got.Graded != a.Graded {
				t.Errorf("%s, %s: %s", w.Week, a.Name, diff)
			}
		}
		q := own.Comparisons[0].Quality
		if diff := cmp.Diff(q.Delta, w.Deltas[0].Delta) + cmp.Diff(q.Fixed, w.Deltas[0].Fixed); diff != "" {
			t.Errorf("%s: %s", w.Week, diff)
		}
	}
	if diff := cmp.Diff([]string{"2026-W41  168", "2026-W42  168", "2026-W43  168", "2026-W44 Mon–Thu 96"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestTrendInAnyOrder: a weekly report with repeats and several marks does not depend
// on the order of its rows.
func TestTrendInAnyOrder(t *testing.T) {
	rows := regraded(hourly(t), func(i int) int { return i % 3 })
	for i := range rows {
		if rows[i].Seen.After(monday.AddDate(0, 0, 9)) {
			rows[i].Rate, rows[i].Model = 0.02, "another"
		}
	}
	want := everyForm(t, inWindow(t, experiment(), rows, week(t, "2026-W43")))
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2 {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if diff := cmp.Diff(want, everyForm(t, inWindow(t, experiment(), rows, week(t, "2026-W43")))); diff != "" {
			t.Fatal(diff)
		}
	}
}

// on gives a live row and a candidate's for each day.
func on(days ...string) []sinks.Row {
	var out []sinks.Row
	for i, day := range days {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			panic(err)
		}
		for _, arm := range []shadow.Arm{shadow.Live, "cand-a"} {
			row := graded(i, arm, 2, time.Second)
			row.Seen = at.Add(12 * time.Hour)
			out = append(out, row)
		}
	}
	return out
}

func day(text string) time.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return t
}

// TestTrendWeeks: which weeks there are, and which of their days.
func TestTrendWeeks(t *testing.T) {
	for _, c := range []struct {
		name, why   string
		rows        []sinks.Row
		start, stop string
		window      reports.Window
		now         string
		want        []string
	}{
		{name: "a gap", why: "a week without rows has its place", rows: on("2026-10-05", "2026-10-20", "2026-10-26"), start: "2026-10-05",
			window: week(t, "2026-W43"), want: []string{"2026-W41: 1", "2026-W42: 0", "2026-W43: 1"}},
		{name: "eight", why: "no more than eight, though there were rows before", rows: on("2026-08-03", "2026-10-19"),
			window: week(t, "2026-W42"), want: []string{"2026-W35: 0", "2026-W36: 0", "2026-W37: 0", "2026-W38: 0", "2026-W39: 0", "2026-W40: 0", "2026-W41: 0", "2026-W42: 0"}},
		{name: "start", why: "its first days lie before the experiment's start", rows: on("2026-10-07", "2026-10-12"), start: "2026-10-07",
			window: week(t, "2026-W41"), want: []string{"2026-W41 (Wed–Sun): 1"}},
		{name: "first row", why: "nothing can be said of the days before the first row", rows: on("2026-10-11", "2026-10-12"),
			window: week(t, "2026-W41"), want: []string{"2026-W41 (Sun): 1"}},
		{name: "rows end", why: "after the last row's day", rows: on("2026-10-05", "2026-10-07"),
			window: week(t, "2026-W41"), want: []string{"2026-W41 (Mon–Wed): 2"}},
		{name: "a quiet Sunday", why: "rows of the week after show that it is over", rows: on("2026-10-05", "2026-10-12"),
			window: week(t, "2026-W41"), want: []string{"2026-W41: 1"}},
		{name: "now", why: "it has not ended, though a clock ahead sent a row", rows: on("2026-10-05", "2026-10-12"), now: "2026-10-07",
			window: week(t, "2026-W41"), want: []string{"2026-W41 (Mon–Wed): 1"}},
		{name: "stop", why: "the experiment ended within it", rows: on("2026-10-05", "2026-10-12"), stop: "2026-10-10",
			window: week(t, "2026-W41"), want: []string{"2026-W41 (Mon–Fri): 1"}},
		{name: "to come", why: "a week after the rows", rows: on("2026-10-05"), window: week(t, "2026-W43"),
			want: []string{"2026-W41 (Mon): 1", "2026-W42 (no days): 0", "2026-W43 (no days): 0"}},
		{name: "before", why: "a week before the experiment", rows: on("2026-10-05"), window: week(t, "2026-W40"), want: []string{"2026-W40 (no days): 0"}},
		{name: "no rows", why: "nothing was ever seen", window: week(t, "2026-W40"), want: []string{"2026-W40 (no days): 0"}},
		{name: "year's end", why: "2026 has a week 53", rows: on("2026-12-27", "2026-12-28", "2027-01-03", "2027-01-04", "2027-01-10"),
			window: week(t, "2027-W01"), want: []string{"2026-W52 (Sun): 1", "2026-W53: 2", "2027-W01: 2"}},
		{name: "all", why: "the rows span two weeks", rows: on("2026-10-05", "2026-10-18"), want: []string{"2026-W41: 1", "2026-W42: 1"}},
		{name: "one week", why: "the rows lie in one: no trend", rows: on("2026-10-05", "2026-10-11")},
		{name: "days", why: "a window cuts its weeks, and reaches no further back", rows: on("2026-10-05", "2026-10-08", "2026-10-13", "2026-10-14"),
			window: reports.Window{From: day("2026-10-08"), To: day("2026-10-14")}, want: []string{"2026-W41 (Thu–Sun): 1", "2026-W42 (Mon–Tue): 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := experiment()
			e.Start, e.Stop = time.Time{}, time.Time{}
			var options []reports.Option
			if c.start != "" {
				e.Start = day(c.start)
			}
			if c.stop != "" {
				e.Stop = day(c.stop)
			}
			if c.now != "" {
				options = append(options, reports.AsOf(day(c.now).Add(time.Hour)))
			}
			r, err := reports.Build(seq(c.rows), nil, e, c.window, options...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range r.Trend {
				name := w.Week
				if w.Incomplete != "" {
					name += " (" + w.Incomplete + ")"
				}
				got = append(got, fmt.Sprintf("%s: %d", name, w.Samples))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: %s", c.why, diff)
			}
			var b bytes.Buffer
			if err := r.Text(&b, 80, nil); err != nil {
				t.Fatal(err)
			}
			_, days, incomplete := strings.Cut(strings.Join(got[max(0, len(got)-1):], ""), "(")
			days, _, _ = strings.Cut(days, ")")
			if c.window.To.Sub(c.window.From) == 7*24*time.Hour && incomplete != strings.Contains(b.String(), "\nincomplete: "+days) {
				t.Errorf("the head does not say incomplete: %s\n%s", days, b.String()[:400])
			}
			if strings.Contains(b.String(), "NaN") {
				t.Error("a figure is no number")
			}
		})
	}
}
