package llm

import "cmp"

const responsesKnown = " model input instructions stream stream_options max_output_tokens temperature top_p tools tool_choice" +
	" parallel_tool_calls text reasoning include store max_tool_calls truncation" +
	" metadata prompt_cache_key prompt_cache_retention safety_identifier user models fallback_models fallbacks "

// responses reads a request of OpenAI's Responses.
func (r *questionReader) responses(v value) {
	if parts := r.openAIParts(v.get("instructions")); parts != nil {
		r.say("system", parts...)
	}
	input := v.get("input")
	if s, ok := input.text(); ok {
		r.say("user", textPart(s)...)
	}
	for item := range input.items() {
		r.responsesItem(item)
	}
	q := &r.q
	q.MaxTokens = v.get("max_output_tokens").count()
	q.Temperature, q.TopP = v.get("temperature").numeral(), v.get("top_p").numeral()
	for t := range v.get("tools").items() {
		r.openAITool(t)
	}
	r.openAIChoice(v.get("tool_choice"))
	q.Choice.One = v.get("parallel_tool_calls").is('f')
	q.Effort = v.get("reasoning", "effort").str()
	r.form(responsesContract, v)
	format := v.get("text", "format")
	q.Format.Name, q.Format.Description, q.Format.Strict = format.get("name").str(), format.get("description").str(), format.get("strict").yes()
	r.rest("text.", v.get("text"), " format ")
	if v.get("truncation").str() == "auto" {
		r.Lose(LostOther, "not carried: truncation")
	}
	r.rest("", v, responsesKnown)
}

func (r *questionReader) responsesItem(item value) {
	switch kind := item.get("type").str(); kind {
	case "message", "":
		role, parts := item.get("role").str(), r.openAIParts(item.get("content"))
		switch role {
		case "system", "developer":
			r.say("system", parts...)
		case "user":
			r.say("user", parts...)
		case "assistant":
			r.said(parts...)
		default:
			r.cannot("a message in the role %q", tidy(role))
		}
	case "function_call":
		r.said(r.call(item.get("call_id").str(), item.get("name").str(), argumentsText(item)))
	case "custom_tool_call":
		r.Lose(LostCustomTool, "")
		r.said(r.call(item.get("call_id").str(), item.get("name").str(), textInput(item.get("input").str())))
	case "function_call_output", "custom_tool_call_output":
		r.result(ToolResult{ID: item.get("call_id").str(), Parts: r.openAIParts(item.get("output"))})
	case "reasoning":
		r.Lose(LostThinking, "")
	default:
		r.cannot("input of the provider's own (%s)", tidy(cmp.Or(kind, "unknown")))
	}
}

// said adds to the assistant's turn: here one turn is several items.
func (r *questionReader) said(parts ...Part) {
	if n := len(r.q.Messages); n > 0 && r.q.Messages[n-1].Role == "assistant" {
		r.q.Messages[n-1].Parts = append(r.q.Messages[n-1].Parts, parts...)
		return
	}
	r.say("assistant", parts...)
}
