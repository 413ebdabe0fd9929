package reports_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// gradePairs are rows of live and an arm with the given grades, each pair its own session.
func gradePairs(arm shadow.Arm, grades ...[2]int) []sinks.Row {
	var rows []sinks.Row
	for i, g := range grades {
		rows = append(rows, graded(i, shadow.Live, g[0], time.Second), graded(i, arm, g[1], time.Second))
	}
	return rows
}

// winsAndLosses are n pairs, of which so many are better or worse by one grade.
func winsAndLosses(n, wins, losses int) [][2]int {
	out := make([][2]int, n)
	for i := range out {
		switch {
		case i < wins:
			out[i] = [2]int{3, 2}
		case i < wins+losses:
			out[i] = [2]int{3, 4}
		default:
			out[i] = [2]int{3, 3}
		}
	}
	return out
}

func nearly(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, show(got), want)
	}
}

func show(v *float64) any {
	if v == nil {
		return "undefined"
	}
	return *v
}

// TestChance: 3 wins, 1 tie and 1 loss are a chance of 3.5 in 5.
func TestChance(t *testing.T) {
	rows := gradePairs("cand-a", [2]int{3, 1}, [2]int{3, 2}, [2]int{2, 1}, [2]int{4, 4}, [2]int{1, 2})
	q := build(t, experiment(), rows, booksFor(5)).Comparisons[0].Quality
	nearly(t, "paired", q.Better.Value, 0.7)
	// +1 three times, 0, −1: variance (3·0.6² + 0.4² + 1.4²)/4 of the net win rate
	nearly(t, "its error", q.Better.SE, math.Sqrt((3*0.36+0.16+1.96)/4/5)/2)
	// live 1 2 3 3 4, candidate 1 1 2 2 4: 17 of 25 are better, 4 tie
	unpaired := 0.0
	for _, l := range []int{1, 2, 3, 3, 4} {
		for _, c := range []int{1, 1, 2, 2, 4} {
			switch {
			case c < l:
				unpaired++
			case c == l:
				unpaired += 0.5
			}
		}
	}
	nearly(t, "unpaired", q.BetterUnpaired.Value, unpaired/25)
	if q.BetterUnpaired.N != 10 || q.Better.N != 5 {
		t.Errorf("of %d pairs and %d answers", q.Better.N, q.BetterUnpaired.N)
	}
	for _, iv := range []*reports.Interval{q.Better.Interval, q.BetterUnpaired.Interval} {
		if iv == nil || *iv.Lower < 0 || *iv.Upper > 1 {
			t.Errorf("interval %v", iv)
		}
	}
	one := build(t, experiment(), gradePairs("cand-a", [2]int{3, 1}), booksFor(1)).Comparisons[0].Quality
	if one.Better.Interval != nil || one.BetterUnpaired.Interval != nil || *one.Better.Value != 1 {
		t.Errorf("one pair: %+v, %+v", one.Better, one.BetterUnpaired)
	}
}

func TestDisagree(t *testing.T) {
	repeat := func(n int, g [2]int) [][2]int { return slices.Repeat([][2]int{g}, n) }
	for _, c := range []struct {
		name, why string
		grades    [][2]int
		want      bool
		says      string
	}{
		{"small gains, few sixes", "what a mean and wins see differently", slices.Concat(repeat(6, [2]int{2, 1}), repeat(2, [2]int{1, 6})), true,
			"cand-a: the mean favours live, but the wins favour the candidate; one of them is not clear of 0"},
		{"the same, often", "both are then more than chance", slices.Concat(repeat(600, [2]int{2, 1}), repeat(200, [2]int{1, 6})), true,
			"the wins favour the candidate; both are clear"},
		{"the other way round", "large gains, many small losses", slices.Concat(repeat(6, [2]int{1, 2}), repeat(2, [2]int{6, 1})), true,
			"the mean favours the candidate, but the wins favour live"},
		{"mean 0", "0 favours nobody", slices.Concat(repeat(5, [2]int{2, 1}), repeat(1, [2]int{1, 6})), false, ""},
		{"net 0", "0 favours nobody", [][2]int{{6, 1}, {1, 2}}, false, ""},
		{"both better", "agreement", winsAndLosses(9, 5, 1), false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := build(t, experiment(), gradePairs("cand-a", c.grades...), booksFor(len(c.grades)))
			if got := r.Comparisons[0].Quality.Disagree; got != c.want {
				t.Errorf("%s: %v", c.why, got)
			}
			if text := strings.Join(strings.Fields(everyForm(t, r)), " "); !strings.Contains(text, c.says) {
				t.Errorf("the report does not say %q", c.says)
			}
		})
	}
}

