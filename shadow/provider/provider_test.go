package provider_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// Google's client starts a goroutine when it is imported, as the tests do.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

func caseFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func num(n int64) *int64 { return &n }

func always(a llmfake.Answer) llmfake.Script { return func(llmfake.Call) llmfake.Answer { return a } }

// key is a credential that no error may show.
const key = "CANARY-key-1"

func endpoint(p llm.Provider, f *llmfake.Fake) provider.Endpoint {
	return provider.Endpoint{
		Name: "cand-a", Provider: p, BaseURL: "http://canary.example", Model: "m-2",
		Key: func() (string, error) { return key, nil }, Dial: f.Dial,
	}
}

// inBubble runs f with a fake and a client of it inside a bubble with its own clock.
func inBubble(t *testing.T, e provider.Endpoint, script llmfake.Script, f func(t *testing.T, fake *llmfake.Fake, c *provider.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fake := llmfake.New(script, "m-2")
		e.Dial = fake.Dial
		c, err := provider.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			c.CloseIdleConnections()
			if err := fake.Close(); err != nil {
				t.Error(err)
			}
		}()
		f(t, fake, c)
	})
}

func ask(stream bool) llm.Request {
	return llm.Request{
		Dialect: llm.OpenAIChat, Stream: stream,
		Body: fmt.Appendf(nil, `{"model":"live-1", "seed":12345678901234567890, "store":true, "messages":[{"role":"user","content":"\ud83d"}], "stream":%v}`, stream),
	}
}

func TestStreamedBody(t *testing.T) {
	var got llmfake.Call
	script := func(c llmfake.Call) llmfake.Answer {
		got = c
		return llmfake.Answer{Text: "Guten Tag.", Model: "m-2-2026", In: 20, Out: 3, Pieces: 3, First: 700 * time.Millisecond, Took: 2300 * time.Millisecond}
	}
	req := ask(true)
	req.Header = http.Header{"Authorization": {"Bearer CALLER"}, "Cookie": {"CALLER"}, "Openai-Beta": {"x=1"}, "Openai-Organization": {"CALLER"}}
	inBubble(t, endpoint(llm.ProviderOpenAI, nil), script, func(t *testing.T, fake *llmfake.Fake, c *provider.Client) {
		r, err := c.Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		want := llm.Reply{
			Text: "Guten Tag.", Finish: llm.FinishStop, Model: "m-2-2026", Usage: llm.Usage{In: num(20), Out: num(3)},
			FirstToken: 700 * time.Millisecond, Took: 2300 * time.Millisecond, Attempts: 1, Status: 200,
			Notes: []string{"store removed", "stream_options.include_usage added"},
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("reply (-want +got)\n%s", diff)
		}
		if _, err := c.Complete(t.Context(), req); err != nil || fake.Connections() != 1 {
			t.Errorf("second call: %v, %d connections", err, fake.Connections())
		}
	})
	wantBody := `{"model":"m-2", "seed":12345678901234567890, "messages":[{"role":"user","content":"\ud83d"}], "stream":true,"stream_options":{"include_usage":true}}`
	if string(got.Body) != wantBody || got.Path != "/v1/chat/completions" {
		t.Errorf("%s was sent\n%s", got.Path, got.Body)
	}
	if got.Header.Get("Authorization") != "Bearer "+key || got.Header.Get("Openai-Beta") != "x=1" || strings.Contains(fmt.Sprint(got.Header), "CALLER") {
		t.Errorf("headers %v", got.Header)
	}
}

func TestWholeBody(t *testing.T) {
	for _, p := range []llm.Provider{llm.ProviderOpenAI, llm.ProviderOllama} {
		e := endpoint(p, nil)
		e.Extra = map[string]any{"top_k": 20, "seed": nil, "reasoning_effort": "none"}
		var body string
		script := func(c llmfake.Call) llmfake.Answer {
			body = string(c.Body)
			return llmfake.Answer{Text: "Hi", Took: time.Second, In: 1, Out: 1}
		}
		inBubble(t, e, script, func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
			r, err := c.Complete(t.Context(), ask(false))
			want := llm.Reply{Text: "Hi", Finish: llm.FinishStop, Model: "m-2", Usage: llm.Usage{In: num(1), Out: num(1)}, Took: time.Second, Attempts: 1, Status: 200,
				Notes: []string{"store removed", "reasoning_effort set", "seed removed", "top_k set"}}
			if diff := cmp.Diff(want, r); diff != "" || err != nil {
				t.Errorf("%s: %v, reply (-want +got)\n%s", p, err, diff)
			}
		})
		if want := `{"model":"m-2", "messages":[{"role":"user","content":"\ud83d"}], "stream":false,"reasoning_effort":"none","top_k":20}`; body != want {
			t.Errorf("%s: sent %s", p, body)
		}
	}
}

