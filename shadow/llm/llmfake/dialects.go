package llmfake

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// newCall reads what a script wants to know of a request; what cannot be read is left empty.
func newCall(d llm.Dialect, model string, r *http.Request, body []byte) Call {
	c := Call{Path: r.URL.Path, Header: r.Header, Body: body, Dialect: d, Model: model}
	switch d {
	case llm.OpenAIChat, llm.OllamaChat: // the messages have one shape in both
		if info, err := llm.RequestInfo(llm.OpenAIChat, body); err == nil {
			c.Model, c.Stream = info.Model, info.Stream
		}
		c.Turns, _ = llm.Conversation(llm.OpenAIChat, body)
	case llm.AnthropicMessages:
		c.Model, c.Turns = anthropicRequest(body)
	case llm.GeminiGenerate:
		c.Turns = geminiTurns(body)
	}
	return c
}

func anthropicRequest(body []byte) (model string, turns []llm.Turn) {
	var req struct {
		Model    string
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if json.Unmarshal(body, &req) != nil {
		return "", nil
	}
	if s := blocksText(req.System); s != "" {
		turns = append(turns, llm.Turn{Role: "system", Text: s})
	}
	for _, m := range req.Messages {
		turns = append(turns, llm.Turn{Role: m.Role, Text: blocksText(m.Content)})
	}
	return req.Model, turns
}

// blocksText reads a string or a list of text blocks.
func blocksText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(raw, &blocks)
	var parts []string
	for _, b := range blocks {
		parts = append(parts, b.Text)
	}
	return strings.Join(parts, "\n")
}

func geminiTurns(body []byte) (turns []llm.Turn) {
	var req struct {
		SystemInstruction struct{ Parts json.RawMessage }
		Contents          []struct {
			Role  string
			Parts json.RawMessage
		}
	}
	if json.Unmarshal(body, &req) != nil {
		return nil
	}
	if s := blocksText(req.SystemInstruction.Parts); s != "" {
		turns = append(turns, llm.Turn{Role: "system", Text: s})
	}
	for _, c := range req.Contents {
		role := c.Role
		if role == "model" {
			role = "assistant"
		}
		turns = append(turns, llm.Turn{Role: role, Text: blocksText(c.Parts)})
	}
	return turns
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
	out := object{
		"type": "message", "role": "assistant", "model": a.Model, "content": content, "stop_sequence": nil,
		"usage": object{"input_tokens": a.In, "output_tokens": a.Out},
	}
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
	for _, t := range a.ToolCalls {
		parts = append(parts, object{"functionCall": object{"name": t.Name, "args": rawArguments(t)}})
	}
	out := object{
		"modelVersion":  a.Model,
		"usageMetadata": object{"promptTokenCount": a.In, "candidatesTokenCount": a.Out, "totalTokenCount": a.In + a.Out},
	}
	if a.Refusal != "" {
		out["promptFeedback"] = object{"blockReason": "OTHER"}
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
	out["candidates"] = []object{{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": reason}}
	return out
}

func ollamaAnswer(a Answer) object {
	message := object{"role": "assistant", "content": a.Text + a.Refusal}
	var calls []object
	for _, t := range a.ToolCalls {
		calls = append(calls, object{"function": object{"name": t.Name, "arguments": rawArguments(t)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	done := string(a.finish())
	if a.finish() == llm.FinishToolCalls {
		done = "stop"
	}
	return object{
		"model": a.Model, "message": message, "done": true, "done_reason": done,
		"prompt_eval_count": a.In, "eval_count": a.Out, "total_duration": a.Took.Nanoseconds(),
	}
}
