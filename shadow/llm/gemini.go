package llm

import (
	"cmp"
	"strings"
)

// geminiAnswer is an answer of generateContent as far as it came. A stream sends
// further answers with further parts; a whole one is a stream of one.
type geminiAnswer struct {
	model         string
	usage         Usage
	text          strings.Builder
	calls         []ToolCall
	reason, block string // why the answer ended, why the prompt was blocked
	candidate     bool   // there was one
}

// decodeGemini reads a whole answer of generateContent.
func decodeGemini(v value) (Reply, bool) {
	var a geminiAnswer
	a.take("", v)
	r, _ := a.reply()
	return r, a.candidate || v.get("candidates").list() || v.get("promptFeedback").object() || v.get("usageMetadata").object()
}

// take reads an answer and adds it to those before.
func (a *geminiAnswer) take(_ string, v value) step {
	a.model = cmp.Or(strings.TrimPrefix(v.get("modelVersion").str(), "models/"), a.model)
	a.usage.merge(geminiUsage(v.get("usageMetadata")))
	a.block = cmp.Or(v.get("promptFeedback", "blockReason").str(), a.block)
	candidate := firstChoice(v.get("candidates"))
	a.candidate = a.candidate || candidate != nil
	a.reason = cmp.Or(candidate.get("finishReason").str(), a.reason)
	content := false
	for part := range candidate.get("content", "parts").items() {
		content = a.part(part) || content
	}
	return step{content: content || a.refusal() != ""}
}

// part adds a part; thoughts are no part of the answer.
func (a *geminiAnswer) part(v value) (content bool) {
	if v.get("thought").yes() {
		return false
	}
	text := v.get("text").str()
	a.text.WriteString(text)
	call := v.get("functionCall")
	if !call.object() {
		return text != ""
	}
	c := ToolCall{ID: call.get("id").str(), Name: call.get("name").str()}
	if c.Name == "" && len(a.calls) > 0 {
		return true // a further piece of a call whose arguments are streamed
	}
	if args := call.get("args"); !args.null() {
		c.Arguments = string(args)
	}
	a.calls = append(a.calls, c)
	return true
}

// geminiUsage reads token counts. Tokens of thinking are part of Usage.Out, as they
// are in the other dialects.
func geminiUsage(u value) Usage {
	thoughts := u.get("thoughtsTokenCount").count()
	return Usage{
		In:        u.get("promptTokenCount").count(),
		Out:       sum(u.get("candidatesTokenCount").count(), thoughts),
		Reasoning: thoughts,
		Cached:    u.get("cachedContentTokenCount").count(),
	}
}

// refusal is this dialect's way to refuse: a blocked prompt, or an answer withheld for
// safety.
func (a *geminiAnswer) refusal() string {
	switch {
	case !a.candidate && a.block != "":
		return "prompt blocked: " + a.block
	case a.reason == "SAFETY" && a.text.Len() == 0 && len(a.calls) == 0:
		return "answer blocked: " + a.reason
	}
	return ""
}

// reply gives the answer as far as it came: whole with a reason of its end, there is
// no other end sign.
func (a *geminiAnswer) reply() (r Reply, whole bool) {
	r = Reply{Model: Snapshot(a.model), Usage: a.usage, Text: a.text.String(), ToolCalls: a.calls, Refusal: a.refusal()}
	r.Finish = geminiFinish(a.reason, len(a.calls) > 0)
	if !a.candidate && a.block != "" {
		r.Finish = FinishFiltered
	}
	return r, r.Finish != FinishUnknown
}

func geminiFinish(reason string, calls bool) Finish {
	switch reason {
	case "STOP":
		if calls {
			return FinishToolCalls
		}
		return FinishStop
	case "MAX_TOKENS":
		return FinishLength
	case "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST", "IMAGE_SAFETY", "LANGUAGE":
		return FinishFiltered
	case "FINISH_REASON_UNSPECIFIED":
		return FinishUnknown
	}
	return Finish(strings.ToLower(reason))
}
