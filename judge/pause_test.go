package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// other is a whole verdict by another snapshot than the pinned one.
var other = play{reply: llm.Reply{Text: verdict(1, "none"), Finish: llm.FinishStop, Model: "judge-mini-2026-06-01"}}

func denied(status int, code string) play {
	return play{failure: &llm.Failure{Class: llm.Denied, Reason: llm.DeniedReason, Status: status, Code: code}}
}

// TestPauses: what makes grading pause, after how many answers, and that the first
// probe with a verdict ends it.
func TestPauses(t *testing.T) {
	ok := says(0, verdict(2, "none"))
	bad, strange, refusal := says(0, "no idea"), says(0, verdict(2, "style")), play{reply: llm.Reply{Refusal: "no", Finish: llm.FinishStop}}
	unproven := play{reply: llm.Reply{Text: verdict(2, "none"), Finish: llm.FinishStop, Model: "judge-mini"}}
	tests := []struct {
		name, why string
		script    []play
		pause     judge.Cause // after the script; empty: none
	}{
		{"another snapshot", "at once: the yardstick is gone", []play{ok, other}, judge.CauseSnapshot},
		{"unproven", "an alarm and no pause", []play{unproven, unproven, unproven, unproven, unproven, unproven}, ""},
		{"outage", "nobody is reached, three answers in a row", []play{down, down, down}, judge.CauseTransport},
		{"short outage", "two are none", []play{down, down}, ""},
		{"outage with a verdict", "not in a row", []play{down, down, ok, down, down}, ""},
		{"bad key", "a lasting refusal", []play{denied(401, "invalid_api_key"), denied(401, ""), denied(401, "")}, judge.CauseRefused},
		{"no money", "by status", []play{down, denied(402, ""), denied(402, "")}, judge.CauseMoney},
		{"quota", "by code: a 429 that lasts", []play{down, down, denied(429, "insufficient_quota")}, judge.CauseMoney},
		{"gone", "the model is withdrawn", []play{down, down, denied(404, "model_not_found")}, judge.CauseGone},
		{"prose", "five replies in a row without a verdict", []play{bad, bad, bad, bad, bad}, judge.CauseNoVerdict},
		{"some prose", "four are none", []play{bad, bad, bad, bad}, ""},
		{"prose with a verdict", "not in a row", []play{bad, bad, bad, bad, ok, bad, bad, bad, bad}, ""},
		{"off the list", "most of five are outside list or scale", []play{strange, strange, bad, strange, says(0, verdict(7, "none"))}, judge.CauseOutOfList},
		{"mixed", "a refusal is no verdict either", []play{refusal, refusal, strange, bad, bad}, judge.CauseNoVerdict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := judgeA(append(tt.script, ok)...)
				var told []judge.Pause
				j := bench(t, f, nil, func(o *judge.Options) { o.OnPause = func(p judge.Pause) { told = append(told, p) } })
				for i := range tt.script {
					if p, paused := j.Paused(); paused {
						t.Fatalf("paused after %d answers: %+v", i, p)
					}
					grade(t, j, trial(byte(i), "x"))
				}
				p, paused := j.Paused()
				if p.Cause != tt.pause || paused != (tt.pause != "") || paused != (len(told) == 1) {
					t.Fatalf("paused %v for %q, told %v, want %q: %s", paused, p.Cause, told, tt.pause, tt.why)
				}
				start := time.Now()
				if g := grade(t, j, trial(99, "x")); short(g.Rulings[0]) != "live: graded 2 none by judge-a" {
					t.Errorf("what waited: %s", short(g.Rulings[0]))
				}
				if waited := time.Since(start); paused != (waited > 0) {
					t.Errorf("waited %s", waited)
				}
				if _, still := j.Paused(); still {
					t.Error("still paused")
				}
			})
		})
	}
}