func TestFailures(t *testing.T) {
	const limit = 20 * time.Second
	stalled := "Ich prüfe"
	tests := []struct {
		name, why string
		answer    llmfake.Answer
		stream    bool
		reason    llm.Reason
		class     llm.Class
		took      time.Duration
		text      string
	}{
		{name: "hang", why: "no answer at all: more than the limit", answer: llmfake.Answer{Then: llmfake.Hang}, stream: true, reason: llm.Timeout, class: llm.Unavailable, took: limit},
		{name: "hang, whole", why: "the same without a stream", answer: llmfake.Answer{Then: llmfake.Hang}, reason: llm.Timeout, class: llm.Unavailable, took: limit},
		{name: "stall", why: "two tokens, then silence", answer: llmfake.Answer{Text: stalled, Pieces: 2, First: time.Second, Then: llmfake.Hang}, stream: true, reason: llm.Timeout, class: llm.Unavailable, took: limit, text: stalled},
		{name: "cut", why: "a stream without its end sign", answer: llmfake.Answer{Text: "Hi", Took: time.Second, Then: llmfake.Close}, stream: true, reason: llm.Reset, class: llm.Unavailable, took: time.Second, text: "Hi"},
		{name: "reset", why: "the connection is lost", answer: llmfake.Answer{Text: "Hi", Took: time.Second, Then: llmfake.Reset}, stream: true, reason: llm.Reset, class: llm.Unavailable, took: time.Second, text: "Hi"},
		{name: "reset, whole", why: "the connection is lost", answer: llmfake.Answer{Text: "Hi", Took: time.Second, Then: llmfake.Reset}, reason: llm.Reset, class: llm.Unavailable, took: time.Second},
		{name: "half a document", why: "ended in good order", answer: llmfake.Answer{Text: "Hi", Then: llmfake.Close}, reason: llm.MalformedReason, class: llm.Malformed, took: 1},
		{name: "no byte", why: "accepted and dropped", answer: llmfake.Answer{Then: llmfake.Reset, Took: time.Second}, reason: llm.Reset, class: llm.Unavailable, took: time.Second},
		{name: "rate limit", why: "one attempt, no retry", answer: llmfake.Answer{Status: 429, Code: "rate_limit_exceeded", Took: 3 * time.Second}, stream: true, reason: llm.RateLimited, class: llm.Unavailable, took: 3 * time.Second},
		{name: "bad key", why: "lasting, and the key is not shown", answer: llmfake.Answer{Status: 401, Code: "invalid_api_key", Text: "key " + key + " at http://canary.example/v1"}, reason: llm.DeniedReason, class: llm.Denied, took: 1},
		{name: "filter", why: "no retry", answer: llmfake.Answer{Status: 400, Code: "content_filter"}, reason: llm.Filtered, class: llm.Invalid, took: 1},
		{name: "redirect", why: "never followed: the key would go along", answer: llmfake.Answer{Status: 307, Header: map[string]string{"Location": "http://elsewhere.example/"}}, reason: llm.MalformedReason, class: llm.Malformed, took: 1},
		{name: "error in 200", why: "counted as such", answer: llmfake.Answer{Raw: []byte(`{"error":{"code":429}}`)}, reason: llm.ErrorIn200, class: llm.Unavailable, took: 1},
		{name: "error in 200 instead of a stream", why: "a document where a stream was asked for", answer: llmfake.Answer{Raw: []byte(`{"error":{"code":429}}`)}, stream: true, reason: llm.ErrorIn200, class: llm.Unavailable, took: 1},
		{name: "too large", why: "never a cut text", answer: llmfake.Answer{Text: strings.Repeat("x", 3000)}, reason: llm.TooLarge, class: llm.Malformed, took: 1},
		{name: "too large stream", why: "never a cut text", answer: llmfake.Answer{Text: strings.Repeat("x", 3000)}, stream: true, reason: llm.TooLarge, class: llm.Malformed, took: 1},
		{name: "empty stream", why: "only the end sign", answer: llmfake.Answer{Raw: caseFile(t, "sse-empty-200.txt")}, stream: true, reason: llm.Empty, class: llm.Malformed, took: 1},
		{name: "truncated", why: "spent on reasoning", answer: llmfake.Answer{Raw: caseFile(t, "length-empty-reasoning.json")}, reason: llm.Truncated, class: llm.Malformed, took: 1},
		{name: "broken gzip", why: "no answer can be read", answer: llmfake.Answer{Raw: []byte("no gzip, not at all"), Header: map[string]string{"Content-Encoding": "gzip"}}, reason: llm.MalformedReason, class: llm.Malformed, took: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := endpoint(llm.ProviderOpenAI, nil)
			e.MaxReply = 2500
			inBubble(t, e, always(tt.answer), func(t *testing.T, fake *llmfake.Fake, c *provider.Client) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), limit, errors.New("candidate limit"))
				defer cancel()
				r, err := c.Complete(ctx, ask(tt.stream))
				var f *llm.Failure
				if !errors.As(err, &f) {
					t.Fatalf("%s: reply %+v, error %v", tt.why, r, err)
				}
				if f.Reason != tt.reason || f.Class != tt.class || r.Took != tt.took || r.Attempts != 1 || !strings.HasPrefix(r.Text, tt.text) {
					t.Errorf("%s: %v, reply %+v", tt.why, f, r)
				}
				for _, word := range []string{"CANARY", "canary", "http:"} {
					if strings.Contains(strings.ReplaceAll(err.Error(), "http://[endpoint]", ""), word) {
						t.Errorf("%q shows %s", err, word)
					}
				}
				if fake.Calls() != 1 {
					t.Errorf("%d calls", fake.Calls())
				}
			})
		})
	}
}

