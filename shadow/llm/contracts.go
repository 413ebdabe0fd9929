package llm

import "cmp"

func chatContract(v value, c *Contract) int {
	format := v.get("response_format")
	switch format.get("type").str() {
	case "json_schema":
		schema := format.get("json_schema", "schema")
		if schema.null() {
			schema = format.get("schema") // as llama.cpp takes it
		}
		c.demand(schema)
	case "json_object":
		c.demand(format.get("schema")) // some servers take one here
	default:
		guided(v, c)
	}
	for t := range v.get("tools").items() {
		c.offerOpenAI(t)
	}
	for f := range v.get("functions").items() {
		c.offer(f.get("name").str(), f.get("parameters"))
	}
	offered := len(c.Tools)
	c.chooseOpenAI(v.either("tool_choice", "function_call"))
	return offered
}

// guided reads vLLM's own fields, today's and the older ones.
func guided(v value, c *Contract) {
	now := v.get("structured_outputs")
	for _, choice := range []value{now.get("choice"), v.get("guided_choice")} {
		if choice.list() && c.Form == FormFree {
			c.choose(choice)
		}
	}
	for _, schema := range []value{now.get("json"), v.get("guided_json")} {
		if !schema.null() && c.Form == FormFree {
			c.demand(schema)
		}
	}
}

// offerOpenAI adds a tool, whose fields stand in a member of its own (chat) or in
// the tool itself (responses). A custom tool takes text.
func (c *Contract) offerOpenAI(t value) {
	kind := cmp.Or(t.get("type").str(), "function")
	f := t.get(kind)
	if !f.object() {
		f = t
	}
	switch name := f.get("name").str(); {
	case kind == "function":
		c.offer(name, f.get("parameters"))
	case kind == "custom" && name != "":
		c.Tools = append(c.Tools, Tool{Name: name, FreeText: true})
	}
}

// chooseOpenAI reads tool_choice: a word, a named tool, or a list of allowed tools.
func (c *Contract) chooseOpenAI(choice value) {
	switch choice.str() {
	case "none":
		c.Tools = nil
		return
	case "required", "any":
		c.MustCall = true
		return
	}
	if allowed := choice.get("allowed_tools"); choice.get("type").str() == "allowed_tools" {
		if !allowed.object() {
			allowed = choice // the form of responses: mode and tools beside type
		}
		var names []string
		for t := range allowed.get("tools").items() {
			names = append(names, toolName(t))
		}
		c.narrow(names...)
		c.MustCall = allowed.get("mode").str() == "required"
		return
	}
	if name := toolName(choice); name != "" {
		c.narrow(name)
		c.MustCall = true
	}
}

// toolName is the name in {function: {name}}, {custom: {name}} or {name}.
func toolName(t value) string {
	for _, f := range []value{t.get("function"), t.get("custom"), t} {
		if name := f.get("name").str(); name != "" {
			return name
		}
	}
	return ""
}

func responsesContract(v value, c *Contract) int {
	format := v.get("text", "format")
	switch format.get("type").str() {
	case "json_schema":
		c.demand(format.get("schema"))
	case "json_object":
		c.Form = FormJSON
	}
	for t := range v.get("tools").items() {
		c.offerOpenAI(t)
	}
	offered := len(c.Tools)
	c.chooseOpenAI(v.get("tool_choice"))
	return offered
}

func anthropicContract(v value, c *Contract) int {
	format := v.get("output_config", "format")
	if format.null() {
		format = v.get("output_format")
	}
	if format.get("type").str() == "json_schema" {
		c.demand(format.get("schema"))
	}
	for t := range v.get("tools").items() {
		c.offer(t.get("name").str(), t.get("input_schema"))
	}
	offered := len(c.Tools)
	choice := v.get("tool_choice")
	switch choice.get("type").str() {
	case "none":
		c.Tools = nil
	case "any":
		c.MustCall = true
	case "tool":
		c.narrow(choice.get("name").str())
		c.MustCall = true
	}
	return offered
}

// geminiContract reads names in both cases: the API takes either.
func geminiContract(v value, c *Contract) int {
	config := v.either("generationConfig", "generation_config")
	schema := config.either("responseJsonSchema", "response_json_schema")
	if schema == nil {
		schema = openAPISchema(config.either("responseSchema", "response_schema"))
	}
	switch mime := config.either("responseMimeType", "response_mime_type").str(); {
	case mime == "text/x.enum":
		c.choose(schema.get("enum"))
	case mime == "application/json", schema != nil:
		c.demand(schema)
	}
	for t := range v.get("tools").items() {
		for f := range t.either("functionDeclarations", "function_declarations").items() {
			parameters := f.either("parametersJsonSchema", "parameters_json_schema")
			if parameters == nil {
				parameters = openAPISchema(f.get("parameters"))
			}
			c.offer(f.get("name").str(), parameters)
		}
	}
	offered := len(c.Tools)
	calling := v.either("toolConfig", "tool_config").either("functionCallingConfig", "function_calling_config")
	var names []string
	for name := range calling.either("allowedFunctionNames", "allowed_function_names").items() {
		names = append(names, name.str())
	}
	if len(names) > 0 {
		c.narrow(names...)
	}
	switch calling.get("mode").str() {
	case "ANY":
		c.MustCall = true
	case "NONE":
		c.Tools = nil
	}
	return offered
}

func ollamaContract(v value, c *Contract) int {
	switch format := v.get("format"); {
	case format.object():
		c.demand(format)
	case format.str() == "json":
		c.Form = FormJSON
	}
	for t := range v.get("tools").items() {
		c.offerOpenAI(t)
	}
	return len(c.Tools)
}
