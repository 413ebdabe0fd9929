package reports_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// timedPairs are pairs that took so many seconds.
func timedPairs(seconds ...[2]float64) []sinks.Row {
	var rows []sinks.Row
	for i, s := range seconds {
		for k, arm := range []shadow.Arm{shadow.Live, "cand-a"} {
			rows = append(rows, graded(i, arm, 2, time.Duration(s[k]*float64(time.Second))))
		}
	}
	return rows
}

// TestQuantileDeltas: live took 1, 2 and 3 s, the candidate 2, 4 and 9 s.
func TestQuantileDeltas(t *testing.T) {
	rows := timedPairs([2]float64{1, 2}, [2]float64{2, 4}, [2]float64{3, 9})
	c := build(t, experiment(), rows, nil).Comparisons[0]
	for i, want := range []time.Duration{ // type 7 at 1, 1.9 and 1.98
		2 * time.Second, 8500*time.Millisecond - 2900*time.Millisecond, 8900*time.Millisecond - 2980*time.Millisecond,
	} {
		if q := c.Quantiles[i]; q.Delta == nil || *q.Delta != want || q.Calls != 3 {
			t.Errorf("p%v: %+v, want %v", 100*q.P, q, want)
		}
	}
	if diff := cmp.Diff(c.Quantiles[1], c.P95); diff != "" {
		t.Errorf("without a control arm the guard's p95 is that to live: %s", diff)
	}
	if c.FirstToken != nil {
		t.Errorf("nothing was streamed: %+v", c.FirstToken)
	}

	rows[5] = failed(2, "cand-a", llm.Timeout, 20*time.Second)
	c = build(t, experiment(), rows, nil).Comparisons[0]
	if *c.Quantiles[0].Delta != 2*time.Second || c.Quantiles[1].Delta != nil {
		t.Errorf("with a time-out %+v", c.Quantiles)
	}
}

// TestFirstTokenDeltas: only samples that both arms streamed.
func TestFirstTokenDeltas(t *testing.T) {
	e := experiment()
	e.Gate.FirstTokenOver = []reports.ShareLimit{{Limit: time.Second, Share: 0.1}}
	rows := timedPairs([2]float64{5, 5}, [2]float64{5, 5}, [2]float64{5, 5}, [2]float64{5, 5})
	for i, first := range []float64{0.5, 0.7, 0.9, 1.5, 0, 0, 1, 0} { // live, candidate of each sample
		if rows[i].Stream = first > 0; rows[i].Stream {
			rows[i].FirstToken = new(time.Duration(first * float64(time.Second)))
		}
	}
	f := build(t, e, rows, nil).Comparisons[0].FirstToken
	if f == nil || f.Quantiles[0].Calls != 2 || *f.Quantiles[0].Delta != 400*time.Millisecond { // medians 0.7 and 1.1
		t.Fatalf("first token %+v", f)
	}
	if d := f.Over[0].Delta; d.Pairs != 2 || d.CandOnly != 1 || d.OtherOnly != 0 {
		t.Errorf("over 1 s: %+v", d)
	}
}

// TestControlNotes: what differs by the place of measuring is said.
func TestControlNotes(t *testing.T) {
	e := experiment()
	rows := timedPairs([2]float64{1, 2}, [2]float64{2, 4}, [2]float64{3, 9})
	page := func() string { return strings.Join(strings.Fields(everyForm(t, build(t, e, rows, nil))), " ") }
	if alone := page(); !strings.Contains(alone, "without a control arm that difference is not known") || strings.Contains(alone, "to the control arm") {
		t.Error("without a control arm")
	}
	e.Candidates = append(e.Candidates, reports.Arm{Name: "again", Control: true})
	for i := range 3 {
		rows = append(rows, graded(i, "again", 2, time.Duration(i+1)*1200*time.Millisecond))
	}
	with := page()
	for _, s := range []string{"again - live, p50 +0.40 s (open to open), is the vantage's difference", "p95, to the control arm", "again (control)", "a candidate's difference less that is its own"} {
		if !strings.Contains(with, s) {
			t.Errorf("with a control arm the report does not say %q", s)
		}
	}
	arms := build(t, e, rows, nil).Arms
	if arms[0].Vantage != reports.AtTap || arms[1].Vantage != reports.AtWorker || arms[2].Vantage != reports.AtWorker {
		t.Errorf("vantages %s, %s, %s", arms[0].Vantage, arms[1].Vantage, arms[2].Vantage)
	}
}

