package policy_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/policy"
)

func TestRace(t *testing.T) {
	loop := strings.Repeat("I am sorry, I am sorry. ", 40)
	fail := llmfake.Error(500, "server_error")
	tests := []struct {
		name, why string
		a, b      llmfake.Script
		o         policy.RaceOptions
		text      string
		mark      llm.Mark
		reason    llm.Reason
		fates     []string
		took      time.Duration
	}{
		{name: "primary in time", why: "a reserve that is ready earlier waits, and waits for nothing",
			a: always(after(2400*time.Millisecond, first)), b: always(after(time.Second, second)),
			text: first, fates: []string{"a served", "b spare"}, took: 2400 * time.Millisecond},
		{name: "primary late", why: "the reserve that waited goes out at 2.5 s",
			a: always(after(4*time.Second, first)), b: always(after(time.Second, second)),
			text: second, fates: []string{"a given_up", "b served"}, took: 2500 * time.Millisecond},
		{name: "both late", why: "then the first finished counts: primary",
			a: always(after(3*time.Second, first)), b: always(after(4*time.Second, second)),
			text: first, fates: []string{"a served", "b given_up"}, took: 3 * time.Second},
		{name: "both late, reserve first", why: "then the first finished counts: reserve",
			a: always(after(4*time.Second, first)), b: always(after(3*time.Second, second)),
			text: second, fates: []string{"a given_up", "b served"}, took: 3 * time.Second},
		{name: "primary fails for good", why: "hands over at once, before 2.5 s",
			a: always(llmfake.Error(401, "invalid_api_key")), b: always(after(time.Second, second)),
			text: second, fates: []string{"a failed denied", "b served"}, took: time.Second},
		{name: "third attempt", why: "three calls at the primary, then it is gone",
			a: each(fail, fail, after(time.Second, first)), b: always(after(2*time.Second, second)),
			text: first, fates: []string{"a failed status_5xx", "a failed status_5xx", "a served", "b given_up"}, took: time.Second},
		{name: "all three fail", why: "the fourth is the reserve's",
			a: always(fail), b: always(after(time.Second, second)), text: second,
			fates: []string{"a failed status_5xx", "a failed status_5xx", "a failed status_5xx", "b served"}, took: time.Second},
		{name: "the caller's own fault", why: "no other model makes it good",
			a: always(llmfake.Answer{Status: 400, Code: "invalid_request_error", Took: 10 * time.Millisecond}), b: always(after(time.Second, second)),
			reason: llm.Status4xx, fates: []string{"a failed status_4xx", "b given_up"}},
		{name: "reserve fails", why: "nothing changes for the primary",
			a: always(after(5*time.Second, first)), b: always(fail),
			text: first, fates: []string{"a served", "b failed status_5xx"}, took: 5 * time.Second},
		{name: "implausible primary", why: "the other is awaited and better",
			a: always(after(time.Second, loop)), b: always(after(4*time.Second, second)),
			text: second, fates: []string{"a spare", "b served"}, took: 4 * time.Second},
		{name: "both implausible", why: "the better one goes out, marked",
			a: always(after(time.Second, ".")), b: always(after(2*time.Second, loop)),
			text: loop, mark: llm.Implausible, fates: []string{"a spare", "b served"}, took: 2 * time.Second},
		{name: "implausible, and nobody else", why: "it is all there is, marked",
			a: always(after(time.Second, loop)), b: always(fail),
			text: loop, mark: llm.Implausible, fates: []string{"a served", "b failed status_5xx"}, took: time.Second},
		{name: "implausible reserve, late primary", why: "the primary may still be better",
			a: always(after(6*time.Second, first)), b: always(after(time.Second, loop)),
			text: first, fates: []string{"a served", "b spare"}, took: 6 * time.Second},
		{name: "held back to the end", why: "at the budget's end what there is goes out, marked",
			a: always(llmfake.Answer{Then: llmfake.Hang}), b: always(after(time.Second, loop)),
			text: loop, mark: llm.Implausible, fates: []string{"a failed timeout", "b served"}, took: 20 * time.Second},
		{name: "nobody answers", why: "nobody waits longer than the budget",
			a: always(llmfake.Answer{Then: llmfake.Hang}), b: always(llmfake.Answer{Then: llmfake.Hang}),
			reason: llm.Timeout, fates: []string{"failed timeout", "failed timeout"}, took: 20 * time.Second},
		{name: "both fail", why: "the failure is the primary's",
			a: always(llmfake.Error(401, "invalid_api_key")), b: always(fail), reason: llm.DeniedReason,
			fates: []string{"a failed denied", "b failed status_5xx"}},
		{name: "delayed reserve", why: "a primary that is quick costs no second call",
			a: always(after(time.Second, first)), b: always(llmfake.Text(second)), o: policy.RaceOptions{ReserveAfter: 2 * time.Second},
			text: first, fates: []string{"a served"}, took: time.Second},
		{name: "delayed reserve, implausible primary", why: "the reserve begins when it is needed",
			a: always(after(time.Second, loop)), b: always(llmfake.Text(second)), o: policy.RaceOptions{ReserveAfter: 2 * time.Second},
			text: second, fates: []string{"a spare", "b served"}, took: time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a, b := serve(t, "a", tt.a), serve(t, "b", tt.b)
				reply, err := policy.Race(a.Model, b.Model, tt.o).Complete(t.Context(), ask(false))
				var f *llm.Failure
				if errors.As(err, &f) != (tt.reason != "") || f != nil && f.Reason != tt.reason || f == nil && (reply.Text != tt.text || reply.Mark != tt.mark) {
					t.Errorf("%s: %q %q, %v", tt.why, reply.Text, reply.Mark, err)
				}
				got := fates(reply)
				if strings.HasPrefix(tt.fates[0], "failed") { // in any order
					for i := range got {
						got[i] = got[i][2:]
					}
				}
				if diff := cmp.Diff(tt.fates, got); diff != "" {
					t.Errorf("%s: %s", tt.why, diff)
				}
				within(t, "over", reply.Took, tt.took)
				if calls := a.fake.Calls() + b.fake.Calls(); calls != reply.Attempts {
					t.Errorf("%d calls arrived, %d attempts are said", calls, reply.Attempts)
				}
			})
		})
	}
}

