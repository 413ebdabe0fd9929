package provider

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// gemini writes a request of generateContent; whether it streams is in the path.
func (e *encoder) gemini() {
	texts, rest := e.system()
	if len(texts) > 0 {
		var parts []object
		for _, t := range texts {
			parts = append(parts, object{"text": t})
		}
		e.body["systemInstruction"] = object{"parts": parts}
	}
	contents := []object{}
	for _, m := range rest {
		role := "user"
		if m.Role == "assistant" {
			role = "model"
		}
		parts := e.geminiParts(m)
		if n := len(contents) - 1; n >= 0 && contents[n]["role"] == role { // results of one turn's calls stand together
			contents[n]["parts"] = append(contents[n]["parts"].([]object), parts...)
			continue
		}
		contents = append(contents, object{"role": role, "parts": parts})
	}
	e.body["contents"] = contents
	e.noteEnd()
	config := object{}
	e.geminiTools()
	e.geminiFormat(config)
	e.geminiLimits(config)
	if len(config) > 0 {
		e.body["generationConfig"] = config
	}
}

// foreignThought marks a call that the model did not make itself: from generation 3 on
// a call without a signature is refused.
var foreignThought = base64.StdEncoding.EncodeToString([]byte("skip_thought_signature_validator"))

func (e *encoder) geminiParts(m llm.Message) []object {
	parts := []object{}
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			parts = append(parts, object{"functionResponse": object{"name": p.Result.Name, "response": e.geminiResponse(*p.Result)}})
		case p.Call != nil:
			part := object{"functionCall": object{"name": e.name(p.Call.Name), "args": e.arguments(*p.Call)}}
			if versionIn(geminiVersion, e.c.end.Model).atLeast(3, 0) {
				part["thoughtSignature"] = foreignThought
			}
			parts = append(parts, part)
		case p.Media != nil && p.Media.Data == "":
			e.cannot("a file or an image by its address")
		case p.Media != nil:
			parts = append(parts, object{"inlineData": object{"mimeType": p.Media.Type, "data": p.Media.Data}})
		default:
			parts = append(parts, object{"text": p.Text})
		}
	}
	return parts
}

// geminiResponse is what a function answered, as an object: a text stands under output
// or error.
func (e *encoder) geminiResponse(r llm.ToolResult) any {
	if r.Name == "" {
		e.cannot("the result of a tool that was not called")
	}
	var texts []string
	for _, p := range r.Parts {
		if p.Media != nil {
			e.cannot("an image or a file in the result of a tool")
		}
		texts = append(texts, p.Text)
	}
	text := strings.Join(texts, "\n")
	var fields map[string]json.RawMessage
	if !r.Failed && json.Unmarshal([]byte(text), &fields) == nil && fields != nil && !ambiguous(fields) {
		return json.RawMessage(text)
	}
	if r.Failed {
		return object{"error": text}
	}
	return object{"output": text}
}

// ambiguous says whether an object would be read as a text under output or error.
func ambiguous(fields map[string]json.RawMessage) bool {
	return len(fields) == 1 && (fields["output"] != nil || fields["error"] != nil)
}

func (e *encoder) geminiTools() {
	tools := e.q.Tools
	if len(tools) == 0 {
		return
	}
	calling := object{}
	if c := e.q.Choice; c.Must && len(c.Names) > 0 {
		calling["allowedFunctionNames"] = c.Names
	} else {
		tools = e.tools()
	}
	list := []object{}
	for _, t := range tools {
		f := object{"name": e.name(t.Name)}
		if t.Description != "" {
			f["description"] = t.Description
		}
		if t.Parameters != nil {
			f["parametersJsonSchema"] = t.Parameters
		}
		if t.Strict {
			e.Lose(llm.LostToolStrict, "")
		}
		list = append(list, f)
	}
	e.body["tools"] = []object{{"functionDeclarations": list}}
	switch c := e.q.Choice; {
	case c.None:
		calling["mode"] = "NONE"
	case c.Must:
		calling["mode"] = "ANY"
	}
	if len(calling) > 0 {
		e.body["toolConfig"] = object{"functionCallingConfig": calling}
	}
	if e.q.Choice.One {
		e.Lose(llm.LostParallelCalls, "")
	}
}

func (e *encoder) geminiFormat(config object) {
	f := e.q.Format
	if f.Form == llm.FormFree {
		return
	}
	if version := versionIn(geminiVersion, e.c.end.Model); len(e.q.Tools) > 0 && version.major > 0 && version.major < 3 {
		e.Lose(llm.LostFormat, "this generation takes tools or a form, not both")
		return
	}
	config["responseMimeType"] = "application/json"
	switch f.Form {
	case llm.FormSchema:
		config["responseJsonSchema"] = f.Schema
	case llm.FormList:
		config["responseMimeType"] = "text/x.enum"
		config["responseSchema"] = object{"type": "STRING", "enum": f.List}
	}
}

func (e *encoder) geminiLimits(config object) {
	q := e.q
	if q.MaxTokens != nil {
		config["maxOutputTokens"] = *q.MaxTokens
	}
	if e.own && versionIn(geminiVersion, e.c.end.Model).atLeast(3, 0) { // the vendor warns of loops below its default
		q.Temperature = ""
	}
	numbers := map[string]json.Number{"temperature": q.Temperature, "topP": q.TopP, "topK": q.TopK, "seed": q.Seed}
	if versionIn(geminiVersion, e.c.end.Model).atLeast(2, 5) { // they refuse penalties
		e.noPenalties()
	} else {
		numbers["presencePenalty"], numbers["frequencyPenalty"] = q.PresencePenalty, q.FrequencyPenalty
	}
	for name, n := range numbers {
		if n != "" {
			config[name] = n
		}
	}
	e.stop(config, "stopSequences", 5)
}
