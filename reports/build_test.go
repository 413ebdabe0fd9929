package reports_test

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// TestFounding holds the figures of the founding case.
func TestFounding(t *testing.T) {
	r := build(t, experiment(), foundingRows(t), booksFor(600))
	q := r.Comparisons[0].Quality
	for _, f := range []struct {
		name      string
		got       *float64
		low, high float64
	}{
		{"live", q.MeanLive.Value, 2.68, 2.68}, {"candidate", q.MeanCandidate.Value, 2.37, 2.37},
		{"delta", q.Delta.Value, -0.31, -0.31}, {"in SE", q.Delta.InSE, -4.5, -3.5},
		{"over 3 s", r.Arms[1].Latency.Over[0].Share.Share, 0.33, 0.33},
		{"over 6 s", r.Arms[1].Latency.Over[1].Share.Share, 0.135, 0.135},
		{"live over 3 s", r.Arms[0].Latency.Over[0].Share.Share, 0.01, 0.02},
	} {
		if f.got == nil || *f.got < f.low-1e-9 || *f.got > f.high+1e-9 {
			t.Errorf("%s is %v, want %v to %v", f.name, f.got, f.low, f.high)
		}
	}
	if *q.Anytime.Lower >= *q.Fixed.Lower || *q.Anytime.Upper <= *q.Fixed.Upper {
		t.Error("the anytime interval is not wider than the one of a single look")
	}
}

// TestOrder: neither the order of rows nor that of books changes a byte.
func TestOrder(t *testing.T) {
	rows := foundingRows(t)
	for i := range rows { // unequal chances, so that floating sums are tried too
		if rows[i].Sample[15]%3 == 0 {
			rows[i].Rate, rows[i].JudgeRate, rows[i].Route = 0.003, 0.003, "/other"
		}
	}
	books := slices.Concat(booksFor(200), booksFor(200), booksFor(200))
	books[1].Number, books[2].Source = 2, "tap-2"
	want := everyForm(t, build(t, experiment(), rows, books))
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rng.Shuffle(len(books), func(i, j int) { books[i], books[j] = books[j], books[i] })
		if diff := cmp.Diff(want, everyForm(t, build(t, experiment(), rows, books))); diff != "" {
			t.Fatal(diff)
		}
	}
	if !strings.Contains(want, "weighted by 1/chance") {
		t.Error("the report does not say that pairs are weighted")
	}
}

func everyForm(t *testing.T, r reports.Report) string {
	t.Helper()
	decisions, err := r.Experiment.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, err := range []error{r.Text(&b, 80, decisions), r.Markdown(&b, decisions), r.JSON(&b, decisions), r.HTML(&b, decisions)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestCoverage is the case stats-error-rate-shown.
func TestCoverage(t *testing.T) {
	var rows []sinks.Row
	add := func(arm shadow.Arm, graded_ int, ungraded map[judge.NotGraded]int, failures map[llm.Reason]int) {
		i := 0
		next := func(n int, row func(int) sinks.Row) {
			for range n {
				rows = append(rows, row(i))
				i++
			}
		}
		next(graded_, func(i int) sinks.Row { return graded(i, arm, 1+i%3, time.Second) })
		for why, n := range ungraded {
			next(n, func(i int) sinks.Row { return notGraded(i, arm, why) })
		}
		for why, n := range failures {
			next(n, func(i int) sinks.Row { return failed(i, arm, why, 20*time.Second) })
		}
	}
	add(shadow.Live, 196, map[judge.NotGraded]int{judge.NoRefusal: 1, judge.NoTransport: 3}, nil)
	add("cand-a", 181, map[judge.NotGraded]int{judge.NoMalformed: 2, judge.NoTransport: 5}, map[llm.Reason]int{llm.Timeout: 9, llm.Status5xx: 3})
	r := build(t, experiment(), rows, booksFor(200))
	live, cand := r.Arms[0], r.Arms[1]
	if live.Answered != 200 || cand.Answered != 188 || cand.Failed != 12 || cand.NotGraded != 7 || cand.Asked != 200 {
		t.Errorf("live %+v\ncand %+v", live, cand)
	}
	want := []reports.Count{{Name: "timeout", N: 9}, {Name: "status_5xx", N: 3}}
	if diff := cmp.Diff(want, cand.FailedBy); diff != "" {
		t.Error(diff)
	}
	text := everyForm(t, r)
	for _, s := range []string{"live 98.0 %, cand-a 90.5 %", "timeout", "malformed", "more than 1 point"} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in the report", s)
		}
	}
	d := decide(t, r)
	if d.Outcome == reports.Go || !slices.Contains(d.Reasons, reports.CodeLossesDiffer) {
		t.Errorf("losses of 2 %% and 9.5 %%: %s, %v", d.Outcome, d.Reasons)
	}
}

