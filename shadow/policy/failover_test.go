package policy_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/policy"
)

func TestFailover(t *testing.T) {
	hang := llmfake.Answer{Then: llmfake.Hang}
	tests := []struct {
		name, why string
		first     llmfake.Answer
		stream    bool
		o         policy.FailoverOptions
		text      string
		fates     []string
		reason    llm.Reason // of the whole request, if it fails
		took      time.Duration
	}{
		{name: "healthy", why: "the others are not called", first: llmfake.Text(first),
			text: first, fates: []string{"a served"}},
		{name: "500", why: "a server's error goes on", first: llmfake.Error(500, "server_error"),
			text: second, fates: []string{"a failed status_5xx", "b served"}},
		{name: "502 with HTML", why: "a gateway's page is no answer", first: llmfake.Answer{Status: 502, Raw: []byte("<html>Bad Gateway</html>")},
			text: second, fates: []string{"a failed status_5xx", "b served"}},
		{name: "429", why: "without a hint there is nothing to wait for", first: llmfake.Error(429, "rate_limit_exceeded"),
			text: second, fates: []string{"a failed rate_limited", "b served"}},
		{name: "429 not in on", why: "the chain goes on after what it was told to", first: llmfake.Error(429, "rate_limit_exceeded"),
			o: policy.FailoverOptions{On: []policy.Trigger{policy.ServerError}}, fates: []string{"a failed rate_limited"}, reason: llm.RateLimited},
		{name: "400", why: "the caller's own fault fails everywhere", first: llmfake.Error(400, "invalid_request_error"),
			fates: []string{"a failed status_4xx"}, reason: llm.Status4xx},
		{name: "422", why: "as 400", first: llmfake.Error(422, "invalid_request_error"),
			fates: []string{"a failed status_4xx"}, reason: llm.Status4xx},
		{name: "401", why: "a lasting refusal goes on whatever on says", first: llmfake.Error(401, "invalid_api_key"),
			o: policy.FailoverOptions{On: []policy.Trigger{policy.Timeout}}, text: second, fates: []string{"a failed denied", "b served"}},
		{name: "hang before headers", why: "the time limit of a call ends it", first: hang,
			o: policy.FailoverOptions{Limits: policy.Limits{Timeout: 10 * time.Second}}, text: second,
			fates: []string{"a failed timeout", "b served"}, took: 10 * time.Second},
		{name: "hang without a limit", why: "the budget is the limit, and leaves no time for others", first: hang,
			fates: []string{"a failed timeout"}, reason: llm.Timeout, took: 20 * time.Second},
		{name: "reset", why: "a lost connection goes on", first: llmfake.Answer{Then: llmfake.Reset},
			text: second, fates: []string{"a failed reset", "b served"}},
		{name: "error in a 200", why: "a proxy's way to say 500", first: llmfake.Answer{Raw: []byte(`{"error":{"message":"x","code":502}}`)},
			text: second, fates: []string{"a failed error_in_200", "b served"}},
		{name: "empty 200", why: "nobody can use it", first: llmfake.Answer{},
			text: second, fates: []string{"a failed empty", "b served"}},
		{name: "no first token", why: "a stream that says nothing in time is taken over", stream: true,
			first: llmfake.Answer{Text: first, First: 9 * time.Second, Took: 10 * time.Second},
			o:     policy.FailoverOptions{Limits: policy.Limits{FirstToken: 5 * time.Second}}, text: second,
			fates: []string{"a failed timeout", "b served"}, took: 5 * time.Second},
		{name: "first token in time", why: "its limit is not one for the answer", stream: true,
			first: llmfake.Answer{Text: first, First: 4 * time.Second, Took: 10 * time.Second, Pieces: 3},
			o:     policy.FailoverOptions{Limits: policy.Limits{FirstToken: 5 * time.Second}}, text: first,
			fates: []string{"a served"}, took: 10 * time.Second},
		{name: "cut within the text", why: "what was shown cannot be taken back", stream: true,
			first: llmfake.Answer{Text: first, Pieces: 4, First: time.Second, Took: 2 * time.Second, Then: llmfake.Reset},
			fates: []string{"a failed reset"}, reason: llm.Reset, took: 2 * time.Second},
		{name: "cut before the text", why: "nothing was shown yet", stream: true,
			first: llmfake.Answer{Raw: []byte("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"), Then: llmfake.Reset},
			text:  second, fates: []string{"a failed reset", "b served"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a, b := serve(t, "a", always(tt.first)), serve(t, "b", always(llmfake.Text(second)))
				reply, err := policy.Failover([]llm.Model{a.Model, b.Model}, tt.o).Complete(t.Context(), ask(tt.stream))
				var f *llm.Failure
				if errors.As(err, &f) != (tt.reason != "") || f != nil && f.Reason != tt.reason || f == nil && reply.Text != tt.text {
					t.Errorf("%s: %q, %v", tt.why, reply.Text, err)
				}
				if diff := cmp.Diff(tt.fates, fates(reply)); diff != "" {
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

func TestAllFail(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := serve(t, "a", always(llmfake.Error(500, "server_error")))
		b := serve(t, "b", always(llmfake.Error(429, "rate_limit_exceeded")))
		reply, err := policy.Failover([]llm.Model{a.Model, b.Model}, policy.FailoverOptions{}).Complete(t.Context(), ask(false))
		var f *llm.Failure
		if !errors.As(err, &f) || f.Reason != llm.RateLimited || !strings.Contains(err.Error(), "a: status_5xx") {
			t.Errorf("%v", err)
		}
		if reply.Outcome() != llm.Fallback {
			t.Errorf("outcome %q, want fallback", reply.Outcome())
		}
		if strings.Contains(err.Error(), ".invalid") {
			t.Errorf("an endpoint in %q", err)
		}
	})
}

// Two time-outs of 10 s in a chain gave 20.41 s in a service whose clients waited 20 s.
func TestBudgetIsHard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hang := serve(t, "a", always(llmfake.Answer{Then: llmfake.Hang}))
		models := []llm.Model{hang.Model, hang.Model, hang.Model}
		start := time.Now()
		reply, err := policy.Failover(models, policy.FailoverOptions{Limits: policy.Limits{Timeout: 9 * time.Second}}).Complete(t.Context(), ask(false))
		if err == nil {
			t.Error("an answer from a model that hangs")
		}
		within(t, "over", time.Since(start), 20*time.Second)
		if len(reply.Trace) != 3 || reply.Trace[2].Took > 2100*time.Millisecond {
			t.Errorf("%+v", reply.Trace)
		}
	})
}

