package llm_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

type streamCase struct {
	name, why string
	dialect   llm.Dialect
	body      string
	want      llm.Reply
	reason    llm.Reason
	first     string // the piece that brings the first content; without it there is none
	ended     bool
}

func streamCases() []streamCase {
	claudeUsage := llm.Usage{In: num(135), Cached: num(100), CacheWritten: num(10), Out: num(15), Reasoning: num(4)}
	claudeCut := llm.Usage{In: num(135), Cached: num(100), CacheWritten: num(10)}
	respCounts := llm.Usage{In: num(20), Cached: num(5), CacheWritten: num(2), Out: num(9), Reasoning: num(4)}
	geminiCounts := llm.Usage{In: num(7), Out: num(7), Reasoning: num(4), Cached: num(2)}
	ollamaCounts := llm.Usage{In: num(7), Out: num(3)}
	const text, sonnet, mini, flash, qwen = "Aß 🎭", "claude-sonnet-5", "gpt-6-mini-2026-05-01", "gemini-4-flash", "qwen3:8b"
	anthropic, responses, gemini, ollama := llm.AnthropicMessages, llm.OpenAIResponses, llm.GeminiGenerate, llm.OllamaChat
	return []streamCase{
		{name: "claude text", why: "thinking and pings are no content; later counts are cumulative", dialect: anthropic, body: claude(), first: claudeA, ended: true,
			want: llm.Reply{Text: text, Finish: "stop", Model: sonnet, Usage: claudeUsage}},
		{name: "claude tool", why: "the input comes in pieces", dialect: anthropic, body: claude(claudeTool, claudeArg0, claudeArg1, claudeArg2), first: claudeA, ended: true,
			want: llm.Reply{Text: text, Finish: "stop", Model: sonnet, Usage: claudeUsage, ToolCalls: []llm.ToolCall{orderAs("toolu_1")}}},
		{name: "claude interleaved", why: "blocks are told apart by index", dialect: anthropic, body: named(claudeOpen, claudeTool, claudeA, claudeArg1, claudeB, claudeArg2, claudeEnd, claudeStop), first: claudeTool, ended: true,
			want: llm.Reply{Text: text, Finish: "stop", Usage: llm.Usage{Out: num(15), Reasoning: num(4)}, ToolCalls: []llm.ToolCall{orderAs("toolu_1")}}},
		{name: "claude call without input", why: "no piece is an empty object", dialect: anthropic, body: named(claudeTool, claudeArg0, claudeStop), first: claudeTool, ended: true,
			want: llm.Reply{ToolCalls: []llm.ToolCall{{ID: "toolu_1", Name: "find_order", Arguments: "{}"}}}},
		{name: "claude tool of the provider", why: "its input is no call of ours", dialect: anthropic, ended: true, first: claudeA,
			body: named(`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, claudeOpen, claudeA, claudeStop),
			want: llm.Reply{Text: "A"}},
		{name: "claude unknown events", why: "enumerations are open", dialect: anthropic, body: named(claudeOpen, `{"type":"hologram","index":1}`, `{"type":"content_block_delta","index":1,"delta":{"type":"smell_delta","text":"x"}}`, claudeA, claudeStop), first: claudeA, ended: true,
			want: llm.Reply{Text: "A"}},
		{name: "claude refusal", why: "marked by the provider, at the end", dialect: anthropic, ended: true, first: `"explanation":"no"}}}`,
			body: named(claudeStart, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"category":"cyber","explanation":"no"}}}`, claudeStop),
			want: llm.Reply{Refusal: "no", Finish: "stop", Model: sonnet, Usage: llm.Usage{In: num(135), Cached: num(100), CacheWritten: num(10), Out: num(1)}}},
		{name: "claude cut", why: "no message_stop; the first count of tokens out is a guess", dialect: anthropic, body: named(claudeStart, claudeOpen, claudeA), reason: llm.Reset, first: claudeA,
			want: llm.Reply{Text: "A", Model: sonnet, Usage: claudeCut}},
		{name: "claude cut at the end", why: "a stop reason is no end sign", dialect: anthropic, body: named(claudeOpen, claudeA, claudeEnd), reason: llm.Reset, first: claudeA,
			want: llm.Reply{Text: "A", Finish: "stop", Usage: llm.Usage{Out: num(15), Reasoning: num(4)}}},
		{name: "claude error", why: "the status stays 200", dialect: anthropic, body: named(claudeStart, claudeOpen, claudeA, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, claudeStop), reason: llm.ErrorIn200, first: claudeA, ended: true,
			want: llm.Reply{Text: "A", Model: sonnet, Usage: claudeCut}},
		{name: "claude empty", why: "an end without an answer", dialect: anthropic, body: named(claudeEnd, claudeStop), reason: llm.Empty, ended: true, want: llm.Reply{Finish: "stop", Usage: llm.Usage{Out: num(15), Reasoning: num(4)}}},
		{name: "claude truncated", why: "thinking used up the tokens", dialect: anthropic, reason: llm.Truncated, ended: true, want: llm.Reply{Finish: "length"},
			body: named(claudeThink, claudeHm, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`, claudeStop)},
		{name: "claude whole", why: "the server did not stream", dialect: anthropic, body: `{"content":[{"type":"text","text":"A"}],"stop_reason":"end_turn"}`, want: llm.Reply{Text: "A", Finish: "stop"}},
		{name: "claude done", why: "gateways end every stream with [DONE]", dialect: anthropic, body: named(claudeOpen, claudeA) + done + named(claudeStop), first: claudeA, ended: true, want: llm.Reply{Text: "A"}},

		{name: "responses text", why: "the last event repeats the answer", dialect: responses, body: named(respCreated, respItem, respPart, respA, respB, respDone), first: respA, ended: true,
			want: llm.Reply{Text: text, Finish: "stop", Model: mini, Usage: respCounts}},
		{name: "responses call", why: "a server that leaves the output out at the end", dialect: responses, body: named(respCreated, respItem, respPart, respA, respCall, respArg1, respB, respArg2, respBare), first: respA, ended: true,
			want: llm.Reply{Text: text, Finish: "tool_calls", Model: mini, Usage: respCounts, ToolCalls: []llm.ToolCall{orderAs("call_1")}}},
		{name: "responses only done events", why: "a server that sends no pieces", dialect: responses, ended: true, first: `"text":"A"}`,
			body: named(`{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"A"}`, `{"type":"response.output_item.done","output_index":1,"item":{"type":"custom_tool_call","call_id":"c","name":"sh","input":"ls"}}`, `{"type":"response.completed"}`),
			want: llm.Reply{Text: "A", Finish: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "c", Name: "sh", Arguments: "ls"}}}},
		{name: "responses refusal", why: "a refusal is content", dialect: responses, ended: true, first: `"delta":"No"}`,
			body: named(`{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"No"}`, `{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"."}`, `{"type":"response.refusal.done","output_index":0,"content_index":0,"refusal":"No."}`, respBare),
			want: llm.Reply{Refusal: "No.", Finish: "stop", Model: mini, Usage: respCounts}},
		{name: "responses reasoning", why: "reasoning is not the answer", dialect: responses, reason: llm.Truncated, ended: true, want: llm.Reply{Finish: "length"},
			body: named(`{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"hm"}`, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[`+respThought+`]}}`)},
		{name: "responses filtered", why: "withheld", dialect: responses, reason: llm.Filtered, ended: true, want: llm.Reply{Finish: "content_filter"},
			body: named(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}}`)},
		{name: "responses failed", why: "the failure is inside the response", dialect: responses, reason: llm.ErrorIn200, ended: true, first: respA,
			body: named(respA, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"x"}}}`), want: llm.Reply{Text: "A", Finish: "error"}},
		{name: "responses error", why: "a flat event", dialect: responses, reason: llm.ErrorIn200, ended: true, body: named(`{"type":"error","code":"rate_limit_exceeded","message":"x","param":null,"sequence_number":1}`)},
		{name: "responses cut", why: "no last event", dialect: responses, reason: llm.Reset, first: respA, body: named(respCreated, respItem, respPart, respA), want: llm.Reply{Text: "A", Model: mini}},
		{name: "responses empty", why: "completed, and nothing in it", dialect: responses, reason: llm.Empty, ended: true, body: named(respCreated, respBare), want: llm.Reply{Finish: "stop", Model: mini, Usage: respCounts}},
		{name: "responses whole", why: "the server did not stream", dialect: responses, body: `{"object":"response","status":"completed","output":[` + respMessage + `]}`, want: llm.Reply{Text: text, Finish: "stop"}},

		{name: "gemini events", why: "thoughts are no content", dialect: gemini, body: unnamed(geminiHm, geminiA, geminiB, geminiEnd), first: geminiA,
			want: llm.Reply{Text: text, Finish: "stop", Model: flash, Usage: geminiCounts}},
		{name: "gemini list", why: "without alt=sse", dialect: gemini, body: "[" + geminiHm + "\r\n,\r\n" + geminiA + ",\n" + geminiB + "," + geminiEnd + "]", first: geminiA, ended: true,
			want: llm.Reply{Text: text, Finish: "stop", Model: flash, Usage: geminiCounts}},
		{name: "gemini call", why: "finish is STOP all the same", dialect: gemini, body: unnamed(geminiCall, geminiEnd), first: geminiCall,
			want: llm.Reply{Finish: "tool_calls", Model: flash, Usage: geminiCounts, ToolCalls: []llm.ToolCall{order}}},
		{name: "gemini call in pieces", why: "a piece without a name is no further call; its arguments are not put together", dialect: gemini, first: `"willContinue":true}}]}}]}`,
			body: unnamed(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}`, `{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.x","stringValue":"y"}]}}]}}]}`, geminiEnd),
			want: llm.Reply{Finish: "tool_calls", Model: flash, Usage: geminiCounts, ToolCalls: []llm.ToolCall{{Name: "f"}}}},
		{name: "gemini one entry", why: "a short answer comes at once and is streamed all the same", dialect: gemini, body: `[{"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"STOP"}]}]`, first: `"STOP"}]}`, ended: true, want: llm.Reply{Text: "A", Finish: "stop"}},
		{name: "gemini blocked prompt", why: "no candidates", dialect: gemini, body: unnamed(`{"promptFeedback":{"blockReason":"SAFETY"}}`), first: `"SAFETY"}}`, want: llm.Reply{Refusal: "prompt blocked: SAFETY", Finish: "content_filter"}},
		{name: "gemini stopped for safety", why: "what came before is an answer", dialect: gemini, body: unnamed(geminiB, `{"candidates":[{"finishReason":"SAFETY"}]}`), first: geminiB, want: llm.Reply{Text: "ß 🎭", Finish: "content_filter", Model: flash}},
		{name: "gemini cut", why: "no finish reason", dialect: gemini, body: unnamed(geminiA, geminiB), reason: llm.Reset, first: geminiA, want: llm.Reply{Text: text, Model: flash, Usage: llm.Usage{In: num(7)}}},
		{name: "gemini cut list", why: "cut inside an entry", dialect: gemini, body: "[" + geminiA + "," + geminiB[:40], reason: llm.Reset, first: geminiA, want: llm.Reply{Text: "A", Model: flash, Usage: llm.Usage{In: num(7)}}},
		{name: "gemini closed list", why: "an end of the list is none of the answer", dialect: gemini, body: "[" + geminiB + "]", reason: llm.Reset, first: geminiB, ended: true, want: llm.Reply{Text: "ß 🎭", Model: flash}},
		{name: "gemini empty list", why: "no answer", dialect: gemini, body: "[]", reason: llm.Empty, ended: true},
		{name: "gemini error event", why: "the status stays 200", dialect: gemini, body: unnamed(geminiB, `{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}`), reason: llm.ErrorIn200, first: geminiB, ended: true, want: llm.Reply{Text: "ß 🎭", Model: flash}},
		{name: "gemini error in a list", why: "the status stays 200", dialect: gemini, body: "[" + geminiB + `,{"error":{"code":503,"status":"UNAVAILABLE"}}]`, reason: llm.ErrorIn200, first: geminiB, ended: true, want: llm.Reply{Text: "ß 🎭", Model: flash}},
		{name: "gemini rubbish in a list", why: "a piece may be missing", dialect: gemini, body: "[" + geminiB + ",oops," + geminiEnd + "]", reason: llm.MalformedReason, first: geminiB, want: llm.Reply{Text: "ß 🎭", Model: flash}, ended: true},
		{name: "gemini whole", why: "the server did not stream", dialect: gemini, body: geminiEnd[:len(geminiEnd)-1] + `,"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"STOP"}]}`, want: llm.Reply{Text: "A", Finish: "stop", Model: flash, Usage: geminiCounts}},

		{name: "ollama text", why: "thinking is no content", dialect: ollama, body: lines(ollamaHm, ollamaA, ollamaB, ollamaEnd), first: ollamaA, ended: true,
			want: llm.Reply{Text: text, Finish: "stop", Model: qwen, Usage: ollamaCounts}},
		{name: "ollama call", why: "whole calls", dialect: ollama, body: lines(ollamaCall, ollamaCall, ollamaEnd), first: ollamaCall, ended: true,
			want: llm.Reply{Finish: "tool_calls", Model: qwen, Usage: ollamaCounts, ToolCalls: []llm.ToolCall{order, order}}},
		{name: "ollama generate", why: "the other path", dialect: llm.OllamaGenerate, body: lines(`{"model":"qwen3:8b","response":"A","done":false}`, `{"response":"","done":true,"done_reason":"length","eval_count":1}`), first: `"done":false}`, ended: true,
			want: llm.Reply{Text: "A", Finish: "length", Model: qwen, Usage: llm.Usage{Out: num(1)}}},
		{name: "ollama cut", why: "no done", dialect: ollama, body: lines(ollamaA, ollamaB), reason: llm.Reset, first: ollamaA, want: llm.Reply{Text: text, Model: qwen}},
		{name: "ollama cut in a line", why: "half an object is no rubbish", dialect: ollama, body: lines(ollamaA, ollamaB[:60]), reason: llm.Reset, first: ollamaA, want: llm.Reply{Text: "A", Model: qwen}},
		{name: "ollama error", why: "a line with nothing else", dialect: ollama, body: lines(ollamaA, `{"error":"llama runner process has terminated"}`), reason: llm.ErrorIn200, first: ollamaA, ended: true, want: llm.Reply{Text: "A", Model: qwen}},
		{name: "ollama empty", why: "done at once", dialect: ollama, body: lines(ollamaEnd), reason: llm.Empty, ended: true, want: llm.Reply{Finish: "stop", Model: qwen, Usage: ollamaCounts}},
		{name: "ollama zero bytes", why: "no answer", dialect: ollama, body: "\n", reason: llm.Empty},
		{name: "ollama whole", why: "one object is no stream: nothing came before the end", dialect: ollama, body: "{\n \"message\": {\"content\": \"A\"},\n \"done\": true, \"done_reason\": \"stop\"\n}", ended: true, want: llm.Reply{Text: "A", Finish: "stop"}},
		{name: "ollama rubbish", why: "a broken line", dialect: ollama, body: lines(ollamaA, `{broken`, ollamaEnd), reason: llm.MalformedReason, first: ollamaA, ended: true, want: llm.Reply{Text: "A", Model: qwen}},
		{name: "ollama after the end", why: "what follows does not count", dialect: ollama, body: lines(ollamaA, ollamaEnd, ollamaA), first: ollamaA, ended: true, want: llm.Reply{Text: "A", Finish: "stop", Model: qwen, Usage: ollamaCounts}},
		{name: "ollama html", why: "a proxy's page", dialect: ollama, body: "<html>\n</html>\n", reason: llm.MalformedReason},
	}
}

