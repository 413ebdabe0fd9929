package provider

import (
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// leastResponsesTokens is the least limit that the Responses API takes.
const leastResponsesTokens = 16

// responses writes a request of the Responses API. Nothing of it is kept at the vendor.
func (e *encoder) responses(stream bool) {
	input := []object{}
	for _, m := range e.q.Messages {
		input = append(input, e.responsesItems(m)...)
	}
	e.body["input"], e.body["store"] = input, false
	if stream {
		e.body["stream"] = true
	}
	e.noteEnd()
	e.responsesTools()
	e.responsesFormat()
	e.responsesLimits()
}

// responsesItems are a turn's items: what is said in one, each call and each result in
// one of its own.
func (e *encoder) responsesItems(m llm.Message) []object {
	var items []object
	content := []object{}
	text := "input_text"
	if m.Role == "assistant" {
		text = "output_text"
	}
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			return []object{e.responsesResult(*p.Result)}
		case p.Call != nil:
			items = append(items, object{"type": "function_call", "call_id": e.id(p.Call.ID), "name": e.name(p.Call.Name), "arguments": p.Call.Arguments})
		case p.Media != nil:
			content = append(content, e.responsesMedia(m.Role, *p.Media))
		default:
			content = append(content, object{"type": text, "text": p.Text})
		}
	}
	if len(content) == 0 {
		return items
	}
	message := object{"type": "message", "role": m.Role, "content": content}
	if len(content) == 1 && content[0]["type"] == text {
		message["content"] = content[0]["text"]
	}
	return append([]object{message}, items...)
}

func (e *encoder) responsesResult(r llm.ToolResult) object {
	var texts []string
	for _, p := range r.Parts {
		if p.Media != nil {
			e.cannot("an image or a file in the result of a tool")
		}
		texts = append(texts, p.Text)
	}
	if r.Failed {
		e.Lose(llm.LostToolError, "")
	}
	return object{"type": "function_call_output", "call_id": e.id(r.ID), "output": strings.Join(texts, "\n")}
}

func (e *encoder) responsesMedia(role string, m llm.Media) object {
	if role != "user" {
		e.cannot("an image or a file in a turn of the %s", role)
	}
	switch {
	case m.Image() && m.Data != "":
		return object{"type": "input_image", "image_url": dataURL(m)}
	case m.Image():
		return object{"type": "input_image", "image_url": m.URL}
	case m.Type == "application/pdf" && m.Data != "":
		name := m.Name
		if name == "" {
			name = "document.pdf"
		}
		return object{"type": "input_file", "filename": name, "file_data": dataURL(m)}
	}
	return object{"type": "input_text", "text": e.documentText(m)}
}

func (e *encoder) responsesTools() {
	tools := e.tools()
	if len(tools) == 0 {
		return
	}
	list := []object{}
	for _, t := range tools {
		f := object{"type": "function", "name": e.name(t.Name), "strict": t.Strict}
		if t.Description != "" {
			f["description"] = t.Description
		}
		if f["parameters"] = t.Parameters; t.Parameters == nil {
			f["parameters"] = object{"type": "object", "properties": object{}}
		}
		list = append(list, f)
	}
	e.body["tools"] = list
	switch c := e.q.Choice; {
	case c.None:
		e.body["tool_choice"] = "none"
	case c.Must && len(c.Names) == 1:
		e.body["tool_choice"] = object{"type": "function", "name": c.Names[0]}
	case c.Must:
		e.body["tool_choice"] = "required"
	}
	if e.q.Choice.One {
		e.body["parallel_tool_calls"] = false
	}
}

func (e *encoder) responsesFormat() {
	switch f := e.q.Format; f.Form {
	case llm.FormJSON:
		e.body["text"] = object{"format": object{"type": "json_object"}}
	case llm.FormList:
		e.Lose(llm.LostFormat, "")
	case llm.FormSchema:
		schema, strict := f.Schema, true
		if !f.Strict {
			schema, strict = e.closed(openAIRules)
		}
		format := object{"type": "json_schema", "name": schemaName(f.Name), "strict": strict, "schema": schema}
		if f.Description != "" {
			format["description"] = f.Description
		}
		e.body["text"] = object{"format": format}
	}
}

func (e *encoder) responsesLimits() {
	q, model := e.q, openAIModelOf(e.c.end.Model)
	reasons := model.reasons(e.word())
	if q.MaxTokens != nil {
		e.body["max_output_tokens"] = max(leastResponsesTokens, *q.MaxTokens)
		if *q.MaxTokens < leastResponsesTokens && !e.own {
			e.Lose(llm.LostMaxTokens, "")
		}
	}
	e.number("temperature", q.Temperature, llm.LostTemperature, reasons)
	e.number("top_p", q.TopP, llm.LostTopP, reasons && model.atLeast(6, 0))
	if q.TopK != "" {
		e.Lose(llm.LostTopK, "")
	}
	if q.Seed != "" {
		e.Lose(llm.LostSeed, "")
	}
	e.noPenalties()
	if len(q.Stop) > 0 {
		e.Lose(llm.LostStop, "")
	}
}
