package llm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// official asks a vendor's own client for a stream and gives what its accumulator
// made of it.
type official func(t *testing.T, c *http.Client) llm.Reply

// clients are the official clients; Ollama's is a web server in one module, so its
// lines are held against encoding/json instead, see TestOllamaAgainstJSON.
func clients() map[llm.Dialect]official {
	return map[llm.Dialect]official{
		llm.OpenAIChat: byOpenAI, llm.OpenAIResponses: byOpenAIResponses,
		llm.AnthropicMessages: byAnthropic, llm.GeminiGenerate: byGenAI,
	}
}

type sdkStream struct {
	name    string
	dialect llm.Dialect
	body    string
}

// sdkStreams are whole answers that every client can read.
func sdkStreams(t *testing.T) []sdkStream {
	t.Helper()
	refusal := named(claudeStart, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":"cyber","explanation":"no"}},"usage":{"output_tokens":3}}`, claudeStop)
	late := `{"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"input_tokens":30,"cache_creation_input_tokens":0,"cache_read_input_tokens":7,"output_tokens":15}}`
	respRefusal := `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"refusal","refusal":"No."}]}`
	respIncomplete := `{"type":"response.incomplete","sequence_number":9,"response":{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"model":"gpt-6-mini-2026-05-01","output":[` + respMessage + `],` + respUsage + `}}`
	const other = `{"type":"hologram.delta","index":0,"output_index":0,"delta":"x"}`
	return []sdkStream{
		{"chat", llm.OpenAIChat, string(caseFile(t, "sse-usage-empty-choices.txt"))},
		{"chat call", llm.OpenAIChat, string(caseFile(t, "sse-toolcall-dup-index.txt"))},
		{"claude", llm.AnthropicMessages, claude()},
		{"claude call", llm.AnthropicMessages, claude(claudeTool, claudeArg0, claudeArg1, claudeArg2)},
		{"claude interleaved", llm.AnthropicMessages, named(claudeStart, claudeThink, claudeOpen, claudeTool, claudeA, claudeArg1, claudeHm, claudeB, claudeArg2, claudeEnd, claudeStop)},
		{"claude call without input", llm.AnthropicMessages, claude(claudeTool, claudeArg0)},
		{"claude refusal", llm.AnthropicMessages, refusal},
		{"claude later counts", llm.AnthropicMessages, named(claudeStart, claudeThink, claudeOpen, claudeA, late, claudeStop)},
		{"claude unknown event", llm.AnthropicMessages, named(claudeStart, claudeThink, other, claudeOpen, claudeA, claudePing, claudeEnd, claudeStop)},
		{"responses", llm.OpenAIResponses, named(respCreated, respItem, respPart, respA, respB, respDone)},
		{"responses call", llm.OpenAIResponses, named(respCreated, respItem, respPart, respA, respCall, respArg1, respB, respArg2, respBare)},
		{"responses refusal", llm.OpenAIResponses, named(respCreated, respItem, strings.Replace(respDone, respMessage, respRefusal, 1))},
		{"responses incomplete", llm.OpenAIResponses, named(respCreated, respItem, respPart, respA, respIncomplete)},
		{"responses unknown event", llm.OpenAIResponses, named(respCreated, respItem, other, respPart, respA, respB, respDone)},
		{"gemini", llm.GeminiGenerate, unnamed(geminiHm, geminiA, geminiB, geminiEnd)},
		{"gemini call", llm.GeminiGenerate, unnamed(geminiA, geminiCall, geminiB, geminiCall, geminiEnd)},
		{"gemini length", llm.GeminiGenerate, unnamed(geminiA, strings.Replace(geminiEnd, "STOP", "MAX_TOKENS", 1))},
	}
}

// TestAgainstOfficialClients compares what this package makes of a stream with what
// the vendor's own client makes of the same bytes, however they are framed and split.
func TestAgainstOfficialClients(t *testing.T) {
	for _, tt := range sdkStreams(t) {
		for framing, body := range map[string]string{
			"plain":    tt.body,
			"crlf":     strings.ReplaceAll(tt.body, "\n", "\r\n"),
			"comments": ": ping\n\n" + strings.ReplaceAll(tt.body, "\n\n", "\n\n: ping\n\n"),
		} {
			t.Run(tt.name+" "+framing, func(t *testing.T) {
				theirs := body
				if tt.dialect == llm.GeminiGenerate {
					theirs = tt.body // its client takes no comments
				}
				want := asked(t, clients()[tt.dialect], llmfake.Answer{Raw: []byte(theirs), Pieces: 1})
				if bytewise := asked(t, clients()[tt.dialect], llmfake.Answer{Raw: []byte(theirs), Pieces: len(theirs)}); !cmp.Equal(want, bytewise) {
					t.Errorf("the client is not steady: %s", cmp.Diff(want, bytewise))
				}
				for _, split := range []int{1, 2, 3, 5, 8, 13, 100, len(body)} {
					got := feedAs(t, tt.dialect, []byte(body), 0, func() int { return split })
					if diff := cmp.Diff(want, plain(t, got.reply)); diff != "" || got.reason != "" {
						t.Fatalf("in pieces of %d bytes: reason %q, reply (-client +ours)\n%s", split, got.reason, diff)
					}
				}
			})
		}
	}
}

// TestGeminiListAgainstClient says that a list and events of the same answers are the
// same; the official client asks for events only.
func TestGeminiListAgainstClient(t *testing.T) {
	want := asked(t, byGenAI, llmfake.Answer{Raw: []byte(unnamed(geminiHm, geminiA, geminiCall, geminiB, geminiEnd)), Pieces: 1})
	list := "[" + strings.Join([]string{geminiHm, geminiA, geminiCall, geminiB, geminiEnd}, "\r\n,\r\n") + "]"
	got := feedAs(t, llm.GeminiGenerate, []byte(list), 0, func() int { return 5 })
	if diff := cmp.Diff(want, plain(t, got.reply)); diff != "" || got.reason != "" {
		t.Errorf("reason %q, reply (-client +ours)\n%s", got.reason, diff)
	}
}

// TestFakeAgainstOfficialClients says that the fake speaks as its clients expect.
func TestFakeAgainstOfficialClients(t *testing.T) {
	for d, client := range clients() {
		t.Run(string(d), func(t *testing.T) {
			a := llmfake.Answer{Text: "Grüße, 世界 🎭", Pieces: 5, In: 9, Out: 5, ToolCalls: []llm.ToolCall{{ID: "t1", Name: "find_order", Arguments: `{"order":4711}`}}}
			want := llm.Reply{Text: a.Text, ToolCalls: a.ToolCalls, Finish: llm.FinishToolCalls, Model: "m", Usage: llm.Usage{In: num(9), Out: num(5), Cached: num(0), CacheWritten: num(0), Reasoning: num(0)}}
			if d == llm.GeminiGenerate {
				want.ToolCalls = []llm.ToolCall{{Name: "find_order", Arguments: `{"order":4711}`}}
			}
			if diff := cmp.Diff(want, asked(t, client, a)); diff != "" {
				t.Errorf("reply (-script +client)\n%s", diff)
			}
		})
	}
}

// TestOllamaAgainstJSON holds the cutting of lines against encoding/json.
func TestOllamaAgainstJSON(t *testing.T) {
	body := lines(ollamaHm, ollamaA, ollamaCall, ollamaB, ollamaEnd)
	var want llm.Reply
	for dec := json.NewDecoder(strings.NewReader(body)); ; {
		var line struct {
			Model      llm.Snapshot
			Message    struct{ Content string }
			DoneReason llm.Finish `json:"done_reason"`
			In         int64      `json:"prompt_eval_count"`
			Out        int64      `json:"eval_count"`
		}
		if err := dec.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		want.Text += line.Message.Content
		want.Model, want.Finish, want.Usage = line.Model, line.DoneReason, llm.Usage{In: &line.In, Out: &line.Out}
	}
	want.Finish, want.ToolCalls = llm.FinishToolCalls, []llm.ToolCall{order}
	got := feedAs(t, llm.OllamaChat, []byte(body), 0, func() int { return 3 })
	if diff := cmp.Diff(want, got.reply); diff != "" || got.reason != "" {
		t.Errorf("reason %q, reply (-json +ours)\n%s", got.reason, diff)
	}
}

// asked plays an answer to a client.
func asked(t *testing.T, client official, a llmfake.Answer) llm.Reply {
	t.Helper()
	fake := llmfake.New(func(llmfake.Call) llmfake.Answer { return a })
	defer fake.Close()
	c := fake.Client()
	defer c.CloseIdleConnections()
	return plain(t, client(t, c))
}

// plain writes a reply as clients can: a count that is not there is 0, and
// arguments are JSON without blanks.
func plain(t *testing.T, r llm.Reply) llm.Reply {
	t.Helper()
	for _, n := range []**int64{&r.Usage.In, &r.Usage.Cached, &r.Usage.CacheWritten, &r.Usage.Out, &r.Usage.Reasoning} {
		if *n == nil {
			*n = new(int64)
		}
	}
	for i := range r.ToolCalls {
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(r.ToolCalls[i].Arguments)); err != nil {
			t.Fatalf("arguments %q: %v", r.ToolCalls[i].Arguments, err)
		}
		r.ToolCalls[i].Arguments = b.String()
	}
	return r
}
