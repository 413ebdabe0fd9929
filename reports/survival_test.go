package reports_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// TestSurvival: small cases by hand.
func TestSurvival(t *testing.T) {
	call := func(i, seconds int, failure llm.Reason) sinks.Row {
		took := time.Duration(seconds) * time.Second
		if failure != "" {
			return failed(i, shadow.Live, failure, took)
		}
		return answered(i, shadow.Live, took)
	}
	at := func(seconds int, share float64) reports.SurvivalPoint {
		return reports.SurvivalPoint{Time: time.Duration(seconds) * time.Second, Share: share}
	}
	for _, c := range []struct {
		name, why string
		rows      []sinks.Row
		want      []reports.SurvivalPoint
	}{
		{"no calls", "nothing is known, not even 100 %", nil, []reports.SurvivalPoint{}},
		{"answers", "the last one leaves nothing over", []sinks.Row{call(0, 1, ""), call(1, 4, "")}, []reports.SurvivalPoint{at(1, 0.5), at(4, 0)}},
		{"ties", "one point per time", []sinks.Row{call(0, 1, ""), call(1, 1, ""), call(2, 2, "")}, []reports.SurvivalPoint{at(1, 1.0/3), at(2, 0)}},
		{"a failure", "slower than any time", []sinks.Row{call(0, 1, ""), call(1, 1, llm.Status5xx)}, []reports.SurvivalPoint{at(1, 0.5)}},
		{"a time-out", "slower than any time, though cut at 2 s", []sinks.Row{call(0, 1, ""), call(1, 2, llm.Timeout), call(2, 3, "")},
			[]reports.SurvivalPoint{at(1, 2.0/3), at(3, 1.0/3)}},
		{"all failed", "the share stays 1", []sinks.Row{call(0, 1, llm.Connect)}, []reports.SurvivalPoint{}},
		{"left", "unknown after the time of leaving", []sinks.Row{call(0, 1, ""), call(1, 2, llm.ClientAbort), call(2, 3, ""), call(3, 4, "")},
			[]reports.SurvivalPoint{at(1, 0.75), at(2, 2.0/3), at(3, 1.0/3), at(4, 0)}},
		{"only left", "nobody is known after it", []sinks.Row{call(0, 1, llm.ClientAbort)}, []reports.SurvivalPoint{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := build(t, liveOnly(), c.rows, booksFor(len(c.rows)))
			if diff := gocmp.Diff(c.want, r.Arms[0].Survival); diff != "" {
				t.Errorf("%s, -want +got:\n%s", c.why, diff)
			}
		})
	}
}

// TestSurvivalOfMany: a curve of few points falls, ends at the slowest call, agrees
// with the shares over limits, and is never far from the whole one.
func TestSurvivalOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows []sinks.Row
	var slowest time.Duration
	for i := range 5000 {
		took := time.Duration(1e9 * (0.5 + rng.ExpFloat64()))
		switch {
		case i%50 == 0:
			rows = append(rows, failed(i, shadow.Live, llm.Timeout, 20*time.Second))
		case i%70 == 0:
			rows = append(rows, failed(i, shadow.Live, llm.ClientAbort, took))
		default:
			rows = append(rows, answered(i, shadow.Live, took))
			slowest = max(slowest, took.Round(time.Microsecond))
		}
	}
	live := build(t, liveOnly(), rows, booksFor(len(rows))).Arms[0]
	curve := live.Survival
	if len(curve) < 60 || len(curve) > 100 {
		t.Errorf("%d points", len(curve))
	}
	if !slices.IsSortedFunc(curve, func(a, b reports.SurvivalPoint) int { return int(a.Time - b.Time) }) ||
		!slices.IsSortedFunc(curve, func(a, b reports.SurvivalPoint) int { return cmp.Compare(b.Share, a.Share) }) {
		t.Errorf("not rising in time and falling in share: %v", curve)
	}
	if last := curve[len(curve)-1]; last.Time > slowest || last.Time < slowest-time.Millisecond || !(last.Share > 0.02) {
		t.Errorf("ends with %v, the slowest answer took %v and 2 %% failed", last, slowest)
	}
	for i := range curve[1:] {
		if drop := curve[i].Share - curve[i+1].Share; drop > 0.025 {
			t.Errorf("falls by %.3f after %v", drop, curve[i].Time)
		}
	}
	for _, over := range live.Latency.Over {
		if diff := gocmp.Diff(*over.Share.Share, shareAt(curve, over.Limit)); diff != "" {
			t.Errorf("over %v, -table +curve: %s", over.Limit, diff)
		}
	}
}

// shareAt reads the step function.
func shareAt(curve []reports.SurvivalPoint, t time.Duration) float64 {
	share := 1.0
	for _, p := range curve {
		if p.Time <= t {
			share = p.Share
		}
	}
	return share
}
