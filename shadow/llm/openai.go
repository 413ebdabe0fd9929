package llm

// decodeOpenAI reads a whole chat completion. It is one if it has a list of choices.
func decodeOpenAI(v value) (Reply, bool) {
	r := Reply{Model: Snapshot(v.get("model").str())}
	r.Usage.merge(openAIUsage(v.get("usage")))
	choices := v.get("choices")
	if !choices.list() {
		return r, false
	}
	choice := firstChoice(choices)
	r.Finish = openAIFinish(choice.get("finish_reason").str())
	message := choice.get("message")
	r.Text, r.Refusal = openAIContent(message)
	var calls toolCalls
	for item := range message.get("tool_calls").items() {
		calls.add(item, false)
	}
	if legacy := message.get("function_call"); legacy.object() {
		calls.addFunction(-1, "", legacy)
	}
	r.ToolCalls = calls.list
	if r.Text == "" && message.null() {
		r.Text = choice.get("text").str()
	}
	return r, true
}

// firstChoice is the choice with index 0, else the first one in the list.
func firstChoice(choices value) value {
	var first value
	for c := range choices.items() {
		if first == nil {
			first = c
		}
		if n := c.get("index").count(); n != nil && *n == 0 {
			return c
		}
	}
	return first
}

// openAIContent gives text and refusal of a message or delta.
func openAIContent(message value) (text, refusal string) {
	refusal = message.get("refusal").str()
	content := message.get("content")
	if s, ok := content.text(); ok {
		return s, refusal
	}
	for part := range content.items() {
		switch part.get("type").str() {
		case "text", "output_text", "":
			text += part.get("text").str()
		case "refusal":
			refusal += part.get("refusal").str()
		}
	}
	return text, refusal
}

func openAIFinish(s string) Finish {
	if s == "function_call" {
		return FinishToolCalls
	}
	return Finish(s)
}

func openAIUsage(u value) Usage {
	return Usage{
		In:        u.get("prompt_tokens").count(),
		Out:       u.get("completion_tokens").count(),
		Reasoning: u.get("completion_tokens_details", "reasoning_tokens").count(),
		Cached:    u.get("prompt_tokens_details", "cached_tokens").count(),
	}
}

// merge takes over the counts that a later report has.
func (u *Usage) merge(later Usage) {
	for _, c := range []struct{ to, from **int64 }{
		{&u.In, &later.In}, {&u.Out, &later.Out}, {&u.Reasoning, &later.Reasoning}, {&u.Cached, &later.Cached},
	} {
		if *c.from != nil {
			*c.to = *c.from
		}
	}
}

// toolCalls puts tool calls together from fragments.
type toolCalls struct {
	list  []ToolCall
	index []int64 // of each call; -1 for the legacy function call, below it for one without index
}

// add takes an entry of tool_calls: whole, or a fragment of a stream. Fragments
// belong to the call with their index; servers that give every call index 0 are
// told apart by id, and those that give no index continue the last call.
func (t *toolCalls) add(item value, fragment bool) {
	index, given := -2-int64(len(t.list)), false
	if n := item.get("index").count(); n != nil {
		index, given = *n, true
	}
	id, f := item.get("id").str(), item.get("function")
	if f == nil {
		f = item.get("custom")
	}
	if !given && fragment && len(t.list) > 0 {
		last := t.list[len(t.list)-1]
		if (id == "" && f.get("name").str() == "") || (id != "" && id == last.ID) {
			index = t.index[len(t.index)-1]
		}
	}
	t.addFunction(index, id, f)
}

func (t *toolCalls) addFunction(index int64, id string, f value) {
	at := t.find(index, id)
	if at < 0 {
		t.list, t.index = append(t.list, ToolCall{}), append(t.index, index)
		at = len(t.list) - 1
	}
	c := &t.list[at]
	if c.ID == "" {
		c.ID = id
	}
	if name := f.get("name").str(); name != c.Name {
		c.Name += name
	}
	c.Arguments += argumentsText(f)
}

// find gives the last call that a fragment belongs to, or -1.
func (t *toolCalls) find(index int64, id string) int {
	for i := len(t.list) - 1; i >= 0; i-- {
		if t.index[i] == index {
			if id != "" && t.list[i].ID != "" && t.list[i].ID != id {
				return -1
			}
			return i
		}
	}
	return -1
}

// argumentsText is the JSON text of a call's arguments: sent as a string, or as an
// object by servers that forgot to quote it. A custom tool has free text in input.
func argumentsText(f value) string {
	args := f.get("arguments")
	if args == nil {
		args = f.get("input")
	}
	if s, ok := args.text(); ok {
		return s
	}
	if args.null() {
		return ""
	}
	return string(args)
}