func TestSpeedAndReasoning(t *testing.T) {
	row := func(i int, tokens, reasoning int64, took, first float64) sinks.Row {
		r := answered(i, shadow.Live, time.Duration(took*float64(time.Second)))
		r.TokensOut, r.TokensReasoning = &tokens, &reasoning
		if first > 0 {
			r.Stream, r.FirstToken = true, new(time.Duration(first*float64(time.Second)))
		}
		return r
	}
	untold := row(5, 0, 0, 1, 0)
	untold.TokensOut, untold.TokensReasoning = nil, nil
	cutOff := failed(6, shadow.Live, llm.Timeout, 20*time.Second)
	cutOff.TokensOut = new(int64(7))
	rows := []sinks.Row{
		row(0, 100, 20, 3, 1),   // 80 tokens in 2 s
		row(1, 100, 0, 5.5, .5), // 100 in 5 s
		row(2, 100, 40, 4, 0),   // in one piece: 100 in 4 s
		row(3, 100, 0, 2, 2),    // all at once: no time to divide by
		row(4, 10, 30, 2, 1),    // fewer than went into thinking: not believed
		untold, cutOff,
	}
	a := build(t, liveOnly(), rows, nil).Arms[0]
	want := reports.Speed{
		Streamed: reports.Rate{N: 2, Median: new(30.0), P5: new(21.0)}, Whole: reports.Rate{N: 1, Median: new(25.0), P5: new(25.0)},
	}
	if diff := cmp.Diff(want, a.Speed); diff != "" {
		t.Error(diff)
	}
	if a.Reasoning.Any.X != 3 || a.Reasoning.Any.N != 5 || *a.Reasoning.Median != 30 {
		t.Errorf("reasoning %+v", a.Reasoning)
	}
	text := everyForm(t, build(t, liveOnly(), rows, nil))
	for _, s := range []string{"30.0 (21.0, n 2)", "answers with reasoning tokens"} {
		if !strings.Contains(text, s) {
			t.Errorf("the report does not say %q", s)
		}
	}
}

// TestLookUp: the slowest are those that were cut off, the fastest are answers.
func TestLookUp(t *testing.T) {
	rows := gradePairs("cand-a", [2]int{3, 1}, [2]int{2, 5}, [2]int{6, 1}, [2]int{1, 6}, [2]int{4, 4}, [2]int{1, 4})
	for i, took := range []int{5, 9, 2, 7, 2, 3} {
		*rows[2*i].Took = time.Duration(took) * time.Second
	}
	rows = append(rows, failed(6, shadow.Live, llm.Timeout, 20*time.Second), failed(7, shadow.Live, llm.Connect, time.Millisecond))
	r := build(t, experiment(), rows, nil)
	id := func(i int) string { return sampleID(i).String() }
	live, c := r.Arms[0], r.Comparisons[0]
	for _, got := range []struct {
		name      string
		got, want any
	}{
		{"slowest", live.Slowest, []reports.Call{{Sample: id(6), Took: 20 * time.Second, Longer: true}, {Sample: id(1), Took: 9 * time.Second}}},
		{"fastest, of equal ones the first", live.Fastest, []reports.Call{{Sample: id(2), Took: 2 * time.Second}, {Sample: id(4), Took: 2 * time.Second}}},
		{"worst", c.Worst, []reports.GradedPair{{Sample: id(3), Live: 1, Candidate: 6}, {Sample: id(1), Live: 2, Candidate: 5}}},
		{"best", c.Best, []reports.GradedPair{{Sample: id(2), Live: 6, Candidate: 1}, {Sample: id(0), Live: 3, Candidate: 1}}},
	} {
		if diff := cmp.Diff(got.want, got.got); diff != "" {
			t.Errorf("%s: %s", got.name, diff)
		}
	}
	if text := everyForm(t, r); !strings.Contains(text, "> 20.0 s") || !strings.Contains(text, id(3)) {
		t.Error("the report names no sample")
	}
}