func decide(t *testing.T, r reports.Report) reports.Decision {
	t.Helper()
	d, err := r.Experiment.Gate.Decide(r, "cand-a", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestNotGradedIsNoNumber is the case stats-failed-not-zero: mean 2.0 over 4.
func TestNotGradedIsNoNumber(t *testing.T) {
	var rows []sinks.Row
	for i, g := range []int{2, 0, 3, 0, 2, 1} {
		if g == 0 {
			rows = append(rows, notGraded(i, "cand-a", judge.NoTransport))
			continue
		}
		rows = append(rows, graded(i, "cand-a", g, time.Second))
	}
	m := build(t, experiment(), rows, booksFor(6)).Arms[1].Mean
	if m.N != 4 || *m.Value != 2 {
		t.Errorf("mean %v over %d, want 2 over 4", *m.Value, m.N)
	}
}

// TestDuplicates is the case stats-duplicate-verdicts: the first verdict is final.
func TestDuplicates(t *testing.T) {
	var rows []sinks.Row
	for _, v := range []struct{ sample, grade int }{{1, 2}, {2, 3}, {1, 2}, {3, 1}, {2, 5}} {
		rows = append(rows, graded(v.sample, "cand-a", v.grade, time.Second))
	}
	repeat := graded(1, "cand-a", 6, time.Second)
	repeat.Repeat = 1
	r := build(t, experiment(), append(rows, repeat), booksFor(3))
	if m := r.Arms[1].Mean; m.N != 3 || *m.Value != 2 {
		t.Errorf("mean %v over %d, want 2 over 3", *m.Value, m.N)
	}
	want := reports.RowCounts{Read: 6, Used: 3, Repeats: 1, Duplicates: 2, Conflicts: 1}
	if diff := cmp.Diff(want, r.Rows); diff != "" {
		t.Error(diff)
	}
	if text := everyForm(t, r); !strings.Contains(text, "2, 1 of them in conflict") {
		t.Error("duplicates are not shown")
	}
}

// TestTwoJudges: a pair counts only if one judge graded both answers.
func TestTwoJudges(t *testing.T) {
	live, cand := graded(0, shadow.Live, 1, time.Second), graded(0, "cand-a", 6, time.Second)
	cand.Judge, cand.JudgePinned = "judge-b", "judge-b-2026-02-02"
	r := build(t, experiment(), []sinks.Row{live, cand}, booksFor(1))
	q := r.Comparisons[0].Quality
	if q.Delta.N != 0 || q.Delta.Value != nil || q.Bounds.MissingLive != 1 || q.Bounds.MissingCandidate != 1 {
		t.Errorf("a mixed pair was used: %+v", q)
	}
	other := graded(0, shadow.Live, 3, time.Second)
	other.Judge, other.JudgePinned = "judge-b", "judge-b-2026-02-02"
	for _, rows := range [][]sinks.Row{{live, other}, {other, live}} {
		r := build(t, experiment(), rows, booksFor(1))
		if *r.Arms[0].Mean.Value != 1 || r.Rows.Duplicates != 1 || r.Rows.Conflicts != 1 {
			t.Errorf("the primary's verdict must count in any order: %+v", r.Rows)
		}
	}
}

// TestShare: a candidate that was asked only a share is compared where it was asked.
func TestShare(t *testing.T) {
	var rows []sinks.Row
	for i := range 100 {
		rows = append(rows, graded(i, shadow.Live, 1+i%3, time.Second))
		cand := graded(i, "cand-a", 2, time.Second)
		if cand.Rate = 0.003; i%3 != 0 {
			cand = sinks.Row{
				Sample: cand.Sample, Arm: "cand-a", Experiment: cand.Experiment, Digest: cand.Digest, Seen: cand.Seen,
				Session: cand.Session, Rate: 0.003, JudgeRate: 0.003, State: sinks.NotAsked, Reason: "share", Rubric: rubricDigest,
			}
		}
		rows = append(rows, cand)
	}
	r := build(t, experiment(), rows, booksFor(100))
	q, a := r.Comparisons[0].Quality, r.Arms[1]
	if q.Asked != 34 || q.Delta.N != 34 || q.Weighted || a.NotAsked != 66 || a.Asked != 34 || *a.Coverage != 1 {
		t.Errorf("quality %+v\narm %+v", q, a)
	}
	if !r.Books.Balanced || *a.InFlight != 0 {
		t.Errorf("books: %+v", r.Books)
	}
}

// TestWindow: rows by arrival, books by day, so that any window balances.
func TestWindow(t *testing.T) {
	var rows []sinks.Row
	books := booksFor(2)
	books[0].Lines = append(books[0].Lines, func() []shadow.Line {
		next := slices.Clone(booksFor(1)[0].Lines)
		for i := range next {
			next[i].Day = "2026-10-06"
		}
		return next
	}()...)
	for i := range 3 {
		row := graded(i, shadow.Live, 2, time.Second)
		if i == 2 {
			row.Seen = monday.AddDate(0, 0, 1)
		}
		rows = append(rows, row)
	}
	e := experiment()
	e.Candidates = nil
	for _, c := range []struct {
		window    reports.Window
		n         int
		published int64
	}{
		{reports.Window{}, 3, 3},
		{reports.Window{To: monday.AddDate(0, 0, 1)}, 2, 2},
		{reports.Window{From: monday.AddDate(0, 0, 1)}, 1, 1},
		{reports.Window{From: monday.AddDate(0, 0, 5)}, 0, 0},
	} {
		r, err := reports.Build(seq(rows), seq(books), e, c.window)
		if err != nil {
			t.Fatal(err)
		}
		if r.Arms[0].Graded != c.n || r.Books.Published != c.published || !r.Books.Balanced {
			t.Errorf("%v: %d graded, books %+v", c.window, r.Arms[0].Graded, r.Books)
		}
		everyForm(t, r)
	}
}

func TestBuildErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	failing := func(yield func(sinks.Row, error) bool) { yield(sinks.Row{}, broken) }
	failingBooks := func(yield func(shadow.Books, error) bool) { yield(shadow.Books{}, broken) }
	with := func(change func(*reports.Experiment)) reports.Experiment {
		e := experiment()
		change(&e)
		return e
	}
	for _, c := range []struct {
		name   string
		rows   iter.Seq2[sinks.Row, error]
		books  iter.Seq2[shadow.Books, error]
		e      reports.Experiment
		window reports.Window
		want   error
	}{
		{name: "rows", rows: failing, e: experiment(), want: broken},
		{name: "books", books: failingBooks, e: experiment(), want: broken},
		{name: "half a day", e: experiment(), window: reports.Window{From: monday.Add(time.Hour)}, want: reports.ErrWindow},
		{name: "backwards", e: experiment(), window: reports.Window{From: monday, To: monday}, want: reports.ErrWindow},
		{name: "two arms", e: with(func(e *reports.Experiment) { e.Candidates = append(e.Candidates, e.Candidates[0]) }), want: reports.ErrExperiment},
		{name: "arm live", e: with(func(e *reports.Experiment) { e.Candidates[0].Name = "live" }), want: reports.ErrExperiment},
		{name: "no name", e: with(func(e *reports.Experiment) { e.Candidates[0].Name = "" }), want: reports.ErrExperiment},
		{name: "level", e: with(func(e *reports.Experiment) { e.Level = 95 }), want: reports.ErrExperiment},
		{name: "level NaN", e: with(func(e *reports.Experiment) { e.Level = math.NaN() }), want: reports.ErrExperiment},
		{name: "limit", e: with(func(e *reports.Experiment) { e.Limits[0] = 0 }), want: reports.ErrExperiment},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := reports.Build(c.rows, c.books, c.e, c.window); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// TestEmpty: nothing at all is a report that says so.
func TestEmpty(t *testing.T) {
	for _, e := range []reports.Experiment{experiment(), {}} {
		r, err := reports.Build(nil, nil, e, reports.Window{})
		if err != nil {
			t.Fatal(err)
		}
		text := everyForm(t, r)
		if !strings.Contains(text, "undefined") || strings.Contains(text, "NaN") {
			t.Errorf("empty report:\n%s", text)
		}
		for _, d := range r.Comparisons {
			got, err := e.Gate.Decide(r, d.Arm, e.Stop)
			if err != nil || got.Outcome != reports.KeepRunning || !slices.Contains(got.Reasons, reports.CodeNoData) {
				t.Errorf("empty input: %+v, %v", got, err)
			}
		}
	}
}
