package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// call is one HTTP call, ready to be sent but for the key.
type call struct {
	dialect llm.Dialect
	path    string
	body    []byte
	header  http.Header
	stream  bool
	notes   []string
}

// dialectHeaders are the headers of a client that belong to its dialect and not to
// its account: they change what the body means.
func dialectHeaders(d llm.Dialect) []string {
	switch d {
	case llm.OpenAIChat:
		return []string{"Openai-Beta"}
	case llm.AnthropicMessages:
		return []string{"Anthropic-Version", "Anthropic-Beta"}
	}
	return nil
}

func (c *Client) encode(req llm.Request) (call, error) {
	switch {
	case req.Body != nil && req.Prompt != nil:
		return call{}, errors.New("request has both a body and a prompt")
	case req.Body != nil:
		return c.encodeBody(req)
	case req.Prompt != nil:
		return c.encodePrompt(*req.Prompt)
	}
	return call{}, errors.New("request has neither a body nor a prompt")
}

// Dialects are those of the clients' bodies that models of a provider can be asked;
// empty, not nil, if there is none.
func Dialects(p llm.Provider) []llm.Dialect {
	switch p {
	case llm.ProviderOpenAI, llm.ProviderOllama:
		return []llm.Dialect{llm.OpenAIChat}
	}
	return []llm.Dialect{}
}

// encodeBody makes the candidate's request from a client's.
func (c *Client) encodeBody(req llm.Request) (call, error) {
	if !slices.Contains(Dialects(c.end.Provider), req.Dialect) {
		return call{}, fmt.Errorf("%w: %s for provider %s", ErrUnsupportedDialect, req.Dialect, c.end.Provider)
	}
	out := call{dialect: req.Dialect, path: "chat/completions", stream: req.Stream, header: http.Header{}}
	if c.end.Provider == llm.ProviderOllama {
		out.path = "v1/chat/completions"
	}
	var changes []llm.Edit
	if c.end.Reasoning != "" {
		changes = append(changes, llm.Edit{Key: "reasoning_effort", Value: quoted(c.end.Reasoning)})
	}
	var err error
	out.body, out.notes, err = llm.SameDialectBody(req.Dialect, req.Body, c.end.Model, append(changes, c.extra...)...)
	for _, name := range dialectHeaders(req.Dialect) {
		if values := req.Header.Values(name); len(values) > 0 {
			out.header[name] = values
		}
	}
	return out, err
}

type object = map[string]any

// encodePrompt puts a question of ours into the provider's dialect. It never sets a
// temperature: some models refuse any.
func (c *Client) encodePrompt(p llm.Prompt) (call, error) {
	if p.Schema != nil && !json.Valid(p.Schema) {
		return call{}, errors.New("schema of the prompt is no JSON")
	}
	out := call{header: http.Header{}}
	var body object
	switch c.end.Provider {
	case llm.ProviderAnthropic:
		out.dialect, out.path = llm.AnthropicMessages, "v1/messages"
		out.header.Set("Anthropic-Version", "2023-06-01")
		body = c.anthropicPrompt(p)
	case llm.ProviderGoogle:
		out.dialect = llm.GeminiGenerate
		out.path = "v1beta/models/" + url.PathEscape(strings.TrimPrefix(c.end.Model, "models/")) + ":generateContent"
		body = c.geminiPrompt(p)
	case llm.ProviderOllama:
		out.dialect, out.path = llm.OllamaChat, "api/chat"
		body = c.ollamaPrompt(p)
	default:
		out.dialect, out.path = llm.OpenAIChat, "chat/completions"
		body = c.openAIPrompt(p)
	}
	for key, value := range c.end.Extra {
		merge(body, key, value)
	}
	var err error
	out.body, err = json.Marshal(body)
	return out, err
}

// merge sets a field, or takes it out; objects are merged one level deep.
func merge(body object, key string, value any) {
	inner, isObject := value.(map[string]any)
	present, hasObject := body[key].(object)
	switch {
	case value == nil:
		delete(body, key)
	case isObject && hasObject:
		for k, v := range inner {
			merge(present, k, v)
		}
	default:
		body[key] = value
	}
}

func (c *Client) openAIPrompt(p llm.Prompt) object {
	body := object{"model": c.end.Model, "messages": messages(p)}
	if p.Schema != nil {
		body["response_format"] = object{"type": "json_schema", "json_schema": object{
			"name": schemaName(p.SchemaName), "strict": true, "schema": p.Schema,
		}}
	}
	if p.MaxTokens > 0 {
		body["max_completion_tokens"] = p.MaxTokens
	}
	if c.end.Reasoning != "" {
		body["reasoning_effort"] = c.end.Reasoning
	}
	return body
}

// defaultMaxTokens is for Anthropic, where a limit is required: room for a verdict
// and for thinking before it.
const defaultMaxTokens = 8192

func (c *Client) anthropicPrompt(p llm.Prompt) object {
	body := object{
		"model": c.end.Model, "max_tokens": defaultMaxTokens,
		"messages": []object{{"role": "user", "content": p.User}},
	}
	if p.MaxTokens > 0 {
		body["max_tokens"] = p.MaxTokens
	}
	if p.System != "" {
		body["system"] = p.System
	}
	config := object{}
	if p.Schema != nil {
		config["format"] = object{"type": "json_schema", "schema": p.Schema}
	}
	switch c.end.Reasoning {
	case "":
	case "none":
		body["thinking"] = object{"type": "disabled"}
	default:
		config["effort"] = c.end.Reasoning
	}
	if len(config) > 0 {
		body["output_config"] = config
	}
	return body
}

func (c *Client) geminiPrompt(p llm.Prompt) object {
	body := object{"contents": []object{{"role": "user", "parts": []object{{"text": p.User}}}}}
	if p.System != "" {
		body["systemInstruction"] = object{"parts": []object{{"text": p.System}}}
	}
	config := object{}
	if p.Schema != nil {
		config["responseMimeType"], config["responseJsonSchema"] = "application/json", p.Schema
	}
	if p.MaxTokens > 0 {
		config["maxOutputTokens"] = p.MaxTokens
	}
	switch c.end.Reasoning {
	case "":
	case "none":
		config["thinkingConfig"] = object{"thinkingBudget": 0}
	default:
		config["thinkingConfig"] = object{"thinkingLevel": c.end.Reasoning}
	}
	if len(config) > 0 {
		body["generationConfig"] = config
	}
	return body
}

// ollamaPrompt uses the server's own path: only there can thinking be switched off.
func (c *Client) ollamaPrompt(p llm.Prompt) object {
	body := object{"model": c.end.Model, "messages": messages(p), "stream": false}
	if p.Schema != nil {
		body["format"] = p.Schema
	}
	if p.MaxTokens > 0 {
		body["options"] = object{"num_predict": p.MaxTokens}
	}
	switch c.end.Reasoning {
	case "":
	case "none":
		body["think"] = false
	default:
		body["think"] = c.end.Reasoning
	}
	return body
}

func messages(p llm.Prompt) []object {
	user := object{"role": "user", "content": p.User}
	if p.System == "" {
		return []object{user}
	}
	return []object{{"role": "system", "content": p.System}, user}
}

// schemaName makes a name fit OpenAI's rule: letters, digits, _ and -, at most 64.
func schemaName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "reply"
	}
	return name[:min(len(name), 64)]
}

func quoted(word string) json.RawMessage { return json.RawMessage(`"` + word + `"`) }
