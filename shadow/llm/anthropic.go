package llm

import "strings"

// decodeAnthropic reads a whole message. It is one if it has a list of content.
// Tokens read from a cache or written to it are part of Usage.In, as they are in the
// other dialects.
func decodeAnthropic(v value) (Reply, bool) {
	r := Reply{Model: Snapshot(v.get("model").str())}
	u := v.get("usage")
	r.Usage = Usage{
		In:           sum(u.get("input_tokens").count(), u.get("cache_creation_input_tokens").count(), u.get("cache_read_input_tokens").count()),
		Cached:       u.get("cache_read_input_tokens").count(),
		CacheWritten: u.get("cache_creation_input_tokens").count(),
		Out:          u.get("output_tokens").count(),
	}
	var text strings.Builder
	for block := range v.get("content").items() {
		switch block.get("type").str() {
		case "text":
			text.WriteString(block.get("text").str())
		case "tool_use":
			r.ToolCalls = append(r.ToolCalls, ToolCall{
				ID: block.get("id").str(), Name: block.get("name").str(), Arguments: argumentsText(block),
			})
		}
	}
	r.Text = text.String()
	stop := v.get("stop_reason").str()
	switch stop {
	case "end_turn", "stop_sequence":
		r.Finish = FinishStop
	case "max_tokens", "model_context_window_exceeded":
		r.Finish = FinishLength
	case "tool_use":
		r.Finish = FinishToolCalls
	case "refusal":
		r.Finish = FinishStop
		r.Refusal = "refused"
		if why := v.get("stop_details", "explanation").str(); why != "" {
			r.Refusal = why
		}
	default:
		r.Finish = Finish(stop)
	}
	return r, v.get("content").list()
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