// TestSeveralCandidates: what one candidate shows alone it need not show beside others.
func TestSeveralCandidates(t *testing.T) {
	other, control := reports.Arm{Name: "cand-b"}, reports.Arm{Name: "again", Control: true}
	for _, c := range []struct {
		name, why    string
		wins, losses int
		more         []reports.Arm
		want         reports.Code
		state        reports.State
	}{
		{"no worse, alone", "p 0.03 against the margin", 33, 16, nil, reports.CodeNoWorse, reports.Pass},
		{"no worse, beside another", "0.06 by Holm, though the other has no data", 33, 16, []reports.Arm{other}, reports.CodeSeveral, reports.Unknown},
		{"no worse, beside a control", "a control arm claims nothing", 33, 16, []reports.Arm{control}, reports.CodeNoWorse, reports.Pass},
		{"better, alone", "p 0.03 against 0", 43, 15, nil, reports.CodeBetter, reports.Pass},
		{"better, beside another", "no worse for sure, better not yet", 43, 15, []reports.Arm{other}, reports.CodeNoWorse, reports.Pass},
		{"clearly better", "Holm leaves it", 60, 5, []reports.Arm{other}, reports.CodeBetter, reports.Pass},
		{"worse", "a no-go is no claim to adjust", 5, 60, []reports.Arm{other}, reports.CodeWorse, reports.Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := experiment()
			e.Candidates = append(e.Candidates, c.more...)
			e.Gate = reports.Gate{Margin: 0.1, Alpha: 0.05, PlannedPairs: 900}
			r := build(t, e, gradePairs("cand-a", winsAndLosses(100, c.wins, c.losses)...), booksFor(100))
			d := decide(t, r)
			if d.Quality.Code != c.want || d.Quality.State != c.state {
				t.Errorf("%s: %s, %s; %+v", c.why, d.Quality.Code, d.Quality.State, r.Comparisons[0].Quality.Tests)
			}
			if d.Outcome == reports.Go != (c.state == reports.Pass) {
				t.Errorf("outcome %s", d.Outcome)
			}
			says := "p 0.066 by Holm, above 0.05"
			if text := everyForm(t, r); strings.Contains(text, says) != (c.want == reports.CodeSeveral) {
				t.Errorf("the report says %q: %v", says, c.want != reports.CodeSeveral)
			}
		})
	}
}

// TestHolmOverCandidates: the smaller p counts twice, the control arm not at all.
func TestHolmOverCandidates(t *testing.T) {
	e := experiment()
	e.Candidates = []reports.Arm{{Name: "cand-a"}, {Name: "again", Control: true}, {Name: "cand-b"}, {Name: "silent"}}
	rows := gradePairs("cand-a", winsAndLosses(100, 43, 15)...)
	for i, g := range winsAndLosses(100, 33, 16) {
		rows = append(rows, graded(i, "cand-b", g[1], time.Second), graded(i, "again", g[0], time.Second))
	}
	r := build(t, e, rows, booksFor(100))
	var tests []reports.AnytimeTests
	for _, c := range r.Comparisons {
		tests = append(tests, c.Quality.Tests)
	}
	a, control, b, silent := tests[0], tests[1], tests[2], tests[3]
	if *a.Equal >= *b.Equal {
		t.Fatalf("p %v and %v", *a.Equal, *b.Equal)
	}
	nearly(t, "smallest", a.EqualHolm, 3**a.Equal)
	nearly(t, "second", b.EqualHolm, min(1, 2**b.Equal))
	if control.EqualHolm != nil || control.MarginHolm != nil || silent.Equal != nil || silent.EqualHolm != nil {
		t.Errorf("control %+v, without data %+v", control, silent)
	}
	nearly(t, "smallest of the margin", a.MarginHolm, 3**a.Margin)
	text := everyForm(t, r)
	for _, says := range []string{"| p by Holm over 3 candidates", "| p of worse by the margin, by Holm over 3 candidates", "not tested"} {
		if !strings.Contains(text, says) {
			t.Errorf("the report does not say %q", says)
		}
	}
}

// TestProblemTests: 8 pairs lose a problem and 1 gets it.
func TestProblemTests(t *testing.T) {
	rows := gradePairs("cand-a", slices.Concat(
		slices.Repeat([][2]int{{3, 1}}, 8), [][2]int{{1, 3}}, slices.Repeat([][2]int{{1, 1}}, 11))...)
	const midP = (2*(1+9) - 9) / 512.0 // 2 P(X ≤ 1) − P(X = 1), X of 9 coins
	problems := func(rows []sinks.Row) map[rubric.Problem]reports.ProblemDelta {
		out := map[rubric.Problem]reports.ProblemDelta{}
		for _, p := range build(t, experiment(), rows, booksFor(20)).Comparisons[0].Quality.Problems {
			out[p.Problem] = p
		}
		return out
	}
	plain := problems(rows)
	nearly(t, "incomplete", plain["incomplete"].Delta.P, midP)
	nearly(t, "incomplete by Holm", plain["incomplete"].PHolm, 5*midP)
	nearly(t, "none by Holm", plain["none"].PHolm, 5*midP)
	nearly(t, "what never occurs", plain["unsafe"].Delta.P, 1)
	nearly(t, "incomplete", plain["incomplete"].Delta.Delta, -7/20.0)

	for i := range rows { // every two pairs one session
		rows[i].Session = rows[i/4*4].Session
	}
	clustered := problems(rows)["incomplete"].Delta
	if !clustered.Clustered || *clustered.P < midP || *clustered.P == midP {
		t.Errorf("in sessions of two p is %v, alone %v", *clustered.P, midP)
	}
	for i := range rows {
		rows[i].Session = "one"
	}
	single := problems(rows)["incomplete"]
	if diff := cmp.Diff([]*float64{nil, nil}, []*float64{single.Delta.P, single.PHolm}); diff != "" {
		t.Errorf("a single session: %s", diff)
	}
}
