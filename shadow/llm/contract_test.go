package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// schema is a schema as clients send it, with blanks that must stay.
const schema = `{"type": "object"}`

func schemaContract(text string) *llm.Contract {
	return &llm.Contract{Form: llm.FormSchema, Schema: json.RawMessage(text)}
}

func toolContract(must bool, tools ...llm.Tool) *llm.Contract {
	return &llm.Contract{Tools: tools, MustCall: must}
}

func tool(name string) llm.Tool { return llm.Tool{Name: name, Parameters: json.RawMessage(schema)} }

func TestRequestContract(t *testing.T) {
	anyJSON := &llm.Contract{Form: llm.FormJSON}
	list := &llm.Contract{Form: llm.FormList, List: []string{"yes", "no"}}
	chatTools := `"tools":[{"type":"function","function":{"name":"a","parameters":` + schema + `}},{"type":"function","function":{"name":"b","parameters":` + schema + `}}]`
	flatTools := `"tools":[{"type":"function","name":"a","parameters":` + schema + `},{"type":"function","name":"b","parameters":` + schema + `},{"type":"web_search"}]`
	blockTools := `"tools":[{"name":"a","input_schema":` + schema + `},{"name":"b","input_schema":` + schema + `}]`
	declared := `"tools":[{"functionDeclarations":[{"name":"a","parametersJsonSchema":` + schema + `},{"name":"b","parametersJsonSchema":` + schema + `}]},{"googleSearch":{}}]`
	tests := []struct {
		name, why string
		dialect   llm.Dialect
		body      string
		want      *llm.Contract
	}{
		{"nothing", "no contract", llm.OpenAIChat, `{"messages":[]}`, nil},
		{"text", "any text is no contract", llm.OpenAIChat, `{"response_format":{"type":"text"}}`, nil},
		{"null", "as good as absent", llm.OpenAIChat, `{"response_format":null,"tools":null,"tool_choice":"auto"}`, nil},
		{"wrong types", "count as absent", llm.OpenAIChat, `{"response_format":"json_schema","tools":{"a":1},"tool_choice":7}`, nil},
		{"schema", "byte for byte", llm.OpenAIChat, `{"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":` + schema + `}}}`, schemaContract(schema)},
		{"schema without one", "still JSON", llm.OpenAIChat, `{"response_format":{"type":"json_schema","json_schema":{"name":"x"}}}`, anyJSON},
		{"schema beside its type", "as llama.cpp takes it", llm.OpenAIChat, `{"response_format":{"type":"json_schema","schema":` + schema + `}}`, schemaContract(schema)},
		{"JSON mode", "any JSON", llm.OpenAIChat, `{"response_format":{"type":"json_object"}}`, anyJSON},
		{"JSON mode with schema", "as some servers take it", llm.OpenAIChat, `{"response_format":{"type":"json_object","schema":` + schema + `}}`, schemaContract(schema)},
		{"choice", "a closed list", llm.OpenAIChat, `{"structured_outputs":{"choice":["yes","no"]}}`, list},
		{"guided choice", "the older name", llm.OpenAIChat, `{"guided_choice":["yes","no"]}`, list},
		{"guided JSON in text", "a schema within a string", llm.OpenAIChat, `{"guided_json":"{\"type\":\"object\"}"}`, schemaContract(`{"type":"object"}`)},
		{"tools", "free text or a call", llm.OpenAIChat, `{` + chatTools + `}`, toolContract(false, tool("a"), tool("b"))},
		{"forced tool", "the only one that may be called", llm.OpenAIChat, `{` + chatTools + `,"tool_choice":{"type":"function","function":{"name":"b"}}}`, toolContract(true, tool("b"))},
		{"some tool", "one of them", llm.OpenAIChat, `{` + chatTools + `,"tool_choice":"required"}`, toolContract(true, tool("a"), tool("b"))},
		{"no tool", "calls are outside", llm.OpenAIChat, `{` + chatTools + `,"tool_choice":"none"}`, toolContract(false)},
		{"allowed tools", "a shorter list", llm.OpenAIChat, `{` + chatTools + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"a"}}]}}}`, toolContract(true, tool("a"))},
		{"custom tool", "takes text", llm.OpenAIChat, `{"tools":[{"type":"custom","custom":{"name":"sh"}}]}`, toolContract(false, llm.Tool{Name: "sh", FreeText: true})},
		{"legacy functions", "still sent", llm.OpenAIChat, `{"functions":[{"name":"a","parameters":` + schema + `},{"name":"b"}],"function_call":{"name":"a"}}`, toolContract(true, tool("a"))},
		{"equal names", "the last counts, as servers have it", llm.OpenAIChat, `{"response_format":{"type":"json_object"},"response_format":{"type":"text"}}`, nil},

		{"responses schema", "text.format", llm.OpenAIResponses, `{"text":{"format":{"type":"json_schema","name":"x","schema":` + schema + `}}}`, schemaContract(schema)},
		{"responses JSON", "text.format", llm.OpenAIResponses, `{"text":{"format":{"type":"json_object"}}}`, anyJSON},
		{"responses text", "no contract", llm.OpenAIResponses, `{"text":{"format":{"type":"text"}}}`, nil},
		{"responses tools", "a provider's own tool is not ours to check", llm.OpenAIResponses, `{` + flatTools + `}`, toolContract(false, tool("a"), tool("b"))},
		{"responses forced", "a flat choice", llm.OpenAIResponses, `{` + flatTools + `,"tool_choice":{"type":"function","name":"a"}}`, toolContract(true, tool("a"))},
		{"responses allowed", "a flat list", llm.OpenAIResponses, `{` + flatTools + `,"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"b"}]}}`, toolContract(false, tool("b"))},

		{"anthropic schema", "output_config", llm.AnthropicMessages, `{"output_config":{"effort":"low","format":{"type":"json_schema","schema":` + schema + `}}}`, schemaContract(schema)},
		{"anthropic older schema", "output_format", llm.AnthropicMessages, `{"output_format":{"type":"json_schema","schema":` + schema + `}}`, schemaContract(schema)},
		{"anthropic forced", "the older way to a schema", llm.AnthropicMessages, `{` + blockTools + `,"tool_choice":{"type":"tool","name":"b"}}`, toolContract(true, tool("b"))},
		{"anthropic any", "some tool", llm.AnthropicMessages, `{` + blockTools + `,"tool_choice":{"type":"any"}}`, toolContract(true, tool("a"), tool("b"))},
		{"anthropic none", "no tool", llm.AnthropicMessages, `{` + blockTools + `,"tool_choice":{"type":"none"}}`, toolContract(false)},

		{"gemini JSON schema", "as it is", llm.GeminiGenerate, `{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + schema + `}}`, schemaContract(schema)},
		{"gemini JSON", "any JSON", llm.GeminiGenerate, `{"generationConfig":{"responseMimeType":"application/json"}}`, anyJSON},
		{"gemini snake case", "the API takes both", llm.GeminiGenerate, `{"generation_config":{"response_mime_type":"application/json","response_json_schema":` + schema + `}}`, schemaContract(schema)},
		{"gemini list", "bare texts", llm.GeminiGenerate, `{"generationConfig":{"responseMimeType":"text/x.enum","responseSchema":{"type":"STRING","enum":["yes","no"]}}}`, list},
		{"gemini plain", "no contract", llm.GeminiGenerate, `{"generationConfig":{"responseMimeType":"text/plain"}}`, nil},
		{"gemini tools", "its own search left out", llm.GeminiGenerate, `{` + declared + `}`, toolContract(false, tool("a"), tool("b"))},
		{"gemini forced", "mode ANY with names", llm.GeminiGenerate, `{` + declared + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}}`, toolContract(true, tool("b"))},
		{"gemini none", "no tool", llm.GeminiGenerate, `{` + declared + `,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`, toolContract(false)},

		{"ollama JSON", "any JSON", llm.OllamaChat, `{"format":"json"}`, anyJSON},
		{"ollama schema", "as it is", llm.OllamaChat, `{"format":` + schema + `}`, schemaContract(schema)},
		{"ollama tools", "as in chat", llm.OllamaChat, `{` + chatTools + `,"format":""}`, toolContract(false, tool("a"), tool("b"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := llm.RequestContract(tt.dialect, []byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
		})
	}
	if _, err := llm.RequestContract(llm.OpenAIChat, []byte(`[]`)); !errors.Is(err, llm.ErrRequest) {
		t.Errorf("a list: %v", err)
	}
	if _, err := llm.RequestContract("morse", []byte(`{}`)); !errors.Is(err, llm.ErrDialect) {
		t.Errorf("unknown dialect: %v", err)
	}
}

