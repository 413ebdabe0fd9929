package llmfake

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Strict lets a provider refuse what its real counterpart refuses with a 400, before
// next is asked: fields that are not the dialect's, fields that are missing, and what
// a version or a generation of models does not take:
//
//	openai-chat, openai-responses   of models that reason (o-series, gpt-5 and later, unless the effort is
//	                                none) max_tokens and a temperature other than 1, from gpt-6 on top_p;
//	                                a strict schema with properties that are not required, or open; a form without
//	                                a name; an effort that the generation lacks; less than 16 tokens of a response
//	anthropic-messages              no anthropic-version, no max_tokens; a temperature over 1, and any with
//	                                version 2026-10-21; texts of blanks, roles but user and assistant; a
//	                                schema with open objects; thoughts beside a forced tool, or a budget for them
//	                                that leaves nothing of max_tokens
//	gemini-generate                 roles but user and model, names of a configuration that it does not have, two
//	                                schemas, keywords in responseSchema that OpenAPI's subset lacks; a schema
//	                                without its MIME type, no thinking at all of the larger models
//	ollama                          unknown fields, and thinking of families that cannot
//	all but ollama                  a tool that is forced and not there
//
// What it accepts is not proven to be accepted elsewhere.
func Strict(next Script) Script {
	return func(c Call) Answer {
		if why := refusal(c); why != "" {
			return Answer{Status: 400, Code: "invalid_request_error", Text: why}
		}
		return next(c)
	}
}

// fields are what a request of each dialect may have at the top.
var fields = map[llm.Dialect]string{
	llm.OpenAIChat: "model messages stream stream_options n max_tokens max_completion_tokens temperature top_p seed stop presence_penalty" +
		" frequency_penalty tools tool_choice parallel_tool_calls response_format reasoning_effort logit_bias logprobs top_logprobs store" +
		" metadata user verbosity service_tier modalities functions function_call prediction safety_identifier prompt_cache_key",
	llm.OpenAIResponses: "model input instructions stream stream_options max_output_tokens temperature top_p tools tool_choice" +
		" parallel_tool_calls text reasoning include store metadata user truncation service_tier top_logprobs safety_identifier prompt_cache_key",
	llm.AnthropicMessages: "model messages system max_tokens temperature top_p top_k stop_sequences stream tools tool_choice thinking" +
		" output_config metadata service_tier cache_control",
	llm.GeminiGenerate: "contents systemInstruction system_instruction generationConfig generation_config tools toolConfig tool_config safetySettings safety_settings labels",
	llm.OllamaChat:     "model messages stream format options think tools keep_alive",
	llm.OllamaGenerate: "model prompt system suffix images stream format options think keep_alive raw template",
}

// refusal says what is wrong with a request, "" if nothing is.
func refusal(c Call) string {
	var body map[string]any
	if json.Unmarshal(c.Body, &body) != nil {
		return "the body is no JSON object"
	}
	for name := range body {
		if !slices.Contains(strings.Fields(fields[c.Dialect]), name) {
			return "unknown field " + name
		}
	}
	if why := replyRefusal(c.Dialect, c.Model, body); why != "" {
		return why
	}
	switch c.Dialect {
	case llm.OpenAIChat, llm.OpenAIResponses:
		return openAIRefusal(c.Model, body)
	case llm.AnthropicMessages:
		return anthropicRefusal(c.Header.Get("Anthropic-Version"), body)
	case llm.GeminiGenerate:
		return geminiRefused(body)
	}
	return ""
}

var (
	thinking = regexp.MustCompile(`^(?:o[1-9](?:-|$)|gpt-(?:[5-9]|[1-9][0-9])(?:[-.]|$))`)
	sixth    = regexp.MustCompile(`^gpt-(?:[6-9]|[1-9][0-9])(?:[-.]|$)`)
)

func openAIRefusal(model string, body object) string {
	format, _ := body["response_format"].(object)
	if format == nil {
		text, _ := body["text"].(object)
		format, _ = text["format"].(object)
	}
	spec, _ := format["json_schema"].(object)
	if spec == nil {
		spec = format
	}
	if spec["strict"] == true && !closed(spec["schema"]) {
		return "a strict schema has to be closed"
	}
	effort, _ := body["reasoning_effort"].(string)
	if r, ok := body["reasoning"].(object); ok {
		effort, _ = r["effort"].(string)
	}
	if !thinking.MatchString(model) || effort == "none" {
		return ""
	}
	if t, ok := body["temperature"]; ok && t != 1.0 {
		return "unsupported_value: temperature"
	}
	refused := []string{"max_tokens"}
	if sixth.MatchString(model) {
		refused = append(refused, "top_p", "top_logprobs")
	}
	for _, name := range refused {
		if _, found := body[name]; found {
			return "unsupported_parameter: " + name
		}
	}
	return ""
}

func anthropicRefusal(version string, body object) string {
	if version == "" {
		return "anthropic-version: header is required"
	}
	for _, name := range []string{"model", "messages", "max_tokens"} {
		if _, found := body[name]; !found {
			return name + ": field required"
		}
	}
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if _, found := body[name]; found && version >= "2026-10-21" {
			return name + " is not accepted by version " + version
		}
	}
	if t, _ := body["temperature"].(float64); t > 1 {
		return "temperature: has to be at most 1"
	}
	config, _ := body["output_config"].(object)
	if format, ok := config["format"].(object); ok && !closed(format["schema"]) {
		return "output_config.format: additionalProperties has to be false"
	}
	messages, _ := body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(object)
		if message["role"] != "user" && message["role"] != "assistant" {
			return "messages: unexpected role"
		}
		blocks, _ := message["content"].([]any)
		for _, b := range blocks {
			if block, _ := b.(object); block["type"] == "text" && strings.TrimSpace(str(block["text"])) == "" {
				return "messages: text content blocks must contain non-whitespace text"
			}
		}
	}
	return ""
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// closed says whether every object of a schema names all of its properties as required
// and takes no others.
func closed(schema any) bool {
	switch v := schema.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(s any) bool { return !closed(s) })
	case object:
		if properties, ok := v["properties"].(object); ok {
			required, _ := v["required"].([]any)
			if v["additionalProperties"] != false || len(required) < len(properties) {
				return false
			}
		}
		for _, inner := range v {
			if !closed(inner) {
				return false
			}
		}
	}
	return true
}

func geminiRefused(body object) string {
	contents, _ := body["contents"].([]any)
	for _, c := range contents {
		if content, _ := c.(object); content["role"] != nil && content["role"] != "user" && content["role"] != "model" {
			return "please use a valid role: user, model"
		}
	}
	config, _ := body["generationConfig"].(object)
	for name := range config {
		if !slices.Contains(strings.Fields(configFields), name) {
			return "unknown name " + name
		}
	}
	schema, _ := config["responseSchema"].(object)
	if _, found := schema["additionalProperties"]; found || schema != nil && config["responseJsonSchema"] != nil {
		return "responseSchema: unknown name additionalProperties, or a second schema"
	}
	return ""
}

const configFields = "candidateCount maxOutputTokens temperature topP topK seed stopSequences presencePenalty frequencyPenalty" +
	" responseMimeType responseSchema responseJsonSchema thinkingConfig responseModalities mediaResolution responseLogprobs logprobs"
