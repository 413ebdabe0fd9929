package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/provider"
)

const schema = `{"type":"object","properties":{"grade":{"type":"integer","enum":[1,2]}}}`

func TestPrompt(t *testing.T) {
	tests := []struct {
		provider  llm.Provider
		reasoning string
		extra     map[string]any
		path      string
		header    string // that carries the key
		want      string
	}{
		{llm.ProviderOpenAI, "", nil, "/v1/chat/completions", "Authorization",
			`{"model":"m-2","messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],"max_completion_tokens":50,
			"response_format":{"type":"json_schema","json_schema":{"name":"my_verdict","strict":true,"schema":` + schema + `}}}`},
		{llm.ProviderOpenAI, "low", map[string]any{"max_completion_tokens": nil, "max_tokens": 9}, "/v1/chat/completions", "Authorization",
			`{"model":"m-2","messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],"max_tokens":9,"reasoning_effort":"low",
			"response_format":{"type":"json_schema","json_schema":{"name":"my_verdict","strict":true,"schema":` + schema + `}}}`},
		{llm.ProviderAnthropic, "high", nil, "/v1/messages", "X-Api-Key",
			`{"model":"m-2","max_tokens":50,"system":"S","messages":[{"role":"user","content":"U"}],
			"output_config":{"effort":"high","format":{"type":"json_schema","schema":` + schema + `}}}`},
		{llm.ProviderAnthropic, "none", nil, "/v1/messages", "X-Api-Key",
			`{"model":"m-2","max_tokens":50,"system":"S","messages":[{"role":"user","content":"U"}],"thinking":{"type":"disabled"},
			"output_config":{"format":{"type":"json_schema","schema":` + schema + `}}}`},
		{llm.ProviderGoogle, "none", nil, "/v1beta/models/m-2:generateContent", "X-Goog-Api-Key",
			`{"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"U"}]}],
			"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + schema + `,"maxOutputTokens":50,"thinkingConfig":{"thinkingBudget":0}}}`},
		{llm.ProviderGoogle, "low", map[string]any{"generationConfig": map[string]any{"topK": 3}}, "/v1beta/models/m-2:generateContent", "X-Goog-Api-Key",
			`{"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"U"}]}],
			"generationConfig":{"topK":3,"responseMimeType":"application/json","responseJsonSchema":` + schema + `,"maxOutputTokens":50,"thinkingConfig":{"thinkingLevel":"low"}}}`},
		{llm.ProviderOllama, "none", nil, "/api/chat", "Authorization",
			`{"model":"m-2","messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],"stream":false,"format":` + schema + `,"options":{"num_predict":50},"think":false}`},
		{llm.ProviderOllama, "high", map[string]any{"options": map[string]any{"num_ctx": 9}}, "/api/chat", "Authorization",
			`{"model":"m-2","messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],"stream":false,"format":` + schema + `,"options":{"num_predict":50,"num_ctx":9},"think":"high"}`},
	}
	prompt := &llm.Prompt{System: "S", User: "U", Schema: json.RawMessage(schema), SchemaName: "my verdict", MaxTokens: 50}
	for _, tt := range tests {
		t.Run(string(tt.provider)+" "+tt.reasoning, func(t *testing.T) {
			e := endpoint(tt.provider, nil)
			e.Reasoning, e.Extra = tt.reasoning, tt.extra
			var got llmfake.Call
			script := func(c llmfake.Call) llmfake.Answer {
				got = c
				a := llmfake.Verdict(2, "tone", "blunt")
				a.Model, a.In, a.Out, a.Took = "m-2", 8, 4, 700*time.Millisecond
				return a
			}
			inBubble(t, e, script, func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
				r, err := c.Complete(t.Context(), llm.Request{Prompt: prompt})
				want := llm.Reply{Text: `{"grade":2,"problem":"tone","reason":"blunt"}`, Finish: llm.FinishStop, Model: "m-2",
					Usage: llm.Usage{In: num(8), Out: num(4)}, Took: 700 * time.Millisecond, Attempts: 1, Status: 200}
				if diff := cmp.Diff(want, r); diff != "" || err != nil {
					t.Errorf("%v, reply (-want +got)\n%s", err, diff)
				}
			})
			if diff := cmp.Diff(decoded(t, tt.want), decoded(t, string(got.Body))); diff != "" {
				t.Errorf("body (-want +got)\n%s", diff)
			}
			if k := got.Header.Get(tt.header); got.Path != tt.path || k != key && k != "Bearer "+key {
				t.Errorf("path %s, key %q", got.Path, k)
			}
			if (got.Header.Get("Anthropic-Version") != "") != (tt.provider == llm.ProviderAnthropic) {
				t.Error("anthropic-version")
			}
		})
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPromptFailures(t *testing.T) {
	for _, p := range llm.Providers() {
		for answer, want := range map[*llmfake.Answer]llm.Reason{
			{Status: 429, Code: "insufficient_quota"}: llm.DeniedReason,
			{Status: 529, Code: "overloaded_error"}:   llm.Status5xx,
			{Raw: []byte("<html>")}:                   llm.MalformedReason,
			{Finish: llm.FinishLength}:                llm.Truncated,
			{Raw: []byte(`{"error":"x"}`)}:            llm.ErrorIn200,
		} {
			if p == llm.ProviderOllama && answer.Status == 429 {
				continue // its errors have no code
			}
			inBubble(t, endpoint(p, nil), always(*answer), func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
				_, err := c.Complete(t.Context(), llm.Request{Prompt: &llm.Prompt{User: "U"}})
				var f *llm.Failure
				if !errors.As(err, &f) || f.Reason != want {
					t.Errorf("%s: %v, want %s", p, err, want)
				}
			})
		}
	}
}

