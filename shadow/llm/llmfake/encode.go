package llmfake

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/understudy-eval/understudy/shadow/llm"
)

type object = map[string]any

// text encodes; everything that is encoded here is made of numbers, strings and raw
// JSON that was checked.
func text(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return data
}

// encode writes a whole answer, or an error, in the call's dialect.
func encode(c Call, a Answer) []byte {
	if a.status() >= 400 {
		return text(errorBody(c.Dialect, a))
	}
	switch c.Dialect {
	case llm.AnthropicMessages:
		return text(anthropicAnswer(a))
	case llm.GeminiGenerate:
		return text(geminiAnswer(a))
	case llm.OllamaChat, llm.OllamaGenerate:
		return text(ollamaAnswer(c.Dialect, a))
	case llm.OpenAIResponses:
		return text(responsesAnswer(c, a))
	}
	message := object{"role": "assistant", "content": nilIfEmpty(a.Text), "refusal": nilIfEmpty(a.Refusal)}
	if len(a.ToolCalls) > 0 {
		message["tool_calls"] = openAICalls(a.ToolCalls, false)
	}
	return text(object{
		"id": fmt.Sprintf("chatcmpl-%d", c.N), "object": "chat.completion", "created": 0, "model": a.Model,
		"choices": []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": a.finish()}},
		"usage":   openAIUsage(a),
	})
}

func openAIUsage(a Answer) object {
	return object{"prompt_tokens": a.In, "completion_tokens": a.Out, "total_tokens": a.In + a.Out}
}

func openAICalls(calls []llm.ToolCall, indexed bool) []object {
	var out []object
	for i, t := range calls {
		o := object{"id": t.ID, "type": "function", "function": object{"name": t.Name, "arguments": t.Arguments}}
		if indexed {
			o["index"] = i
		}
		out = append(out, o)
	}
	return out
}

// cut divides data into at most n pieces of about the same size, none of them
// empty, at places that may allows.
func cut(data []byte, n int, may func(i int) bool) [][]byte {
	var out [][]byte
	n = max(1, min(n, len(data)))
	start := 0
	for k := 1; k <= n; k++ {
		end := len(data) * k / n
		for end < len(data) && !may(end) {
			end++
		}
		if end > start {
			out = append(out, data[start:end])
			start = end
		}
	}
	return out
}

func nilIfEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func errorBody(d llm.Dialect, a Answer) object {
	message := http.StatusText(a.Status)
	if a.Text != "" {
		message = a.Text
	}
	switch d {
	case llm.AnthropicMessages:
		return object{"type": "error", "error": object{"type": a.Code, "message": message}}
	case llm.GeminiGenerate:
		return object{"error": object{"code": a.Status, "message": message, "status": a.Code}}
	case llm.OllamaChat, llm.OllamaGenerate:
		return object{"error": message}
	}
	return object{"error": object{"message": message, "type": "api_error", "param": nil, "code": nilIfEmpty(a.Code)}}
}

func openAIModels(models []string) object {
	data := []object{}
	for _, m := range models {
		data = append(data, object{"id": m, "object": "model", "created": 0, "owned_by": "llmfake"})
	}
	return object{"object": "list", "data": data}
}

// Digest is what the fake's list of tags names as the digest of a model: 64
// hexadecimal digits, the SHA-256 of the name.
func Digest(model string) string {
	sum := sha256.Sum256([]byte(model))
	return hex.EncodeToString(sum[:])
}

func ollamaTags(models []string) object {
	list := []object{}
	for _, m := range models {
		list = append(list, object{"name": m, "model": m, "digest": Digest(m)})
	}
	return object{"models": list}
}
