package policy_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/policy"
)

func TestRefusalIsRemembered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told []string
		health := policy.NewHealth("vendor", policy.HealthOptions{OnRefusal: func(p string, f *llm.Failure) { told = append(told, p+" "+string(f.Reason)) }})
		a := serve(t, "a", always(llmfake.Error(402, "billing_error")))
		b := serve(t, "b", always(llmfake.Text(second)))
		chain := policy.Failover([]llm.Model{health.Guard(a.Model), b.Model}, policy.FailoverOptions{})
		var last llm.Reply
		for range 5 {
			var err error
			if last, err = chain.Complete(t.Context(), ask(false)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		if diff := cmp.Diff([]string{"a skipped denied", "b served"}, fates(last)); diff != "" {
			t.Error(diff)
		}
		if a.fake.Calls() != 1 || len(told) != 1 || last.Attempts != 1 {
			t.Errorf("%d calls, told %v, %d attempts", a.fake.Calls(), told, last.Attempts)
		}
		time.Sleep(5 * time.Minute)
		_, _ = chain.Complete(t.Context(), ask(false))
		if a.fake.Calls() != 2 {
			t.Errorf("%d calls after ten minutes, want 2", a.fake.Calls())
		}
	})
}

// A model that is gone is no reason to spare the provider's others.
func TestModelGoneIsNotTheProvider(t *testing.T) {
	bubble(t, func(t *testing.T) {
		health := policy.NewHealth("vendor", policy.HealthOptions{})
		a := serve(t, "a", always(llmfake.Error(404, "model_not_found")))
		b := serve(t, "b", always(llmfake.Text(second)))
		_, err := health.Guard(a.Model).Complete(t.Context(), ask(false))
		var f *llm.Failure
		if !errors.As(err, &f) || f.Class != llm.Denied {
			t.Fatalf("%v", err)
		}
		if _, err := health.Guard(b.Model).Complete(t.Context(), ask(false)); err != nil {
			t.Error(err)
		}
	})
}

func TestBreakerOfAWindow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		bad := true
		health := policy.NewHealth("vendor", policy.HealthOptions{})
		a := serve(t, "a", func(c llmfake.Call) llmfake.Answer {
			if bad && c.N%4 == 0 { // 25 %
				return llmfake.Error(503, "overloaded")
			}
			return llmfake.Text(first)
		})
		m := health.Guard(a.Model)
		for range 100 {
			_, _ = m.Complete(t.Context(), ask(false))
		}
		opened := a.fake.Calls()
		if opened < 44 || opened > 50 { // 11 failures at one in four
			t.Errorf("open after %d calls", opened)
		}
		_, err := m.Complete(t.Context(), ask(false))
		var f *llm.Failure
		if !errors.As(err, &f) || f.Code != "breaker_open" || f.Class != llm.Unavailable {
			t.Errorf("%v", err)
		}
		bad = false
		time.Sleep(policy.DefaultOpen)
		for range 10 {
			if _, err := m.Complete(t.Context(), ask(false)); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestBreakerOneBadOpensAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		health := policy.NewHealth("vendor", policy.HealthOptions{Failures: 3, Window: 3, Open: 5 * time.Minute})
		a := serve(t, "a", always(llmfake.Answer{Then: llmfake.Reset}))
		m := health.Guard(a.Model)
		for range 5 {
			_, _ = m.Complete(t.Context(), ask(false))
		}
		if a.fake.Calls() != 3 {
			t.Errorf("%d calls, want 3 in a row", a.fake.Calls())
		}
		time.Sleep(5 * time.Minute)
		for range 5 {
			_, _ = m.Complete(t.Context(), ask(false))
		}
		if a.fake.Calls() != 4 {
			t.Errorf("%d calls, want one more", a.fake.Calls())
		}
	})
}

// 4xx, rate limits and callers who leave say nothing about the provider's health.
func TestWhatTheBreakerDoesNotCount(t *testing.T) {
	for _, answer := range []llmfake.Answer{
		llmfake.Error(400, "invalid_request_error"), llmfake.Error(429, "rate_limit_exceeded"), llmfake.Error(413, "too_large"),
	} {
		bubble(t, func(t *testing.T) {
			health := policy.NewHealth("vendor", policy.HealthOptions{Failures: 3, Window: 3})
			a := serve(t, "a", always(answer))
			m := health.Guard(a.Model)
			for range 20 {
				_, _ = m.Complete(t.Context(), ask(false))
			}
			if a.fake.Calls() != 20 {
				t.Errorf("status %d: %d of 20 calls", answer.Status, a.fake.Calls())
			}
		})
	}
	bubble(t, func(t *testing.T) {
		health := policy.NewHealth("vendor", policy.HealthOptions{Failures: 3, Window: 3})
		a := serve(t, "a", always(llmfake.Answer{Then: llmfake.Hang}))
		m := health.Guard(a.Model)
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, _ = m.Complete(ctx, ask(false))
		}
		if a.fake.Calls() != 10 {
			t.Errorf("%d of 10 calls that were given up", a.fake.Calls())
		}
	})
}

func TestSecondKey(t *testing.T) {
	for status, want := range map[int][]string{
		401: {"one failed denied", "two served"}, 403: {"one failed denied", "two served"}, 402: nil, 500: nil,
	} {
		bubble(t, func(t *testing.T) {
			one := serve(t, "one", always(llmfake.Error(status, "x")))
			two := serve(t, "two", always(llmfake.Text(second)))
			reply, err := policy.SecondKey(one.Model, two.Model).Complete(t.Context(), ask(false))
			if (err == nil) != (want != nil) {
				t.Errorf("status %d: %v", status, err)
			}
			if diff := cmp.Diff(want, fates(reply)); diff != "" {
				t.Errorf("status %d: %s", status, diff)
			}
			if calls := two.fake.Calls(); (calls == 1) != (want != nil) {
				t.Errorf("status %d: %d calls with the second key", status, calls)
			}
		})
	}
}
