package llm

import "strings"

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
	r.ToolCalls = calls.list()
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
	var texts, refusals strings.Builder
	refusals.WriteString(refusal)
	for part := range content.items() {
		switch part.get("type").str() {
		case "text", "output_text", "":
			texts.WriteString(part.get("text").str())
		case "refusal":
			refusals.WriteString(part.get("refusal").str())
		}
	}
	return texts.String(), refusals.String()
}

func openAIFinish(s string) Finish {
	if s == "function_call" {
		return FinishToolCalls
	}
	return Finish(s)
}

// openAIUsage reads the tokens of an answer. Cached ones are part of the prompt's, and
// those of reasoning part of the completion's; some compatible servers count reasoning
// beside the completion, which their total gives away.
func openAIUsage(u value) Usage {
	out := Usage{
		In:           u.get("prompt_tokens").count(),
		Cached:       u.get("prompt_tokens_details", "cached_tokens").count(),
		CacheWritten: u.get("prompt_tokens_details", "cache_write_tokens").count(),
		Out:          u.get("completion_tokens").count(),
		Reasoning:    u.get("completion_tokens_details", "reasoning_tokens").count(),
	}
	total := u.get("total_tokens").count()
	if out.In == nil || out.Out == nil || out.Reasoning == nil || total == nil {
		return out
	}
	if beside := sum(out.Out, out.Reasoning); *total == *out.In+*beside {
		out.Out = beside
	}
	return out
}

// merge takes over the counts that a later report has.
func (u *Usage) merge(later Usage) {
	for _, c := range []struct{ to, from **int64 }{
		{&u.In, &later.In}, {&u.Cached, &later.Cached}, {&u.CacheWritten, &later.CacheWritten},
		{&u.Out, &later.Out}, {&u.Reasoning, &later.Reasoning},
	} {
		if *c.from != nil {
			*c.to = *c.from
		}
	}
}

// maxName bounds the name of a tool that comes in pieces, in bytes; vendors allow 64.
const maxName = 4096

// toolCalls puts tool calls together from fragments, in time linear in their number.
type toolCalls struct {
	calls []pending
	at    map[int64]int // the last call with an index
}

type pending struct {
	id, name  string
	arguments []byte
	index     int64 // -1 for the legacy function call, below it for one without index
}

// add takes an entry of tool_calls: whole, or a fragment of a stream. Fragments
// belong to the call with their index; servers that give every call index 0 are
// told apart by id, and those that give no index continue the last call.
func (t *toolCalls) add(item value, fragment bool) {
	index, given := -2-int64(len(t.calls)), false
	if n := item.get("index").count(); n != nil {
		index, given = *n, true
	}
	id, f := item.get("id").str(), item.get("function")
	if f == nil {
		f = item.get("custom")
	}
	if !given && fragment && len(t.calls) > 0 {
		last := &t.calls[len(t.calls)-1]
		if (id == "" && f.get("name").str() == "") || (id != "" && id == last.id) {
			index = last.index
		}
	}
	t.addFunction(index, id, f)
}

func (t *toolCalls) addFunction(index int64, id string, f value) {
	at, found := t.at[index]
	if !found || id != "" && t.calls[at].id != "" && t.calls[at].id != id {
		if t.at == nil {
			t.at = map[int64]int{}
		}
		at = len(t.calls)
		t.at[index] = at
		t.calls = append(t.calls, pending{index: index})
	}
	c := &t.calls[at]
	if c.id == "" {
		c.id = id
	}
	if name := f.get("name").str(); name != c.name && len(c.name) < maxName {
		c.name += name
	}
	c.arguments = append(c.arguments, argumentsText(f)...)
}

// list gives the calls in the order in which they began; nil if there are none.
func (t *toolCalls) list() []ToolCall {
	var out []ToolCall
	for i := range t.calls {
		c := &t.calls[i]
		out = append(out, ToolCall{ID: c.id, Name: c.name, Arguments: string(c.arguments)})
	}
	return out
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