func TestPlainPrompt(t *testing.T) {
	for _, p := range llm.Providers() {
		var body map[string]any
		script := func(c llmfake.Call) llmfake.Answer {
			_ = json.Unmarshal(c.Body, &body)
			return llmfake.Answer{Refusal: "No."}
		}
		inBubble(t, endpoint(p, nil), script, func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
			r, err := c.Complete(t.Context(), llm.Request{Prompt: &llm.Prompt{User: "U"}})
			if err != nil || r.Refusal == "" && p != llm.ProviderOllama {
				t.Errorf("%s: %v, %+v", p, err, r)
			}
		})
		for _, name := range []string{"temperature", "response_format", "output_config", "generationConfig", "format", "system", "systemInstruction"} {
			if _, found := body[name]; found {
				t.Errorf("%s: %s in a plain prompt", p, name)
			}
		}
	}
}

func TestDigest(t *testing.T) {
	inBubble(t, endpoint(llm.ProviderOllama, nil), always(llmfake.Answer{}), func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
		if d, err := c.Digest(t.Context()); err != nil || d != llmfake.Digest("m-2") {
			t.Errorf("%q, %v", d, err)
		}
	})
	for _, e := range []provider.Endpoint{
		{Provider: llm.ProviderOllama, Model: "other"}, {Provider: llm.ProviderOpenAI, Model: "m-2"},
	} {
		inBubble(t, e, always(llmfake.Answer{}), func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
			if _, err := c.Digest(t.Context()); !errors.Is(err, provider.ErrNoDigest) {
				t.Errorf("%s: %v", e.Model, err)
			}
		})
	}
}

// TestListingDigest: what the server lists about a model gives the same digest at
// each start, and another one when the entry changes.
func TestListingDigest(t *testing.T) {
	serve := func(body string) *provider.Client {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" {
				http.NotFound(w, r)
				return
			}
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(server.Close)
		c, err := provider.Open(provider.Endpoint{Name: "j", Provider: llm.ProviderOpenAI, BaseURL: server.URL + "/v1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.CloseIdleConnections)
		return c
	}
	digest := func(body string) string {
		d, err := serve(body).ListingDigest(t.Context())
		if err != nil || len(d) != 64 {
			t.Fatalf("%s: %q, %v", body, d, err)
		}
		return d
	}
	first := digest(`{"data":[{"id":"other"},{"id":"m","created":1,"meta":{"n_params":8030261248,"size":4912}}]}`)
	if again := digest(`{"data":[{"meta":{"size":4912,"n_params":8030261248},"created":2,"id":"m","permission":[{"id":"x"}]}]}`); again != first {
		t.Errorf("another start, another order: %s, then %s", first, again)
	}
	if moved := digest(`{"data":[{"id":"m","created":1,"meta":{"n_params":8030261248,"size":4913}}]}`); moved == first {
		t.Error("other weights have the same digest")
	}
	for _, body := range []string{`{"data":[]}`, `{"data":[{"id":7}]}`, `{}`} {
		if _, err := serve(body).ListingDigest(t.Context()); !errors.Is(err, provider.ErrNoDigest) {
			t.Errorf("%s: %v", body, err)
		}
	}
	var f *llm.Failure
	if _, err := serve("rubbish").ListingDigest(t.Context()); !errors.As(err, &f) || f.Reason != llm.MalformedReason {
		t.Errorf("rubbish: %v", err)
	}
}
