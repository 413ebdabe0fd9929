package llm

// decodeOllama reads a whole answer of Ollama's own /api/chat, or of /api/generate.
// Counts are absent where the prompt was cached.
func decodeOllama(v value) (Reply, bool) {
	r := Reply{
		Model:  Snapshot(v.get("model").str()),
		Finish: Finish(v.get("done_reason").str()),
		Usage:  Usage{In: v.get("prompt_eval_count").count(), Out: v.get("eval_count").count()},
	}
	message := v.get("message")
	r.Text = message.get("content").str() + v.get("response").str()
	var calls toolCalls
	for item := range message.get("tool_calls").items() {
		calls.add(item, false)
	}
	r.ToolCalls = calls.list()
	if len(r.ToolCalls) > 0 && r.Finish == FinishStop {
		r.Finish = FinishToolCalls
	}
	return r, message.object() || v.get("response").is('"')
}
