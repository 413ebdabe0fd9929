package llmfake_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

type surface struct {
	name, path, body, media string
	dialect                 llm.Dialect
	noIDs                   bool // calls have no ids
	noTools                 bool
	said                    string // what becomes of a refusal "No."; empty: it is text
}

// surfaces are the ways to ask for a stream.
func surfaces() []surface {
	const messages = `"messages":[{"role":"user","content":"Hi"}]`
	const gemini = `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`
	return []surface{
		{name: "chat", path: "/v1/chat/completions", body: `{"model":"m","stream":true,"stream_options":{"include_usage":true},` + messages + `}`, media: "text/event-stream", dialect: llm.OpenAIChat, said: "No."},
		{name: "azure", path: "/openai/deployments/m/chat/completions", body: `{"model":"m","stream":true,"stream_options":{"include_usage":true},` + messages + `}`, media: "text/event-stream", dialect: llm.OpenAIChat, said: "No."},
		{name: "responses", path: "/v1/responses", body: `{"model":"m","stream":true,"input":"Hi"}`, media: "text/event-stream", dialect: llm.OpenAIResponses, said: "No."},
		{name: "anthropic", path: "/v1/messages", body: `{"model":"m","stream":true,` + messages + `}`, media: "text/event-stream", dialect: llm.AnthropicMessages, said: "No."},
		{name: "gemini events", path: "/v1beta/models/m:streamGenerateContent?alt=sse", body: gemini, media: "text/event-stream", dialect: llm.GeminiGenerate, noIDs: true, said: "prompt blocked: OTHER"},
		{name: "gemini list", path: "/v1beta/models/m:streamGenerateContent", body: gemini, media: "application/json", dialect: llm.GeminiGenerate, noIDs: true, said: "prompt blocked: OTHER"},
		{name: "ollama", path: "/api/chat", body: `{"model":"m",` + messages + `}`, media: "application/x-ndjson", dialect: llm.OllamaChat, noIDs: true},
		{name: "ollama generate", path: "/api/generate", body: `{"model":"m","prompt":"Hi"}`, media: "application/x-ndjson", dialect: llm.OllamaGenerate, noTools: true},
	}
}

// whole asks for the same without a stream.
func (s surface) whole() surface {
	s.path, _, _ = strings.Cut(strings.Replace(s.path, ":streamGenerateContent", ":generateContent", 1), "?")
	s.body = strings.Replace(s.body, `"stream":true,`, "", 1)
	if strings.HasPrefix(s.path, "/api/") {
		s.body = strings.Replace(s.body, "{", `{"stream":false,`, 1)
	}
	s.media = "application/json"
	return s
}

// TestDialects says that what the fake sends in each dialect, whole and streamed, is
// what the script said.
func TestDialects(t *testing.T) {
	call := llm.ToolCall{ID: "t1", Name: "find_order", Arguments: `{"order":4711}`}
	for _, base := range surfaces() {
		for kind, s := range map[string]surface{"streamed": base, "whole": base.whole()} {
			t.Run(base.name+" "+kind, func(t *testing.T) {
				answers := map[string]llmfake.Answer{
					"text":    {Text: "Grüße, 世界 🎭", Pieces: 4, In: 9, Out: 5, First: 400 * time.Millisecond, Took: time.Second},
					"length":  {Text: "Ab", Finish: llm.FinishLength, In: 9, Out: 5},
					"refusal": {Refusal: "No.", In: 9, Out: 5},
				}
				if !s.noTools {
					answers["call"] = llmfake.Answer{Text: "One moment.", ToolCalls: []llm.ToolCall{call, call}, In: 9, Out: 5}
				}
				for name, a := range answers {
					s.check(t, name, a, kind == "streamed")
				}
			})
		}
	}
}

func (s surface) check(t *testing.T, name string, a llmfake.Answer, stream bool) {
	t.Helper()
	want := llm.Reply{Text: a.Text, Refusal: a.Refusal, ToolCalls: a.ToolCalls, Finish: a.Finish, Model: "m", Usage: llm.Usage{In: &a.In, Out: &a.Out}}
	switch {
	case a.Refusal != "" && s.said == "":
		want.Text, want.Refusal = a.Refusal, ""
	case a.Refusal != "":
		want.Refusal = s.said
	}
	switch {
	case want.Refusal != "" && s.dialect == llm.GeminiGenerate:
		want.Finish = llm.FinishFiltered
	case want.Finish == "" && len(a.ToolCalls) > 0:
		want.Finish = llm.FinishToolCalls
	case want.Finish == "":
		want.Finish = llm.FinishStop
	}
	if s.noIDs {
		want.ToolCalls = nil
		for _, c := range a.ToolCalls {
			want.ToolCalls = append(want.ToolCalls, llm.ToolCall{Name: c.Name, Arguments: c.Arguments})
		}
	}
	script := func(c llmfake.Call) llmfake.Answer {
		if c.Dialect != s.dialect || c.Stream != stream || c.Model != "m" || c.LastUser() != "Hi" {
			t.Errorf("%s: call %+v", name, c)
		}
		return a
	}
	inBubble(t, script, func(t *testing.T, _ *llmfake.Fake, c *http.Client) {
		got, first, media := s.ask(t, c)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: reply (-want +got)\n%s", name, diff)
		}
		if stream && first != a.First {
			t.Errorf("%s: first content after %v, want %v", name, first, a.First)
		}
		if media != s.media {
			t.Errorf("%s: content type %q, want %q", name, media, s.media)
		}
	})
}

// ask gives the answer, and the time to its first content.
func (s surface) ask(t *testing.T, c *http.Client) (r llm.Reply, first time.Duration, media string) {
	t.Helper()
	start := time.Now()
	resp, err := c.Post("http://fake"+s.path, "application/json", strings.NewReader(s.body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stream := llm.NewStream(s.dialect, 0)
	buf := make([]byte, 4096)
	for err == nil {
		var n int
		n, err = resp.Body.Read(buf)
		_, _ = stream.Write(buf[:n])
		if _, ok := stream.FirstContent(); ok && first == 0 {
			first = time.Since(start)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	r, err = stream.Reply()
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
	}
	return r, first, resp.Header.Get("Content-Type")
}