// The loser is cancelled at the socket, not only forgotten.
func TestLoserIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, b := serve(t, "a", always(after(time.Second, first))), serve(t, "b", always(llmfake.Answer{Then: llmfake.Hang}))
		if _, err := policy.Race(a.Model, b.Model, policy.RaceOptions{}).Complete(t.Context(), ask(false)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if b.fake.Left() != 1 || b.fake.Open() != 0 {
			t.Errorf("%d left, %d still open; want 1, 0", b.fake.Left(), b.fake.Open())
		}
	})
}

// What was shown cannot be taken back, so a stream is held until the winner is whole.
func TestRaceHoldsStream(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := serve(t, "a", always(llmfake.Answer{Text: first, First: time.Second, Took: 2 * time.Second, Pieces: 4}))
		b := serve(t, "b", always(after(9*time.Second, second)))
		told := 0
		req := ask(true)
		req.OnFirst = func() { told++ }
		reply, err := policy.Race(a.Model, b.Model, policy.RaceOptions{}).Complete(t.Context(), req)
		if err != nil || told != 1 || reply.FirstToken != reply.Took {
			t.Errorf("told %d times, first token %s of %s, %v", told, reply.FirstToken, reply.Took, err)
		}
		within(t, "over", reply.Took, 2*time.Second)
	})
}

func TestRaceCallerLeaves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, b := serve(t, "a", always(after(9*time.Second, first))), serve(t, "b", always(after(9*time.Second, second)))
		left := errors.New("left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(left) })
		reply, err := policy.Race(a.Model, b.Model, policy.RaceOptions{}).Complete(ctx, ask(false))
		if !errors.Is(err, left) || a.fake.Calls()+b.fake.Calls() != 2 || len(reply.Trace) != 2 {
			t.Errorf("%v, %v", err, fates(reply))
		}
	})
}

// A chain inside a race, a race inside a chain: one trace, times from one start.
func TestNested(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := serve(t, "a", always(after(time.Second, "")))
		b, c := serve(t, "b", always(after(time.Second, first))), serve(t, "c", always(after(9*time.Second, second)))
		chain := policy.Failover([]llm.Model{a.Model, b.Model}, policy.FailoverOptions{})
		inRace, err := policy.Race(chain, c.Model, policy.RaceOptions{}).Complete(t.Context(), ask(false))
		if diff := cmp.Diff([]string{"a failed empty", "c given_up", "b served"}, fates(inRace)); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		if inRace.Outcome() != llm.Failover || inRace.Trace[2].At != time.Second {
			t.Errorf("%q, b began at %s", inRace.Outcome(), inRace.Trace[2].At)
		}
		race := policy.Race(a.Model, c.Model, policy.RaceOptions{Budget: 3 * time.Second, Attempts: 1})
		inChain, err := policy.Failover([]llm.Model{race, b.Model}, policy.FailoverOptions{}).Complete(t.Context(), ask(false))
		if diff := cmp.Diff([]string{"a failed empty", "c failed timeout", "b served"}, fates(inChain)); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		within(t, "over", inChain.Took, 4*time.Second)
	})
}