func TestRequestContractTranslatesOpenAPI(t *testing.T) {
	tests := []struct{ name, why, from, want string }{
		{"types", "upper case, nested", `{"type":"OBJECT","properties":{"type":{"type":"ARRAY","items":{"type":"INTEGER"}}},"propertyOrdering":["type"]}`,
			`{"properties":{"type":{"items":{"type":"integer"},"type":"array"}},"propertyOrdering":["type"],"type":"object"}`},
		{"nullable", "null fits", `{"type":"STRING","nullable":true,"enum":["a"]}`, `{"enum":["a",null],"type":["string","null"]}`},
		{"nullable union", "null is one more of the union", `{"anyOf":[{"type":"STRING"}],"nullable":true}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`},
		{"not nullable", "the word is not of JSON Schema", `{"type":"STRING","nullable":false}`, `{"type":"string"}`},
		{"bounds", "int64 travels as text", `{"type":"ARRAY","minItems":"1","max_items":3}`, `{"maxItems":3,"minItems":1,"type":"array"}`},
		{"grade", "an enum of numbers comes back as texts", `{"type":"INTEGER","enum":["1","2"]}`, `{"enum":["1","2",1,2]}`},
		{"unspecified", "no type", `{"type":"TYPE_UNSPECIFIED"}`, `{}`},
		{"a bound that is no number", "left as it was, so that nobody can compile it", `{"minItems":"many"}`, `{"minItems":"many"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := llm.RequestContract(llm.GeminiGenerate, []byte(`{"generationConfig":{"responseSchema":`+tt.from+`}}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(c.Schema)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

func FuzzRequestContract(f *testing.F) {
	f.Add([]byte(`{"response_format":{"type":"json_schema","json_schema":{"schema":{}}},"tools":[{"function":{"name":"a"}}],"tool_choice":{"name":"a"}}`))
	f.Add([]byte(`{"text":{"format":{"type":"json_object"}},"output_config":{"format":{"type":"json_schema","schema":true}},"format":"json"}`))
	f.Add([]byte(`{"generation_config":{"response_schema":{"type":"INTEGER","enum":["1",null],"nullable":true,"min_items":"x","anyOf":[{"items":{}}]}}}`))
	f.Add([]byte(`{"guided_json":"\"\\\"{}\\\"\"","guided_choice":[1,"a"]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range []llm.Dialect{llm.OpenAIChat, llm.OpenAIResponses, llm.AnthropicMessages, llm.GeminiGenerate, llm.OllamaChat} {
			c, err := llm.RequestContract(d, body)
			if _, valid := object(strings.TrimPrefix(string(body), "\xef\xbb\xbf")); valid != (err == nil) {
				t.Fatalf("%s: valid %v, error %v", d, valid, err)
			}
			if c == nil {
				continue
			}
			if (c.Form == llm.FormSchema) != (c.Schema != nil) || c.Schema != nil && !json.Valid(c.Schema) {
				t.Errorf("%s: form %d with schema %s", d, c.Form, c.Schema)
			}
			if (c.Form == llm.FormList) != (len(c.List) > 0) {
				t.Errorf("%s: form %d with list %q", d, c.Form, c.List)
			}
			for _, tool := range c.Tools {
				if tool.Name == "" || tool.Parameters != nil && !json.Valid(tool.Parameters) {
					t.Errorf("%s: tool %q with parameters %s", d, tool.Name, tool.Parameters)
				}
			}
		}
	})
}