// TestNothingIsLostWhilePaused: whatever comes during a pause waits and is graded when
// a probe shows the pinned snapshot again; probes become rarer, and no other call is made.
func TestNothingIsLostWhilePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := judgeA(other, other, down, other, says(0, verdict(3, "tone")))
		j := bench(t, f, nil, nil)
		first := grade(t, j, trial(1, "x"))
		if got := short(first.Rulings[0]); got != "live: not_graded snapshot_mismatch by judge-a" || !strings.Contains(first.Rulings[0].Reply, `"grade": 1`) {
			t.Fatalf("%s, reply %q", got, first.Rulings[0].Reply)
		}
		var all sync.WaitGroup
		graded := make([]judge.Graded, 20)
		for i := range graded {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 7 * time.Second)
				graded[i] = grade(t, j, trial(byte(i+2), "live", "cand"))
			})
		}
		all.Wait()
		for i, g := range graded {
			if diff := cmp.Diff([]string{"live: graded 3 tone by judge-a", "cand-a: graded 3 tone by judge-a"}, shorts(g.Rulings)); diff != "" {
				t.Errorf("trial %d: %s", i, diff)
			}
		}
		var at []time.Duration
		for _, c := range f.calls[1:5] {
			at = append(at, c.start.Sub(start))
		}
		if diff := cmp.Diff([]time.Duration{30 * time.Second, 90 * time.Second, 210 * time.Second, 450 * time.Second}, at); diff != "" {
			t.Errorf("probes: %s", diff)
		}
		if n := len(f.calls); n != 1+4+40 {
			t.Errorf("%d calls, want one mismatch, four probes and 40 answers", n)
		}
	})
}

// A stopped process gives its trials back: they wait on the bus for the next one.
func TestPauseEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := judgeA(other, hang)
		j := bench(t, hanging, nil, nil)
		grade(t, j, trial(1, "x"))
		stopped := errors.New("stopped")
		for _, after := range []time.Duration{time.Second, 31 * time.Second} { // before and during a probe
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(after, func() { cancel(stopped) })
			if _, err := j.Grade(ctx, trial(2, "x")); !errors.Is(err, stopped) {
				t.Errorf("after %s: error %v", after, err)
			}
		}
	})
}

// The reserve carries on when the first judge is refused: no pause.
func TestReserveNeedsNoPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := bench(t, judgeA(denied(402, "")), judgeB(says(0, verdict(2, "none"))), nil)
		for i := range 10 {
			if g := grade(t, j, trial(byte(i), "x")); short(g.Rulings[0]) != "live: graded 2 none by judge-b" {
				t.Fatal(short(g.Rulings[0]))
			}
		}
		if p, paused := j.Paused(); paused {
			t.Errorf("paused: %+v", p)
		}
	})
}

// TestWeights: the digest behind a tag is compared once a minute while there is work,
// and other weights pause grading until the pinned ones are back.
func TestWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := judgeA(says(0, verdict(2, "none")))
		asked := 0
		var found atomic.Pointer[error]
		j := bench(t, f, nil, func(o *judge.Options) {
			o.Primary.Verify = func(context.Context) error {
				asked++
				if err := found.Load(); err != nil {
					return *err
				}
				return nil
			}
		})
		step := func(id byte, after time.Duration, wantAsked int) {
			t.Helper()
			time.Sleep(after)
			grade(t, j, trial(id, "x", "y"))
			if asked != wantAsked {
				t.Errorf("trial %d: compared %d times, want %d", id, asked, wantAsked)
			}
		}
		step(1, 0, 1) // nothing is graded before
		step(2, 61*time.Second, 2)
		step(3, 30*time.Second, 2)
		found.Store(new(errors.New("server down")))
		step(4, 61*time.Second, 3) // not known: no pause
		found.Store(new(fmt.Errorf("sha256:ff: %w", judge.ErrSnapshot)))
		time.AfterFunc(100*time.Second, func() { found.Store(nil) })
		start := time.Now()
		step(5, 61*time.Second, 4+3) // two probes, at 30 s and 90 s, and then the second answer
		if waited := time.Since(start); waited != (61+90)*time.Second {
			t.Errorf("waited %s", waited)
		}
	})
}
