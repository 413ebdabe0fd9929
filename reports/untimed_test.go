package reports_test

import (
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

// A live answer that was recorded without times is graded and compared like any other,
// and is in no tail: its time is unknown, not 0. A candidate is always measured.
func TestRecordedWithoutTimes(t *testing.T) {
	var rows []sinks.Row
	for i := range 60 {
		live, cand := graded(i, "live", 2, 2*time.Second), graded(i, "cand-a", 1, time.Second)
		if i%2 == 0 {
			live.Took = nil
		}
		if i == 0 {
			cand.Took = nil
		}
		rows = append(rows, live, cand)
	}
	r := build(t, experiment(), rows, booksFor(60))
	if got := r.Arms[0].Latency; got.Calls != 30 || got.Quantiles[0].Value == nil || *got.Quantiles[0].Value != 2*time.Second {
		t.Errorf("live has %d timed calls with p50 %v, want 30 with 2 s", got.Calls, got.Quantiles[0].Value)
	}
	if r.Rows.Invalid != 1 || r.Arms[0].Answered != 60 {
		t.Errorf("%d rows invalid, %d live answers; want only the candidate's without a time, and 60", r.Rows.Invalid, r.Arms[0].Answered)
	}
	if n := r.Comparisons[0].Quality.Delta.N; n != 59 {
		t.Errorf("%d pairs, want 59", n)
	}
	var none reports.Tail
	for i := range rows {
		rows[i].Took = new(time.Second)
		if rows[i].Arm == "live" {
			rows[i].Took = nil
		}
	}
	r = build(t, experiment(), rows, booksFor(60))
	if got := r.Arms[0].Latency; got.Calls != none.Calls || got.Quantiles[0].Value != nil {
		t.Errorf("without any time live has %d timed calls, p50 %v", got.Calls, got.Quantiles[0].Value)
	}
}
