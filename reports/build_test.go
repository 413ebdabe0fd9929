package reports_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/understudy-eval/understudy/rubric"
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
	for _, err := range []error{r.Text(&b, 80, decisions), r.Markdown(&b, decisions), r.JSON(&b, decisions)} {
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

// TestLeftOut: what does not belong is counted, never mixed in.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func(*sinks.Row)
		want      reports.RowCounts
		inBooks   bool // the sample is accounted for as left out
	}{
		{"experiment", "another experiment's rows may lie in the folder", func(r *sinks.Row) { r.Experiment = "x" }, reports.RowCounts{OtherExperiment: 1}, false},
		{"arm", "an arm that was removed", func(r *sinks.Row) { r.Arm = "gone" }, reports.RowCounts{OtherArm: 1}, false},
		{"digest", "a change starts a new experiment", func(r *sinks.Row) { r.Digest = "x" }, reports.RowCounts{OtherDigest: 1}, true},
		{"rubric", "another yardstick", func(r *sinks.Row) { r.Rubric = "x" }, reports.RowCounts{OtherRubric: 1}, true},
		{"judge", "another snapshot", func(r *sinks.Row) { r.JudgePinned = "judge-mini-2026-09-01" }, reports.RowCounts{OtherJudge: 1}, true},
		{"grade 0", "0 is no grade", func(r *sinks.Row) { r.Grade = new(rubric.Grade(0)) }, reports.RowCounts{Invalid: 1}, true},
		{"grade 7", "one past worst", func(r *sinks.Row) { r.Grade = new(rubric.Grade(7)) }, reports.RowCounts{Invalid: 1}, true},
		{"no grade", "graded without a number", func(r *sinks.Row) { r.Grade = nil }, reports.RowCounts{Invalid: 1}, true},
		{"problem", "not on the closed list", func(r *sinks.Row) { r.Problem = "style" }, reports.RowCounts{Invalid: 1}, true},
		{"rate 0", "its weight would be infinite", func(r *sinks.Row) { r.Rate = 0 }, reports.RowCounts{Invalid: 1}, true},
		{"rate NaN", "compares with nothing", func(r *sinks.Row) { r.Rate = math.NaN() }, reports.RowCounts{Invalid: 1}, true},
		{"judge rate NaN", "compares with nothing", func(r *sinks.Row) { r.JudgeRate = math.NaN() }, reports.RowCounts{Invalid: 1}, true},
		{"no time", "an answer took some time", func(r *sinks.Row) { r.Took = nil }, reports.RowCounts{Invalid: 1}, true},
		{"negative time", "a clock that went back", func(r *sinks.Row) { r.Took = new(-time.Second) }, reports.RowCounts{Invalid: 1}, true},
		{"state", "none of the three", func(r *sinks.Row) { r.State = "lost" }, reports.RowCounts{Invalid: 1}, true},
		{"judge state", "none of the three", func(r *sinks.Row) { r.JudgeState = "maybe" }, reports.RowCounts{Invalid: 1}, true},
		{"failed without reason", "the books count by reason", func(r *sinks.Row) {
			*r = failed(0, "cand-a", "", time.Second)
		}, reports.RowCounts{Invalid: 1}, true},
		{"failed with a grade", "a failed answer has none", func(r *sinks.Row) { r.State, r.Reason = sinks.Failed, "timeout" }, reports.RowCounts{Invalid: 1}, true},
		{"live not asked", "live is always asked", func(r *sinks.Row) {
			r.Arm, r.State, r.JudgeState, r.Grade = shadow.Live, sinks.NotAsked, "", nil
		}, reports.RowCounts{Invalid: 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := graded(0, "cand-a", 6, time.Second)
			c.change(&bad)
			rows := []sinks.Row{bad, graded(1, "cand-a", 2, time.Second)}
			r := build(t, experiment(), rows, booksFor(2))
			c.want.Read, c.want.Used = 2, 1
			if diff := cmp.Diff(c.want, r.Rows); diff != "" {
				t.Errorf("%s: %s", c.why, diff)
			}
			if got := r.Arms[1].LeftOut == 1; got != c.inBooks {
				t.Errorf("left out: %d", r.Arms[1].LeftOut)
			}
			if *r.Arms[1].Mean.Value != 2 {
				t.Errorf("mean %v, want 2", *r.Arms[1].Mean.Value)
			}
			everyForm(t, r)
		})
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

// TestBooks: whatever does not add up is named, and there is no decision.
func TestBooks(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func([]shadow.Books) []shadow.Books
		want      string // part of a line; empty: balanced
	}{
		{"balanced", "", func(b []shadow.Books) []shadow.Books { return b }, ""},
		{"twice", "entries are counted once", func(b []shadow.Books) []shadow.Books { return append(b, b[0]) }, ""},
		{"others", "another experiment's books", func(b []shadow.Books) []shadow.Books {
			other := booksFor(7)[0]
			other.Experiment, other.Source = "x", "tap-9"
			return append(b, other)
		}, ""},
		{"none", "rows alone prove nothing", func([]shadow.Books) []shadow.Books { return nil }, "no books"},
		{"few published", "more rows than samples", func(b []shadow.Books) []shadow.Books { return booksFor(599) }, "600 samples, but 599 published"},
		{"in flight", "samples on their way are no mistake", func(b []shadow.Books) []shadow.Books { return booksFor(610) }, ""},
		{"seen", "one request is unaccounted for", func(b []shadow.Books) []shadow.Books {
			b[0].Lines[0].Count++
			return b
		}, "seen 60603 is not"},
		{"sampled", "more left the tap than came in", func(b []shadow.Books) []shadow.Books {
			b[0].Lines[0].Count--
			b[0].Lines[2].Count--
			return b
		}, "less than published"},
		{"gap", "an entry is missing", func(b []shadow.Books) []shadow.Books {
			b[0].Number = 2
			return b
		}, "1 of 2 entries are missing"},
		{"negative", "a count cannot be", func(b []shadow.Books) []shadow.Books {
			b[0].Lines[1].Count = -1
			return b
		}, "counts -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := build(t, experiment(), foundingRows(t), c.change(booksFor(600)))
			if r.Books.Balanced != (c.want == "") || !strings.Contains(strings.Join(r.Books.Wrong, "\n"), c.want) {
				t.Errorf("%s: %+v", c.why, r.Books)
			}
			d := decide(t, r)
			if want := map[bool]int{true: 3, false: 1}[r.Books.Balanced]; d.ExitCode() != want {
				t.Errorf("exit %d, want %d: %s", d.ExitCode(), want, d.Sentence)
			}
			if !r.Books.Balanced && (d.Outcome != reports.NoDecision || !strings.Contains(d.Sentence, c.want)) {
				t.Errorf("%s", d.Sentence)
			}
		})
	}
}

