package llmfake

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// newCall reads what a script wants to know of a request; what cannot be read is left empty.
func newCall(t target, r *http.Request, body []byte) Call {
	c := Call{Path: r.URL.Path, Header: r.Header, Body: body, Dialect: t.dialect, Model: t.model, Stream: t.stream, listed: t.listed}
	if info, err := llm.RequestInfo(t.dialect, body); err == nil {
		c.Model, c.Stream = cmp.Or(info.Model, t.model), info.Stream || t.stream
	}
	c.Turns, _ = llm.Conversation(t.dialect, body)
	return c
}

// rawArguments are a call's arguments as the object that these dialects want.
func rawArguments(t llm.ToolCall) any {
	if json.Valid([]byte(t.Arguments)) {
		return json.RawMessage(t.Arguments)
	}
	return object{}
}

func anthropicAnswer(a Answer) object {
	content := []object{}
	if a.Text != "" {
		content = append(content, object{"type": "text", "text": a.Text})
	}
	for _, t := range a.ToolCalls {
		content = append(content, object{"type": "tool_use", "id": t.ID, "name": t.Name, "input": rawArguments(t)})
	}
	out := anthropicStop(a)
	out["type"], out["role"], out["model"], out["content"] = "message", "assistant", a.Model, content
	out["usage"] = object{"input_tokens": a.In, "output_tokens": a.Out}
	return out
}

func anthropicStop(a Answer) object {
	out := object{"stop_sequence": nil}
	switch stop := a.finish(); {
	case a.Refusal != "":
		out["stop_reason"], out["stop_details"] = "refusal", object{"category": "other", "explanation": a.Refusal}
	case stop == llm.FinishStop:
		out["stop_reason"] = "end_turn"
	case stop == llm.FinishLength:
		out["stop_reason"] = "max_tokens"
	case stop == llm.FinishToolCalls:
		out["stop_reason"] = "tool_use"
	default:
		out["stop_reason"] = stop
	}
	return out
}

func geminiAnswer(a Answer) object {
	parts := []object{}
	if a.Text != "" {
		parts = append(parts, object{"text": a.Text})
	}
	if a.Refusal != "" {
		return geminiRefusal(a)
	}
	return geminiChunk(a, append(parts, geminiCalls(a)...), true)
}

func geminiCalls(a Answer) []object {
	var parts []object
	for _, t := range a.ToolCalls {
		parts = append(parts, object{"functionCall": object{"name": t.Name, "args": rawArguments(t)}})
	}
	return parts
}

func geminiRefusal(a Answer) object {
	return object{"modelVersion": a.Model, "usageMetadata": geminiUsage(a), "promptFeedback": object{"blockReason": "OTHER"}}
}

func geminiUsage(a Answer) object {
	return object{"promptTokenCount": a.In, "candidatesTokenCount": a.Out, "totalTokenCount": a.In + a.Out}
}

// geminiChunk is an answer with some parts; the last one ends it.
func geminiChunk(a Answer, parts []object, last bool) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	out := object{"modelVersion": a.Model, "candidates": []object{candidate}}
	if !last {
		return out
	}
	reason := strings.ToUpper(string(a.finish()))
	switch a.finish() {
	case llm.FinishLength:
		reason = "MAX_TOKENS"
	case llm.FinishToolCalls:
		reason = "STOP"
	case llm.FinishFiltered:
		reason = "SAFETY"
	}
	candidate["finishReason"], out["usageMetadata"] = reason, geminiUsage(a)
	return out
}

func ollamaAnswer(d llm.Dialect, a Answer) object {
	done := string(a.finish())
	if a.finish() == llm.FinishToolCalls {
		done = "stop"
	}
	out := ollamaChunk(d, a, a.Text+a.Refusal, a.ToolCalls)
	out["done"], out["done_reason"] = true, done
	out["prompt_eval_count"], out["eval_count"], out["total_duration"] = a.In, a.Out, a.Took.Nanoseconds()
	return out
}

// ollamaChunk is a piece of an answer; /api/generate knows no tools.
func ollamaChunk(d llm.Dialect, a Answer, text string, calls []llm.ToolCall) object {
	out := object{"model": a.Model, "done": false}
	if d == llm.OllamaGenerate {
		out["response"] = text
		return out
	}
	message := object{"role": "assistant", "content": text}
	var list []object
	for _, t := range calls {
		list = append(list, object{"function": object{"name": t.Name, "arguments": rawArguments(t)}})
	}
	if list != nil {
		message["tool_calls"] = list
	}
	out["message"] = message
	return out
}
