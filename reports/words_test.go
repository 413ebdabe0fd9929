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

// TestMorePairs: a number of pairs is shown with what it belongs to, and with the
// plan that it exceeds.
func TestMorePairs(t *testing.T) {
	firstToken := []reports.ShareLimit{{Limit: time.Second, Share: 0.1}} // nothing is streamed
	for _, c := range []struct {
		name, why  string
		rows       []sinks.Row
		change     func(*reports.Gate)
		has, lacks []string
	}{
		{"one pair", "no standard error, and the guards alone have numbers", plain(1, -1), nil,
			[]string{"1 of 50 pairs, 1 of 30 sessions", "still open: share of answers over 3 s", "1 pair in 1 session\n",
				"; the burn-in ends after about 49 more pairs\n", "what would change it: the end of the burn-in, at 50 pairs in 30 sessions\n"},
			[]string{"would settle", "1 pairs", "1 sessions"}},
		{"burn-in", "the guard needs more than the grades", plain(40, -1), nil,
			[]string{"too early: 40 of 50 pairs", "more pairs would settle share of answers over 10 s"}, []string{"would settle it"}},
		{"last pair", "the grades' own number", plain(49, -1), func(g *reports.Gate) {
			*g = reports.Gate{Margin: 0.1, Alpha: 0.05, PlannedPairs: 900}
		}, []string{"; about 1 more pair would settle it", "change it: about 1 more pair, if"}, []string{"planned: "}},
		{"one session", "burn-in and no standard error", oneSession(plain(60, -1)), nil,
			[]string{"1 of 30 sessions", "the end of the burn-in", "; the burn-in ends after about 1,800 more pairs"}, []string{"would settle"}},
		{"open", "every open check has a number, and the plan is short", noisy(100), func(g *reports.Gate) { g.PlannedPairs = 800 },
			[]string{"about 750 more pairs (planned: 800) would settle it", "about 750 more pairs, if the figures stay"}, nil},
		{"enough planned", "the plan covers it", noisy(100), func(g *reports.Gate) { g.PlannedPairs = 1e6 },
			[]string{" more pairs would settle it"}, []string{"planned: "}},
		{"no plan", "there is nothing to compare with", plain(100, -1), func(g *reports.Gate) { g.PlannedPairs = 0 }, nil, []string{"planned: "}},
		{"nothing streamed", "a guard without a number stays open after all", plain(100, -1), func(g *reports.Gate) { g.FirstTokenOver = firstToken },
			[]string{"more pairs would settle share of answers over 10 s", "more pairs for share of answers over 10 s, if"}, []string{"would settle it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := experiment()
			if c.change != nil {
				c.change(&e.Gate)
			}
			t.Log(c.why)
			says(t, textOf(t, build(t, e, c.rows, booksFor(len(c.rows)/2))), c.has, c.lacks)
		})
	}
}

func oneSession(rows []sinks.Row) []sinks.Row {
	for i := range rows {
		rows[i].Session = "s"
	}
	return rows
}

// TestSingular: one is no plural, and a long list of reasons is no chain of "and".
func TestSingular(t *testing.T) {
	e := experiment()
	e.Gate.FailuresIncrease = new(0.01)
	rows := plain(600, -1)
	for i := 1; i < len(rows); i += 20 {
		rows[i] = failed(i/2, rows[i].Arm, llm.Status5xx, time.Second)
	}
	says(t, textOf(t, build(t, e, rows, booksFor(600))),
		[]string{"no-go: better by", "over 3 s, limit 5 %; 10.0 % of its answers take over 10 s, limit 1 %; increase of failures over live: +10.0 points, limit 1 point",
			"change it: share of answers over 3 s below 5 %; share of"},
		[]string{"1 points", ", and "})
	invalid := plain(600, -1)
	invalid[1].Rate = 0
	says(t, textOf(t, build(t, experiment(), invalid, booksFor(600))), []string{"1 row contradicts itself"}, []string{"1 rows"})
	says(t, textOf(t, build(t, experiment(), plain(1, -1)[:1], nil)), []string{"arm live: 1 sample, but no books"}, []string{"1 samples"})
}
