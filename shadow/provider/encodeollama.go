package provider

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// ollama writes a request of Ollama's own /api/chat, where alone thinking can be
// switched off.
func (e *encoder) ollama(stream bool) {
	messages := []object{}
	for _, m := range e.q.Messages {
		messages = append(messages, e.ollamaMessage(m))
	}
	e.body["messages"], e.body["stream"] = messages, stream
	e.noteEnd()
	e.ollamaTools()
	switch f := e.q.Format; f.Form {
	case llm.FormJSON:
		e.body["format"] = "json"
	case llm.FormSchema:
		e.body["format"] = f.Schema
	case llm.FormList:
		e.Lose(llm.LostFormat, "")
	}
	e.ollamaOptions()
}

func (e *encoder) ollamaMessage(m llm.Message) object {
	var texts, images []string
	var calls []object
	out := object{"role": m.Role}
	parts := m.Parts
	if len(parts) == 1 && parts[0].Result != nil {
		r := parts[0].Result
		parts = r.Parts
		out["tool_call_id"] = r.ID
		if r.Name != "" {
			out["tool_name"] = r.Name
		}
		if r.Failed {
			e.Lose(llm.LostToolError, "")
		}
	}
	for _, p := range parts {
		switch {
		case p.Call != nil:
			calls = append(calls, object{"id": p.Call.ID, "function": object{"name": e.name(p.Call.Name), "arguments": e.arguments(*p.Call)}})
		case p.Media != nil && p.Media.Image() && p.Media.Data != "":
			images = append(images, p.Media.Data)
		case p.Media != nil:
			texts = append(texts, e.documentText(*p.Media))
		default:
			texts = append(texts, p.Text)
		}
	}
	out["content"] = strings.Join(texts, "\n")
	if images != nil {
		out["images"] = images
	}
	if calls != nil {
		out["tool_calls"] = calls
	}
	return out
}

func (e *encoder) ollamaTools() {
	c := e.q.Choice
	if len(e.q.Tools) == 0 {
		return
	}
	if c.Must || c.None {
		e.Lose(llm.LostToolChoice, "")
	}
	if c.One {
		e.Lose(llm.LostParallelCalls, "")
	}
	if c.None {
		return // the only way to forbid a call
	}
	list := []object{}
	for _, t := range e.tools() {
		f := object{"name": e.name(t.Name)}
		if t.Description != "" {
			f["description"] = t.Description
		}
		if f["parameters"] = t.Parameters; t.Parameters == nil {
			f["parameters"] = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if t.Strict {
			e.Lose(llm.LostToolStrict, "")
		}
		list = append(list, object{"type": "function", "function": f})
	}
	e.body["tools"] = list
}

func (e *encoder) ollamaOptions() {
	q, options := e.q, object{}
	if q.MaxTokens != nil {
		options["num_predict"] = *q.MaxTokens
	}
	for name, n := range map[string]json.Number{
		"temperature": q.Temperature, "top_p": q.TopP, "top_k": q.TopK, "seed": q.Seed,
		"presence_penalty": q.PresencePenalty, "frequency_penalty": q.FrequencyPenalty,
	} {
		if n != "" {
			options[name] = n
		}
	}
	e.stop(options, "stop", math.MaxInt)
	if len(options) > 0 {
		e.body["options"] = options
	}
}
