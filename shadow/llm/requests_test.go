package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestConversationOfOtherDialects(t *testing.T) {
	call, result := `[tool call t1: find_order({"id":4711})]`, `[result of t1] {"state":"shipped"}`
	tests := []struct {
		name, why string
		dialect   llm.Dialect
		body      string
		want      []llm.Turn
		err       error
	}{
		{name: "claude", why: "system beside the messages, a call, its result, an image", dialect: llm.AnthropicMessages,
			body: `{"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"Where is order 4711?"},
				{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"One moment."},{"type":"tool_use","id":"t1","name":"find_order","input":{"id":4711}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"{\"state\":\"shipped\"}"}]},{"type":"text","text":"And when?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}`,
			want: []llm.Turn{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Where is order 4711?"}, {Role: "assistant", Text: "One moment.\n" + call}, {Role: "tool", Text: result}, {Role: "user", Text: "And when?\n[image: image/png, 3 bytes]"}}},
		{name: "claude files", why: "by reference and size", dialect: llm.AnthropicMessages,
			body: `{"system":"Be brief.","messages":[{"role":"user","content":[{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"AAAAAA=="}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"abc"}},
				{"type":"document","source":{"type":"content","content":[{"type":"text","text":"inner"}]}},{"type":"image","source":{"type":"url","url":"https://a.example/x.png"}},{"type":"document","source":{"type":"file","file_id":"f"}},{"type":"hologram"},
				{"type":"search_result","source":"https://a.example","title":"Moon","content":[{"type":"text","text":"far"}]}]}]}`,
			want: []llm.Turn{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "[file: a.pdf, 4 bytes]\n[file: text/plain, 3 bytes]\ninner\n[image: url]\n[file: id]\n[hologram]\n[search result: Moon] far"}}},
		{name: "claude failed tool", why: "in its place among the parts", dialect: llm.AnthropicMessages,
			body: `{"messages":[{"role":"user","content":[{"type":"text","text":"Here:"},{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no such order"},{"type":"tool_result","tool_use_id":"t2"}]}]}`,
			want: []llm.Turn{{Role: "user", Text: "Here:"}, {Role: "tool", Text: "[result of t1] [error] no such order"}, {Role: "tool", Text: "[result of t2] "}}},
		{name: "claude only system", why: "a question must be there somewhere", dialect: llm.AnthropicMessages, body: `{"system":" ","messages":[{"role":"user","content":[]}]}`, err: llm.ErrNoMessages},

		{name: "responses text", why: "one string", dialect: llm.OpenAIResponses, body: `{"instructions":"Be brief.","input":"Hi"}`, want: []llm.Turn{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Hi"}}},
		{name: "responses items", why: "calls and results are items of their own", dialect: llm.OpenAIResponses,
			body: `{"input":[{"role":"developer","content":"Be brief."},{"type":"message","role":"user","content":[{"type":"input_text","text":"Where is order 4711?"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},{"type":"reasoning","summary":[]},
				{"type":"function_call","call_id":"t1","name":"find_order","arguments":"{\"id\":4711}"},{"type":"function_call_output","call_id":"t1","output":"{\"state\":\"shipped\"}"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Shipped."},{"type":"refusal","refusal":"No."}]}]}`,
			want: []llm.Turn{{Role: "developer", Text: "Be brief."}, {Role: "user", Text: "Where is order 4711?\n[image: image/png, 3 bytes]"}, {Role: "assistant", Text: call}, {Role: "tool", Text: result}, {Role: "assistant", Text: "Shipped.\n[refusal] No."}}},
		{name: "responses files", why: "by reference and size", dialect: llm.OpenAIResponses,
			body: `{"input":[{"role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AAAAAA=="},{"type":"input_file","file_id":"f"},{"type":"input_file","file_url":"https://a.example/x"},{"type":"input_image","file_id":"f"},{"type":"input_image","image_url":"https://a.example/x.png"}]},
				{"type":"custom_tool_call","call_id":"c","name":"sh","input":"ls"},{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"a b"}]},{"type":"item_reference","id":"x"}]}`,
			want: []llm.Turn{{Role: "user", Text: "[file: a.pdf, 4 bytes]\n[file: id]\n[file: url]\n[image: id]\n[image: url]"}, {Role: "assistant", Text: "[tool call c: sh(ls)]"}, {Role: "tool", Text: "[result of c] a b"}, {Role: "assistant", Text: "[item_reference]"}}},

		{name: "gemini", why: "calls have no ids; model is assistant", dialect: llm.GeminiGenerate,
			body: `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Where is order 4711?"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]},
				{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"name":"find_order","args":{"id":4711}}}]},{"role":"user","parts":[{"functionResponse":{"name":"find_order","response":{"state":"shipped"}}},{"text":"And when?"}]}]}`,
			want: []llm.Turn{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Where is order 4711?\n[image: image/png, 3 bytes]"}, {Role: "assistant", Text: `[tool call: find_order({"id":4711})]`}, {Role: "tool", Text: `[result of find_order] {"state":"shipped"}`}, {Role: "user", Text: "And when?"}}},
		{name: "gemini snake case", why: "the API takes both", dialect: llm.GeminiGenerate,
			body: `{"system_instruction":{"parts":[{"text":"s"}]},"contents":{"parts":[{"inline_data":{"mime_type":"application/pdf","data":"AAAA"}},{"file_data":{"mime_type":"video/mp4","file_uri":"u"}},{"executableCode":{"code":"x"}}]}}`,
			want: []llm.Turn{{Role: "system", Text: "s"}, {Role: "user", Text: "[file: application/pdf, 3 bytes]\n[video: url]\n[executableCode]"}}},

		{name: "ollama chat", why: "arguments are objects, images bare base64", dialect: llm.OllamaChat,
			body: `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Where?","images":["AAAA","AAAAAA=="]},{"role":"assistant","content":"","tool_calls":[{"function":{"name":"find_order","arguments":{"id":4711}}}]},{"role":"tool","tool_name":"find_order","content":"shipped"}]}`,
			want: []llm.Turn{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Where?\n[image: unknown, 3 bytes]\n[image: unknown, 4 bytes]"}, {Role: "assistant", Text: `[tool call: find_order({"id":4711})]`}, {Role: "tool", Text: "[result of find_order] shipped"}}},
		{name: "ollama generate", why: "no turns, one prompt", dialect: llm.OllamaGenerate, body: `{"system":"Be brief.","prompt":"def f(","suffix":"return","images":["AAAA"]}`,
			want: []llm.Turn{{Role: "system", Text: "Be brief."}, {Role: "user", Text: "def f(\n[image: unknown, 3 bytes]\n[suffix] return"}}},
		{name: "ollama load", why: "an empty prompt only loads the model", dialect: llm.OllamaGenerate, body: `{"model":"m"}`, err: llm.ErrNoMessages},
		{name: "chat in another dialect", why: "nothing is guessed", dialect: llm.GeminiGenerate, body: `{"messages":[{"role":"user","content":"x"}]}`, err: llm.ErrNoMessages},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := llm.Conversation(tt.dialect, []byte(tt.body))
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: error %v, want %v", tt.why, err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: turns (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

func TestRequestInfoOfOtherDialects(t *testing.T) {
	tests := []struct {
		dialect   llm.Dialect
		body, why string
		want      llm.Info
	}{
		{llm.OpenAIResponses, `{"model":"m","stream":true,"max_output_tokens":9}`, "asked for", llm.Info{Model: "m", Stream: true, MaxTokens: num(9)}},
		{llm.AnthropicMessages, `{"model":"m","max_tokens":9}`, "not asked for", llm.Info{Model: "m", MaxTokens: num(9)}},
		{llm.AnthropicMessages, `{"model":"m","stream":true}`, "asked for", llm.Info{Model: "m", Stream: true}},
		{llm.GeminiGenerate, `{"model":"x","stream":true,"generationConfig":{"maxOutputTokens":9,"candidateCount":2}}`, "the path names the model and asks for the stream", llm.Info{N: 2, MaxTokens: num(9)}},
		{llm.OllamaChat, `{"model":"m","options":{"num_predict":9}}`, "on unless it is switched off", llm.Info{Model: "m", Stream: true, MaxTokens: num(9)}},
		{llm.OllamaGenerate, `{"model":"m","stream":false,"options":{"num_predict":-1}}`, "switched off; -1 is no limit", llm.Info{Model: "m"}},
	}
	for _, tt := range tests {
		tt.want.IncludeUsage, tt.want.N = true, max(tt.want.N, 1)
		got, err := llm.RequestInfo(tt.dialect, []byte(tt.body))
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s %s (%s): %v (-want +got)\n%s", tt.dialect, tt.body, tt.why, err, diff)
		}
	}
}

func TestUnsupportedOfOtherDialects(t *testing.T) {
	responses, anthropic, gemini := llm.OpenAIResponses, llm.AnthropicMessages, llm.GeminiGenerate
	tests := []struct {
		dialect llm.Dialect
		body    string
		why     string // empty: supported
	}{
		{responses, `{"input":"Hi","store":true,"metadata":{},"background":false,"tools":[{"type":"function"}]}`, ""},
		{responses, `{"input":[{"type":"function_call_output","output":"x"},{"role":"user","content":[{"type":"input_image","image_url":"data:,"}]}]}`, ""},
		{responses, `{"input":"Hi","previous_response_id":"r"}`, "previous_response_id"},
		{responses, `{"input":"Hi","conversation":{"id":"c"}}`, "conversation"},
		{responses, `{"input":"Hi","background":true}`, "background"},
		{responses, `{"input":"Hi","prompt":{"id":"p"}}`, "prompt"},
		{responses, `{"input":"Hi","tools":[{"type":"mcp"}]}`, "tool at the provider's side (mcp)"},
		{responses, `{"input":[{"type":"item_reference","id":"x"}]}`, "input of the provider's own (item_reference)"},
		{responses, `{"input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}]}`, "file by id"},
		{responses, `{"input":[{"type":"function_call_output","output":[{"type":"input_image","file_id":"f"}]}]}`, "file by id"},
		{responses, `{"input":[{"role":"user","content":[{"type":"input_audio"}]}]}`, "audio"},
		{anthropic, `{"messages":[],"metadata":{"user_id":"u"},"tools":[{"name":"f"},{"type":"custom"},{"type":"bash_20250124"},{"type":"text_editor_20250728"}]}`, ""},
		{anthropic, `{"container":"c"}`, "container"},
		{anthropic, `{"mcp_servers":[{}]}`, "mcp_servers"},
		{anthropic, `{"tools":[{"type":"web_search_20250305"}]}`, "tool at the provider's side (web_search_20250305)"},
		{anthropic, `{"messages":[{"content":[{"type":"document","source":{"type":"file"}}]}]}`, "file by id"},
		{anthropic, `{"messages":[{"content":[{"type":"tool_result","content":[{"type":"image","source":{"type":"file"}}]}]}]}`, "file by id"},
		{anthropic, `{"messages":[{"content":[{"type":"container_upload"}]}]}`, "file by id"},
		{gemini, `{"contents":[{"parts":[{"text":"x"},{"inlineData":{"mimeType":"image/png"}}]}],"labels":{},"tools":[{"functionDeclarations":[]}],"generationConfig":{"candidateCount":1,"responseModalities":["TEXT"]}}`, ""},
		{gemini, `{"cachedContent":"c"}`, "cachedContent"},
		{gemini, `{"tools":[{"google_search":{}}]}`, "tool at the provider's side (google_search)"},
		{gemini, `{"contents":[{"parts":[{"fileData":{"fileUri":"u"}}]}]}`, "file by URI"},
		{gemini, `{"contents":[{"parts":[{"inline_data":{"mime_type":"audio/wav"}}]}]}`, "audio"},
		{gemini, `{"generationConfig":{"responseModalities":["AUDIO"]}}`, "audio"},
		{gemini, `{"generationConfig":{"candidateCount":2}}`, "more than one answer (n)"},
		{llm.OllamaChat, `{"messages":[],"context":[1]}`, ""},
		{llm.OllamaGenerate, `{"prompt":"x"}`, ""},
		{llm.OllamaGenerate, `{"prompt":"x","context":[1,2]}`, "context"},
		{llm.OllamaGenerate, `[]`, llm.ErrRequest.Error()},
	}
	for _, tt := range tests {
		if why, yes := llm.Unsupported(tt.dialect, []byte(tt.body)); why != tt.why || yes != (tt.why != "") {
			t.Errorf("%s %s: %q, %v; want %q", tt.dialect, tt.body, why, yes, tt.why)
		}
	}
}

func TestSameDialectBodyOfOtherDialects(t *testing.T) {
	tests := []struct {
		name, why  string
		dialect    llm.Dialect
		body, want string
		notes      []string
	}{
		{"responses", "an answer is stored unless that is switched off", llm.OpenAIResponses, `{"model":"a","input":"x","stream":true}`, `{"model":"cand","input":"x","stream":true,"store":false}`, []string{"store set"}},
		{"responses stored", "the person's id goes too", llm.OpenAIResponses, `{"model":"a","store": true,"user":"u"}`, `{"model":"cand","store": false}`, []string{"user removed", "store set"}},
		{"responses not stored", "nothing to do", llm.OpenAIResponses, `{"model":"a", "store":false}`, `{"model":"cand", "store":false}`, nil},
		{"claude", "the person's id stands in metadata", llm.AnthropicMessages, `{"model":"a","metadata":{"user_id":"u"},"max_tokens":5,"stream":true}`, `{"model":"cand","max_tokens":5,"stream":true}`, []string{"metadata removed"}},
		{"gemini", "the model stands in the path", llm.GeminiGenerate, `{"contents":[],"labels":{"team":"t"}}`, `{"contents":[]}`, []string{"labels removed"}},
		{"ollama", "nothing but the model", llm.OllamaChat, `{"model":"a","keep_alive":"5m","user":"u"}`, `{"model":"cand","keep_alive":"5m","user":"u"}`, nil},
		{"ollama generate", "nothing but the model", llm.OllamaGenerate, `{"model":"a","prompt":"x"}`, `{"model":"cand","prompt":"x"}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, notes, err := llm.SameDialectBody(tt.dialect, []byte(tt.body), "cand")
			if err != nil || string(got) != tt.want {
				t.Errorf("%s:\n got %s\nwant %s\nerror %v", tt.why, got, tt.want, err)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("%s: notes (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

// A patch finds Gemini's names in either case: two of one field would be refused.
func TestPatchInBothCases(t *testing.T) {
	got, _, err := llm.SameDialectBody(llm.GeminiGenerate, []byte(`{"generation_config":{"topK":3,"thinking_config":{"thinkingLevel":"low"}}}`), "m",
		llm.Edit{Key: "generationConfig", Value: json.RawMessage(`{"thinkingConfig":{"thinkingLevel":null,"thinkingBudget":0}}`)})
	if want := `{"generation_config":{"topK":3,"thinking_config":{"thinkingBudget":0}}}`; err != nil || string(got) != want {
		t.Errorf("got %s, want %s, error %v", got, want, err)
	}
}

func ExampleConversation() {
	turns, err := llm.Conversation(llm.AnthropicMessages, []byte(`{"system": "Be brief.", "messages": [{"role": "user", "content": [
		{"type": "tool_result", "tool_use_id": "t1", "content": "shipped"}, {"type": "text", "text": "And when?"}]}]}`))
	for _, t := range turns {
		fmt.Printf("%s: %s\n", t.Role, t.Text)
	}
	fmt.Println(err)
	// Output:
	// system: Be brief.
	// tool: [result of t1] shipped
	// user: And when?
	// <nil>
}

func ExampleRequestInfo() {
	info, err := llm.RequestInfo(llm.OllamaChat, []byte(`{"model": "qwen3:8b", "messages": []}`))
	fmt.Println(info.Model, info.Stream, err)
	// Output: qwen3:8b true <nil>
}

func ExampleUnsupported() {
	fmt.Println(llm.Unsupported(llm.OpenAIResponses, []byte(`{"input": "And then?", "previous_response_id": "resp_1"}`)))
	// Output: previous_response_id true
}

func FuzzConversation(f *testing.F) {
	for i, s := range []string{
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}}]}]}`,
		`{"input":[{"type":"function_call","arguments":{}},{"content":[{"type":"input_file"}]}],"instructions":["x"]}`,
		`{"system":[{"text":"x"}],"messages":[{"content":[{"type":"tool_result","content":[{"type":"tool_result"}]}]}]}`,
		`{"contents":[{"parts":[{"functionCall":1},{"functionResponse":{}},{"inlineData":[]},{},"x"]}]}`,
		`{"messages":["x",{"tool_calls":[{"function":1}],"images":[1]}]}`,
		`{"prompt":"x","images":{}}`,
	} {
		f.Add([]byte(s), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		d := dialects()[int(n)%len(dialects())]
		turns, err := llm.Conversation(d, body)
		if (err == nil) != (len(turns) > 0) {
			t.Errorf("%s: %d turns and error %v", d, len(turns), err)
		}
		_, _ = llm.Unsupported(d, body)
		info, err := llm.RequestInfo(d, body)
		if err == nil && info.N < 0 {
			t.Errorf("%s: %d answers", d, info.N)
		}
		if out, _, spliceErr := llm.SameDialectBody(d, body, "m"); spliceErr == nil {
			if _, ok := object(string(out)); !ok {
				t.Errorf("%s: result %q is no object", d, out)
			}
		}
	})
}

// dialects are all that are read.
func dialects() []llm.Dialect {
	return []llm.Dialect{llm.OpenAIChat, llm.OpenAIResponses, llm.AnthropicMessages, llm.GeminiGenerate, llm.OllamaChat, llm.OllamaGenerate}
}