func TestStreamsOfOtherDialects(t *testing.T) {
	for _, tt := range streamCases() {
		t.Run(tt.name, func(t *testing.T) {
			got := feedAs(t, tt.dialect, []byte(tt.body), 0, whole)
			want := streamed{reply: tt.want, reason: tt.reason, ended: tt.ended}
			if tt.first != "" {
				want.first = firstEnd(tt.body, tt.first)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(streamed{})); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
			for split := 1; split < len(tt.body); split++ {
				pieces := feedAs(t, tt.dialect, []byte(tt.body), 0, func() int { return split })
				if !cmp.Equal(got, pieces, cmp.AllowUnexported(streamed{})) {
					t.Fatalf("in pieces of %d bytes: %+v\nat once: %+v", split, pieces, got)
				}
			}
		})
	}
}

// firstEnd is the offset behind an event: after its blank line, if there is one.
func firstEnd(body, event string) int64 {
	end := strings.Index(body, event) + len(event)
	if strings.HasPrefix(body[end:], "\n\n") {
		end += 2
	}
	return int64(end)
}

// TestStreamFraming says that comments, line ends and unknown fields change no answer.
func TestStreamFraming(t *testing.T) {
	for _, tt := range streamCases() {
		if !strings.Contains(tt.body, "data: ") {
			continue
		}
		want := feedAs(t, tt.dialect, []byte(tt.body), 0, whole)
		for name, body := range map[string]string{
			"crlf":     strings.ReplaceAll(tt.body, "\n", "\r\n"),
			"cr":       strings.ReplaceAll(tt.body, "\n", "\r"),
			"comments": ": ping\n\n" + strings.ReplaceAll(tt.body, "\n\n", "\n: ping\nid: 7\nretry: 10\nunknown\n\n: ping\n\n"),
			"no blank": strings.ReplaceAll(tt.body, "data: ", "data:"),
			"unnamed":  strings.ReplaceAll(tt.body, "event: ", "id: "),
		} {
			got := feedAs(t, tt.dialect, []byte(body), 0, func() int { return 1 })
			got.first = want.first
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(streamed{})); diff != "" {
				t.Errorf("%s with %s (-want +got)\n%s", tt.name, name, diff)
			}
		}
	}
}

