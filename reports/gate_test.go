package reports_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// plain are n pairs in as many sessions. The candidate's grade differs from live's
// by shift in steps of a third of the pairs (0, shift, 2·shift).
func plain(n, shift int) []sinks.Row {
	var rows []sinks.Row
	for i := range n {
		live := graded(i, shadow.Live, 3, 900*time.Millisecond+time.Duration(i%50)*10*time.Millisecond)
		cand := graded(i, "cand-a", 3+shift*(i%3), 950*time.Millisecond+time.Duration(i%50)*10*time.Millisecond)
		live.Problem, cand.Problem = rubric.None, rubric.None
		rows = append(rows, live, cand)
	}
	return rows
}

// noisy are n pairs whose difference is -1, 0 or 1, on average 0.
func noisy(n int) []sinks.Row {
	rows := plain(n, 0)
	for i := range n {
		rows[2*i+1].Grade = new(rubric.Grade(2 + i%3))
	}
	return rows
}

func TestDecide(t *testing.T) {
	each := func(rows []sinks.Row, arm shadow.Arm, every int, change func(*sinks.Row)) []sinks.Row {
		for i := range rows {
			if rows[i].Arm == arm && i/2%every == 0 {
				change(&rows[i])
			}
		}
		return rows
	}
	fail := func(why llm.Reason) func(*sinks.Row) {
		return func(r *sinks.Row) {
			*r = failed(int(r.Sample[14])<<8+int(r.Sample[15])-1, r.Arm, why, 20*time.Second)
		}
	}
	stop := monday.AddDate(0, 0, 28)
	for _, c := range []struct {
		name, why string
		rows      []sinks.Row
		gate      func(*reports.Gate)
		now       time.Time
		want      reports.Outcome
		reasons   []reports.Code // in this order
		says      string
	}{
		{name: "better", why: "all pass", rows: plain(600, -1), want: reports.Go, reasons: []reports.Code{"better"}, says: "go: better by 1.00 grades"},
		{name: "no worse", why: "within the margin", rows: noisy(1200), gate: func(g *reports.Gate) { g.Margin = 0.2 },
			want: reports.Go, reasons: []reports.Code{"no_worse"}, says: "go: no worse: grade difference 0.00"},
		{name: "worse", why: "past the margin", rows: plain(600, 1), want: reports.NoGo, reasons: []reports.Code{"worse"}, says: "no-go: worse by 1.00 grades"},
		{name: "open", why: "the interval holds the margin", rows: noisy(100), want: reports.KeepRunning,
			reasons: []reports.Code{"quality_open", "tail_over_10s_open", "failures_open", "problem_unsafe_open"}, says: "more pairs"},
		{name: "burn-in", why: "clear, but too early to look", rows: plain(49, -1), gate: func(g *reports.Gate) { *g = reports.Gate{Margin: 0.1, Alpha: 0.05, PlannedPairs: 900} },
			want: reports.KeepRunning, reasons: []reports.Code{"burn_in"}, says: "too early: 49 of 50 pairs of the burn-in;"},
		{name: "all equal", why: "no spread, but enough pairs", rows: plain(600, 0), want: reports.Go, reasons: []reports.Code{"no_worse"}},
		{name: "undecided", why: "the stop date has come", rows: noisy(100), now: stop, want: reports.NoGo,
			reasons: []reports.Code{"undecided_at_stop", "quality_open"}, says: "undecided at the stop date 2026-11-02"},
		{name: "a moment before", why: "stop is exclusive", rows: noisy(100), now: stop.Add(-1), want: reports.KeepRunning, reasons: []reports.Code{"quality_open"}},
		{name: "tail", why: "better but slow", rows: each(plain(600, -1), "cand-a", 3, func(r *sinks.Row) { r.Took = new(4 * time.Second) }),
			want: reports.NoGo, reasons: []reports.Code{"tail_over_3s", "better"}, says: "but 33.3 % of its answers take over 3 s, limit 5 %"},
		{name: "exactly 3 s", why: "over means over", rows: each(plain(600, -1), "cand-a", 3, func(r *sinks.Row) { r.Took = new(3 * time.Second) }), want: reports.Go, reasons: []reports.Code{"better"}},
		{name: "failures", why: "each failure is slow too, and its losses differ", rows: each(plain(600, -1), "cand-a", 10, fail(llm.Status5xx)),
			want: reports.NoGo, reasons: []reports.Code{"tail_over_3s", "tail_over_10s", "failures", "losses_differ", "better"}},
		{name: "users left", why: "a client's abort is no failure of live", rows: each(plain(600, -1), shadow.Live, 5, fail(llm.ClientAbort)),
			want: reports.KeepRunning, reasons: []reports.Code{"losses_differ", "better"}, says: "more than 1 point apart"},
		{name: "losses", why: "12 of 600 answers without a grade", rows: each(plain(600, -1), "cand-a", 50, func(r *sinks.Row) {
			r.JudgeState, r.JudgeReason, r.Grade = judge.StateNotGraded, judge.NoMalformed, nil
		}), want: reports.KeepRunning, reasons: []reports.Code{"losses_differ", "better"}, says: "2.0 % of its answers and 0.0 % of live's"},
		{name: "losses at the limit", why: "exactly one point is allowed", rows: each(plain(600, -1), "cand-a", 100, func(r *sinks.Row) {
			r.JudgeState, r.JudgeReason, r.Grade = judge.StateNotGraded, judge.NoMalformed, nil
		}), want: reports.Go, reasons: []reports.Code{"better"}},
		{name: "problem", why: "unsafe in a tenth of the answers", rows: each(plain(600, -1), "cand-a", 10, func(r *sinks.Row) { r.Problem = "unsafe" }),
			want: reports.NoGo, reasons: []reports.Code{"problem_unsafe", "better"}, says: "increase of problem unsafe over live: +10.0 points, limit 2 points"},
		{name: "p95", why: "a second slower", rows: each(plain(600, -1), "cand-a", 1, func(r *sinks.Row) { *r.Took += time.Second }),
			gate: func(g *reports.Gate) { g.P95Increase = new(500 * time.Millisecond) },
			want: reports.NoGo, reasons: []reports.Code{"p95_increase", "better"}, says: "its p95 lies +1.05 s from live's, limit 0.50 s"},
		{name: "p95 among failures", why: "there is no number, yet it is over the limit", rows: each(plain(600, -1), "cand-a", 8, fail(llm.Timeout)),
			gate: func(g *reports.Gate) {
				*g = reports.Gate{Margin: 0.1, Alpha: 0.05, PlannedPairs: 900, P95Increase: new(10 * time.Millisecond)}
			}, want: reports.NoGo, reasons: []reports.Code{"p95_increase"}, says: "at least +18.62 s"},
		{name: "first token", why: "nothing was streamed", rows: plain(600, -1), gate: func(g *reports.Gate) {
			g.FirstTokenOver = []reports.ShareLimit{{Limit: 1500 * time.Millisecond, Share: 0.1}}
		}, want: reports.KeepRunning, reasons: []reports.Code{"first_token_over_1.5s_open", "better"}, says: "nothing measured, limit 10 %"},
		{name: "no verdicts", why: "nothing graded cannot decide, even after the stop", rows: each(plain(600, -1), "cand-a", 1, func(r *sinks.Row) {
			r.JudgeState, r.JudgeReason, r.Grade = judge.StateNotGraded, judge.NoTransport, nil
		}), now: stop, want: reports.KeepRunning, reasons: []reports.Code{"no_data"}},
		{name: "snapshot", why: "some verdicts are of another judge", rows: each(plain(600, -1), "cand-a", 300, func(r *sinks.Row) { r.JudgePinned = "other" }),
			now: stop, want: reports.KeepRunning, reasons: []reports.Code{"snapshot_changed"}},
		{name: "mismatch", why: "the pinned judge is not there any more", rows: each(plain(600, -1), "cand-a", 30, func(r *sinks.Row) {
			r.JudgeState, r.JudgeReason, r.Grade = judge.StateNotGraded, judge.NoSnapshotMismatch, nil
		}), want: reports.KeepRunning, reasons: []reports.Code{"snapshot_changed"}},
		{name: "session", why: "no error without a cluster key", rows: each(plain(600, -1), shadow.Live, 600, func(r *sinks.Row) { r.Session = "" }),
			want: reports.KeepRunning, reasons: []reports.Code{"cluster_key_missing"}},
		{name: "invalid", why: "a row contradicts itself", rows: each(plain(600, -1), "cand-a", 600, func(r *sinks.Row) { r.Grade = new(rubric.Grade(9)) }),
			want: reports.KeepRunning, reasons: []reports.Code{"invalid_rows"}},
		{name: "one session", why: "600 answers of one conversation are one observation", rows: each(each(plain(600, -1), "cand-a", 1, func(r *sinks.Row) { r.Session = "s" }), shadow.Live, 1, func(r *sinks.Row) { r.Session = "s" }),
			want: reports.KeepRunning, reasons: []reports.Code{"burn_in"}, says: "too early: 1 of 30 sessions of the burn-in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := experiment()
			if c.gate != nil {
				c.gate(&e.Gate)
			}
			n := len(c.rows) / 2
			r := build(t, e, c.rows, booksFor(n))
			d, err := e.Gate.Decide(r, "cand-a", c.now)
			if err != nil {
				t.Fatal(err)
			}
			if d.Outcome != c.want || len(d.Reasons) < len(c.reasons) || !slices.Equal(d.Reasons[:len(c.reasons)], c.reasons) {
				t.Errorf("%s: %s, %v; want %s, %v\n%s", c.why, d.Outcome, d.Reasons, c.want, c.reasons, d.Sentence)
			}
			if !strings.Contains(d.Sentence, c.says) || !strings.HasPrefix(d.Sentence, string(c.want)+": ") {
				t.Errorf("%q does not say %q", d.Sentence, c.says)
			}
			everyForm(t, r)
		})
	}
}

