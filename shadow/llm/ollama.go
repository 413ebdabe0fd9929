package llm

import (
	"cmp"
	"strings"
)

// ollamaAnswer is an answer of Ollama's own /api/chat, or of /api/generate, as far as
// it came. A stream sends further objects; a whole answer is a stream of one.
type ollamaAnswer struct {
	model, reason string
	usage         Usage
	text          strings.Builder
	calls         toolCalls
	begun, done   bool
}

// decodeOllama reads a whole answer.
func decodeOllama(v value) (Reply, bool) {
	var a ollamaAnswer
	a.take("", v)
	r, _ := a.reply()
	return r, v.get("message").object() || v.get("response").is('"')
}

// take reads an object and adds it to those before. One that is the first and the
// last is a whole answer: nothing of it came before the end.
func (a *ollamaAnswer) take(_ string, v value) step {
	alone := !a.begun
	a.begun = true
	a.model = cmp.Or(v.get("model").str(), a.model)
	a.reason = cmp.Or(v.get("done_reason").str(), a.reason)
	a.done = v.get("done").yes()
	a.usage.merge(Usage{In: v.get("prompt_eval_count").count(), Out: v.get("eval_count").count()})
	message := v.get("message")
	text := message.get("content").str() + v.get("response").str()
	a.text.WriteString(text)
	content := text != ""
	for item := range message.get("tool_calls").items() {
		a.calls.add(item, false)
		content = true
	}
	return step{content: content && !(alone && a.done), end: a.done}
}

// reply gives the answer as far as it came. Counts are absent where the prompt was
// cached.
func (a *ollamaAnswer) reply() (r Reply, whole bool) {
	r = Reply{Model: Snapshot(a.model), Finish: Finish(a.reason), Usage: a.usage, Text: a.text.String(), ToolCalls: a.calls.list()}
	if len(r.ToolCalls) > 0 && r.Finish == FinishStop {
		r.Finish = FinishToolCalls
	}
	return r, a.done
}
