package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/responses"

	"github.com/understudy-eval/understudy/rubric/standard"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// TestVerdict asks for a verdict as the judge does, of every provider by each mechanism:
// a server that refuses what real ones refuse takes it, the schema stands where it
// belongs, thoughts are off or have room of their own, and the verdict comes back.
func TestVerdict(t *testing.T) {
	const room, whole = "1024", "8192"
	tests := []struct {
		name, model string
		provider    llm.Provider
		responses   bool
		reasoning   string
		headers     map[string]string
		limit       string // and its value
		has, hasNot string
		temperature bool
	}{
		{name: "gpt-5.6, thoughts off", provider: llm.ProviderOpenAI, model: "gpt-5.6-terra-2026-08-20", limit: `"max_completion_tokens":` + room, has: `"reasoning_effort":"none"`, temperature: true},
		{name: "gpt-5, cannot stop", provider: llm.ProviderOpenAI, model: "gpt-5-2025-08-07", limit: `"max_completion_tokens":` + whole, has: `"reasoning_effort":"minimal"`},
		{name: "o3, cannot stop", provider: llm.ProviderOpenAI, model: "o3-2025-04-16", limit: `"max_completion_tokens":` + whole, has: `"reasoning_effort":"low"`},
		{name: "gpt-4.1, never thinks", provider: llm.ProviderOpenAI, model: "gpt-4.1-2025-04-14", limit: `"max_completion_tokens":` + room, hasNot: "reasoning", temperature: true},
		{name: "own server", provider: llm.ProviderOpenAI, model: "my-model", limit: `"max_completion_tokens":` + whole, hasNot: "reasoning"},
		{name: "own server, told", provider: llm.ProviderOpenAI, model: "my-model", reasoning: "none", limit: `"max_completion_tokens":` + room, has: `"reasoning_effort":"none"`, temperature: true},
		{name: "responses", provider: llm.ProviderOpenAI, model: "gpt-5.6-terra-2026-08-20", responses: true, limit: `"max_output_tokens":` + room, has: `"reasoning":{"effort":"none"}`, temperature: true},
		{name: "responses, o3", provider: llm.ProviderOpenAI, model: "o3-2025-04-16", responses: true, limit: `"max_output_tokens":` + whole, has: `"store":false`},
		{name: "claude", provider: llm.ProviderAnthropic, model: "claude-sonnet-5", limit: `"max_tokens":` + room, has: `"thinking":{"type":"disabled"}`, temperature: true},
		{name: "claude, a version that takes no temperature", provider: llm.ProviderAnthropic, model: "claude-sonnet-5", headers: map[string]string{"anthropic-version": "2026-10-21"}, limit: `"max_tokens":` + room, has: `"thinking":{"type":"disabled"}`},
		{name: "claude, told to think", provider: llm.ProviderAnthropic, model: "claude-sonnet-5", reasoning: "high", limit: `"max_tokens":` + whole, has: `"effort":"high"`},
		{name: "gemini flash", provider: llm.ProviderGoogle, model: "gemini-2.5-flash", limit: `"maxOutputTokens":` + room, has: `"thinkingBudget":0`, temperature: true},
		{name: "gemini 4", provider: llm.ProviderGoogle, model: "gemini-4-flash", limit: `"maxOutputTokens":` + room, has: `"thinkingBudget":0`},
		{name: "gemini pro, cannot stop", provider: llm.ProviderGoogle, model: "gemini-2.5-pro", limit: `"maxOutputTokens":` + whole, has: `"thinkingBudget":1024`},
		{name: "ollama", provider: llm.ProviderOllama, model: "qwen3:8b", limit: `"num_predict":` + room, has: `"think":false`, temperature: true},
		{name: "ollama, cannot stop", provider: llm.ProviderOllama, model: "gpt-oss:20b", limit: `"num_predict":` + whole},
		{name: "ollama, never thinks", provider: llm.ProviderOllama, model: "llama3.1:8b", limit: `"num_predict":` + room, temperature: true},
	}
	place := map[llm.Dialect]map[llm.ReplyForm]string{
		llm.OpenAIChat:        {llm.ReplySchema: `"response_format":{"json_schema":{"name":"verdict","schema":{`, llm.ReplyTool: `"tool_choice":{"function":{"name":"verdict"},`},
		llm.OpenAIResponses:   {llm.ReplySchema: `"text":{"format":{"name":"verdict","schema":{`, llm.ReplyTool: `"tool_choice":{"name":"verdict",`},
		llm.AnthropicMessages: {llm.ReplySchema: `"format":{"schema":{`, llm.ReplyTool: `"tool_choice":{"name":"verdict","type":"tool"}`},
		llm.GeminiGenerate:    {llm.ReplySchema: `"responseJsonSchema":{`, llm.ReplyTool: `"allowedFunctionNames":["verdict"],"mode":"ANY"`},
		llm.OllamaChat:        {llm.ReplySchema: `"format":{`, llm.ReplyTool: `"tools":[{`},
	}
	for _, tt := range tests {
		for _, form := range llm.ReplyForms() {
			t.Run(tt.name+"/"+string(form), func(t *testing.T) {
				e := endpoint(tt.provider, nil)
				e.Model, e.Reasoning, e.Responses, e.Headers = tt.model, tt.reasoning, tt.responses, tt.headers
				var got llmfake.Call
				script := llmfake.Strict(func(c llmfake.Call) llmfake.Answer {
					got = c
					a := llmfake.Verdict(2, "none", "fine")
					if form == llm.ReplyTool {
						a = llmfake.Answer{ToolCalls: []llm.ToolCall{{ID: "c1", Name: "verdict", Arguments: a.Text}}}
					}
					return a
				})
				prompt := &llm.Prompt{System: "S", User: "U", Schema: standard.Rubric().Schema(), SchemaName: "verdict", Form: form, MaxTokens: 1024, ThinkTokens: 7168, Effort: "none", Steady: true}
				inBubble(t, e, script, func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
					r, err := c.Complete(t.Context(), llm.Request{Prompt: prompt})
					said := r.Text
					for _, call := range r.ToolCalls {
						said += call.Arguments
					}
					if err != nil || !strings.Contains(said, `"grade":2`) || (len(r.ToolCalls) > 0) != (form == llm.ReplyTool) {
						t.Fatalf("%v, %+v", err, r)
					}
				})
				body := string(got.Body)
				for _, want := range []string{tt.limit, tt.has, place[got.Dialect][form]} {
					if !strings.Contains(body, want) {
						t.Errorf("no %s in %s", want, body)
					}
				}
				if tt.hasNot != "" && strings.Contains(body, `"`+tt.hasNot) {
					t.Errorf("%s in %s", tt.hasNot, body)
				}
				if strings.Contains(body, `"temperature":0`) != tt.temperature {
					t.Errorf("temperature: %s", body)
				}
				if held := strings.Contains(body, `"too_long"`) || strings.Contains(body, `"enum":[1,2,3,4,5,6]`); held == (form == llm.ReplyPrompt) {
					t.Errorf("schema in the request: %v", held)
				}
				if got.Dialect == llm.OpenAIResponses {
					holdResponses(t, got.Body)
				}
			})
		}
	}
}

