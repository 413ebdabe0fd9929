package llmfake_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// What the real providers refuse is refused, and the same without it is not.
func TestStrict(t *testing.T) {
	const open = `{"type":"object","properties":{"a":{"type":"string"}}}`
	const shut = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
	anthropic := func(version string) http.Header { return http.Header{"Anthropic-Version": {version}} }
	strict := llmfake.Strict(func(llmfake.Call) llmfake.Answer { return llmfake.Text("ok") })
	for _, tt := range []struct {
		dialect   llm.Dialect
		model     string
		header    http.Header
		bad, good string
	}{
		{llm.OpenAIChat, "gpt-5.6-luna", nil, `{"max_tokens":1}`, `{"max_completion_tokens":1}`},
		{llm.OpenAIChat, "o3", nil, `{"temperature":0.2}`, `{"temperature":1}`},
		{llm.OpenAIChat, "gpt-6", nil, `{"top_p":0.9}`, `{"top_p":0.9,"reasoning_effort":"none"}`},
		{llm.OpenAIChat, "m", nil, `{"input":"x"}`, `{"max_tokens":1,"temperature":0}`},
		{llm.OpenAIChat, "m", nil, `{"response_format":{"json_schema":{"strict":true,"schema":` + open + `}}}`, `{"response_format":{"json_schema":{"name":"n","strict":true,"schema":` + shut + `}}}`},
		{llm.OpenAIResponses, "gpt-5", nil, `{"text":{"format":{"strict":true,"schema":` + open + `}}}`, `{"text":{"format":{"name":"n","schema":` + open + `}}}`},
		{llm.OpenAIResponses, "m", nil, `{"text":{"format":{"schema":` + open + `}}}`, `{"max_output_tokens":16}`},
		{llm.OpenAIResponses, "m", nil, `{"max_output_tokens":15}`, `{"tools":[{"name":"v"}],"tool_choice":{"type":"function","name":"v"}}`},
		{llm.OpenAIChat, "m", nil, `{"tools":[{"function":{"name":"v"}}],"tool_choice":{"function":{"name":"w"}}}`, `{"tools":[{"function":{"name":"v"}}],"tool_choice":{"function":{"name":"v"}}}`},
		{llm.OpenAIChat, "gpt-5-mini", nil, `{"reasoning_effort":"none"}`, `{"reasoning_effort":"minimal"}`},
		{llm.OpenAIChat, "gpt-5.6-luna", nil, `{"reasoning_effort":"minimal"}`, `{"reasoning_effort":"none","temperature":0}`},
		{llm.OpenAIChat, "gpt-4.1", nil, `{"reasoning_effort":"none"}`, `{"temperature":0}`},
		{llm.AnthropicMessages, "m", anthropic("2026-10-21"), `{"model":"m","max_tokens":1,"messages":[],"temperature":1}`, `{"model":"m","max_tokens":1,"messages":[]}`},
		{llm.AnthropicMessages, "m", anthropic("2023-06-01"), `{"model":"m","max_tokens":1,"messages":[],"temperature":1.1}`, `{"model":"m","max_tokens":1,"messages":[],"temperature":1}`},
		{llm.AnthropicMessages, "m", anthropic("2023-06-01"), `{"model":"m","messages":[]}`, `{"model":"m","max_tokens":1,"messages":[]}`},
		{llm.AnthropicMessages, "m", anthropic("2023-06-01"), `{"model":"m","max_tokens":1,"messages":[{"role":"system","content":"x"}]}`, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`},
		{llm.AnthropicMessages, "m", anthropic("2023-06-01"), `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`, `{"model":"m","max_tokens":1,"messages":[],"system":"s"}`},
		{llm.AnthropicMessages, "m", anthropic("2023-06-01"), `{"model":"m","max_tokens":1,"messages":[],"output_config":{"format":{"schema":` + open + `}}}`, `{"model":"m","max_tokens":1,"messages":[],"output_config":{"format":{"schema":` + shut + `}}}`},
		{llm.GeminiGenerate, "m", nil, `{"generationConfig":{"max_tokens":1}}`, `{"generationConfig":{"topK":1}}`},
		{llm.GeminiGenerate, "m", nil, `{"contents":[{"role":"assistant"}]}`, `{"contents":[{"role":"model"}]}`},
		{llm.AnthropicMessages, "m", anthropic("2023-06-01"), `{"model":"m","max_tokens":2000,"messages":[],"tools":[{"name":"v"}],"tool_choice":{"type":"tool","name":"v"},"thinking":{"type":"enabled","budget_tokens":1024}}`,
			`{"model":"m","max_tokens":2000,"messages":[],"tools":[{"name":"v"}],"tool_choice":{"type":"tool","name":"v"},"thinking":{"type":"disabled"}}`},
		{llm.AnthropicMessages, "m", anthropic("2023-06-01"), `{"model":"m","max_tokens":1024,"messages":[],"thinking":{"type":"enabled","budget_tokens":1024}}`, `{"model":"m","max_tokens":1025,"messages":[],"thinking":{"type":"enabled","budget_tokens":1024}}`},
		{llm.GeminiGenerate, "gemini-2.5-pro", nil, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}}`, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":128}}}`},
		{llm.GeminiGenerate, "m", nil, `{"generationConfig":{"responseJsonSchema":{}}}`, `{"generationConfig":{"responseJsonSchema":{},"responseMimeType":"application/json"}}`},
		{llm.GeminiGenerate, "m", nil, `{"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["v"]}}}`, `{"tools":[{"functionDeclarations":[{"name":"v"}]}],"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["v"]}}}`},
		{llm.OllamaChat, "llama3.1:8b", nil, `{"think":true}`, `{"think":false}`},
		{llm.OllamaChat, "m", nil, `{"temperature":1}`, `{"options":{"temperature":1}}`},
	} {
		ask := func(body string) llmfake.Answer {
			return strict(llmfake.Call{Dialect: tt.dialect, Model: tt.model, Header: tt.header, Body: []byte(body)})
		}
		if a := ask(tt.bad); a.Status != http.StatusBadRequest || strings.TrimSpace(a.Text) == "" {
			t.Errorf("%s %s: %s is accepted", tt.dialect, tt.model, tt.bad)
		}
		if a := ask(tt.good); a.Status != 0 {
			t.Errorf("%s %s: %s is refused: %s", tt.dialect, tt.model, tt.good, a.Text)
		}
	}
}