// TestStreamCutAnywhere says that an answer of which any byte is missing is never taken
// for a whole one, and that what came of it is the beginning of the answer.
func TestStreamCutAnywhere(t *testing.T) {
	for _, tt := range streamCases() {
		document := strings.HasPrefix(tt.body, "{") && tt.dialect != llm.OllamaChat && tt.dialect != llm.OllamaGenerate
		if tt.reason != "" || document {
			continue
		}
		full := feedAs(t, tt.dialect, []byte(tt.body), 0, whole).reply
		for cut := range len(tt.body) {
			got := feedAs(t, tt.dialect, []byte(tt.body[:cut]), 0, whole)
			switch got.reason {
			case "":
				if got.reply.Text != full.Text || got.reply.Refusal != full.Refusal || !cmp.Equal(got.reply.ToolCalls, full.ToolCalls) {
					t.Fatalf("%s: cut after %d bytes it is taken for whole: %+v", tt.name, cut, got.reply)
				}
			case llm.Reset, llm.Empty:
				if !strings.HasPrefix(full.Text, got.reply.Text) || len(got.reply.ToolCalls) > len(full.ToolCalls) {
					t.Fatalf("%s: cut after %d bytes: %+v", tt.name, cut, got.reply)
				}
			default:
				t.Fatalf("%s: cut after %d bytes: reason %q", tt.name, cut, got.reason)
			}
		}
	}
}

