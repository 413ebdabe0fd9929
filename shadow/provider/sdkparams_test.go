package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// TestAgainstVendorsTypes reads what every translation sends into the types of the
// vendors' own clients: they know each field, and write the same again.
func TestAgainstVendorsTypes(t *testing.T) {
	bodies := map[llm.Dialect][]string{
		llm.OpenAIChat: {said[llm.OpenAIChat], `{"model":"live","max_tokens":9,"temperature":0.3,"stop":["a"],"parallel_tool_calls":false,"tool_choice":"required","messages":[{"role":"system","content":"s"},{"role":"user","content":"x"},{"role":"assistant","content":"y","refusal":"z"},{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}}]}],
			"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}],
			"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}}}`},
		llm.AnthropicMessages: {said[llm.AnthropicMessages], `{"model":"live","max_tokens":9,"thinking":{"type":"disabled"},"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true},"messages":[{"role":"user","content":[{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":"d"}}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}],
			"tools":[{"name":"f","input_schema":{"type":"object"}}],"output_config":{"effort":"high","format":{"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}}}}}}`},
		llm.GeminiGenerate: {said[llm.GeminiGenerate], `{"contents":[{"parts":[{"text":"x"}]}],"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"},"responseMimeType":"text/x.enum","responseSchema":{"type":"STRING","enum":["a"]}}}`},
	}
	own := map[llm.Provider]llm.Dialect{llm.ProviderOpenAI: llm.OpenAIChat, llm.ProviderAnthropic: llm.AnthropicMessages, llm.ProviderGoogle: llm.GeminiGenerate}
	hold := map[llm.Provider]func(*testing.T, []byte){llm.ProviderOpenAI: holdChat, llm.ProviderAnthropic: holdMessages, llm.ProviderGoogle: holdGemini}
	for from, list := range bodies {
		for i, body := range list {
			for p, d := range own {
				if d == from {
					continue // passed on as it is
				}
				t.Run(fmt.Sprintf("%s %d to %s", from, i, p), func(t *testing.T) {
					got, _, err := put(t, at(p), from, body, false)
					if err != nil {
						t.Fatal(err)
					}
					hold[p](t, got.Body)
				})
			}
		}
	}
}

// holdChat passes over two things that the client's type does not write again: null,
// and the name in tool_choice.
func holdChat(t *testing.T, body []byte) {
	sent := decoded(t, string(body)).(map[string]any)
	if _, named := sent["tool_choice"].(map[string]any); named {
		delete(sent, "tool_choice")
	}
	for _, m := range sent["messages"].([]any) {
		if m := m.(map[string]any); m["content"] == nil {
			delete(m, "content")
		}
	}
	again(t, sent, &openai.ChatCompletionNewParams{})
}

// holdMessages writes texts as the client does, as lists of blocks. Its types are those
// of the version that has no temperature.
func holdMessages(t *testing.T, body []byte) {
	sent := decoded(t, string(body)).(map[string]any)
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		delete(sent, name)
	}
	blocks := func(in map[string]any, name string) {
		if text, ok := in[name].(string); ok {
			in[name] = []any{map[string]any{"type": "text", "text": text}}
		}
	}
	blocks(sent, "system")
	for _, m := range sent["messages"].([]any) {
		m := m.(map[string]any)
		blocks(m, "content")
		for _, b := range m["content"].([]any) {
			blocks(b.(map[string]any), "content")
		}
	}
	again(t, sent, &anthropic.MessageNewParams{})
}

// again compares a body with what a client's type makes of it.
func again(t *testing.T, sent map[string]any, params any) {
	t.Helper()
	body, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, params); err != nil {
		t.Fatalf("%v:\n%s", err, body)
	}
	out, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(sent), decoded(t, string(out))); diff != "" {
		t.Errorf("(-sent +client's)\n%s", diff)
	}
}

func holdGemini(t *testing.T, body []byte) {
	t.Helper()
	var request struct {
		Contents          []*genai.Content
		SystemInstruction *genai.Content
		Tools             []*genai.Tool
		ToolConfig        *genai.ToolConfig
		GenerationConfig  *genai.GenerationConfig
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&request); err != nil {
		t.Errorf("%v:\n%s", err, body)
	}
}
