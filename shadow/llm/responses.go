package llm

import (
	"cmp"
	"errors"
	"net/http"
)

// responsesAnswer is an answer of OpenAI's Responses as far as it came.
type responsesAnswer struct {
	model, status, why string
	usage              Usage
	blocks             blocks
	ended              bool
}

// decodeResponses reads a whole answer. It is one if it has a list of output.
func decodeResponses(v value) (Reply, bool) {
	var a responsesAnswer
	a.response(v)
	r, _ := a.reply()
	return r, v.get("output").list()
}

// take reads an event of a stream. The last event repeats the whole answer, which
// counts in place of the pieces; a server that leaves it out there is taken at its
// pieces. Unknown events are passed over.
func (a *responsesAnswer) take(name string, v value) step {
	switch kind := cmp.Or(v.get("type").str(), name); kind {
	case "response.created", "response.queued", "response.in_progress":
		a.response(v.get("response"))
		return step{}
	case "response.completed", "response.incomplete":
		had := len(a.blocks.at) > 0
		a.response(v.get("response"))
		a.status = cmp.Or(a.status, kind[len("response."):])
		a.ended = true
		return step{content: !had && len(a.blocks.at) > 0, end: true}
	case "response.failed", "response.cancelled":
		a.response(v.get("response"))
		return step{failure: responsesFailure(v.get("response"))}
	case "error":
		return step{failure: eventError(v).inside200()}
	default:
		return step{content: a.piece(kind, v)}
	}
}

func responsesFailure(v value) *Failure {
	if e, found := errorOf(v); found {
		return e.inside200()
	}
	return &Failure{Class: Unavailable, Reason: ErrorIn200, Status: http.StatusOK, Err: errors.New("the response failed")}
}

// response reads what a response says of itself. A list of output that has anything
// in it replaces what came before.
func (a *responsesAnswer) response(v value) {
	a.model = cmp.Or(v.get("model").str(), a.model)
	a.status = cmp.Or(v.get("status").str(), a.status)
	a.why = cmp.Or(v.get("incomplete_details", "reason").str(), a.why)
	a.usage.merge(responsesUsage(v.get("usage")))
	var at place
	for item := range v.get("output").items() {
		if at.item == 0 {
			a.blocks = blocks{}
		}
		a.item(at, item)
		at.item++
	}
}

// piece reads an event about a part of the answer and says whether it brought content.
func (a *responsesAnswer) piece(kind string, v value) bool {
	at := place{item: v.get("output_index").number(), part: v.get("content_index").number()}
	switch kind {
	case "response.output_item.added", "response.output_item.done":
		return a.item(place{item: at.item}, v.get("item"))
	case "response.content_part.added", "response.content_part.done":
		return a.part(at, v.get("part"))
	case "response.output_text.delta":
		return a.add(at, blockText, v.get("delta").str())
	case "response.output_text.done":
		return a.set(at, blockText, v.get("text").str())
	case "response.refusal.delta":
		return a.add(at, blockRefusal, v.get("delta").str())
	case "response.refusal.done":
		return a.set(at, blockRefusal, v.get("refusal").str())
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		return a.add(at, blockCall, v.get("delta").str())
	case "response.function_call_arguments.done":
		return a.set(at, blockCall, v.get("arguments").str())
	case "response.custom_tool_call_input.done":
		return a.set(at, blockCall, v.get("input").str())
	}
	return false
}

// item reads an item of the output: a message, a call, or something that is no part of
// the answer, such as reasoning.
func (a *responsesAnswer) item(at place, v value) (content bool) {
	switch v.get("type").str() {
	case "message", "":
		for part := range v.get("content").items() {
			content = a.part(at, part) || content
			at.part++
		}
		return content
	case "function_call", "custom_tool_call":
		b := a.blocks.find(at, blockCall)
		if b == nil {
			return false
		}
		b.id, b.name = cmp.Or(v.get("call_id").str(), b.id), cmp.Or(v.get("name").str(), b.name)
		a.set(at, blockCall, argumentsText(v))
		return true
	}
	return false
}

func (a *responsesAnswer) part(at place, v value) (content bool) {
	switch v.get("type").str() {
	case "output_text", "text":
		return a.set(at, blockText, v.get("text").str())
	case "refusal":
		return a.set(at, blockRefusal, v.get("refusal").str())
	}
	return false
}

// add appends a piece to a part.
func (a *responsesAnswer) add(at place, kind blockKind, text string) (content bool) {
	if text == "" {
		return false
	}
	b := a.blocks.find(at, kind)
	if b == nil {
		return false
	}
	b.text = append(b.text, text...)
	return true
}

// set puts the whole of a part in place of its pieces, unless it is empty.
func (a *responsesAnswer) set(at place, kind blockKind, text string) (content bool) {
	if text == "" {
		return false
	}
	b := a.blocks.find(at, kind)
	if b == nil {
		return false
	}
	b.text = append(b.text[:0], text...)
	return true
}

// responsesUsage reads token counts. Cached ones are part of the input's, and those of
// reasoning part of the output's.
func responsesUsage(u value) Usage {
	return Usage{
		In:           u.get("input_tokens").count(),
		Cached:       u.get("input_tokens_details", "cached_tokens").count(),
		CacheWritten: u.get("input_tokens_details", "cache_write_tokens").count(),
		Out:          u.get("output_tokens").count(),
		Reasoning:    u.get("output_tokens_details", "reasoning_tokens").count(),
	}
}

// reply gives the answer as far as it came.
func (a *responsesAnswer) reply() (r Reply, whole bool) {
	r = Reply{Model: Snapshot(a.model), Usage: a.usage}
	a.blocks.fill(&r)
	switch {
	case a.status == "completed" && len(r.ToolCalls) > 0:
		r.Finish = FinishToolCalls
	case a.status == "completed":
		r.Finish = FinishStop
	case a.status == "incomplete" && a.why == "max_output_tokens":
		r.Finish = FinishLength
	case a.status == "incomplete":
		r.Finish = Finish(cmp.Or(a.why, a.status))
	case a.status == "failed":
		r.Finish = finishError
	case a.status != "in_progress" && a.status != "queued":
		r.Finish = Finish(a.status)
	}
	return r, a.ended
}
