package reports_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func liveOnly() reports.Experiment {
	e := experiment()
	e.Candidates = nil
	return e
}

// TestMedian is the case stats-median-even.
func TestMedian(t *testing.T) {
	var cases map[string][]int
	readJSON(t, "stats-median-even.json", &cases)
	for name, want := range map[string]string{"a": "0.00400 s", "b": "0.00550 s", "c": "0.100 s"} {
		var rows []sinks.Row
		for i, ms := range cases[name] {
			rows = append(rows, answered(i, shadow.Live, time.Duration(ms)*time.Millisecond))
		}
		r := build(t, liveOnly(), rows, booksFor(len(rows)))
		if text := everyForm(t, r); !strings.Contains(text, want) {
			t.Errorf("%s: median %v, want %s", name, r.Arms[0].Latency.Quantiles[0].Value, want)
		}
	}
}

// TestTimeouts is the case stats-timeouts-in-tail.
func TestTimeouts(t *testing.T) {
	var c struct {
		Success  []int `json:"success_ms"`
		Timeouts []int `json:"timeouts_ms"`
	}
	readJSON(t, "stats-timeouts-in-tail.json", &c)
	var rows []sinks.Row
	for _, ms := range c.Success {
		rows = append(rows, answered(len(rows), shadow.Live, time.Duration(ms)*time.Millisecond))
	}
	for _, ms := range c.Timeouts {
		rows = append(rows, failed(len(rows), shadow.Live, llm.Timeout, time.Duration(ms)*time.Millisecond))
	}
	r := build(t, liveOnly(), rows, booksFor(100))
	tail := r.Arms[0].Latency
	if q := tail.Quantiles[0]; *q.Value != 1890*time.Millisecond || *q.Answers != 1790*time.Millisecond {
		t.Errorf("median %v, of answers %v", *q.Value, *q.Answers)
	}
	if q := tail.Quantiles[1]; q.Value != nil || *q.AtLeast != 20*time.Second || q.Exceeds || q.Upper != nil {
		t.Errorf("p95 %+v", q)
	}
	if o := tail.Over[2]; *o.Share.Share != 0.1 || *o.Answers.Share != 0 {
		t.Errorf("over 10 s: %v, of answers %v", *o.Share.Share, *o.Answers.Share)
	}
	text := everyForm(t, r)
	for _, s := range []string{"≥ 20.0 s", "10.0 %", "1.89 s", "1.79 s", "> 20.0 s"} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in the report", s)
		}
	}
}

// TestFailureIsSlow: a refused connection after 5 ms is no fast answer.
func TestFailureIsSlow(t *testing.T) {
	var rows []sinks.Row
	for i := range 20 {
		rows = append(rows, failed(i, shadow.Live, llm.Connect, 5*time.Millisecond))
	}
	r := build(t, liveOnly(), rows, booksFor(20))
	tail := r.Arms[0].Latency
	if q := tail.Quantiles[0]; q.Value != nil || q.AtLeast != nil || q.Answers != nil || *tail.Over[2].Share.Share != 1 {
		t.Errorf("median %+v, over 10 s %+v", q, tail.Over[2])
	}
	rows = append(rows, answered(20, shadow.Live, 2*time.Second))
	if text := everyForm(t, build(t, liveOnly(), rows, booksFor(21))); !strings.Contains(text, "> 2.00 s") {
		t.Error("the median lies above the only answer")
	}
}

// TestLeft: a call that the user left is longer than its time, not endless.
func TestLeft(t *testing.T) {
	rows := []sinks.Row{
		answered(0, shadow.Live, time.Second), answered(1, shadow.Live, 4*time.Second),
		failed(2, shadow.Live, llm.ClientAbort, 2*time.Second), failed(3, shadow.Live, llm.ClientAbort, 7*time.Second),
	}
	tail := build(t, liveOnly(), rows, booksFor(4)).Arms[0].Latency
	over3, over10 := tail.Over[0].Share, tail.Over[2].Share
	if over3.X != 2 || over3.N != 3 {
		t.Errorf("over 3 s: %d of %d, want 2 of 3: one left before", over3.X, over3.N)
	}
	if over10.X != 0 || over10.N != 2 {
		t.Errorf("over 10 s: %d of %d, want 0 of 2", over10.X, over10.N)
	}
	// 1, 2, 4 and 7 s have the median 3 s; had the two stayed long, it would be among them.
	if q := tail.Quantiles[0]; !q.LowerBound || *q.Value != 3*time.Second || q.Upper != nil {
		t.Errorf("median %+v", q)
	}
	if tail.Left != 2 || tail.Failed != 0 || *tail.Quantiles[2].Value > 7*time.Second {
		t.Errorf("%+v", tail)
	}
}

// TestFirstToken counts streams only, and a stream that broke before its first
// token as late.
func TestFirstToken(t *testing.T) {
	stream := func(r sinks.Row, first time.Duration) sinks.Row {
		r.Stream = true
		if first > 0 {
			r.FirstToken = &first
		}
		return r
	}
	rows := []sinks.Row{
		answered(0, shadow.Live, time.Second), // not streamed
		stream(answered(1, shadow.Live, time.Second), 200*time.Millisecond),
		stream(failed(2, shadow.Live, llm.Reset, 3*time.Second), 300*time.Millisecond),
		stream(failed(3, shadow.Live, llm.Timeout, 20*time.Second), 0),
		stream(answered(4, shadow.Live, time.Second), 0), // a tool call without content
	}
	e := liveOnly()
	e.Gate.FirstTokenOver = []reports.ShareLimit{{Limit: 250 * time.Millisecond, Share: 0.1}}
	first := build(t, e, rows, booksFor(5)).Arms[0].FirstToken
	if first == nil || first.Calls != 3 || first.TimedOut != 1 || first.Over[0].Share.X != 2 || first.Over[0].Share.N != 3 {
		t.Errorf("%+v", first)
	}
	if none := build(t, e, rows[:1], booksFor(1)).Arms[0].FirstToken; none != nil {
		t.Errorf("no stream, but %+v", none)
	}
}
