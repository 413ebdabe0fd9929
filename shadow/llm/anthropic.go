package llm

import "cmp"

// anthropicAnswer is a message as far as it came.
type anthropicAnswer struct {
	model, stop, refusal string
	in, written, read    *int64
	out, thinking        *int64
	blocks               blocks
	streamed, ended      bool
}

// decodeAnthropic reads a whole message. It is one if it has a list of content.
func decodeAnthropic(v value) (Reply, bool) {
	var a anthropicAnswer
	a.message(v)
	r, _ := a.reply()
	return r, v.get("content").list()
}

// take reads an event of a stream. Pings and unknown events are passed over.
func (a *anthropicAnswer) take(name string, v value) step {
	a.streamed = true
	index := place{item: v.get("index").number()}
	switch cmp.Or(v.get("type").str(), name) {
	case "message_start":
		return step{content: a.message(v.get("message"))}
	case "content_block_start":
		return step{content: a.block(index, v.get("content_block"))}
	case "content_block_delta":
		return step{content: a.delta(index, v.get("delta"))}
	case "message_delta":
		a.counts(v.get("usage"))
		return step{content: a.stopped(v.get("delta"))}
	case "message_stop":
		a.ended = true
		return step{end: true}
	case "error":
		return step{failure: eventError(v).inside200()}
	}
	return step{}
}

// message reads what a message says of itself, and the blocks that it has. It says
// whether they bring content.
func (a *anthropicAnswer) message(v value) (content bool) {
	a.model = v.get("model").str()
	a.counts(v.get("usage"))
	a.stopped(v)
	var index place
	for b := range v.get("content").items() {
		content = a.block(index, b) || content
		index.item++
	}
	return content
}

// block starts a block. Its input counts unless pieces of it follow.
func (a *anthropicAnswer) block(at place, v value) (content bool) {
	switch v.get("type").str() {
	case "text":
		b := a.blocks.open(at, blockText)
		b.text = []byte(v.get("text").str())
		return len(b.text) > 0
	case "tool_use":
		b := a.blocks.open(at, blockCall)
		b.id, b.name, b.text = v.get("id").str(), v.get("name").str(), []byte(argumentsText(v))
		return true
	}
	a.blocks.open(at, blockOther)
	return false
}

// delta adds a piece to a block.
func (a *anthropicAnswer) delta(at place, v value) (content bool) {
	switch v.get("type").str() {
	case "text_delta":
		text := v.get("text").str()
		if b := a.blocks.find(at, blockText); b != nil && text != "" {
			b.text = append(b.text, text...)
			return true
		}
	case "input_json_delta":
		input := v.get("partial_json").str()
		if b := a.blocks.at[at]; b != nil && b.kind == blockCall && input != "" {
			if string(b.text) == "{}" { // the placeholder of a call whose input comes in pieces
				b.text = nil
			}
			b.text = append(b.text, input...)
			return true
		}
	}
	return false
}

// counts takes over the counts that are there: later ones are cumulative.
func (a *anthropicAnswer) counts(u value) {
	for _, c := range []struct {
		to   **int64
		from value
	}{
		{&a.in, u.get("input_tokens")}, {&a.written, u.get("cache_creation_input_tokens")},
		{&a.read, u.get("cache_read_input_tokens")}, {&a.out, u.get("output_tokens")},
		{&a.thinking, u.get("output_tokens_details", "thinking_tokens")},
	} {
		if n := c.from.count(); n != nil {
			*c.to = n
		}
	}
}

// stopped reads why the message ended and says whether that was a refusal.
func (a *anthropicAnswer) stopped(v value) (refused bool) {
	a.stop = cmp.Or(v.get("stop_reason").str(), a.stop)
	if a.stop != "refusal" {
		return false
	}
	a.refusal = cmp.Or(v.get("stop_details", "explanation").str(), a.refusal, "refused")
	return true
}

// reply gives the message as far as it came. Tokens read from a cache or written to
// it are part of Usage.In, as they are in the other dialects. A stream begins with a
// first guess of the tokens out; it counts once the model has stopped.
func (a *anthropicAnswer) reply() (r Reply, whole bool) {
	a.blocks.fill(&r)
	r.Model, r.Refusal = Snapshot(a.model), a.refusal
	r.Usage = Usage{In: sum(a.in, a.written, a.read), Cached: a.read, CacheWritten: a.written, Out: a.out, Reasoning: a.thinking}
	if a.streamed && a.stop == "" {
		r.Usage.Out = nil
	}
	switch a.stop {
	case "end_turn", "stop_sequence", "refusal":
		r.Finish = FinishStop
	case "max_tokens", "model_context_window_exceeded":
		r.Finish = FinishLength
	case "tool_use":
		r.Finish = FinishToolCalls
	default:
		r.Finish = Finish(a.stop)
	}
	return r, a.ended
}

// sum adds the counts that are known; nil if the first is not.
func sum(first *int64, more ...*int64) *int64 {
	if first == nil {
		return nil
	}
	total := *first
	for _, n := range more {
		if n != nil {
			total += *n
		}
	}
	return &total
}
