package llm_test

import (
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestWithRemark(t *testing.T) {
	tests := []struct {
		name string
		d    llm.Dialect
		body string
		want string // empty is an error
	}{
		{"chat", llm.OpenAIChat, `{"n": 1, "messages":[ {"role":"user","content":"q"} ], "x": 1.0}`,
			`{"n": 1, "messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a\"<"},{"role":"user","content":"r"}], "x": 1.0}`},
		{"no turns yet", llm.AnthropicMessages, `{"messages":[ ]}`,
			`{"messages":[{"role":"assistant","content":"a\"<"},{"role":"user","content":"r"}]}`},
		{"a text is the first turn", llm.OpenAIResponses, `{"input":"q"}`,
			`{"input":[{"role":"user","content":"q"},{"role":"assistant","content":"a\"<"},{"role":"user","content":"r"}]}`},
		{"gemini", llm.GeminiGenerate, `{"contents":[]}`,
			`{"contents":[{"role":"model","parts":[{"text":"a\"<"}]},{"role":"user","parts":[{"text":"r"}]}]}`},
		{"ollama", llm.OllamaChat, `{"messages":[{"role":"user","content":"q"}]}`,
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a\"<"},{"role":"user","content":"r"}]}`},
		{"no dialogue", llm.OllamaGenerate, `{"prompt":"q"}`, ""},
		{"no list", llm.OpenAIChat, `{"messages":"q"}`, ""},
		{"no messages", llm.OpenAIChat, `{}`, ""},
		{"no object", llm.OpenAIChat, `[]`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := llm.WithRemark(tt.d, []byte(tt.body), `a"<`, "r")
			if string(got) != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}
