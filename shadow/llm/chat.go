package llm

import "strings"

// chatAnswer is a streamed chat completion as far as it came.
type chatAnswer struct {
	said    Reply // what chunks say once: model, finish, usage
	text    strings.Builder
	refusal strings.Builder
	calls   toolCalls
}

// take reads a chunk. Only the choice with index 0 counts.
func (a *chatAnswer) take(_ string, v value) step {
	if m := v.get("model").str(); m != "" {
		a.said.Model = Snapshot(m)
	}
	a.said.Usage.merge(openAIUsage(v.get("usage")))
	content := false
	for choice := range v.get("choices").items() {
		if choice.get("index").number() == 0 {
			content = a.choice(choice) || content
		}
	}
	return step{content: content}
}

// choice takes a piece of the answer and says whether it brought content.
func (a *chatAnswer) choice(choice value) bool {
	if f := openAIFinish(choice.get("finish_reason").str()); f != "" {
		a.said.Finish = f
	}
	delta := choice.get("delta")
	text, refusal := openAIContent(delta)
	if delta.null() {
		text = choice.get("text").str()
	}
	a.text.WriteString(text)
	a.refusal.WriteString(refusal)
	content := text != "" || refusal != ""
	for item := range delta.get("tool_calls").items() {
		a.calls.add(item, true)
		content = true
	}
	if legacy := delta.get("function_call"); legacy.object() {
		a.calls.addFunction(-1, "", legacy)
		content = true
	}
	return content
}

// reply gives the answer as far as it came. A finish reason is accepted in place of
// [DONE], which some servers do not send.
func (a *chatAnswer) reply() (r Reply, whole bool) {
	r = a.said
	r.Text, r.Refusal, r.ToolCalls = a.text.String(), a.refusal.String(), a.calls.list()
	return r, r.Finish != FinishUnknown
}
