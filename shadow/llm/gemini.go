package llm

import "strings"

// decodeGemini reads a whole answer of generateContent. A blocked prompt, and an
// answer withheld for safety, are this dialect's refusals. Tokens of thinking are
// part of Usage.Out, as they are in the other dialects.
func decodeGemini(v value) (Reply, bool) {
	r := Reply{Model: Snapshot(strings.TrimPrefix(v.get("modelVersion").str(), "models/"))}
	u := v.get("usageMetadata")
	r.Usage = Usage{
		In:        u.get("promptTokenCount").count(),
		Out:       sum(u.get("candidatesTokenCount").count(), u.get("thoughtsTokenCount").count()),
		Reasoning: u.get("thoughtsTokenCount").count(),
		Cached:    u.get("cachedContentTokenCount").count(),
	}
	candidate := firstChoice(v.get("candidates"))
	var text strings.Builder
	for part := range candidate.get("content", "parts").items() {
		if part.get("thought").yes() {
			continue
		}
		text.WriteString(part.get("text").str())
		if call := part.get("functionCall"); call.object() {
			c := ToolCall{ID: call.get("id").str(), Name: call.get("name").str()}
			if args := call.get("args"); !args.null() {
				c.Arguments = string(args)
			}
			r.ToolCalls = append(r.ToolCalls, c)
		}
	}
	r.Text = text.String()
	block := v.get("promptFeedback", "blockReason").str()
	reason := candidate.get("finishReason").str()
	r.Finish = geminiFinish(reason, len(r.ToolCalls) > 0)
	switch {
	case candidate == nil && block != "":
		r.Finish, r.Refusal = FinishFiltered, "prompt blocked: "+block
	case reason == "SAFETY" && r.Text == "" && len(r.ToolCalls) == 0:
		r.Refusal = "answer blocked: " + reason
	}
	return r, candidate != nil || v.get("candidates").list() || v.get("promptFeedback").object() || u.object()
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
	}
	return Finish(strings.ToLower(reason))
}
