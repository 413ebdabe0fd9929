package reports_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// spread moves rows apart, so that perDay samples come on each day.
func spread(rows []sinks.Row, perDay int) []sinks.Row {
	for i := range rows {
		n := int(rows[i].Sample[14])<<8 + int(rows[i].Sample[15]) - 1
		rows[i].Seen = monday.Add(time.Duration(n) * 24 * time.Hour / time.Duration(perDay))
	}
	return rows
}

// byDay are books that balance with rows of which perDay samples came on each day.
func byDay(n, perDay int) []shadow.Books {
	books := booksFor(n)
	books[0].Lines = nil
	for day := 0; day*perDay < n; day++ {
		here := min(perDay, n-day*perDay)
		for _, line := range booksFor(here)[0].Lines {
			line.Day = monday.AddDate(0, 0, day).Format("2006-01-02")
			books[0].Lines = append(books[0].Lines, line)
		}
	}
	return books
}

// TestHeads holds what a reader sees first, in ten lines of 120 columns; where there
// are several candidates, the second line already has all the outcomes.
func TestHeads(t *testing.T) {
	slow := func(rows []sinks.Row) []sinks.Row {
		for i := 1; i < len(rows); i += 6 {
			rows[i].Took = new(4 * time.Second)
		}
		return rows
	}
	two := func(rows []sinks.Row) []sinks.Row {
		for i := range len(rows) / 2 {
			other := rows[2*i+1]
			other.Arm, other.Took = "cand-b", new(4*time.Second)
			rows = append(rows, other)
		}
		return rows
	}
	only := func(rows []sinks.Row, arm shadow.Arm) (out []sinks.Row) {
		for _, r := range rows {
			if r.Arm == arm {
				out = append(out, r)
			}
		}
		return out
	}
	var out bytes.Buffer
	for _, c := range []struct {
		name   string
		rows   []sinks.Row
		books  []shadow.Books
		change func(*reports.Experiment)
		now    time.Time
	}{
		{name: "go", rows: spread(plain(600, -1), 30), books: byDay(600, 30)},
		{name: "no-go: quality", rows: spread(plain(600, 1), 30), books: byDay(600, 30)},
		{name: "no-go: tail", rows: spread(slow(plain(600, -1)), 30), books: byDay(600, 30)},
		{name: "keep running: burn-in, first day", rows: plain(1, -1), books: booksFor(1)},
		{name: "keep running: burn-in", rows: spread(noisy(40), 30), books: byDay(40, 30)},
		{name: "keep running: open", rows: spread(noisy(300), 30), books: byDay(300, 30), change: func(e *reports.Experiment) { e.Stop = monday.AddDate(0, 0, 56) }},
		{name: "keep running: the stop is too early", rows: spread(noisy(300), 30), books: byDay(300, 30), change: func(e *reports.Experiment) { e.Stop = monday.AddDate(0, 0, 14) }},
		{name: "no decision: books", rows: spread(plain(600, -1), 30), books: byDay(540, 30)},
		{name: "undecided at the stop", rows: spread(noisy(300), 30), books: byDay(300, 30), now: monday.AddDate(0, 0, 28)},
		{name: "several candidates", rows: spread(two(plain(600, -1)), 30), books: byDay(600, 30),
			change: func(e *reports.Experiment) {
				e.Candidates = append(e.Candidates, reports.Arm{Name: "cand-b", Model: "b"})
			}},
		{name: "no candidates", rows: spread(only(plain(600, -1), shadow.Live), 30), books: byDay(600, 30), change: func(e *reports.Experiment) { e.Candidates = nil }},
		{name: "no rows"},
	} {
		e := experiment()
		if c.change != nil {
			c.change(&e)
		}
		r := build(t, e, c.rows, c.books)
		decisions, err := e.Gate.DecideAll(r, c.now)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Text(&b, 120, decisions); err != nil {
			t.Fatal(err)
		}
		head, _, found := strings.Cut(b.String(), "\n\n")
		if n := strings.Count(head, "\n") + 1; !found || n > 10 && len(decisions) < 2 {
			t.Errorf("%s: the head has %d lines", c.name, n)
		}
		if lines := strings.SplitN(head, "\n", 3); len(decisions) > 1 && lines[1] != "decisions: cand-a go, cand-b no-go" {
			t.Errorf("%s: the second line is %q", c.name, lines[1])
		}
		fmt.Fprintf(&out, "== %s\n%s\n\n", c.name, head)
	}
	golden(t, "heads.golden", out.Bytes())
}
