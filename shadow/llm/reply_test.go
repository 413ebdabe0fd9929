package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// caseFile reads a file of testdata/cases.
func caseFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func num(n int64) *int64 { return &n }

// reasonOf gives the reason of a decoding error; empty for none.
func reasonOf(t testing.TB, err error) llm.Reason {
	t.Helper()
	if err == nil {
		return ""
	}
	var f *llm.Failure
	if !errors.As(err, &f) {
		t.Fatalf("error %v is no *llm.Failure", err)
	}
	return f.Reason
}

func TestDecodeReply(t *testing.T) {
	tests := []struct {
		name, why string
		body      string
		want      llm.Reply
		reason    llm.Reason
		class     llm.Class
	}{
		{
			name: "plain", why: "the usual answer, with all counts",
			body: `{"model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],
				"usage":{"prompt_tokens":4,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"reasoning_tokens":0}}}`,
			want: llm.Reply{Text: "Hi", Finish: "stop", Model: "m-1", Usage: llm.Usage{In: num(4), Out: num(1), Cached: num(2), Reasoning: num(0)}},
		},
		{
			name: "cache written", why: "written tokens are part of the prompt's, as read ones are",
			body: `{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":2,"cache_write_tokens":3}}}`,
			want: llm.Reply{Text: "Hi", Usage: llm.Usage{In: num(9), Out: num(1), Cached: num(2), CacheWritten: num(3)}},
		},
		{
			name: "reasoning inside", why: "the total says that it is part of the completion",
			body: `{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":4}}}`,
			want: llm.Reply{Text: "Hi", Usage: llm.Usage{In: num(9), Out: num(5), Reasoning: num(4)}},
		},
		{
			name: "reasoning beside", why: "some servers count it apart, and the total gives it away",
			body: `{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":4}}}`,
			want: llm.Reply{Text: "Hi", Usage: llm.Usage{In: num(9), Out: num(5), Reasoning: num(4)}},
		},
		{
			name: "reasoning only", why: "reasoning text is never the answer",
			body: string(caseFile(t, "length-empty-reasoning.json")), reason: llm.Truncated, class: llm.Malformed,
			want: llm.Reply{Finish: "length", Model: "cand-b-2026-05-01", Usage: llm.Usage{In: num(30), Out: num(200), Reasoning: num(199)}},
		},
		{
			name: "refusal", why: "a marked refusal is an answer",
			body: string(caseFile(t, "judge-refusal.json")),
			want: llm.Reply{Refusal: "I can't help with evaluating this content.", Finish: "stop", Model: "judge-mini-2026-03-01", Usage: llm.Usage{In: num(812), Out: num(41)}},
		},
		{
			name: "error in 200", why: "an embedded 429 is a rate limit for whoever retries",
			body: innerBody(t, "http-200-error-body.json"), reason: llm.ErrorIn200, class: llm.Unavailable,
		},
		{name: "error text in 200", why: "Ollama's form", body: `{"error":"model is loading"}`, reason: llm.ErrorIn200, class: llm.Unavailable},
		{name: "denied in 200", why: "the class follows the code", body: `{"error":{"message":"x","code":"insufficient_quota"}}`, reason: llm.ErrorIn200, class: llm.Denied},
		{name: "error list in 200", why: "Gemini's compatible endpoint wraps errors in a list", body: `[{"error":{"code":503,"status":"UNAVAILABLE"}}]`, reason: llm.ErrorIn200, class: llm.Unavailable},
		{name: "null error", why: "some servers always send the field", body: `{"error":null,"choices":[{"message":{"content":"x"}}]}`, want: llm.Reply{Text: "x"}},
		{name: "empty error", why: "an empty object says nothing", body: `{"error":{},"choices":[{"message":{"content":"x"}}]}`, want: llm.Reply{Text: "x"}},
		{name: "filtered", why: "withheld, not empty", body: `{"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}`, reason: llm.Filtered, class: llm.Invalid, want: llm.Reply{Finish: "content_filter"}},
		{name: "filtered in the middle", why: "text that came is an answer", body: `{"choices":[{"message":{"content":"Ab"},"finish_reason":"content_filter"}]}`, want: llm.Reply{Text: "Ab", Finish: "content_filter"}},
		{name: "cut by length", why: "a cut text is an answer to grade", body: `{"choices":[{"message":{"content":"Ab"},"finish_reason":"length"}]}`, want: llm.Reply{Text: "Ab", Finish: "length"}},
		{name: "empty", why: "nothing to grade", body: `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`, reason: llm.Empty, class: llm.Malformed, want: llm.Reply{Finish: "stop"}},
		{name: "blank", why: "blanks are nothing to read", body: `{"choices":[{"message":{"content":" \n"}}]}`, reason: llm.Empty, class: llm.Malformed, want: llm.Reply{Text: " \n"}},
		{name: "no choices", why: "an empty list has no answer", body: `{"choices":[]}`, reason: llm.Empty, class: llm.Malformed},
		{name: "zero bytes", why: "a 200 without a body", body: "", reason: llm.Empty, class: llm.Malformed},
		{name: "blanks", why: "keep-alive blanks and then nothing", body: " \n\n", reason: llm.Empty, class: llm.Malformed},
		{name: "html", why: "a proxy's page", body: "<html>Bad gateway</html>", reason: llm.MalformedReason, class: llm.Malformed},
		{name: "cut", why: "half a document", body: `{"choices":[{"message":{"content":"x`, reason: llm.MalformedReason, class: llm.Malformed},
		{name: "other dialect", why: "no choices at all", body: `{"answer":"x"}`, reason: llm.MalformedReason, class: llm.Malformed},
		{name: "two documents", why: "trailing rubbish", body: `{"choices":[]}{}`, reason: llm.MalformedReason, class: llm.Malformed},
		{name: "parts", why: "content as a list of parts; thinking is left out", body: `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"A"},{"type":"text","text":"b"}]}}]}`, want: llm.Reply{Text: "Ab"}},
		{name: "wrong types", why: "unknown shapes count as absent", body: `{"model":7,"choices":[{"index":"0","message":{"content":"x","tool_calls":{}},"finish_reason":3}],"usage":{"prompt_tokens":"4","completion_tokens":5.0}}`, want: llm.Reply{Text: "x", Usage: llm.Usage{Out: num(5)}}},
		{name: "second choice first", why: "index 0 is the answer", body: `{"choices":[{"index":1,"message":{"content":"b"}},{"index":0,"message":{"content":"a"}}]}`, want: llm.Reply{Text: "a"}},
		{name: "byte order mark", why: "seen in front of JSON from some proxies", body: "\xef\xbb\xbf{\"choices\":[{\"message\":{\"content\":\"x\"}}]}", want: llm.Reply{Text: "x"}},
		{name: "other case", why: "names are compared exactly: CONTENT is another field", body: `{"choices":[{"message":{"content":"a","CONTENT":"b"}}]}`, want: llm.Reply{Text: "a"}},
		{name: "lone surrogate", why: "readable all the same", body: `{"choices":[{"message":{"content":"a\ud83d"}}]}`, want: llm.Reply{Text: "a\ufffd"}},
		{name: "nul", why: "control characters are part of the text", body: `{"choices":[{"message":{"content":"a\u0000b"}}]}`, want: llm.Reply{Text: "a\x00b"}},
		{
			name: "tool calls", why: "an answer without text",
			body: `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},{"id":"b","function":{"name":"g","arguments":{"y":1e400}}},{"id":"c","function":{"name":"h","arguments":null}}]},"finish_reason":"tool_calls"}]}`,
			want: llm.Reply{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"x": 1}`}, {ID: "b", Name: "g", Arguments: `{"y":1e400}`}, {ID: "c", Name: "h"}}},
		},
		{
			name: "split tool call", why: "two entries with one index are one call",
			body: `{"choices":[{"message":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":0,"function":{"arguments":"}"}}]}}]}`,
			want: llm.Reply{ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		},
		{
			name: "legacy function call", why: "older servers",
			body: `{"choices":[{"message":{"content":null,"function_call":{"name":"f","arguments":"{}"}},"finish_reason":"function_call"}]}`,
			want: llm.Reply{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{Name: "f", Arguments: "{}"}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := llm.DecodeReply(llm.OpenAIChat, []byte(tt.body))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: reply (-want +got)\n%s", tt.why, diff)
			}
			if r := reasonOf(t, err); r != tt.reason {
				t.Errorf("%s: reason %q, want %q", tt.why, r, tt.reason)
			}
			var f *llm.Failure
			if errors.As(err, &f) && f.Class != tt.class {
				t.Errorf("%s: class %v, want %v", tt.why, f.Class, tt.class)
			}
		})
	}
}

// innerBody gives the body of a case that describes a response.
func innerBody(t testing.TB, name string) string {
	t.Helper()
	var c struct{ Body json.RawMessage }
	if err := json.Unmarshal(caseFile(t, name), &c); err != nil {
		t.Fatal(err)
	}
	return string(c.Body)
}

func TestDecodeReplyDialect(t *testing.T) {
	if _, err := llm.DecodeReply("telegraph", []byte(`{}`)); !errors.Is(err, llm.ErrDialect) {
		t.Errorf("error %v, want ErrDialect", err)
	}
}

func FuzzDecodeReply(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"x"}}]}`))
	f.Add([]byte(`{"choices":[{"message":{"tool_calls":[{"index":0}]}}],"error":{"details":[{"retryDelay":"4s"}]}}`))
	f.Add([]byte(`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}]}`))
	f.Add([]byte(`[{"error":"x"}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range dialects() {
			r, err := llm.DecodeReply(d, body)
			if err == nil && r.Text == "" && r.Refusal == "" && len(r.ToolCalls) == 0 {
				t.Errorf("%s: an answer without anything in it", d)
			}
		}
	})
}

func ExampleDecodeReply() {
	_, err := llm.DecodeReply(llm.OpenAIChat, []byte(`{"error": {"message": "slow down", "code": 429}}`))
	fmt.Println(err)
	// Output: error_in_200 (unavailable), status 200, code 429: slow down
}
