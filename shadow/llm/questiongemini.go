package llm

import (
	"cmp"
	"strings"
)

// Names are read in both cases: the API takes either.
const (
	geminiKnown  = " model contents systemInstruction system_instruction generationConfig generation_config tools toolConfig tool_config labels "
	configKnown  = " candidateCount candidate_count maxOutputTokens max_output_tokens temperature topP top_p topK top_k seed stopSequences stop_sequences presencePenalty presence_penalty frequencyPenalty frequency_penalty responseMimeType response_mime_type responseSchema response_schema responseJsonSchema response_json_schema thinkingConfig thinking_config responseModalities response_modalities "
	geminiBlocks = " text thought thoughtSignature thought_signature functionCall function_call functionResponse function_response inlineData inline_data fileData file_data "
)

// gemini reads a request of generateContent.
func (r *questionReader) gemini(v value) {
	if system := v.either("systemInstruction", "system_instruction"); system != nil {
		parts := r.geminiParts(system.get("parts"), "system")
		r.say("system", append(parts, textPart(system.str())...)...)
	}
	contents := v.get("contents")
	if contents.object() {
		r.geminiContent(contents)
	}
	for c := range contents.items() {
		r.geminiContent(c)
	}
	for t := range v.get("tools").items() {
		for m := range t.members() {
			if m.key != "functionDeclarations" && m.key != "function_declarations" {
				r.cannot("%s", provided(m.key))
			}
		}
		for f := range t.either("functionDeclarations", "function_declarations").items() {
			r.geminiTool(f)
		}
	}
	r.geminiChoice(v.either("toolConfig", "tool_config").either("functionCallingConfig", "function_calling_config"))
	r.geminiConfig(v.either("generationConfig", "generation_config"))
	r.form(geminiContract, v)
	r.rest("", v, geminiKnown)
}

func (r *questionReader) geminiTool(f value) {
	r.tool(f, "parametersJsonSchema", "parameters_json_schema")
	t := &r.q.Tools[len(r.q.Tools)-1]
	if t.Parameters == nil {
		if p := openAPISchema(f.get("parameters")); p.object() {
			t.Parameters = []byte(p)
		}
	}
}

func (r *questionReader) geminiChoice(calling value) {
	c := &r.q.Choice
	c.None, c.Must = calling.get("mode").str() == "NONE", calling.get("mode").str() == "ANY"
	c.Names = calling.either("allowedFunctionNames", "allowed_function_names").texts()
}

func (r *questionReader) geminiConfig(config value) {
	q := &r.q
	q.MaxTokens = config.either("maxOutputTokens", "max_output_tokens").count()
	q.Temperature, q.Seed = config.get("temperature").numeral(), config.get("seed").numeral()
	q.TopP, q.TopK = config.either("topP", "top_p").numeral(), config.either("topK", "top_k").numeral()
	q.PresencePenalty = config.either("presencePenalty", "presence_penalty").numeral()
	q.FrequencyPenalty = config.either("frequencyPenalty", "frequency_penalty").numeral()
	q.Stop = config.either("stopSequences", "stop_sequences").texts()
	thinking := config.either("thinkingConfig", "thinking_config")
	if q.Effort = strings.ToLower(thinking.either("thinkingLevel", "thinking_level").str()); q.Effort == "thinking_level_unspecified" {
		q.Effort = ""
	}
	if tokens := thinking.either("thinkingBudget", "thinking_budget").count(); tokens != nil && *tokens > 0 {
		r.budget(*tokens)
	} else if tokens != nil {
		q.Effort = "none"
	}
	r.rest("generationConfig.", config, configKnown)
}

func (r *questionReader) geminiContent(c value) {
	switch role := cmp.Or(c.get("role").str(), "user"); role {
	case "user", "function", "tool":
		if parts := r.geminiParts(c.get("parts"), "user"); parts != nil {
			r.say("user", parts...)
		}
	case "model":
		r.say("assistant", r.geminiParts(c.get("parts"), "assistant")...)
	case "system":
		r.say("system", r.geminiParts(c.get("parts"), "system")...)
	default:
		r.cannot("contents in the role %q", tidy(role))
	}
}

// geminiParts reads the parts of a turn. Results of tools become turns of their own,
// in their place.
func (r *questionReader) geminiParts(list value, role string) []Part {
	var parts []Part
	for p := range list.items() {
		r.rest("parts[].", p, geminiBlocks)
		if p.get("thought").yes() || !p.either("thoughtSignature", "thought_signature").empty() {
			r.Lose(LostThinking, "")
		}
		call, answer := p.either("functionCall", "function_call"), p.either("functionResponse", "function_response")
		switch inline := p.either("inlineData", "inline_data"); {
		case p.get("thought").yes():
		case call != nil:
			parts = append(parts, r.call(call.get("id").str(), call.get("name").str(), string(call.get("args"))))
		case answer != nil:
			if parts != nil {
				r.say(role, parts...)
				parts = nil
			}
			r.geminiResult(answer)
		case inline != nil:
			parts = append(parts, Part{Media: &Media{Type: inline.either("mimeType", "mime_type").str(), Data: inline.get("data").str()}})
		case !p.get("text").null():
			parts = append(parts, textPart(p.get("text").str())...)
		default:
			r.cannot("a part of Gemini's own")
		}
	}
	return parts
}

// geminiResult reads what a function answered: an object, in which output or error is
// the text where there is nothing else.
func (r *questionReader) geminiResult(answer value) {
	t := ToolResult{ID: answer.get("id").str(), Name: answer.get("name").str()}
	response := answer.get("response")
	text, only := string(response), 0
	for range response.members() {
		only++
	}
	for _, key := range []string{"output", "error"} {
		if s, ok := response.get(key).text(); ok && only == 1 {
			text, t.Failed = s, key == "error"
		}
	}
	if answer.get("parts").list() {
		r.cannot("media in the result of a function")
	}
	t.Parts = textPart(text)
	r.result(t)
}
