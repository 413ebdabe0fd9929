package llm

import "strings"

// Unsupported says whether a request cannot be put to another model faithfully, and
// why: several answers, audio, state or tools at the provider's side, files by id (for
// Gemini by URI), what another model cannot read (Ollama's context). What merely has
// side effects (store, metadata) is stripped instead, see [SameDialectBody]. A body
// that is no request of the dialect is unsupported too.
func Unsupported(d Dialect, body []byte) (why string, yes bool) {
	v, err := request(d, body)
	if err != nil {
		return err.Error(), true
	}
	if info, err := RequestInfo(d, body); err == nil && info.N > 1 {
		return "more than one answer (n)", true
	}
	for _, name := range stateful(d) {
		if f := v.get(name); !f.null() && !f.is('f') {
			return name, true
		}
	}
	switch d {
	case AnthropicMessages:
		return unsupportedAnthropic(v)
	case GeminiGenerate:
		return unsupportedGemini(v)
	case OpenAIChat, OpenAIResponses:
		return unsupportedOpenAI(v)
	}
	return "", false
}

// stateful are the fields of a request that cannot be shadowed.
func stateful(d Dialect) []string {
	switch d {
	case OpenAIChat, OpenAIResponses:
		return []string{"web_search_options", "previous_response_id", "conversation", "background", "prompt", "audio", "plugins", "container"}
	case AnthropicMessages:
		return []string{"container", "mcp_servers"}
	case GeminiGenerate:
		return []string{"cachedContent", "cached_content"}
	case OllamaGenerate:
		return []string{"context"}
	}
	return nil
}

func unsupportedOpenAI(v value) (why string, yes bool) {
	for m := range v.get("modalities").items() {
		if m.str() == "audio" {
			return "audio", true
		}
	}
	for t := range v.get("tools").items() {
		if kind := t.get("type").str(); kind != "function" && kind != "custom" && kind != "" {
			return provided(kind), true
		}
	}
	for m := range v.get("messages").items() {
		if !m.get("audio").null() {
			return "audio", true
		}
		if why, yes := unsupportedParts(m.get("content")); yes {
			return why, true
		}
	}
	return unsupportedItems(v.get("input"))
}

// unsupportedItems reads the input of Responses.
func unsupportedItems(input value) (why string, yes bool) {
	for item := range input.items() {
		content := item.get("content")
		switch kind := item.get("type").str(); kind {
		case "message", "", "function_call", "custom_tool_call", "reasoning":
		case "function_call_output", "custom_tool_call_output":
			content = item.get("output")
		default:
			return "input of the provider's own (" + tidy(kind) + ")", true
		}
		if why, yes := unsupportedParts(content); yes {
			return why, true
		}
	}
	return "", false
}

func unsupportedParts(parts value) (why string, yes bool) {
	for part := range parts.items() {
		switch {
		case part.get("type").str() == "input_audio":
			return "audio", true
		case !part.get("file", "file_id").null(), !part.get("file_id").null():
			return "file by id", true
		}
	}
	return "", false
}

// unsupportedAnthropic leaves tools alone that Anthropic defines and clients run: they
// are calls like any other, to a model of the same dialect.
func unsupportedAnthropic(v value) (why string, yes bool) {
	for t := range v.get("tools").items() {
		kind := t.get("type").str()
		name, _, _ := strings.Cut(kind, "_")
		switch name {
		case "", "custom", "bash", "text", "computer", "memory":
		default:
			return provided(kind), true
		}
	}
	for m := range v.get("messages").items() {
		for block := range m.get("content").items() {
			if block.get("source", "type").str() == "file" || block.get("type").str() == "container_upload" {
				return "file by id", true
			}
			for inner := range block.get("content").items() {
				if inner.get("source", "type").str() == "file" {
					return "file by id", true
				}
			}
		}
	}
	return "", false
}

func unsupportedGemini(v value) (why string, yes bool) {
	config := v.either("generationConfig", "generation_config")
	for m := range config.either("responseModalities", "response_modalities").items() {
		if strings.EqualFold(m.str(), "audio") {
			return "audio", true
		}
	}
	for t := range v.get("tools").items() {
		for m := range t.members() {
			if m.key != "functionDeclarations" && m.key != "function_declarations" {
				return provided(m.key), true
			}
		}
	}
	for c := range v.get("contents").items() {
		for part := range c.get("parts").items() {
			media := part.either("inlineData", "inline_data").either("mimeType", "mime_type").str()
			switch {
			case part.either("fileData", "file_data") != nil:
				return "file by URI", true
			case mediaKind(media) == "audio":
				return "audio", true
			}
		}
	}
	return "", false
}

func provided(tool string) string { return "tool at the provider's side (" + tidy(tool) + ")" }
