package llm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestDecodeReplyOfOtherDialects(t *testing.T) {
	tests := []struct {
		name, why string
		dialect   llm.Dialect
		body      string
		want      llm.Reply
		reason    llm.Reason
	}{
		{
			name: "anthropic text", why: "thinking is left out; cached tokens are tokens in", dialect: llm.AnthropicMessages,
			body: `{"type":"message","model":"claude-sonnet-5","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"A"},{"type":"text","text":"b"}],"stop_reason":"end_turn",
				"usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":7}}`,
			want: llm.Reply{Text: "Ab", Finish: "stop", Model: "claude-sonnet-5", Usage: llm.Usage{In: num(113), Out: num(7), Cached: num(100), CacheWritten: num(10)}},
		},
		{
			name: "anthropic tool", why: "arguments as the model wrote them", dialect: llm.AnthropicMessages,
			body: `{"content":[{"type":"tool_use","id":"t","name":"f","input":{"b": 1.0,"a":2}}],"stop_reason":"tool_use"}`,
			want: llm.Reply{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "t", Name: "f", Arguments: `{"b": 1.0,"a":2}`}}},
		},
		{name: "anthropic refusal", why: "marked by the provider", dialect: llm.AnthropicMessages, body: `{"content":[],"stop_reason":"refusal","stop_details":{"explanation":"no"}}`, want: llm.Reply{Refusal: "no", Finish: "stop"}},
		{name: "anthropic bare refusal", why: "without details", dialect: llm.AnthropicMessages, body: `{"content":[],"stop_reason":"refusal"}`, want: llm.Reply{Refusal: "refused", Finish: "stop"}},
		{name: "anthropic length", why: "used up by thinking", dialect: llm.AnthropicMessages, body: `{"content":[{"type":"thinking","thinking":"hm"}],"stop_reason":"max_tokens"}`, want: llm.Reply{Finish: "length"}, reason: llm.Truncated},
		{name: "anthropic pause", why: "a later value is kept", dialect: llm.AnthropicMessages, body: `{"content":[{"type":"text","text":"A"}],"stop_reason":"pause_turn"}`, want: llm.Reply{Text: "A", Finish: "pause_turn"}},
		{name: "anthropic error", why: "error under 200", dialect: llm.AnthropicMessages, body: `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, reason: llm.ErrorIn200},
		{name: "anthropic foreign", why: "another dialect's answer", dialect: llm.AnthropicMessages, body: `{"choices":[]}`, reason: llm.MalformedReason},
		{
			name: "gemini text", why: "thoughts are left out and counted as tokens out", dialect: llm.GeminiGenerate,
			body: `{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"A"},{"text":"b"}]},"finishReason":"STOP"}],"modelVersion":"models/gemini-4-flash",
				"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"thoughtsTokenCount":9,"cachedContentTokenCount":1}}`,
			want: llm.Reply{Text: "Ab", Finish: "stop", Model: "gemini-4-flash", Usage: llm.Usage{In: num(5), Out: num(11), Reasoning: num(9), Cached: num(1)}},
		},
		{name: "gemini call", why: "a call is an answer", dialect: llm.GeminiGenerate, body: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"x":1}}}]},"finishReason":"STOP"}]}`, want: llm.Reply{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{Name: "f", Arguments: `{"x":1}`}}}},
		{name: "gemini blocked prompt", why: "no candidates", dialect: llm.GeminiGenerate, body: `{"promptFeedback":{"blockReason":"SAFETY"}}`, want: llm.Reply{Refusal: "prompt blocked: SAFETY", Finish: "content_filter"}},
		{name: "gemini blocked answer", why: "withheld for safety", dialect: llm.GeminiGenerate, body: `{"candidates":[{"finishReason":"SAFETY"}]}`, want: llm.Reply{Refusal: "answer blocked: SAFETY", Finish: "content_filter"}},
		{name: "gemini recitation", why: "withheld, but no refusal", dialect: llm.GeminiGenerate, body: `{"candidates":[{"finishReason":"RECITATION"}]}`, want: llm.Reply{Finish: "content_filter"}, reason: llm.Filtered},
		{name: "gemini length", why: "used up by thinking", dialect: llm.GeminiGenerate, body: `{"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}]}`, want: llm.Reply{Finish: "length"}, reason: llm.Truncated},
		{name: "gemini broken call", why: "a later value is kept", dialect: llm.GeminiGenerate, body: `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`, want: llm.Reply{Finish: "malformed_function_call"}, reason: llm.Empty},
		{
			name: "responses text", why: "reasoning is left out; cached tokens are part of the input's", dialect: llm.OpenAIResponses,
			body: `{"object":"response","status":"completed","error":null,"model":"gpt-6-mini-2026-05-01","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"A"},{"type":"output_text","text":"b"}]}],` + respUsage + `}`,
			want: llm.Reply{Text: "Ab", Finish: "stop", Model: "gpt-6-mini-2026-05-01", Usage: llm.Usage{In: num(20), Cached: num(5), CacheWritten: num(2), Out: num(9), Reasoning: num(4)}},
		},
		{name: "responses calls", why: "functions, and tools that take text", dialect: llm.OpenAIResponses, body: `{"status":"completed","output":[{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\": 1}"},{"type":"custom_tool_call","call_id":"b","name":"sh","input":"ls"},{"type":"web_search_call","id":"w"}]}`,
			want: llm.Reply{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"x": 1}`}, {ID: "b", Name: "sh", Arguments: "ls"}}}},
		{name: "responses refusal", why: "a part of its own", dialect: llm.OpenAIResponses, body: `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}`, want: llm.Reply{Refusal: "No.", Finish: "stop"}},
		{name: "responses length", why: "used up by reasoning", dialect: llm.OpenAIResponses, body: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"reasoning"}]}`, want: llm.Reply{Finish: "length"}, reason: llm.Truncated},
		{name: "responses cut at the length", why: "what came is an answer", dialect: llm.OpenAIResponses, body: `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"A"}]}]}`, want: llm.Reply{Text: "A", Finish: "length"}},
		{name: "responses filtered", why: "withheld", dialect: llm.OpenAIResponses, body: `{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`, want: llm.Reply{Finish: "content_filter"}, reason: llm.Filtered},
		{name: "responses failed", why: "an error under 200", dialect: llm.OpenAIResponses, body: `{"status":"failed","error":{"code":"server_error","message":"x"},"output":[]}`, want: llm.Reply{Finish: "error"}, reason: llm.ErrorIn200},
		{name: "responses failed in silence", why: "what came before is no answer", dialect: llm.OpenAIResponses, body: `{"status":"failed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"A"}]}]}`, want: llm.Reply{Text: "A", Finish: "error"}, reason: llm.ErrorIn200},
		{name: "responses in the background", why: "not answered yet", dialect: llm.OpenAIResponses, body: `{"status":"queued","output":[]}`, reason: llm.Empty},
		{name: "responses foreign", why: "another dialect's answer", dialect: llm.OpenAIResponses, body: `{"choices":[]}`, reason: llm.MalformedReason},
		{
			name: "ollama text", why: "thinking is left out", dialect: llm.OllamaChat,
			body: `{"model":"qwen3:8b","message":{"role":"assistant","content":"A","thinking":"hm"},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":2}`,
			want: llm.Reply{Text: "A", Finish: "stop", Model: "qwen3:8b", Usage: llm.Usage{In: num(5), Out: num(2)}},
		},
		{name: "ollama cached", why: "counts may be absent", dialect: llm.OllamaChat, body: `{"message":{"content":"A"},"done_reason":"length"}`, want: llm.Reply{Text: "A", Finish: "length"}},
		{name: "ollama generate", why: "the other path", dialect: llm.OllamaGenerate, body: `{"response":"A","done_reason":"stop"}`, want: llm.Reply{Text: "A", Finish: "stop"}},
		{name: "ollama call", why: "arguments are an object", dialect: llm.OllamaChat, body: `{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"x":1}}},{"function":{"name":"f","arguments":{"x":2}}}]},"done_reason":"stop"}`, want: llm.Reply{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{Name: "f", Arguments: `{"x":1}`}, {Name: "f", Arguments: `{"x":2}`}}}},
		{name: "ollama error", why: "an error is a text", dialect: llm.OllamaChat, body: `{"error":"out of memory"}`, reason: llm.ErrorIn200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := llm.DecodeReply(tt.dialect, []byte(tt.body))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: reply (-want +got)\n%s", tt.why, diff)
			}
			if r := reasonOf(t, err); r != tt.reason {
				t.Errorf("%s: reason %q, want %q", tt.why, r, tt.reason)
			}
		})
	}
}