func TestStreamsOverTheLimit(t *testing.T) {
	for _, tt := range streamCases() {
		if len(tt.body) < 2 {
			continue
		}
		if got := feedAs(t, tt.dialect, []byte(tt.body), len(tt.body)-1, func() int { return 9 }); got.reason != llm.TooLarge {
			t.Errorf("%s: reason %q", tt.name, got.reason)
		}
	}
}

func FuzzStreamResponses(f *testing.F)      { fuzzStreams(f, llm.OpenAIResponses) }
func FuzzStreamAnthropic(f *testing.F)      { fuzzStreams(f, llm.AnthropicMessages) }
func FuzzStreamGemini(f *testing.F)         { fuzzStreams(f, llm.GeminiGenerate) }
func FuzzStreamOllama(f *testing.F)         { fuzzStreams(f, llm.OllamaChat) }
func FuzzStreamOllamaGenerate(f *testing.F) { fuzzStreams(f, llm.OllamaGenerate) }

// fuzzStreams says that no split of the bytes changes the outcome, and that an answer
// has something in it.
func fuzzStreams(f *testing.F, d llm.Dialect) {
	for i, tt := range streamCases() {
		if tt.dialect == d {
			f.Add([]byte(tt.body), uint64(i), 0)
			f.Add([]byte(tt.body), uint64(i), len(tt.body)/2)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, limit int) {
		r := rand.New(rand.NewPCG(seed, 1))
		once := feedAs(t, d, body, limit, whole)
		pieces := feedAs(t, d, body, limit, func() int { return 1 + r.IntN(7) })
		if diff := cmp.Diff(once, pieces, cmp.AllowUnexported(streamed{})); diff != "" {
			t.Errorf("split changes the outcome (-once +pieces)\n%s", diff)
		}
		if once.first > int64(len(body)) {
			t.Errorf("first content at %d of %d bytes", once.first, len(body))
		}
		if once.reason == "" && once.reply.Text == "" && once.reply.Refusal == "" && len(once.reply.ToolCalls) == 0 {
			t.Error("an answer without anything in it")
		}
	})
}