// TestJSON: the report survives a round trip, and no figure is NaN or infinite.
func TestJSON(t *testing.T) {
	r := build(t, experiment(), foundingRows(t), booksFor(600))
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back reports.Report
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
	again, err := back.Experiment.Gate.Decide(back, "cand-a", time.Time{})
	if err != nil || again.Sentence != decide(t, r).Sentence {
		t.Errorf("a stored report is decided differently: %v, %v", again.Sentence, err)
	}
}

func ExampleBuild() {
	rows := []sinks.Row{
		graded(0, shadow.Live, 3, 900*time.Millisecond), graded(0, "cand-a", 2, 1200*time.Millisecond),
		graded(1, shadow.Live, 2, 800*time.Millisecond), graded(1, "cand-a", 2, 4*time.Second),
	}
	r, err := reports.Build(seq(rows), seq(booksFor(2)), experiment(), reports.Window{})
	if err != nil {
		fmt.Println(err)
		return
	}
	delta := r.Comparisons[0].Quality.Delta
	fmt.Println(*delta.Value, "grades over", delta.N, "pairs; books balance:", r.Books.Balanced)
	// Output: -0.5 grades over 2 pairs; books balance: true
}

func ExampleGate_Decide() {
	e := experiment()
	rows := []sinks.Row{graded(0, shadow.Live, 3, 900*time.Millisecond), graded(0, "cand-a", 2, 1200*time.Millisecond)}
	r, err := reports.Build(seq(rows), seq(booksFor(1)), e, reports.Window{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := e.Gate.Decide(r, "cand-a", time.Time{})
	fmt.Println(d.Outcome, d.Reasons[0], d.ExitCode(), err)
	// Output: keep running burn_in 4 <nil>
}