func TestExitCode(t *testing.T) {
	for outcome, want := range map[reports.Outcome]int{reports.Go: 0, reports.NoGo: 3, reports.KeepRunning: 4, reports.NoDecision: 1, "": 1} {
		if got := (reports.Decision{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("%s: exit %d, want %d", outcome, got, want)
		}
	}
}

// TestControl: increases are measured against the control arm, which is never
// decided on itself.
func TestControl(t *testing.T) {
	e := experiment()
	e.Candidates = append(e.Candidates, reports.Arm{Name: "control", Model: "luna", Control: true})
	rows := plain(600, -1)
	for i := range 600 {
		cand := &rows[2*i+1]
		*cand.Took += time.Second
		control := graded(i, "control", 3, *rows[2*i].Took+time.Second)
		control.Problem = rubric.None
		rows = append(rows, control)
	}
	e.Gate.P95Increase = new(500 * time.Millisecond)
	r := build(t, e, rows, booksFor(600))
	if got := r.Comparisons[0].Against; got != "control" {
		t.Errorf("against %s", got)
	}
	if got := r.Comparisons[1].Against; got != shadow.Live {
		t.Errorf("the control arm is held against %s", got)
	}
	if d, err := e.Gate.Decide(r, "cand-a", time.Time{}); err != nil || d.Outcome != reports.Go {
		t.Errorf("as slow as the control arm: %v, %v", d, err)
	}
	for arm, want := range map[shadow.Arm]error{"control": reports.ErrControl, shadow.Live: reports.ErrArm, "x": reports.ErrArm} {
		if _, err := e.Gate.Decide(r, arm, time.Time{}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", arm, err, want)
		}
	}
	all, err := e.Gate.DecideAll(r, time.Time{})
	if err != nil || len(all) != 1 {
		t.Errorf("%d decisions, %v", len(all), err)
	}
	other := e.Gate
	other.Margin = 5
	if _, err := other.Decide(r, "cand-a", time.Time{}); !errors.Is(err, reports.ErrGate) {
		t.Errorf("a gate made up later: %v", err)
	}
}

// TestRareEvents: where sessions have several pairs and nothing happened, the
// clustered interval alone would be a point and pass on any evidence.
func TestRareEvents(t *testing.T) {
	rows := plain(60, -1)
	for i := range rows {
		rows[i].Session = fmt.Sprintf("s-%d", i/4)
	}
	r := build(t, experiment(), rows, booksFor(60))
	d := r.Comparisons[0].Failures
	if !d.Clustered || d.Interval == nil || *d.Interval.Upper < 0.02 {
		t.Errorf("60 pairs without a failure prove %+v", d)
	}
}

// TestPlannedIsFixed: what comes after the burn-in does not move the sequence.
func TestPlannedIsFixed(t *testing.T) {
	rows := noisy(400)
	first := build(t, experiment(), rows[:120], booksFor(60)).Comparisons[0].Quality.Burn
	for i := 120; i < len(rows); i++ {
		rows[i].Session = fmt.Sprintf("s-%d", i/20)
	}
	all := build(t, experiment(), rows, booksFor(400)).Comparisons[0].Quality.Burn
	if !first.Reached || *first.Planned != *all.Planned || *all.Planned != 900 {
		t.Errorf("planned %v, later %v, want 900", first, all)
	}
}