func TestNoConnection(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	m, err := provider.New(provider.Endpoint{Name: "x", Provider: llm.ProviderOpenAI, BaseURL: srv.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Complete(t.Context(), ask(true))
	var f *llm.Failure
	if !errors.As(err, &f) || f.Reason != llm.Connect || r.Took <= 0 || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestLoopback asks over a real socket, many at once.
func TestLoopback(t *testing.T) {
	fake := llmfake.New(always(llmfake.Answer{Text: "Hi there", Pieces: 2}))
	defer fake.Close()
	url, err := fake.Start()
	if err != nil {
		t.Fatal(err)
	}
	c, err := provider.Open(provider.Endpoint{Name: "x", Provider: llm.ProviderOpenAI, BaseURL: url + "/v1/", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			r, err := c.Complete(t.Context(), ask(i%2 == 0))
			if err != nil || r.Text != "Hi there" || r.Took <= 0 || (r.FirstToken > 0) != (i%2 == 0) || r.FirstToken > r.Took {
				t.Errorf("%v, %+v", err, r)
			}
		})
	}
	wg.Wait()
	if fake.Calls() != 64 {
		t.Errorf("%d calls", fake.Calls())
	}
}

func TestCallerLeaves(t *testing.T) {
	inBubble(t, endpoint(llm.ProviderOpenAI, nil), always(llmfake.Answer{Text: "Hi", Then: llmfake.Hang}), func(t *testing.T, fake *llmfake.Fake, c *provider.Client) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		r, err := c.Complete(ctx, ask(true))
		var f *llm.Failure
		if !errors.Is(err, context.Canceled) || errors.As(err, &f) || r.Took != 3*time.Second {
			t.Errorf("%v, %+v", err, r)
		}
		synctest.Wait()
		if fake.Left() != 1 || fake.Open() != 0 {
			t.Errorf("left %d, open %d", fake.Left(), fake.Open())
		}
	})
}

// TestUnendedBody has a server that sends the end sign and keeps the body open.
func TestUnendedBody(t *testing.T) {
	whole := caseFile(t, "sse-comments.txt")
	inBubble(t, endpoint(llm.ProviderOpenAI, nil), always(llmfake.Answer{Raw: whole, First: time.Second, Then: llmfake.Hang}), func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
		r, err := c.Complete(t.Context(), ask(true))
		if err != nil || r.Text != "Ja, gern." || r.Took != time.Second {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

func TestSlots(t *testing.T) {
	e := endpoint(llm.ProviderOpenAI, nil)
	e.Concurrency = 1
	inBubble(t, e, always(llmfake.Answer{Text: "Hi", Took: 4 * time.Second}), func(t *testing.T, fake *llmfake.Fake, c *provider.Client) {
		took := make(chan time.Duration)
		for range 2 {
			go func() {
				r, err := c.Complete(t.Context(), ask(false))
				if err != nil {
					t.Error(err)
				}
				took <- r.Took
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := c.Complete(ctx, ask(false))
		var f *llm.Failure
		if !errors.As(err, &f) || f.Reason != llm.Timeout || r.Took != time.Second || r.Attempts != 0 {
			t.Errorf("no slot: %v, %+v", err, r)
		}
		if a, b := <-took, <-took; a != 4*time.Second || b != 4*time.Second {
			t.Errorf("calls took %v and %v: waiting for a slot is no part of it", a, b)
		}
		if fake.Calls() != 2 {
			t.Errorf("%d calls", fake.Calls())
		}
	})
}

func TestKey(t *testing.T) {
	var n atomic.Int32
	e := endpoint(llm.ProviderOpenAI, nil)
	e.Key = func() (string, error) {
		switch n.Add(1) {
		case 1:
			return "first\n", nil
		case 2:
			return "second", nil
		case 3:
			return "", errors.New("no such file")
		case 4:
			return "", nil
		}
		return "a\nb", nil
	}
	var sent []string
	script := func(c llmfake.Call) llmfake.Answer {
		sent = append(sent, c.Header.Get("Authorization"))
		return llmfake.Text("Hi")
	}
	inBubble(t, e, script, func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
		for i := range 5 {
			_, err := c.Complete(t.Context(), ask(false))
			var f *llm.Failure
			if denied := errors.As(err, &f) && f.Class == llm.Denied && f.Code == "no_key"; denied != (i >= 2) {
				t.Errorf("call %d: %v", i, err)
			}
		}
	})
	if diff := cmp.Diff([]string{"Bearer first", "Bearer second"}, sent); diff != "" {
		t.Error(diff)
	}
}

func TestGzip(t *testing.T) {
	var c struct {
		Body string `json:"body_base64"`
	}
	if err := json.Unmarshal(caseFile(t, "http-gzip-capture.json"), &c); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(c.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := llmfake.Answer{Raw: raw, Header: map[string]string{"Content-Encoding": "gzip"}}
	inBubble(t, endpoint(llm.ProviderOpenAI, nil), always(answer), func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
		if r, err := c.Complete(t.Context(), ask(false)); err != nil || r.Text != "Gern." {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

func TestUnknownDialect(t *testing.T) {
	for _, p := range llm.Providers() {
		c, err := provider.Open(provider.Endpoint{Provider: p, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Complete(t.Context(), llm.Request{Dialect: "telegraph", Body: []byte("{}")}); err == nil {
			t.Errorf("%s takes a telegraph", p)
		}
	}
}

func TestRequestThatCannotBeSent(t *testing.T) {
	c, err := provider.Open(provider.Endpoint{Provider: llm.ProviderOpenAI, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for name, req := range map[string]llm.Request{
		"nothing":    {},
		"both":       {Body: []byte("{}"), Prompt: &llm.Prompt{}, Dialect: llm.OpenAIChat},
		"no JSON":    {Body: []byte("{"), Dialect: llm.OpenAIChat},
		"bad schema": {Prompt: &llm.Prompt{Schema: []byte("{")}},
	} {
		var f *llm.Failure
		if _, err := c.Complete(t.Context(), req); err == nil || errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpen(t *testing.T) {
	ok := provider.Endpoint{Name: "x", Provider: llm.ProviderOpenAI, Model: "m"}
	tests := []struct {
		name   string
		change func(*provider.Endpoint)
	}{
		{"provider", func(e *provider.Endpoint) { e.Provider = "abacus" }},
		{"model", func(e *provider.Endpoint) { e.Model = "" }},
		{"reasoning", func(e *provider.Endpoint) { e.Reasoning = "deep" }},
		{"concurrency", func(e *provider.Endpoint) { e.Concurrency = -1 }},
		{"scheme", func(e *provider.Endpoint) { e.BaseURL = "ftp://CANARY" }},
		{"no host", func(e *provider.Endpoint) { e.BaseURL = "CANARY:8000" }},
		{"password", func(e *provider.Endpoint) { e.BaseURL = "http://u:CANARY@a.example" }},
		{"bad URL", func(e *provider.Endpoint) { e.BaseURL = "http://CANARY:port" }},
		{"extra model", func(e *provider.Endpoint) { e.Extra = map[string]any{"model": "other"} }},
		{"extra no JSON", func(e *provider.Endpoint) { e.Extra = map[string]any{"x": func() {}} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := ok
			tt.change(&e)
			if _, err := provider.New(e); !errors.Is(err, provider.ErrEndpoint) || strings.Contains(err.Error(), "CANARY") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func ExampleOpen() {
	fake := llmfake.New(func(llmfake.Call) llmfake.Answer { return llmfake.Text("pong") })
	c, err := provider.Open(provider.Endpoint{Name: "local", Provider: llm.ProviderOllama, Model: "qwen3:8b", Dial: fake.Dial})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := c.Complete(context.Background(), llm.Request{Prompt: &llm.Prompt{User: "ping", MaxTokens: 1}})
	fmt.Println(r.Text, r.Model, err)
	c.CloseIdleConnections()
	if err := fake.Close(); err != nil {
		fmt.Println(err)
	}
	// Output: pong qwen3:8b <nil>
}