func TestCallerLeaves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, b := serve(t, "a", always(after(5*time.Second, first))), serve(t, "b", always(llmfake.Text(second)))
		left := errors.New("left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(left) })
		reply, err := policy.Failover([]llm.Model{a.Model, b.Model}, policy.FailoverOptions{}).Complete(ctx, ask(false))
		if !errors.Is(err, left) || b.fake.Calls() != 0 {
			t.Errorf("%v, %d calls of the reserve", err, b.fake.Calls())
		}
		if diff := cmp.Diff([]string{"a given_up"}, fates(reply)); diff != "" {
			t.Error(diff)
		}
	})
}

// A client library that gives up by itself says context.Canceled, too.
func TestLibraryGivesUp(t *testing.T) {
	library := llm.Model{Name: "a", Complete: func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{}, context.Canceled
	}}
	fine := llm.Model{Name: "b", Complete: func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: second}, nil
	}}
	reply, err := policy.Failover([]llm.Model{library, fine}, policy.FailoverOptions{}).Complete(t.Context(), ask(false))
	if err != nil || reply.Outcome() != llm.Failover {
		t.Errorf("%v, %v", fates(reply), err)
	}
}

func TestBackOff(t *testing.T) {
	busy := func(wait string) llmfake.Answer {
		a := llmfake.Error(429, "rate_limit_exceeded")
		a.Header = map[string]string{"Retry-After": wait}
		return a
	}
	tests := []struct {
		name, wait string
		retries    *policy.RetryBudget
		fates      []string
		took       time.Duration
	}{
		{"a second", "1", policy.NewRetryBudget(), []string{"a failed rate_limited", "a served"}, time.Second},
		{"too long for a user", "30", policy.NewRetryBudget(), []string{"a failed rate_limited", "b served"}, 0},
		{"garbage", "soon", policy.NewRetryBudget(), []string{"a failed rate_limited", "b served"}, 0},
		{"a date", time.Date(2000, 1, 1, 0, 0, 1, 0, time.UTC).Format("Mon, 02 Jan 2006 15:04:05 GMT"), policy.NewRetryBudget(),
			[]string{"a failed rate_limited", "a served"}, time.Second}, // a bubble's clock starts at 2000
		{"no retries left", "1", nil, []string{"a failed rate_limited", "b served"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := serve(t, "a", each(busy(tt.wait), llmfake.Text(first)))
				b := serve(t, "b", always(llmfake.Text(second)))
				reply, err := policy.Failover([]llm.Model{a.Model, b.Model}, policy.FailoverOptions{Retries: tt.retries}).Complete(t.Context(), ask(false))
				if diff := cmp.Diff(tt.fates, fates(reply)); diff != "" || err != nil {
					t.Errorf("%v %s", err, diff)
				}
				within(t, "over", reply.Took, tt.took)
			})
		})
	}
}

// 10 % of the requests, once the ten of the start are used up.
func TestRetryBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		busy := llmfake.Error(429, "rate_limit_exceeded")
		busy.Header = map[string]string{"Retry-After": "1"}
		a := serve(t, "a", always(busy))
		m := policy.Failover([]llm.Model{a.Model}, policy.FailoverOptions{Retries: policy.NewRetryBudget()})
		for range 200 {
			_, _ = m.Complete(t.Context(), ask(false))
		}
		if extra := a.fake.Calls() - 200; extra < 25 || extra > 30 {
			t.Errorf("%d retries of 200 requests, want 10 and 10 %%", extra)
		}
	})
}

const form = `{"model":"m","messages":[{"role":"user","content":"?"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}}`

