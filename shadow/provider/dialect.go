package provider

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

const (
	// anthropicVersion is asked for where the client named none: it takes a temperature.
	anthropicVersion = "2023-06-01"
	// anthropicPlain is the first version that refuses temperature, top_p and top_k.
	anthropicPlain = "2026-10-21"
)

// Dialect is the provider's own: what a client's request in a dialect that it does not
// speak is translated into, and what prompts of ours are put in.
func (c *Client) Dialect() llm.Dialect {
	switch c.end.Provider {
	case llm.ProviderAnthropic:
		return llm.AnthropicMessages
	case llm.ProviderGoogle:
		return llm.GeminiGenerate
	case llm.ProviderOllama:
		return llm.OllamaChat
	}
	if c.end.Responses {
		return llm.OpenAIResponses
	}
	return llm.OpenAIChat
}

// Speaks says whether a client's request in this dialect is passed on byte for byte,
// but for the model. Any other is translated into [Client.Dialect].
//
// Ollama takes Chat Completions too, but its own fields, and the switch of a model's
// thinking, exist on its own path only: an endpoint that sets one is asked there.
func (c *Client) Speaks(d llm.Dialect) bool {
	switch c.end.Provider {
	case llm.ProviderOpenAI:
		return d == llm.OpenAIChat || d == llm.OpenAIResponses
	case llm.ProviderAnthropic:
		return d == llm.AnthropicMessages
	case llm.ProviderGoogle:
		return d == llm.GeminiGenerate
	}
	return d == llm.OllamaChat || d == llm.OllamaGenerate || d == llm.OpenAIChat && !c.ownPath()
}

// ownPath says whether an Ollama endpoint sets what only its own path knows.
func (c *Client) ownPath() bool {
	for _, name := range []string{"options", "think", "keep_alive", "format"} {
		if _, set := c.end.Extra[name]; set {
			return true
		}
	}
	return c.end.Reasoning != ""
}

// path is where a dialect is spoken, below the base URL.
func (c *Client) path(d llm.Dialect, stream bool) string {
	switch d {
	case llm.OpenAIResponses:
		return "responses"
	case llm.AnthropicMessages:
		return "v1/messages"
	case llm.GeminiGenerate:
		model := "v1beta/models/" + url.PathEscape(strings.TrimPrefix(c.end.Model, "models/"))
		if stream {
			return model + ":streamGenerateContent?alt=sse"
		}
		return model + ":generateContent"
	case llm.OllamaChat:
		return "api/chat"
	case llm.OllamaGenerate:
		return "api/generate"
	}
	if c.end.Provider == llm.ProviderOllama {
		return "v1/chat/completions"
	}
	return "chat/completions"
}

// dialectHeaders are the headers of a client that belong to its dialect and not to
// its account: they change what the body means.
func dialectHeaders(d llm.Dialect) []string {
	switch d {
	case llm.OpenAIChat, llm.OpenAIResponses:
		return []string{"Openai-Beta"}
	case llm.AnthropicMessages:
		return []string{"Anthropic-Version", "Anthropic-Beta"}
	}
	return nil
}

// headers are those of the dialect: the client's, then the endpoint's.
func (c *Client) headers(req llm.Request) http.Header {
	out := http.Header{}
	if req.Dialect == llm.AnthropicMessages {
		out.Set("Anthropic-Version", anthropicVersion)
	}
	for _, name := range dialectHeaders(req.Dialect) {
		if values := req.Header.Values(name); len(values) > 0 {
			out[name] = values
		}
	}
	for name, value := range c.end.Headers {
		out.Set(name, value)
	}
	return out
}
