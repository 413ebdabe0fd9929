package llm

import "cmp"

const chatKnown = " model messages stream stream_options n max_tokens max_completion_tokens temperature top_p top_k seed stop" +
	" presence_penalty frequency_penalty tools tool_choice functions function_call parallel_tool_calls response_format" +
	" structured_outputs guided_json guided_choice reasoning_effort modalities" +
	" store metadata prompt_cache_key prompt_cache_retention safety_identifier user models fallback_models fallbacks "

// chat reads a Chat Completions request.
func (r *questionReader) chat(v value) {
	for m := range v.get("messages").items() {
		r.chatMessage(m)
	}
	q := &r.q
	q.MaxTokens = v.either("max_completion_tokens", "max_tokens").count()
	q.Temperature, q.TopP, q.TopK, q.Seed = v.get("temperature").numeral(), v.get("top_p").numeral(), v.get("top_k").numeral(), v.get("seed").numeral()
	q.PresencePenalty, q.FrequencyPenalty = v.get("presence_penalty").numeral(), v.get("frequency_penalty").numeral()
	q.Stop = v.get("stop").texts()
	q.Effort = v.get("reasoning_effort").str()
	for t := range v.get("tools").items() {
		r.openAITool(t)
	}
	for f := range v.get("functions").items() {
		r.tool(f, "parameters")
	}
	r.openAIChoice(v.either("tool_choice", "function_call"))
	q.Choice.One = v.get("parallel_tool_calls").is('f')
	r.form(chatContract, v)
	schema := v.get("response_format", "json_schema")
	q.Format.Name, q.Format.Description, q.Format.Strict = schema.get("name").str(), schema.get("description").str(), schema.get("strict").yes()
	r.rest("", v, chatKnown)
}

func (r *questionReader) chatMessage(m value) {
	role := m.get("role").str()
	content := m.get("content")
	known := " role content refusal tool_calls function_call tool_call_id reasoning reasoning_content annotations audio "
	if role == "tool" || role == "function" {
		known += "name "
	}
	r.rest("messages[].", m, known)
	switch role {
	case "system", "developer":
		r.say("system", r.openAIParts(content)...)
	case "user":
		r.say("user", r.openAIParts(content)...)
	case "tool", "function":
		r.result(ToolResult{ID: m.get("tool_call_id").str(), Name: m.get("name").str(), Parts: r.openAIParts(content)})
	case "assistant":
		if !m.either("reasoning", "reasoning_content").empty() {
			r.Lose(LostThinking, "")
		}
		parts := append(r.openAIParts(content), textPart(m.get("refusal").str())...)
		r.say("assistant", append(parts, r.chatCalls(m)...)...)
	default:
		r.cannot("a message in the role %q", tidy(role))
	}
}

// chatCalls reads the calls of an assistant's turn.
func (r *questionReader) chatCalls(m value) []Part {
	var parts []Part
	for c := range m.get("tool_calls").items() {
		f := c.either("function", "custom")
		if c.get("function").null() && f != nil {
			r.Lose(LostCustomTool, "")
			parts = append(parts, r.call(c.get("id").str(), f.get("name").str(), textInput(f.get("input").str())))
			continue
		}
		parts = append(parts, r.call(c.get("id").str(), f.get("name").str(), argumentsText(f)))
	}
	if f := m.get("function_call"); f.object() {
		parts = append(parts, r.call("", f.get("name").str(), argumentsText(f)))
	}
	return parts
}

// openAIParts reads the content of a message, of either of OpenAI's dialects.
func (r *questionReader) openAIParts(content value) []Part {
	if s, ok := content.text(); ok {
		return textPart(s)
	}
	var parts []Part
	for p := range content.items() {
		r.rest("content[].", p, " type text refusal image_url file file_data file_url filename input_audio detail annotations logprobs ")
		switch kind := p.get("type").str(); kind {
		case "text", "input_text", "output_text", "":
			parts = append(parts, textPart(cmp.Or(p.get("text").str(), p.str()))...)
		case "refusal":
			parts = append(parts, textPart(p.get("refusal").str())...)
		case "image_url", "input_image":
			parts = append(parts, r.openAIImage(p))
		case "file":
			parts = append(parts, r.openAIFile(p.get("file")))
		case "input_file":
			parts = append(parts, r.openAIFile(p))
		default:
			r.cannot("content of the type %s", tidy(kind))
		}
	}
	return parts
}

func (r *questionReader) openAIImage(p value) Part {
	image := p.get("image_url")
	url := cmp.Or(image.get("url").str(), image.str())
	if detail := cmp.Or(p.get("detail").str(), image.get("detail").str()); detail != "" && detail != "auto" {
		r.Lose(LostImageDetail, "")
	}
	if url == "" {
		r.cannot("an image without data or address")
	}
	m := dataMedia(url)
	return Part{Media: &m}
}

func (r *questionReader) openAIFile(file value) Part {
	var m Media
	switch data := file.get("file_data").str(); {
	case data != "":
		if m = dataMedia(data); m.Data == "" {
			m = Media{Data: data} // bare base64
		}
		m.Type = cmp.Or(m.Type, "application/pdf")
	default:
		r.cannot("a file that is not in the request")
	}
	m.Name = file.get("filename").str()
	return Part{Media: &m}
}

// openAITool reads a tool of either of OpenAI's dialects.
func (r *questionReader) openAITool(t value) {
	kind := cmp.Or(t.get("type").str(), "function")
	f := t.get(kind)
	if !f.object() {
		f = t
	}
	switch kind {
	case "function":
		r.tool(f, "parameters")
	case "custom":
		r.q.Tools = append(r.q.Tools, Tool{Name: f.get("name").str(), Description: f.get("description").str(), FreeText: true})
		if !f.get("format").empty() && f.get("format", "type").str() != "text" {
			r.Lose(LostCustomTool, "not carried: the tool's grammar")
		}
	default:
		r.cannot("%s", provided(kind))
	}
}

// tool adds a function whose schema stands in one of these fields.
func (r *questionReader) tool(f value, schema ...string) {
	t := Tool{Name: f.get("name").str(), Description: f.get("description").str(), Strict: f.get("strict").yes()}
	if p := f.either(schema...); p.object() {
		t.Parameters = []byte(p)
	}
	if t.Name == "" {
		r.cannot("a tool without a name")
	}
	r.rest("tools[].", f, " type name description strict parameters input_schema parametersJsonSchema parameters_json_schema ")
	r.q.Tools = append(r.q.Tools, t)
}

// openAIChoice reads tool_choice of either of OpenAI's dialects.
func (r *questionReader) openAIChoice(choice value) {
	c := &r.q.Choice
	switch choice.str() {
	case "none":
		c.None = true
		return
	case "required", "any":
		c.Must = true
		return
	}
	if choice.get("type").str() == "allowed_tools" {
		allowed := choice.get("allowed_tools")
		if !allowed.object() {
			allowed = choice
		}
		for t := range allowed.get("tools").items() {
			c.Names = append(c.Names, toolName(t))
		}
		c.Must = allowed.get("mode").str() == "required"
	} else if name := toolName(choice); name != "" {
		c.Names, c.Must = []string{name}, true
	}
}

// textInput is the object that stands for a tool's free text.
func textInput(text string) string { return `{"input":` + string(quote(text)) + `}` }
