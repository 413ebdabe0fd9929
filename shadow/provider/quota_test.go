package provider_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// Shadow calls pause while less than a fifth of a limit is left, as long as the provider
// says and a minute at most; what says nothing, or nothing that can be read, holds nobody.
func TestQuota(t *testing.T) {
	at := func(d time.Duration) func(time.Time) string {
		return func(now time.Time) string { return now.Add(d).UTC().Format(time.RFC3339) }
	}
	is := func(text string) func(time.Time) string { return func(time.Time) string { return text } }
	openai := func(limit, left, reset string) map[string]func(time.Time) string {
		return map[string]func(time.Time) string{"X-RateLimit-Limit-Requests": is(limit), "X-RateLimit-Remaining-Requests": is(left), "X-RateLimit-Reset-Requests": is(reset)}
	}
	for _, c := range []struct {
		name   string
		status int
		header map[string]func(time.Time) string
		want   time.Duration
	}{
		{"silent", 0, nil, 0},
		{"plenty", 0, openai("1000", "200", "6m0s"), 0},
		{"little", 0, openai("1000", "199", "1.5s"), 1500 * time.Millisecond},
		{"for long", 0, openai("1000", "0", "6m0s"), time.Minute},
		{"in seconds", 0, openai("10", "1", "7"), 7 * time.Second},
		{"garbage", 0, openai("many", "few", "soon"), 0},
		{"no limit", 0, openai("0", "0", "5s"), 0},
		{"negative", 0, openai("10", "-1", "5s"), 0},
		{"tokens", 0, map[string]func(time.Time) string{"x-ratelimit-limit-tokens": is("1e6"), "x-ratelimit-remaining-tokens": is("10"), "x-ratelimit-reset-tokens": is("20ms")}, 20 * time.Millisecond},
		{"anthropic", 0, map[string]func(time.Time) string{"anthropic-ratelimit-output-tokens-limit": is("8000"), "anthropic-ratelimit-output-tokens-remaining": is("100"), "anthropic-ratelimit-output-tokens-reset": at(9 * time.Second)}, 9 * time.Second},
		{"past", 0, map[string]func(time.Time) string{"anthropic-ratelimit-requests-limit": is("8"), "anthropic-ratelimit-requests-remaining": is("0"), "anthropic-ratelimit-requests-reset": at(-time.Second)}, 0},
		{"429", 429, map[string]func(time.Time) string{"Retry-After": is("4")}, 4 * time.Second},
		{"429 without a word", 429, nil, 0},
		{"503 is no limit", 503, map[string]func(time.Time) string{"Retry-After": is("4")}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := llmfake.New(func(llmfake.Call) llmfake.Answer {
					a := llmfake.Answer{Text: "yes", Status: c.status, Header: map[string]string{}}
					for name, value := range c.header {
						a.Header[name] = value(time.Now())
					}
					return a
				})
				q := asked(t, fake)
				began := time.Now()
				if err := q.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				if waited := time.Since(began); waited != c.want {
					t.Errorf("waited %s, want %s", waited, c.want)
				}
			})
		})
	}
}

// Who stops waiting is told why.
func TestQuotaEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := llmfake.New(func(llmfake.Call) llmfake.Answer {
			return llmfake.Answer{Status: 429, Header: map[string]string{"Retry-After": "30"}}
		})
		q := asked(t, fake)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := q.Wait(ctx); err == nil {
			t.Error("waited in vain, and said nothing")
		}
	})
}

// asked is a quota after one call of a model.
func asked(t *testing.T, fake *llmfake.Fake) *provider.Quota {
	t.Helper()
	q := &provider.Quota{}
	client, err := provider.Open(provider.Endpoint{
		Name: "m", Provider: llm.ProviderOpenAI, BaseURL: "http://m.invalid/v1", Model: "m", Quota: q,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return fake.Dial(ctx, network, address)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = fake.Close()
	})
	_, _ = client.Model().Complete(t.Context(), llm.Request{Dialect: llm.OpenAIChat, Body: []byte(`{"messages":[{"role":"user","content":"?"}]}`)})
	return q
}
