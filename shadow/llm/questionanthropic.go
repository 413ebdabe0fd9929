package llm

import (
	"cmp"
	"encoding/base64"
)

const anthropicKnown = " model messages system max_tokens temperature top_p top_k stop_sequences stream tools tool_choice thinking" +
	" output_config output_format metadata "

// anthropic reads a Messages request.
func (r *questionReader) anthropic(v value) {
	if parts := r.anthropicParts(v.get("system")); parts != nil {
		r.say("system", parts...)
	}
	for m := range v.get("messages").items() {
		r.anthropicMessage(m)
	}
	q := &r.q
	q.MaxTokens = v.get("max_tokens").count()
	q.Temperature, q.TopP, q.TopK = v.get("temperature").numeral(), v.get("top_p").numeral(), v.get("top_k").numeral()
	q.Stop = v.get("stop_sequences").texts()
	for t := range v.get("tools").items() {
		if kind := t.get("type").str(); kind != "" && kind != "custom" {
			r.cannot("a tool that Anthropic defines (%s)", tidy(kind))
			continue
		}
		r.tool(t, "input_schema")
	}
	r.anthropicChoice(v.get("tool_choice"))
	r.anthropicEffort(v)
	r.form(anthropicContract, v)
	r.rest("output_config.", v.get("output_config"), " format effort ")
	r.rest("", v, anthropicKnown)
}

func (r *questionReader) anthropicChoice(choice value) {
	c := &r.q.Choice
	switch choice.get("type").str() {
	case "none":
		c.None = true
	case "any":
		c.Must = true
	case "tool":
		c.Must, c.Names = true, []string{choice.get("name").str()}
	}
	c.One = choice.get("disable_parallel_tool_use").yes()
}

// Where a budget of thinking tokens ends to be little, and to be medium; a judgement of
// ours, near the budgets that Google gives for these words.
const (
	littleThinking = 2048
	mediumThinking = 12288
)

func (r *questionReader) anthropicEffort(v value) {
	r.q.Effort = v.get("output_config", "effort").str()
	switch thinking := v.get("thinking"); thinking.get("type").str() {
	case "disabled":
		r.q.Effort = "none"
	case "enabled":
		if r.q.Effort == "" {
			r.budget(thinking.get("budget_tokens").number())
		}
	}
}

// budget notes how much to think as a word, where it was a number of tokens.
func (r *questionReader) budget(tokens int64) {
	r.Lose(LostReasoning, "the budget of thinking tokens is carried as a word")
	switch {
	case tokens <= littleThinking:
		r.q.Effort = "low"
	case tokens <= mediumThinking:
		r.q.Effort = "medium"
	default:
		r.q.Effort = "high"
	}
}

// anthropicMessage makes turns of a message: results of tools are turns of their own.
func (r *questionReader) anthropicMessage(m value) {
	role := m.get("role").str()
	if role != "user" && role != "assistant" && role != "system" {
		r.cannot("a message in the role %q", tidy(role))
		return
	}
	content := m.get("content")
	if s, ok := content.text(); ok {
		r.say(role, textPart(s)...)
		return
	}
	var parts []Part
	for b := range content.items() {
		if b.get("type").str() != "tool_result" {
			parts = append(parts, r.anthropicBlock(b)...)
			continue
		}
		if parts != nil {
			r.say(role, parts...)
			parts = nil
		}
		r.result(ToolResult{ID: b.get("tool_use_id").str(), Failed: b.get("is_error").yes(), Parts: r.anthropicParts(b.get("content"))})
	}
	if parts != nil {
		r.say(role, parts...)
	}
}

// anthropicParts reads a text or a list of blocks.
func (r *questionReader) anthropicParts(content value) []Part {
	if s, ok := content.text(); ok {
		return textPart(s)
	}
	var parts []Part
	for b := range content.items() {
		parts = append(parts, r.anthropicBlock(b)...)
	}
	return parts
}

func (r *questionReader) anthropicBlock(b value) []Part {
	r.rest("content[].", b, " type text source id name input title context content thinking signature data tool_use_id is_error caller ")
	switch kind := b.get("type").str(); kind {
	case "text":
		return textPart(b.get("text").str())
	case "image":
		return r.anthropicSource(b.get("source"), "")
	case "document":
		r.rest("content[].", b, " type source title cache_control ")
		return r.anthropicSource(b.get("source"), b.get("title").str())
	case "search_result":
		r.Lose(LostDocument, "")
		return textPart("[" + b.get("title").str() + "] " + joined(b.get("content"), plainPart))
	case "tool_use":
		return []Part{r.call(b.get("id").str(), b.get("name").str(), argumentsText(b))}
	case "thinking", "redacted_thinking":
		r.Lose(LostThinking, "")
	default:
		r.cannot("a block of Anthropic's own (%s)", tidy(cmp.Or(kind, "unknown")))
	}
	return nil
}

func (r *questionReader) anthropicSource(s value, title string) []Part {
	media, data := s.get("media_type").str(), s.get("data").str()
	switch kind := s.get("type").str(); kind {
	case "base64":
		return []Part{{Media: &Media{Type: media, Name: title, Data: data}}}
	case "url":
		return []Part{{Media: &Media{Type: documentType(title), Name: title, URL: s.get("url").str()}}}
	case "text":
		return []Part{{Media: &Media{Type: "text/plain", Name: title, Data: base64.StdEncoding.EncodeToString([]byte(data))}}}
	case "content":
		r.Lose(LostDocument, "")
		return r.anthropicParts(s.get("content"))
	default:
		r.cannot("a source of the type %s", tidy(kind))
		return nil
	}
}

// documentType is what a document by its address is; images have no title.
func documentType(title string) string {
	if title == "" {
		return ""
	}
	return "application/pdf"
}
