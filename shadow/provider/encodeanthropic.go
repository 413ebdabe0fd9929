package provider

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// defaultMaxTokens is for Anthropic, where a limit is required: room for a verdict
// and for thinking before it. smallMaxTokens is the most that models of generation 3 take.
const (
	defaultMaxTokens = 8192
	smallMaxTokens   = 4096
)

// anthropic writes a Messages request.
func (e *encoder) anthropic(stream bool) {
	texts, rest := e.system()
	switch len(texts) {
	case 0:
	case 1:
		e.body["system"] = texts[0]
	default:
		var blocks []object
		for _, t := range texts {
			blocks = append(blocks, object{"type": "text", "text": t})
		}
		e.body["system"] = blocks
	}
	e.body["messages"] = e.anthropicMessages(rest)
	if stream {
		e.body["stream"] = true
	}
	e.noteEnd()
	e.anthropicTools()
	e.anthropicFormat()
	e.anthropicLimits()
}

// anthropicMessages joins turns of one role, as the provider would: all results of
// one turn's calls have to stand in the message behind it.
func (e *encoder) anthropicMessages(turns []llm.Message) []object {
	out := []object{}
	var last []object
	role := ""
	flush := func() {
		if len(last) == 0 {
			return
		}
		content := any(last)
		if len(last) == 1 && last[0]["type"] == "text" {
			content = last[0]["text"]
		}
		out = append(out, object{"role": role, "content": content})
	}
	for _, m := range turns {
		as := "user"
		if m.Role == "assistant" {
			as = m.Role
		}
		if as != role {
			flush()
			role, last = as, nil
		}
		last = append(last, e.anthropicBlocks(m)...)
	}
	if n := len(last) - 1; role == "assistant" && n >= 0 && last[n]["type"] == "text" { // no blanks at the end of a text to be continued
		last[n]["text"] = strings.TrimRight(last[n]["text"].(string), " \t\r\n")
	}
	flush()
	return out
}

func (e *encoder) anthropicBlocks(m llm.Message) []object {
	var out []object
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			out = append(out, e.anthropicResult(*p.Result))
		case p.Call != nil:
			out = append(out, object{"type": "tool_use", "id": e.id(p.Call.ID), "name": e.name(p.Call.Name), "input": e.arguments(*p.Call)})
		case p.Media != nil:
			if m.Role == "assistant" {
				e.cannot("an image or a file in a turn of the assistant")
			}
			out = append(out, e.anthropicMedia(*p.Media))
		case strings.TrimSpace(p.Text) == "":
			e.Note("a text of blanks left out")
		default:
			out = append(out, object{"type": "text", "text": p.Text})
		}
	}
	return out
}

func (e *encoder) anthropicResult(r llm.ToolResult) object {
	out := object{"type": "tool_result", "tool_use_id": e.id(r.ID)}
	content := e.anthropicBlocks(llm.Message{Role: "tool", Parts: r.Parts})
	switch {
	case len(content) == 1 && content[0]["type"] == "text":
		out["content"] = content[0]["text"]
	case len(content) > 0:
		out["content"] = content
	}
	if r.Failed {
		out["is_error"] = true
	}
	return out
}

func (e *encoder) anthropicMedia(m llm.Media) object {
	kind, source := "image", object{"type": "base64", "media_type": m.Type, "data": m.Data}
	if m.Data == "" {
		source = object{"type": "url", "url": m.URL}
	}
	if !m.Image() {
		kind = "document"
		if m.Type != "application/pdf" {
			source = object{"type": "text", "media_type": "text/plain", "data": e.documentText(llm.Media{Type: m.Type, Data: m.Data})}
		}
	}
	out := object{"type": kind, "source": source}
	if kind == "document" && m.Name != "" {
		out["title"] = m.Name
	}
	return out
}

// anthropicRules are those of structured outputs.
var anthropicRules = llm.SchemaRules{
	Drop: []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"},
	Refuse: []string{"oneOf", "not", "if", "then", "else", "patternProperties", "dependentRequired", "dependentSchemas", "propertyNames", "prefixItems", "contains"},
}

func (e *encoder) anthropicTools() {
	tools := e.tools()
	if len(tools) == 0 {
		return
	}
	list := []object{}
	for _, t := range tools {
		tool := object{"name": e.name(t.Name), "input_schema": json.RawMessage(`{"type":"object","properties":{}}`)}
		if t.Description != "" {
			tool["description"] = t.Description
		}
		if t.Parameters != nil {
			tool["input_schema"] = t.Parameters
		}
		if t.Strict {
			schema, changed, ok := anthropicRules.Closed(t.Parameters)
			if tool["strict"] = true; ok && changed {
				tool["input_schema"] = schema
			}
			if changed || !ok {
				e.Lose(llm.LostToolStrict, "")
			}
			if !ok {
				delete(tool, "strict")
			}
		}
		list = append(list, tool)
	}
	e.body["tools"] = list
	choice := object{}
	switch c := e.q.Choice; {
	case c.None:
		choice["type"] = "none"
	case c.Must && len(c.Names) == 1:
		choice["type"], choice["name"] = "tool", c.Names[0]
	case c.Must:
		choice["type"] = "any"
	case c.One:
		choice["type"] = "auto"
	default:
		return
	}
	if e.q.Choice.One && !e.q.Choice.None {
		choice["disable_parallel_tool_use"] = true
	}
	e.body["tool_choice"] = choice
}

func (e *encoder) anthropicFormat() {
	switch f := e.q.Format; f.Form {
	case llm.FormJSON, llm.FormList:
		e.Lose(llm.LostFormat, "")
	case llm.FormSchema:
		rules := anthropicRules
		rules.Open = f.Strict
		schema, ok := e.closed(rules)
		if !ok {
			e.Lose(llm.LostFormat, "")
			return
		}
		e.body["output_config"] = object{"format": object{"type": "json_schema", "schema": schema}}
	}
}

func (e *encoder) anthropicLimits() {
	q := e.q
	switch {
	case q.MaxTokens != nil:
		e.body["max_tokens"] = *q.MaxTokens
	case claudeThree.MatchString(e.c.end.Model):
		e.body["max_tokens"] = smallMaxTokens
		e.Lose(llm.LostMaxTokens, "")
	default:
		e.body["max_tokens"] = defaultMaxTokens
		e.Lose(llm.LostMaxTokens, "")
	}
	plain := e.c.headers(llm.Request{Dialect: llm.AnthropicMessages}).Get("Anthropic-Version") >= anthropicPlain
	e.number("temperature", e.clamped(q.Temperature), llm.LostTemperature, plain)
	both := q.Temperature != "" && versionIn(claudeVersion, e.c.end.Model).atLeast(4, 1) // such models take one of the two
	e.number("top_p", q.TopP, llm.LostTopP, plain || both)
	e.number("top_k", q.TopK, llm.LostTopK, plain)
	if q.Seed != "" {
		e.Lose(llm.LostSeed, "")
	}
	e.noPenalties()
	e.stop(e.body, "stop_sequences", math.MaxInt)
}

// clamped is a temperature within 0 and 1.
func (e *encoder) clamped(n json.Number) json.Number {
	if f, err := strconv.ParseFloat(n.String(), 64); err == nil && f > 1 {
		e.Lose(llm.LostTemperature, "temperature "+n.String()+" clamped to 1")
		return "1"
	}
	return n
}
