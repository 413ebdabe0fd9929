package provider

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// plainName says whether a rune may stand in names and ids everywhere.
func plainName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// maxID and maxToolName are the least that vendors allow, in bytes.
const (
	maxID       = 40
	maxToolName = 64
)

// id is a call's id as every provider takes it. One that does not fit is exchanged for
// another in call and result alike.
func (e *encoder) id(id string) string {
	if id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool { return !plainName(r) }) {
		return id
	}
	if e.ids == nil {
		e.ids = map[string]string{}
	}
	if e.ids[id] == "" {
		e.ids[id] = fmt.Sprintf("call_x%d", len(e.ids)+1)
	}
	return e.ids[id]
}

// name is a tool's name. One that does not fit cannot be exchanged: the answer would
// call a tool that the client does not have.
func (e *encoder) name(name string) string {
	odd := func(r rune) bool {
		return !plainName(r) && !(e.c.end.Provider == llm.ProviderGoogle && (r == '.' || r == ':')) && e.c.end.Provider != llm.ProviderOllama
	}
	if name == "" || len(name) > maxToolName || strings.ContainsFunc(name, odd) {
		e.cannot("a tool's name that %s does not take", e.c.end.Provider)
	}
	return name
}

// tools are those that the answer may call. Where only some of them are allowed, the
// others are left out: no two providers have the same words for that.
func (e *encoder) tools() []llm.Tool {
	tools := slices.Clone(e.q.Tools)
	if allowed := e.q.Choice.Names; len(allowed) > 1 || len(allowed) == 1 && !e.q.Choice.Must {
		tools = slices.DeleteFunc(tools, func(t llm.Tool) bool { return !slices.Contains(allowed, t.Name) })
		e.Lose(llm.LostToolChoice, "tools that may not be called are left out")
	}
	for i := range tools {
		if tools[i].FreeText {
			tools[i].Parameters = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)
			e.Lose(llm.LostCustomTool, "")
		}
	}
	return tools
}

// closed is the format's schema as strict modes take it, and whether it could be made so.
func (e *encoder) closed(rules llm.SchemaRules) (json.RawMessage, bool) {
	schema, changed, ok := rules.Closed(e.q.Format.Schema)
	switch {
	case !ok:
		e.Lose(llm.LostSchema, "the schema is not enforced")
		return e.q.Format.Schema, false
	case changed:
		e.Lose(llm.LostSchema, "the schema is demanded in the shape that the provider takes")
	}
	return schema, true
}

// number sets a number unless the model refuses it; a 1 (of a penalty: a 0) is what it
// has by default, so that nothing is lost with it.
func (e *encoder) number(name string, n json.Number, l llm.Loss, refused bool) {
	switch {
	case n == "":
	case !refused:
		e.body[name] = n
	case l == llm.LostPenalties && isNumber(n, 0) || l != llm.LostPenalties && isNumber(n, 1):
	default:
		e.Lose(l, "")
	}
}

func isNumber(n json.Number, want float64) bool {
	f, err := strconv.ParseFloat(n.String(), 64)
	return err == nil && f == want
}

// noPenalties notes penalties for a provider that has none.
func (e *encoder) noPenalties() {
	for _, n := range []json.Number{e.q.PresencePenalty, e.q.FrequencyPenalty} {
		if n != "" && !isNumber(n, 0) {
			e.Lose(llm.LostPenalties, "")
		}
	}
}

// stop sets the texts that end an answer, as many as the provider takes.
func (e *encoder) stop(in object, name string, limit int) {
	list := slices.DeleteFunc(slices.Clone(e.q.Stop), func(s string) bool {
		return s == "" || e.c.end.Provider == llm.ProviderAnthropic && strings.TrimSpace(s) == ""
	})
	if len(list) < len(e.q.Stop) || len(list) > limit {
		e.Lose(llm.LostStop, "")
	}
	if list = list[:min(len(list), limit)]; len(list) > 0 {
		in[name] = list
	}
}

// noteEnd notes a conversation that ends with the assistant: some models go on with
// that text, others answer it.
func (e *encoder) noteEnd() {
	if n := len(e.q.Messages); e.q.Messages[n-1].Role == "assistant" {
		e.Lose(llm.LostPrefill, "")
	}
}

// system takes the texts of the system's turns out of the conversation, for providers
// that have a place of their own for them.
func (e *encoder) system() (texts []string, rest []llm.Message) {
	for _, m := range e.q.Messages {
		if m.Role != "system" {
			rest = append(rest, m)
			continue
		}
		if len(rest) > 0 {
			e.Lose(llm.LostSystemPlace, "")
		}
		for _, p := range m.Parts {
			if p.Media != nil {
				e.cannot("an image or a file in a turn of the system")
			}
			texts = append(texts, p.Text)
		}
	}
	if len(rest) > 0 && rest[0].Role == "assistant" {
		e.Lose(llm.LostOpening, "")
		rest = append([]llm.Message{{Role: "user", Parts: []llm.Part{{Text: "(start)"}}}}, rest...)
	}
	return texts, rest
}

// arguments are a call's as an object.
func (e *encoder) arguments(c llm.ToolCall) json.RawMessage {
	text := strings.TrimSpace(c.Arguments)
	if json.Valid([]byte(text)) && strings.HasPrefix(text, "{") {
		return json.RawMessage(text)
	}
	e.Lose(llm.LostOther, "the arguments of an earlier call are no object")
	out, err := encoded(object{"input": c.Arguments})
	if err != nil {
		return json.RawMessage("{}")
	}
	return out
}

func dataURL(m llm.Media) string { return "data:" + m.Type + ";base64," + m.Data }

// documentText is a document of text as plain text.
func (e *encoder) documentText(m llm.Media) string {
	text, err := base64.StdEncoding.DecodeString(m.Data)
	switch {
	case m.Data == "":
		e.cannot("a file or an image by its address")
	case err != nil || !strings.HasPrefix(m.Type, "text/") && m.Type != "application/json":
		e.cannot("a file of the type %q", m.Type)
	}
	e.Lose(llm.LostDocument, "")
	if m.Name != "" {
		return "[" + m.Name + "]\n" + string(text)
	}
	return string(text)
}
