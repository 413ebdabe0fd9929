package llm

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Contract is what a request itself demands of the form of its answer: JSON, a
// schema, a closed list of texts, and which tools may be called how. Whether an
// answer keeps it can be decided without a judge, see package shadow/contract.
type Contract struct {
	Form Form
	// Schema is the JSON schema of [FormSchema], as the client wrote it; Gemini's
	// responseSchema, a dialect of OpenAPI, is translated.
	Schema json.RawMessage
	// List has the texts of [FormList].
	List []string
	// Tools are those that the answer may call: all that are offered, or fewer where
	// the request narrows its choice. MustCall says that it has to call one of them.
	Tools    []Tool
	MustCall bool
}

// Form is what a request demands of its answer's text, where the answer is no call
// of a tool.
type Form uint8

// The forms of an answer's text.
const (
	FormFree   Form = iota // any text
	FormJSON               // one JSON value
	FormSchema             // one JSON value that fits Contract.Schema
	FormList               // one of Contract.List
)

// Tool is a function that a request offers.
type Tool struct {
	Name string
	// Parameters is the JSON schema of the arguments; nil if the request gives none.
	Parameters json.RawMessage
	// FreeText says that the tool takes text, not JSON.
	FreeText bool
	// Description and Strict are for the model; a contract does not need them.
	Description string
	Strict      bool
}

// RequestContract reads the contract that a request sets, nil if it sets none: it
// asks for no form of the text and offers no tool. What is read per dialect:
//
//	openai-chat         response_format (json_schema, json_object), tools, tool_choice, functions, function_call;
//	                    of vLLM: structured_outputs (json, choice), guided_json, guided_choice
//	openai-responses    text.format (json_schema, json_object), tools, tool_choice
//	anthropic-messages  output_config.format or output_format, tools, tool_choice
//	gemini-generate     generationConfig: responseJsonSchema, responseSchema, responseMimeType
//	                    (application/json, text/x.enum); tools, toolConfig.functionCallingConfig
//	ollama-chat         format ("json" or a schema), tools; ollama-generate alike
//
// A forced tool is the only one in Tools; where calls are forbidden there is none.
// Forms that are not listed (grammars, regular expressions) and fields of the wrong
// type count as absent, and tools at the provider's side are left out. The body is
// read as far as it can be; a schema is not checked here.
//
// Errors: [ErrRequest] for a body that is not one JSON object, [ErrDialect].
func RequestContract(d Dialect, body []byte) (*Contract, error) {
	read := contractReader(d)
	if read == nil {
		return nil, fmt.Errorf("read contract: %w: %q", ErrDialect, d)
	}
	v, ok := parse(body)
	if !ok || !v.object() {
		return nil, fmt.Errorf("read contract: %w", ErrRequest)
	}
	var c Contract
	offered := read(v, &c)
	if c.Form == FormFree && offered == 0 {
		return nil, nil
	}
	return &c, nil
}

// contractReader gives the function that fills a contract from a request and counts
// the tools that the request offers, callable or not.
func contractReader(d Dialect) func(value, *Contract) (offered int) {
	switch d {
	case OpenAIChat:
		return chatContract
	case OpenAIResponses:
		return responsesContract
	case AnthropicMessages:
		return anthropicContract
	case GeminiGenerate:
		return geminiContract
	case OllamaChat, OllamaGenerate:
		return ollamaContract
	default:
		return nil
	}
}

// demand sets the form to a schema; any JSON where there is none in it.
func (c *Contract) demand(schema value) {
	switch {
	case schema.object(), schema.is('t'), schema.is('f'):
		c.Form, c.Schema = FormSchema, json.RawMessage(schema)
	case schema.is('"'): // JSON within a string, as some clients send it
		if inner, ok := parse([]byte(schema.str())); ok && !inner.is('"') {
			c.demand(inner)
		}
	default:
		c.Form = FormJSON
	}
}

// choose sets the form to a list of texts, unless the list is empty.
func (c *Contract) choose(list value) {
	for item := range list.items() {
		if s, ok := item.text(); ok {
			c.Form, c.List = FormList, append(c.List, s)
		}
	}
}

// offer adds a tool. One without a name is none.
func (c *Contract) offer(name string, parameters value) {
	if name == "" {
		return
	}
	t := Tool{Name: name}
	if !parameters.null() {
		t.Parameters = json.RawMessage(parameters)
	}
	c.Tools = append(c.Tools, t)
}

// narrow leaves the named tools only.
func (c *Contract) narrow(names ...string) {
	c.Tools = slices.DeleteFunc(c.Tools, func(t Tool) bool { return !slices.Contains(names, t.Name) })
}

// either is the first of these fields that is there and not null.
func (v value) either(names ...string) value {
	for _, name := range names {
		if f := v.get(name); !f.null() {
			return f
		}
	}
	return nil
}
