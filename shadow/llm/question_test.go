package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// TestReadQuestion has what the dialects have beside each other's; that all of them
// read one conversation alike is a test of package provider.
func TestReadQuestion(t *testing.T) {
	user := []llm.Message{{Role: "user", Parts: []llm.Part{{Text: "x"}}}}
	call := func(id, name, arguments string) llm.Part {
		return llm.Part{Call: &llm.ToolCall{ID: id, Name: name, Arguments: arguments}}
	}
	result := func(id, name, text string) llm.Message {
		return llm.Message{Role: "tool", Parts: []llm.Part{{Result: &llm.ToolResult{ID: id, Name: name, Parts: []llm.Part{{Text: text}}}}}}
	}
	tests := []struct {
		name, why string
		dialect   llm.Dialect
		body      string
		want      llm.Question
		lost      []llm.Loss
		notes     []string
	}{
		{"legacy functions", "older clients call without ids", llm.OpenAIChat, `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"1"}],"functions":[{"name":"f"}],"function_call":{"name":"f"}}`,
			llm.Question{Messages: append(slices.Clone(user), llm.Message{Role: "assistant", Parts: []llm.Part{call("call_1", "f", "{}")}}, result("call_1", "f", "1")),
				Tools: []llm.Tool{{Name: "f"}}, Choice: llm.Choice{Must: true, Names: []string{"f"}}}, nil, nil},
		{"side effects", "noted, no loss", llm.OpenAIResponses, `{"input":"x","store":true,"user":"u","metadata":{}}`, llm.Question{Messages: user}, nil, []string{"user removed", "store removed"}},
		{"numbers", "as they were written", llm.OpenAIChat, `{"messages":[{"role":"user","content":"x"}],"seed":12345678901234567890,"temperature":1.0e0,"top_p":"high"}`,
			llm.Question{Messages: user, Seed: "12345678901234567890", Temperature: "1.0e0"}, nil, nil},
		{"allowed tools", "a narrower choice", llm.OpenAIResponses, `{"input":"x","tools":[{"type":"function","name":"f"},{"type":"function","name":"g"}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"g"}]}}`,
			llm.Question{Messages: user, Tools: []llm.Tool{{Name: "f"}, {Name: "g"}}, Choice: llm.Choice{Names: []string{"g"}}}, nil, nil},
		{"a budget of thinking", "a word", llm.AnthropicMessages, `{"max_tokens":9,"messages":[{"role":"user","content":"x"}],"thinking":{"type":"enabled","budget_tokens":20000}}`,
			llm.Question{Messages: user, MaxTokens: num(9), Effort: "high"}, []llm.Loss{llm.LostReasoning}, []string{"the budget of thinking tokens is carried as a word"}},
		{"two calls of one function", "results in the order of the calls", llm.GeminiGenerate, `{"contents":[{"parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"f","args":{"a":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":"no"}}},{"functionResponse":{"name":"f","response":{"output":1}}}]}]}`,
			llm.Question{Messages: append(slices.Clone(user), llm.Message{Role: "assistant", Parts: []llm.Part{call("call_1", "f", "{}"), call("call_1_1", "f", `{"a":1}`)}},
				llm.Message{Role: "tool", Parts: []llm.Part{{Result: &llm.ToolResult{ID: "call_1", Name: "f", Failed: true, Parts: []llm.Part{{Text: "no"}}}}}}, result("call_1_1", "f", `{"output":1}`))}, nil, nil},
		{"a nameless result", "belongs to the call before it", llm.OllamaChat, `{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"1"}],"options":{"num_predict":-1,"num_ctx":9},"think":true}`,
			llm.Question{Messages: append(slices.Clone(user), llm.Message{Role: "assistant", Parts: []llm.Part{call("call_1", "f", "{}")}}, result("call_1", "f", "1")), Effort: "medium"}, []llm.Loss{llm.LostOther}, []string{"not carried: options.num_ctx"}},
		{"a list of answers", "of vLLM", llm.OpenAIChat, `{"messages":[{"role":"user","content":"x"}],"guided_choice":["a","b"]}`, llm.Question{Messages: user, Format: llm.Format{Form: llm.FormList, List: []string{"a", "b"}}}, nil, nil},
		{"percent-encoded data", "base64 like all", llm.OpenAIChat, `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png,%00A","detail":"low"}}]}]}`,
			llm.Question{Messages: []llm.Message{{Role: "user", Parts: []llm.Part{{Media: &llm.Media{Type: "image/png", Data: "AEE="}}}}}}, []llm.Loss{llm.LostImageDetail}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, r, err := llm.ReadQuestion(tt.dialect, []byte(tt.body))
			if diff := cmp.Diff(tt.want, q); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got)\n%s", tt.why, err, diff)
			}
			if diff := cmp.Diff(llm.Record{Lost: tt.lost, Notes: tt.notes}, r); diff != "" {
				t.Errorf("%s: record (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

func TestQuestionsThatCannotBePut(t *testing.T) {
	for d, bodies := range map[llm.Dialect][]string{
		llm.OpenAIChat:        {`{"messages":[{"role":"oracle","content":"x"}]}`, `{"messages":[{"role":"user","content":[{"type":"hologram"}]}]}`, `{"messages":[{"role":"tool","content":"x"}]}`, `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search"}]}`},
		llm.OpenAIResponses:   {`{"input":[{"type":"item_reference","id":"i"}]}`, `{"input":[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]}`},
		llm.AnthropicMessages: {`{"messages":[{"role":"user","content":[{"type":"server_tool_use"}]}]}`, `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"bash_20250124","name":"bash"}]}`, `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"f"}}]}]}`},
		llm.GeminiGenerate:    {`{"contents":[{"parts":[{"executableCode":{}}]}]}`, `{"contents":[{"parts":[{"text":"x"}]}],"tools":[{"googleSearch":{}}]}`},
		llm.OllamaChat:        {`{"messages":[{"role":"user","content":"x","images":["AAAA"]}]}`},
		llm.OllamaGenerate:    {`{"prompt":"x","suffix":"y"}`, `{"prompt":"x","raw":true}`},
	} {
		for _, body := range bodies {
			if _, _, err := llm.ReadQuestion(d, []byte(body)); !errors.Is(err, llm.ErrUnsupported) {
				t.Errorf("%s: %s: %v", d, body, err)
			}
		}
	}
	for _, body := range []string{`{}`, `{"messages":[]}`, `{"messages":[{"role":"system","content":"x"}]}`, `{"messages":[{"role":"user","content":""}]}`} {
		if _, _, err := llm.ReadQuestion(llm.OpenAIChat, []byte(body)); !errors.Is(err, llm.ErrNoMessages) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestClosedSchema(t *testing.T) {
	rules := llm.SchemaRules{Drop: []string{"minimum"}, Refuse: []string{"not"}}
	for _, tt := range []struct {
		in, out     string
		changed, ok bool
	}{
		{`{"type":"object","properties":{"b":{"type":"integer","minimum":1},"a":{}},"required":["a"]}`, `{"type":"object","properties":{"b":{"type":"integer"},"a":{}},"required":["a","b"],"additionalProperties":false}`, true, true},
		{`{ "type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}`, `{ "type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}`, false, true},
		{`{"type":"array","items":{"properties":{}}}`, `{"type":"array","items":{"properties":{},"required":[],"additionalProperties":false}}`, true, true},
		{`{"$defs":{"x":{"properties":{"not":{}}}},"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}]}`, `{"$defs":{"x":{"properties":{"not":{}},"required":["not"],"additionalProperties":false}},"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}]}`, true, true},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, "", true, false},
		{`{"type":"object"}`, "", true, false},
		{`{"properties":{},"not":{}}`, "", true, false},
		{`true`, "", false, false},
	} {
		out, changed, ok := rules.Closed(json.RawMessage(tt.in))
		if ok != tt.ok || ok && (changed != tt.changed || string(out) != tt.out) {
			t.Errorf("%s:\n got %s, changed %v, ok %v\nwant %s", tt.in, out, changed, ok, tt.out)
		}
	}
}

func ExampleReadQuestion() {
	q, record, err := llm.ReadQuestion(llm.AnthropicMessages, []byte(`{"max_tokens": 100, "system": "Be brief.", "top_k": 5, "speed": "fast",
		"messages": [{"role": "user", "content": "Where is order 4711?"}]}`))
	for _, m := range q.Messages {
		fmt.Printf("%s: %s\n", m.Role, m.Parts[0].Text)
	}
	fmt.Println(*q.MaxTokens, q.TopK, record.Lost, record.Notes, err)
	// Output:
	// system: Be brief.
	// user: Where is order 4711?
	// 100 5 [other] [not carried: speed] <nil>
}

// FuzzReadQuestion says that what was read can be relied on by every encoder: known
// roles, no empty parts, calls with ids, results for them, losses of the list.
func FuzzReadQuestion(f *testing.F) {
	for i, s := range []string{
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":"data:x"}]},{"role":"assistant","tool_calls":[{"function":{}}]}]}`,
		`{"input":[{"type":"function_call","call_id":"a","arguments":{}},{"type":"function_call_output","call_id":"a","output":[]}],"instructions":["x"]}`,
		`{"system":[{"text":"x"}],"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text"}]}]}]}`,
		`{"contents":[{"parts":[{"functionCall":1},{"functionResponse":{}},{"inlineData":[]},{},"x"]}]}`,
		`{"messages":["x",{"role":"tool","images":[1]}]}`,
		`{"prompt":"x","images":["iVBORw0KGgo="],"options":{"stop":[1,"x"]}}`,
	} {
		f.Add([]byte(s), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		d := dialects()[int(n)%len(dialects())]
		q, r, err := llm.ReadQuestion(d, body)
		if err != nil {
			return
		}
		for _, m := range q.Messages {
			if !slices.Contains([]string{"system", "user", "assistant", "tool"}, m.Role) || len(m.Parts) == 0 {
				t.Errorf("%s: message %+v", d, m)
			}
			for _, p := range m.Parts {
				call, result := p.Call != nil, p.Result != nil
				if p.Text == "" && p.Media == nil && !call && !result || call && p.Call.ID == "" || result && (p.Result.ID == "" || m.Role != "tool" || len(m.Parts) > 1) {
					t.Errorf("%s: part %+v in %+v", d, p, m)
				}
			}
		}
		for _, l := range r.Lost {
			if !slices.Contains(llm.Losses(), l) {
				t.Errorf("%s: %s is no loss", d, l)
			}
		}
		if strings.Contains(strings.Join(r.Notes, ""), "\n") {
			t.Errorf("%s: notes of several lines %q", d, r.Notes)
		}
	})
}
