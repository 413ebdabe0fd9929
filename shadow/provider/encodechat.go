package provider

import (
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// chat writes a Chat Completions request.
func (e *encoder) chat(stream bool) {
	messages := []object{}
	for _, m := range e.q.Messages {
		messages = append(messages, e.chatMessage(m))
	}
	e.body["messages"] = messages
	if stream {
		e.body["stream"], e.body["stream_options"] = true, object{"include_usage": true}
	}
	e.noteEnd()
	e.chatTools()
	e.chatFormat()
	e.chatLimits()
}

func (e *encoder) chatMessage(m llm.Message) object {
	var calls []object
	content := []object{}
	texts := 0
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			return e.chatResult(*p.Result)
		case p.Call != nil:
			calls = append(calls, object{"id": e.id(p.Call.ID), "type": "function", "function": object{"name": e.name(p.Call.Name), "arguments": p.Call.Arguments}})
		case p.Media != nil:
			content = append(content, e.chatMedia(m.Role, *p.Media))
		default:
			texts++
			content = append(content, object{"type": "text", "text": p.Text})
		}
	}
	out := object{"role": m.Role}
	switch {
	case texts == 1 && len(content) == 1:
		out["content"] = content[0]["text"] // what every server reads
	case len(content) > 0:
		out["content"] = content
	default:
		out["content"] = nil
	}
	if calls != nil {
		out["tool_calls"] = calls
	}
	return out
}

func (e *encoder) chatResult(r llm.ToolResult) object {
	content := []object{}
	for _, p := range r.Parts {
		if p.Media != nil {
			e.cannot("an image or a file in the result of a tool")
		}
		content = append(content, object{"type": "text", "text": p.Text})
	}
	if r.Failed {
		e.Lose(llm.LostToolError, "")
	}
	out := object{"role": "tool", "tool_call_id": e.id(r.ID), "content": content}
	switch len(content) {
	case 0:
		out["content"] = ""
	case 1:
		out["content"] = content[0]["text"]
	}
	return out
}

func (e *encoder) chatMedia(role string, m llm.Media) object {
	if role != "user" {
		e.cannot("an image or a file in a turn of the %s", role)
	}
	switch {
	case m.Image() && m.Data != "":
		return object{"type": "image_url", "image_url": object{"url": dataURL(m)}}
	case m.Image():
		return object{"type": "image_url", "image_url": object{"url": m.URL}}
	case m.Type == "application/pdf" && m.Data != "":
		name := m.Name
		if name == "" {
			name = "document.pdf"
		}
		return object{"type": "file", "file": object{"filename": name, "file_data": dataURL(m)}}
	}
	return object{"type": "text", "text": e.documentText(m)}
}

func (e *encoder) chatTools() {
	tools := e.tools()
	if len(tools) == 0 {
		return
	}
	list := []object{}
	for _, t := range tools {
		f := object{"name": e.name(t.Name), "parameters": t.Parameters}
		if t.Description != "" {
			f["description"] = t.Description
		}
		if t.Parameters == nil {
			delete(f, "parameters")
		}
		if t.Strict {
			f["strict"] = true
		}
		list = append(list, object{"type": "function", "function": f})
	}
	e.body["tools"] = list
	switch c := e.q.Choice; {
	case c.None:
		e.body["tool_choice"] = "none"
	case c.Must && len(c.Names) == 1:
		e.body["tool_choice"] = object{"type": "function", "function": object{"name": c.Names[0]}}
	case c.Must:
		e.body["tool_choice"] = "required"
	}
	if e.q.Choice.One {
		e.body["parallel_tool_calls"] = false
	}
}

// openAIRules are those of OpenAI's strict mode.
var openAIRules = llm.SchemaRules{
	Drop:   []string{"default", "minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties"},
	Refuse: []string{"allOf", "oneOf", "not", "if", "then", "else", "patternProperties", "dependentRequired", "dependentSchemas", "propertyNames", "prefixItems", "contains"},
}

func (e *encoder) chatFormat() {
	switch f := e.q.Format; f.Form {
	case llm.FormJSON:
		e.body["response_format"] = object{"type": "json_object"}
	case llm.FormList:
		e.Lose(llm.LostFormat, "")
	case llm.FormSchema:
		schema, strict := f.Schema, true
		if !f.Strict {
			schema, strict = e.closed(openAIRules)
		}
		inner := object{"name": schemaName(f.Name), "strict": strict, "schema": schema}
		if f.Description != "" {
			inner["description"] = f.Description
		}
		e.body["response_format"] = object{"type": "json_schema", "json_schema": inner}
	}
}

func (e *encoder) chatLimits() {
	q, model := e.q, openAIModelOf(e.c.end.Model)
	reasons := model.reasons(e.word())
	if q.MaxTokens != nil {
		e.body["max_completion_tokens"] = *q.MaxTokens
	}
	e.number("temperature", q.Temperature, llm.LostTemperature, reasons)
	e.number("top_p", q.TopP, llm.LostTopP, reasons && model.atLeast(6, 0))
	e.number("seed", q.Seed, llm.LostSeed, false)
	e.number("presence_penalty", q.PresencePenalty, llm.LostPenalties, model.series)
	e.number("frequency_penalty", q.FrequencyPenalty, llm.LostPenalties, model.series)
	if q.TopK != "" {
		e.Lose(llm.LostTopK, "")
	}
	if model.series && len(q.Stop) > 0 {
		e.Lose(llm.LostStop, "")
	} else {
		e.stop(e.body, "stop", 4)
	}
}

// word is how much the model is asked to think.
func (e *encoder) word() string {
	if e.c.end.Reasoning != "" {
		return e.c.end.Reasoning
	}
	return e.q.Effort
}

// schemaName makes a name fit OpenAI's rule: letters, digits, _ and -, at most 64.
func schemaName(name string) string {
	name = strings.Map(func(r rune) rune {
		if plainName(r) {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "reply"
	}
	return name[:min(len(name), 64)]
}