func TestOutputCheck(t *testing.T) {
	broken, kept := llmfake.Text("fine"), llmfake.Text(`{"ok":true}`)
	tests := []struct {
		name, why string
		b, c      llmfake.Script
		fates     []string
		text      string
	}{
		{"kept", "nothing to correct", always(kept), always(kept), []string{"a failed status_5xx", "b served"}, `{"ok":true}`},
		{"corrected", "one call corrects it", each(broken, kept), always(kept), []string{"a failed status_5xx", "b spare", "b served"}, `{"ok":true}`},
		{"not corrected", "then the next stage", always(broken), always(kept), []string{"a failed status_5xx", "b spare", "b spare", "c served"}, `{"ok":true}`},
		{"none keeps it", "then the safe value, which no model said", always(broken), always(broken),
			[]string{"a failed status_5xx", "b spare", "b spare", "c spare", "c spare"}, `{"ok":false}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := serve(t, "a", always(llmfake.Error(500, "server_error")))
				b, c := serve(t, "b", tt.b), serve(t, "c", tt.c)
				safe := policy.Resort("safe", func(llm.Request) string { return `{"ok":false}` })
				req := ask(false)
				req.Body = []byte(form)
				reply, err := policy.Failover([]llm.Model{a.Model, b.Model, c.Model, safe}, policy.FailoverOptions{Check: &policy.OutputCheck{}}).Complete(t.Context(), req)
				if diff := cmp.Diff(tt.fates, fates(reply)); diff != "" || err != nil || reply.Text != tt.text {
					t.Errorf("%s: %q %v %s", tt.why, reply.Text, err, diff)
				}
				if (reply.Mark == llm.LastResort) != (tt.name == "none keeps it") {
					t.Errorf("%s: mark %q", tt.why, reply.Mark)
				}
			})
		})
	}
}

// The first model is the one that the prompts were made for: it is not corrected.
func TestFirstStageIsNotChecked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := serve(t, "a", always(llmfake.Text("fine")))
		req := ask(false)
		req.Body = []byte(form)
		reply, err := policy.Failover([]llm.Model{a.Model}, policy.FailoverOptions{Check: &policy.OutputCheck{}}).Complete(t.Context(), req)
		if err != nil || reply.Text != "fine" || a.fake.Calls() != 1 {
			t.Errorf("%q, %v, %d calls", reply.Text, err, a.fake.Calls())
		}
	})
}

// All calls of a request at one provider carry one key, and requests differ in it.
func TestIdempotencyKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		keys := map[string]int{}
		busy := llmfake.Error(429, "rate_limit_exceeded")
		busy.Header = map[string]string{"Retry-After": "1"}
		a := serve(t, "a", func(c llmfake.Call) llmfake.Answer {
			keys[c.Header.Get("Idempotency-Key")]++
			if c.N%2 == 1 {
				return busy
			}
			return llmfake.Text(first)
		})
		m := policy.Failover([]llm.Model{a.Model}, policy.FailoverOptions{Retries: policy.NewRetryBudget()})
		for range 3 {
			if _, err := m.Complete(t.Context(), ask(false)); err != nil {
				t.Fatal(err)
			}
		}
		if len(keys) != 3 || keys[""] != 0 {
			t.Errorf("%v", keys)
		}
		for key, n := range keys {
			if n != 2 {
				t.Errorf("key %q came %d times, want 2", key, n)
			}
		}
	})
}

// A stage that cannot be asked this is passed over; when none can, nobody was asked.
func TestUnsupportedStage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cannot := llm.Model{Name: "x", Complete: func(context.Context, llm.Request) (llm.Reply, error) {
			return llm.Reply{}, llm.ErrUnsupported
		}}
		b, c := serve(t, "b", always(llmfake.Text(second))), serve(t, "c", always(llmfake.Error(500, "server_error")))
		for _, m := range []llm.Model{
			policy.Failover([]llm.Model{cannot, b.Model}, policy.FailoverOptions{}),
			policy.Race(cannot, b.Model, policy.RaceOptions{}), policy.Race(b.Model, cannot, policy.RaceOptions{}),
		} {
			reply, err := m.Complete(t.Context(), ask(false))
			if err != nil || reply.Text != second || reply.Attempts != 1 {
				t.Errorf("%q, %v, %v", reply.Text, err, fates(reply))
			}
		}
		for _, m := range []llm.Model{
			policy.Failover([]llm.Model{cannot, cannot}, policy.FailoverOptions{}), policy.Race(cannot, cannot, policy.RaceOptions{}),
		} {
			if _, err := m.Complete(t.Context(), ask(false)); !errors.Is(err, llm.ErrUnsupported) {
				t.Errorf("%v", err)
			}
		}
		for _, m := range []llm.Model{
			policy.Failover([]llm.Model{c.Model, cannot}, policy.FailoverOptions{}), policy.Race(cannot, c.Model, policy.RaceOptions{}),
		} {
			var f *llm.Failure
			if _, err := m.Complete(t.Context(), ask(false)); !errors.As(err, &f) || f.Reason != llm.Status5xx {
				t.Errorf("%v", err)
			}
		}
	})
}