// TestTranslationToResponses: an endpoint that is asked by the Responses API gets a
// conversation of any other provider that way, with its meaning.
func TestTranslationToResponses(t *testing.T) {
	for from, body := range said {
		if from == llm.OpenAIChat || from == llm.OpenAIResponses {
			continue // passed on
		}
		e := at(llm.ProviderOpenAI)
		e.Responses = true
		got, reply, err := put(t, e, from, body, false)
		if err != nil || got.Dialect != llm.OpenAIResponses || reply.Text != "Guten Tag." {
			t.Fatalf("%s: %v, %s, %+v", from, err, got.Dialect, reply)
		}
		back, _, err := llm.ReadQuestion(got.Dialect, got.Body)
		if err != nil {
			t.Fatal(err)
		}
		whole, _, err := llm.ReadQuestion(from, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if len(back.Messages) != len(whole.Messages) || len(back.Tools) != len(whole.Tools) || back.Format.Form != whole.Format.Form {
			t.Errorf("%s: %+v\n%+v", from, back, whole)
		}
		holdResponses(t, got.Body)
	}
	e := at(llm.ProviderGoogle)
	if e.Responses = true; func() error { _, err := provider.Open(e); return err }() == nil {
		t.Error("the Responses API of another vendor")
	}
}

// holdResponses reads a body into the type of the vendor's own client, and lets it
// write the same again.
func holdResponses(t *testing.T, body []byte) {
	t.Helper()
	sent, ok := decoded(t, string(body)).(map[string]any)
	if !ok {
		t.Fatalf("%s", body)
	}
	if _, named := sent["tool_choice"].(map[string]any); named { // the client's type does not write its name again
		delete(sent, "tool_choice")
	}
	again(t, sent, &responses.ResponseNewParams{})
	var plain map[string]json.RawMessage
	if err := json.Unmarshal(body, &plain); err != nil || string(plain["store"]) != "false" {
		t.Errorf("%v, store %s: the vendor would keep a copy", err, plain["store"])
	}
}

// TestPromptWithImages: each provider gets the images of a prompt behind its text, as its
// own kind of part.
func TestPromptWithImages(t *testing.T) {
	want := map[llm.Provider]string{
		llm.ProviderOpenAI: `"url":"data:image/png;base64,AAAA"`, llm.ProviderAnthropic: `"media_type":"image/png"`,
		llm.ProviderGoogle: `"mimeType":"image/png"`, llm.ProviderOllama: `"images":["AAAA"]`,
	}
	for _, p := range llm.Providers() {
		var body string
		script := llmfake.Strict(func(c llmfake.Call) llmfake.Answer {
			body = string(c.Body)
			return llmfake.Verdict(1, "none", "r")
		})
		inBubble(t, at(p), script, func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
			prompt := &llm.Prompt{User: "U", Images: []llm.Media{{Type: "image/png", Data: "AAAA"}}, ImagesNote: "an image follows"}
			if _, err := c.Complete(t.Context(), llm.Request{Prompt: prompt}); err != nil {
				t.Fatal(err)
			}
		})
		if !strings.Contains(body, want[p]) || !strings.Contains(body, "an image follows") {
			t.Errorf("%s: %s", p, body)
		}
	}
	c := provider.LoadCatalogue()
	if !c.Sees("https://api.openai.com/v1", "gpt-4.1") || !c.Sees("https://api.anthropic.com", "claude-sonnet-4-5-20250929") || c.Sees("http://127.0.0.1:1", "gpt-4.1") || c.Sees("https://api.openai.com/v1", "gpt-0") {
		t.Error("what the catalogue says of sight")
	}
}
