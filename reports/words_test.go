package reports_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// textOf is the report without line breaks within sentences, decided by its gate.
func textOf(t *testing.T, r reports.Report) string {
	t.Helper()
	decisions, err := r.Experiment.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Text(&b, 0, decisions); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// says checks that a text has some parts and lacks others.
func says(t *testing.T, text string, has, lacks []string) {
	t.Helper()
	for _, s := range has {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in\n%s", s, text)
		}
	}
	for _, s := range lacks {
		if strings.Contains(text, s) {
			t.Errorf("%q in\n%s", s, text)
		}
	}
}

// TestAnswersOnly: the success-only value stands beside the honest one only where
// the two can differ, in each table by itself.
func TestAnswersOnly(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func(*sinks.Row)
		times     int
	}{
		{"no failure", "both would be the same", func(*sinks.Row) {}, 0},
		{"a failure", "three quantiles and three limits", func(r *sinks.Row) { *r = failed(0, r.Arm, llm.Status5xx, time.Second) }, 6},
		{"a failed stream", "and three quantiles of first tokens", func(r *sinks.Row) {
			*r = failed(0, r.Arm, llm.Status5xx, time.Second)
			r.Stream = true
		}, 9},
		{"left", "it counts in the honest value", func(r *sinks.Row) { *r = failed(0, r.Arm, llm.ClientAbort, time.Second) }, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := foundingRows(t)
			c.change(&rows[0])
			text := textOf(t, build(t, experiment(), rows, booksFor(600)))
			if got := strings.Count(text, ", answers only"); got != c.times {
				t.Errorf("%s: %d rows, want %d", c.why, got, c.times)
			}
			if got := strings.Contains(text, `"answers only" leaves`); got != (c.times > 0) {
				t.Errorf("the note on it: %t", got)
			}
		})
	}
}

// TestNoArmHas: problems that no arm has share a note; the JSON form keeps them.
func TestNoArmHas(t *testing.T) {
	rows := plain(600, 0) // every answer has the problem none
	rows[1].Problem = "tone"
	r := build(t, experiment(), rows, booksFor(600))
	says(t, textOf(t, r), []string{"no arm has: incomplete, factual_error, unsafe (0 of 600; up to 0.6 % is compatible with that)", "\ntone  "}, []string{"\nunsafe", "\nincomplete"})
	if len(r.Arms[1].Problems) != 5 {
		t.Errorf("%d problems, want all 5", len(r.Arms[1].Problems))
	}
	rows = append(rows[:1198], rows[1198]) // the last sample has no answer of the candidate
	says(t, textOf(t, build(t, experiment(), rows, booksFor(600))), []string{"(0 of 600, 0 of 599; up to"}, nil)

	onlyLive := plain(3, 0)
	for i := range onlyLive {
		if onlyLive[i].Arm != shadow.Live {
			onlyLive[i] = failed(i/2, onlyLive[i].Arm, llm.Status5xx, time.Second)
		}
	}
	says(t, textOf(t, build(t, experiment(), onlyLive, booksFor(3))), []string{"\nunsafe"}, []string{"no arm has"})
}

// TestNoBooks: without rows and books nothing is wrong, but nothing is known either.
func TestNoBooks(t *testing.T) {
	r := build(t, experiment(), nil, nil)
	if !r.Books.Balanced {
		t.Errorf("not balanced: %v", r.Books.Wrong)
	}
	says(t, textOf(t, r), []string{"; no books yet", "\nno books yet"}, []string{"the books balance"})
	says(t, textOf(t, build(t, experiment(), nil, booksFor(0))), []string{"; the books balance"}, []string{"no books"})
}
