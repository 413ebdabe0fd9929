package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/provider"
)

const (
	png        = "iVBORw0KGgo=" // its first eight bytes
	parameters = `{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`
)

// said is one conversation with a picture, a tool and limits, in every dialect.
var said = map[llm.Dialect]string{
	llm.OpenAIChat: `{"model":"live","max_completion_tokens":200,"temperature":0.5,"top_p":0.9,"stop":"END","messages":[
		{"role":"system","content":"Be brief."},
		{"role":"user","content":[{"type":"text","text":"What is on it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png + `"}}]},
		{"role":"assistant","content":"One moment.","tool_calls":[{"id":"t1","type":"function","function":{"name":"find_order","arguments":"{\"id\":4711}"}}]},
		{"role":"tool","tool_call_id":"t1","content":"shipped"},
		{"role":"user","content":"And when?"}],
		"tools":[{"type":"function","function":{"name":"find_order","description":"finds","parameters":` + parameters + `}}]}`,
	llm.OpenAIResponses: `{"model":"live","max_output_tokens":200,"temperature":0.5,"top_p":0.9,"instructions":"Be brief.","input":[
		{"role":"user","content":[{"type":"input_text","text":"What is on it?"},{"type":"input_image","image_url":"data:image/png;base64,` + png + `"}]},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"One moment."}]},
		{"type":"function_call","call_id":"t1","name":"find_order","arguments":"{\"id\":4711}"},
		{"type":"function_call_output","call_id":"t1","output":"shipped"},
		{"role":"user","content":"And when?"}],
		"tools":[{"type":"function","name":"find_order","description":"finds","parameters":` + parameters + `}]}`,
	llm.AnthropicMessages: `{"model":"live","max_tokens":200,"temperature":0.5,"top_p":0.9,"stop_sequences":["END"],"system":[{"type":"text","text":"Be brief."}],"messages":[
		{"role":"user","content":[{"type":"text","text":"What is on it?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png + `"}}]},
		{"role":"assistant","content":[{"type":"text","text":"One moment."},{"type":"tool_use","id":"t1","name":"find_order","input":{"id":4711}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"shipped"},{"type":"text","text":"And when?"}]}],
		"tools":[{"name":"find_order","description":"finds","input_schema":` + parameters + `}]}`,
	llm.GeminiGenerate: `{"generationConfig":{"maxOutputTokens":200,"temperature":0.5,"topP":0.9,"stopSequences":["END"]},"system_instruction":{"parts":[{"text":"Be brief."}]},"contents":[
		{"role":"user","parts":[{"text":"What is on it?"},{"inlineData":{"mimeType":"image/png","data":"` + png + `"}}]},
		{"role":"model","parts":[{"text":"One moment."},{"functionCall":{"name":"find_order","args":{"id":4711}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"find_order","response":{"output":"shipped"}}}]},
		{"parts":[{"text":"And when?"}]}],
		"tools":[{"functionDeclarations":[{"name":"find_order","description":"finds","parametersJsonSchema":` + parameters + `}]}]}`,
	llm.OllamaChat: `{"model":"live","options":{"num_predict":200,"temperature":0.5,"top_p":0.9,"stop":["END"]},"messages":[
		{"role":"system","content":"Be brief."},
		{"role":"user","content":"What is on it?","images":["` + png + `"]},
		{"role":"assistant","content":"One moment.","tool_calls":[{"function":{"name":"find_order","arguments":{"id":4711}}}]},
		{"role":"tool","tool_name":"find_order","content":"shipped"},
		{"role":"user","content":"And when?"}],
		"tools":[{"type":"function","function":{"name":"find_order","description":"finds","parameters":` + parameters + `}}]}`,
}

// meant is what all of them say. Ids of calls are made up where a dialect has none.
func meant(d llm.Dialect, id string) llm.Question {
	q := llm.Question{
		Messages: []llm.Message{
			{Role: "system", Parts: []llm.Part{{Text: "Be brief."}}},
			{Role: "user", Parts: []llm.Part{{Text: "What is on it?"}, {Media: &llm.Media{Type: "image/png", Data: png}}}},
			{Role: "assistant", Parts: []llm.Part{{Text: "One moment."}, {Call: &llm.ToolCall{ID: id, Name: "find_order", Arguments: `{"id":4711}`}}}},
			{Role: "tool", Parts: []llm.Part{{Result: &llm.ToolResult{ID: id, Name: "find_order", Parts: []llm.Part{{Text: "shipped"}}}}}},
			{Role: "user", Parts: []llm.Part{{Text: "And when?"}}},
		},
		Tools:     []llm.Tool{{Name: "find_order", Description: "finds", Parameters: json.RawMessage(parameters)}},
		MaxTokens: num(200), Temperature: "0.5", TopP: "0.9", Stop: []string{"END"},
	}
	if d == llm.OpenAIResponses {
		q.Stop = nil // it has none
	}
	return q
}

func callID(q llm.Question) string {
	for _, m := range q.Messages {
		for _, p := range m.Parts {
			if p.Call != nil {
				return p.Call.ID
			}
		}
	}
	return ""
}

// put asks a model of a provider a body in a dialect and gives what was sent.
func put(t *testing.T, e provider.Endpoint, d llm.Dialect, body string, stream bool) (llmfake.Call, llm.Reply, error) {
	t.Helper()
	var got llmfake.Call
	fake := llmfake.New(llmfake.Strict(func(c llmfake.Call) llmfake.Answer {
		got = c
		return llmfake.Answer{Text: "Guten Tag.", Pieces: 2, ToolCalls: []llm.ToolCall{{ID: "c9", Name: "now", Arguments: "{}"}}}
	}))
	defer fake.Close()
	e.Dial = fake.Dial
	c, err := provider.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	r, err := c.Complete(t.Context(), llm.Request{Dialect: d, Body: []byte(body), Stream: stream})
	return got, r, err
}

// models are one of each provider, of a generation that takes what is asked here.
var models = map[llm.Provider]string{
	llm.ProviderOpenAI: "gpt-4.1", llm.ProviderAnthropic: "claude-x", llm.ProviderGoogle: "gemini-4-flash", llm.ProviderOllama: "qwen3:8b",
}

func at(p llm.Provider) provider.Endpoint {
	e := endpoint(p, nil)
	e.Model, e.Dial = models[p], nil
	return e
}

// TestEveryPair asks every provider the same conversation from every dialect, whole
// and streamed: what arrives means the same, and the answer comes back.
func TestEveryPair(t *testing.T) {
	for from, body := range said {
		q, r, err := llm.ReadQuestion(from, []byte(body))
		if err != nil || len(r.Lost) > 0 || len(r.Notes) > 0 {
			t.Fatalf("%s: %v, record %+v", from, err, r)
		}
		if diff := cmp.Diff(meant(from, callID(q)), q); diff != "" {
			t.Errorf("%s (-want +got)\n%s", from, diff)
		}
		for _, p := range llm.Providers() {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s to %s, stream %v", from, p, stream), func(t *testing.T) {
					body := body
					if stream && from != llm.GeminiGenerate {
						body = strings.Replace(body, `{"model":"live",`, `{"model":"live","stream":true,`, 1)
					} else if from == llm.OllamaChat {
						body = strings.Replace(body, `{"model":"live",`, `{"model":"live","stream":false,`, 1)
					}
					got, reply, err := put(t, at(p), from, body, stream)
					if err != nil {
						t.Fatal(err)
					}
					back, _, err := llm.ReadQuestion(got.Dialect, got.Body)
					if err != nil {
						t.Fatalf("%v:\n%s", err, got.Body)
					}
					if diff := cmp.Diff(meant(from, callID(back)), back, cmpopts.EquateEmpty()); diff != "" {
						t.Errorf("meaning (-want +got)\n%s\n%s", diff, got.Body)
					}
					if len(reply.Lost) > 0 || got.Model != models[p] || got.Stream != stream {
						t.Errorf("lost %v, model %s, stream %v", reply.Lost, got.Model, got.Stream)
					}
					if reply.Text != "Guten Tag." || len(reply.ToolCalls) != 1 || (reply.FirstToken > 0) != got.Stream || reply.Finish != llm.FinishToolCalls || reply.Usage.Out == nil {
						t.Errorf("reply %+v", reply)
					}
				})
			}
		}
	}
}

// TestFirstTokenOfATranslation: the first token is timed at the first content, in
// whatever dialect the candidate streams.
func TestFirstTokenOfATranslation(t *testing.T) {
	for _, p := range llm.Providers() {
		script := llmfake.Strict(always(llmfake.Answer{Text: "Guten Tag.", Pieces: 3, First: 700 * time.Millisecond, Took: 2 * time.Second}))
		inBubble(t, at(p), script, func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
			for d, body := range said {
				if d != llm.GeminiGenerate {
					body = strings.Replace(body, `{"model":"live",`, `{"model":"live","stream":true,`, 1)
				}
				r, err := c.Complete(t.Context(), llm.Request{Dialect: d, Body: []byte(body), Stream: true})
				if err != nil || r.FirstToken < 700*time.Millisecond || r.FirstToken >= 2*time.Second || r.Took != 2*time.Second {
					t.Errorf("%s at %s: %v, %+v", d, p, err, r)
				}
			}
		})
	}
}

// TestPassedOn: where the provider speaks the dialect, only what this model's generation
// refuses is changed, and how much it is to think; all other bytes stay.
func TestPassedOn(t *testing.T) {
	tests := []struct {
		name, why  string
		dialect    llm.Dialect
		to         llm.Provider
		model      string
		reasoning  string
		body, want string
		lost       []llm.Loss
	}{
		{"an older limit", "models that reason want it under another name", llm.OpenAIChat, llm.ProviderOpenAI, "gpt-5.6-luna", "", `{"model":"live", "max_tokens":9,"temperature":0.2,"top_p":0.5}`,
			`{"model":"gpt-5.6-luna","top_p":0.5,"max_completion_tokens":9}`, []llm.Loss{llm.LostTemperature}},
		{"a temperature of 1", "is accepted", llm.OpenAIChat, llm.ProviderOpenAI, "o3", "", `{"model":"live","temperature":1.0}`, `{"model":"o3","temperature":1.0}`, nil},
		{"effort none", "takes all", llm.OpenAIResponses, llm.ProviderOpenAI, "gpt-6", "none", `{"model":"live","input":"x","store":false,"temperature":0.2,"top_p":0.3,"reasoning":{"summary":"auto"}}`,
			`{"model":"gpt-6","input":"x","store":false,"temperature":0.2,"top_p":0.3,"reasoning":{"summary":"auto","effort":"none"}}`, nil},
		{"a model that does not think", "refuses the word", llm.OpenAIChat, llm.ProviderOpenAI, "gpt-4.1", "", `{"model":"live","reasoning_effort":"low"}`, `{"model":"gpt-4.1"}`, []llm.Loss{llm.LostReasoning}},
		{"thoughts at the provider", "are not this model's", llm.OpenAIResponses, llm.ProviderOpenAI, "m", "", `{"model":"live","store":false,"input":[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{}"}]}`,
			`{"model":"m","store":false,"input":[{"arguments":"{}","call_id":"a","name":"f","type":"function_call"}]}`, []llm.Loss{llm.LostThinking}},
		{"thoughts in the request", "stay", llm.OpenAIResponses, llm.ProviderOpenAI, "m", "", `{"model":"live","store":false,"input":[{"type":"reasoning","id":"rs_1","encrypted_content":"x"}]}`,
			`{"model":"m","store":false,"input":[{"type":"reasoning","id":"rs_1","encrypted_content":"x"}]}`, nil},
		{"claude, no thinking", "the client's form stays", llm.AnthropicMessages, llm.ProviderAnthropic, "claude-sonnet-5", "none", `{"model":"live","max_tokens":9,"messages":[],"thinking":{"type":"enabled","budget_tokens":1024},"output_config":{"format":{"type":"x"}}}`,
			`{"model":"claude-sonnet-5","max_tokens":9,"messages":[],"thinking":{"type":"disabled"},"output_config":{"format":{"type":"x"}}}`, nil},
		{"claude, more thinking", "beside the form", llm.AnthropicMessages, llm.ProviderAnthropic, "claude-sonnet-5", "high", `{"model":"live","max_tokens":9,"messages":[],"output_config":{"format":{"type":"x"}}}`,
			`{"model":"claude-sonnet-5","max_tokens":9,"messages":[],"output_config":{"format":{"type":"x"},"effort":"high"}}`, nil},
		{"gemini", "the model is in the path", llm.GeminiGenerate, llm.ProviderGoogle, "gemini-2.5-pro", "none", `{"contents":[],"generation_config":{"topK":3}}`,
			`{"contents":[],"generation_config":{"topK":3,"thinkingConfig":{"thinkingBudget":1024}}}`, []llm.Loss{llm.LostReasoning}},
		{"ollama", "its own switch", llm.OllamaGenerate, llm.ProviderOllama, "qwen3:8b", "none", `{"model":"live","prompt":"x","stream":false}`, `{"model":"qwen3:8b","prompt":"x","stream":false,"think":false}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got llmfake.Call
			fake := llmfake.New(func(c llmfake.Call) llmfake.Answer {
				got = c
				return llmfake.Text("ok")
			})
			defer fake.Close()
			e := endpoint(tt.to, fake)
			e.Model, e.Reasoning = tt.model, tt.reasoning
			c, err := provider.Open(e)
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdleConnections()
			r, err := c.Complete(t.Context(), llm.Request{Dialect: tt.dialect, Body: []byte(tt.body)})
			if err != nil || string(got.Body) != tt.want {
				t.Errorf("%s: %v\n got %s\nwant %s", tt.why, err, got.Body, tt.want)
			}
			if diff := cmp.Diff(tt.lost, r.Lost, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: lost (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

// TestHeaders: the client's version of the dialect goes along, the endpoint's own goes
// before it, and an old request is made fit for a version that takes no temperature.
func TestHeaders(t *testing.T) {
	const body = `{"model":"live","max_tokens":9,"temperature":0.3,"messages":[{"role":"user","content":"x"}]}`
	var got llmfake.Call
	script := llmfake.Strict(func(c llmfake.Call) llmfake.Answer {
		got = c
		return llmfake.Text("ok")
	})
	for _, tt := range []struct {
		headers map[string]string
		client  http.Header
		version string
		lost    int
	}{
		{nil, nil, "2023-06-01", 0},
		{nil, http.Header{"Anthropic-Version": {"2023-01-01"}, "Anthropic-Beta": {"a", "b"}}, "2023-01-01", 0},
		{map[string]string{"anthropic-version": "2026-10-21"}, http.Header{"Anthropic-Version": {"2023-06-01"}}, "2026-10-21", 1},
	} {
		e := at(llm.ProviderAnthropic)
		e.Headers = tt.headers
		inBubble(t, e, script, func(t *testing.T, _ *llmfake.Fake, c *provider.Client) {
			for _, d := range []llm.Dialect{llm.AnthropicMessages, llm.OpenAIChat} {
				r, err := c.Complete(t.Context(), llm.Request{Dialect: d, Body: []byte(body), Header: tt.client})
				if err != nil || len(r.Lost) != tt.lost {
					t.Errorf("%v, %s: %v, lost %v", tt.headers, d, err, r.Lost)
				}
				if d == llm.AnthropicMessages && (got.Header.Get("Anthropic-Version") != tt.version || len(got.Header.Values("Anthropic-Beta")) != len(tt.client.Values("Anthropic-Beta"))) {
					t.Errorf("%v: headers %v", tt.headers, got.Header)
				}
			}
		})
	}
}

// TestTranslations compares fields of what is sent with those that are wanted.
func TestTranslations(t *testing.T) {
	const chat, claude = llm.OpenAIChat, llm.AnthropicMessages
	const openSchema = `{"type":"object","properties":{"b":{"type":"integer","minimum":1},"a":{"type":"string"}},"required":["a"]}`
	user := func(more string) string {
		return `{"model":"live","messages":[{"role":"user","content":"Hi"}]` + more + `}`
	}
	msg := func(more string) string {
		return `{"model":"live","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]` + more + `}`
	}
	tests := []struct {
		name, why string
		from      llm.Dialect
		to        llm.Provider
		model     string
		body      string
		want      string // fields of what is sent, "" if it is not asked
		lost      []llm.Loss
	}{
		{"claude's limits", "temperature clamped, not scaled; a limit is required; no seed", chat, llm.ProviderAnthropic, "claude-sonnet-5", user(`,"temperature":1.4,"seed":7`),
			`{"temperature":1,"max_tokens":8192,"messages":[{"role":"user","content":"Hi"}]}`, []llm.Loss{llm.LostMaxTokens, llm.LostTemperature, llm.LostSeed}},
		{"one of the two", "models of 4.1 and later refuse temperature beside top_p", chat, llm.ProviderAnthropic, "claude-sonnet-5", user(`,"max_tokens":5,"temperature":0.4,"top_p":0.5`),
			`{"temperature":0.4,"top_p":null}`, []llm.Loss{llm.LostTopP}},
		{"a model that reasons", "refuses a temperature and max_tokens", claude, llm.ProviderOpenAI, "gpt-5.6-luna", msg(`,"temperature":0.2,"top_k":5`),
			`{"temperature":null,"max_tokens":null,"max_completion_tokens":9}`, []llm.Loss{llm.LostTemperature, llm.LostTopK}},
		{"the sixth generation", "refuses top_p too", claude, llm.ProviderOpenAI, "gpt-6", msg(`,"top_p":0.2,"temperature":1`), `{"top_p":null,"temperature":null}`, []llm.Loss{llm.LostTopP}},
		{"without reasoning", "takes all", claude, llm.ProviderOpenAI, "gpt-6", msg(`,"top_p":0.2,"temperature":0.3,"thinking":{"type":"disabled"}`), `{"top_p":0.2,"temperature":0.3,"reasoning_effort":"none"}`, nil},
		{"two system prompts", "hoisted where there is one place", chat, llm.ProviderGoogle, "gemini-4-flash", `{"messages":[{"role":"developer","content":"A"},{"role":"user","content":"x"},{"role":"system","content":"B"}]}`,
			`{"systemInstruction":{"parts":[{"text":"A"},{"text":"B"}]},"contents":[{"role":"user","parts":[{"text":"x"}]}]}`, []llm.Loss{llm.LostSystemPlace}},
		{"the assistant begins", "a user's turn has to come first", chat, llm.ProviderAnthropic, "claude-sonnet-5", `{"max_tokens":5,"messages":[{"role":"assistant","content":"Hello!"},{"role":"user","content":"x"}]}`,
			`{"messages":[{"role":"user","content":"(start)"},{"role":"assistant","content":"Hello!"},{"role":"user","content":"x"}]}`, []llm.Loss{llm.LostOpening}},
		{"parallel calls", "results of one turn stand in one message", chat, llm.ProviderAnthropic, "claude-sonnet-5", `{"max_tokens":5,"parallel_tool_calls":false,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[
			{"id":"a.1","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{\"x\":1}"}}]},{"role":"tool","tool_call_id":"a.1","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"},{"role":"user","content":"y"}],
			"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"f"}}}`,
			`{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"call_x1","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{"x":1}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_x1","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"},{"type":"text","text":"y"}]}],
			"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}],"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true}}`, nil},
		{"a schema for claude", "closed, without bounds that it refuses", chat, llm.ProviderAnthropic, "claude-sonnet-5", user(`,"max_tokens":5,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + openSchema + `}}`),
			`{"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"string"}},"required":["a","b"],"additionalProperties":false}}}}`, []llm.Loss{llm.LostSchema}},
		{"a schema for gemini", "as it is: integers stay integers", chat, llm.ProviderGoogle, "gemini-4-flash", user(`,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + openSchema + `}}`),
			`{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + openSchema + `}}`, nil},
		{"a schema for ollama", "as it is", claude, llm.ProviderOllama, "qwen3:8b", msg(`,"output_config":{"format":{"type":"json_schema","schema":` + openSchema + `}}`), `{"format":` + openSchema + `}`, nil},
		{"gemini's schema", "types in lower case, then strict", llm.GeminiGenerate, llm.ProviderOpenAI, "gpt-4.1", `{"contents":[{"parts":[{"text":"Hi"}]}],"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["a"]}}}`,
			`{"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}}`, []llm.Loss{llm.LostSchema}},
		{"a map", "cannot be closed, so it is not enforced", llm.OllamaChat, llm.ProviderOpenAI, "gpt-4.1", user(`,"stream":false,"format":{"type":"object","additionalProperties":{"type":"string"}}`),
			`{"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":false,"schema":{"type":"object","additionalProperties":{"type":"string"}}}}}`, []llm.Loss{llm.LostSchema}},
		{"any JSON", "there are no words for it", chat, llm.ProviderAnthropic, "claude-sonnet-5", user(`,"max_tokens":5,"response_format":{"type":"json_object"}`), `{"output_config":null}`, []llm.Loss{llm.LostFormat}},
		{"tool choice for gemini", "by name", chat, llm.ProviderGoogle, "gemini-4-flash", user(`,"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"f"}}`),
			`{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}}`, nil},
		{"tool choice for ollama", "it has none", claude, llm.ProviderOllama, "qwen3:8b", msg(`,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}`), `{"tool_choice":null}`, []llm.Loss{llm.LostToolChoice}},
		{"effort for claude", "its own word", chat, llm.ProviderAnthropic, "claude-sonnet-5", user(`,"max_tokens":5,"reasoning_effort":"minimal"`), `{"output_config":{"effort":"low"}}`, []llm.Loss{llm.LostReasoning}},
		{"effort for ollama", "only its own path can switch thinking off", claude, llm.ProviderOllama, "qwen3:8b", msg(`,"thinking":{"type":"disabled"}`), `{"think":false}`, nil},
		{"effort for an old gemini", "a budget", chat, llm.ProviderGoogle, "gemini-2.5-flash", user(`,"reasoning_effort":"low"`), `{"generationConfig":{"thinkingConfig":{"thinkingBudget":1024}}}`, nil},
		{"effort for a model that cannot think", "it refuses the field", claude, llm.ProviderOpenAI, "gpt-4.1", msg(`,"output_config":{"effort":"high"}`), `{"reasoning_effort":null}`, []llm.Loss{llm.LostReasoning}},
		{"a call that gemini did not make", "needs a mark, and the result its name", chat, llm.ProviderGoogle, "gemini-4-flash", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"{\"n\":1}"}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"n":1}}}]}]}`, nil},
		{"a failed tool", "the mark has no place", claude, llm.ProviderOpenAI, "gpt-4.1", `{"max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"down"}]}]}`,
			`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"down"}]}`, []llm.Loss{llm.LostToolError}},
		{"thinking", "of another model is left out", claude, llm.ProviderOpenAI, "gpt-4.1", `{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"y"}]},{"role":"user","content":"z"}]}`,
			`{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":"z"}]}`, []llm.Loss{llm.LostCacheControl, llm.LostThinking}},
		{"unknown fields", "never dropped in silence", chat, llm.ProviderGoogle, "gemini-4-flash", user(`,"logit_bias":{"1":2},"hologram":true,"verbosity":"low","user":"u","logprobs":false`), `{"hologram":null}`, []llm.Loss{llm.LostLogitBias, llm.LostOther, llm.LostVerbosity}},
		{"an image by URL", "claude fetches it", chat, llm.ProviderAnthropic, "claude-sonnet-5", `{"max_tokens":5,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a.example/x.png"}}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://a.example/x.png"}}]}]}`, nil},
		{"an image by URL elsewhere", "we never fetch it", chat, llm.ProviderGoogle, "gemini-4-flash", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a.example/x.png"}}]}]}`, "", nil},
		{"a tool of the provider's", "has no counterpart", claude, llm.ProviderOpenAI, "gpt-4.1", msg(`,"tools":[{"type":"bash_20250124","name":"bash"}]`), "", nil},
		{"server state", "cannot be shadowed", llm.OpenAIResponses, llm.ProviderAnthropic, "claude-sonnet-5", `{"input":"x","previous_response_id":"r"}`, "", nil},
		{"a gap", "to be filled", llm.OllamaGenerate, llm.ProviderOpenAI, "gpt-4.1", `{"prompt":"x","suffix":"y"}`, "", nil},
		{"generate", "one question", llm.OllamaGenerate, llm.ProviderOpenAI, "gpt-4.1", `{"prompt":"x","system":"s","stream":false,"keep_alive":"5m"}`, `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"x"}]}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := at(tt.to)
			e.Model = tt.model
			got, reply, err := put(t, e, tt.from, tt.body, false)
			if tt.want == "" {
				if !errors.Is(err, llm.ErrUnsupported) || got.N != 0 {
					t.Errorf("%s: %v, %d calls", tt.why, err, got.N)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", tt.why, err, got.Body)
			}
			sent := decoded(t, string(got.Body)).(map[string]any)
			for name, want := range decoded(t, tt.want).(map[string]any) {
				if diff := cmp.Diff(want, sent[name]); diff != "" {
					t.Errorf("%s: %s (-want +got)\n%s", tt.why, name, diff)
				}
			}
			slices.Sort(reply.Lost)
			slices.Sort(tt.lost)
			if diff := cmp.Diff(tt.lost, reply.Lost, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: lost (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}
