package tap_test

import (
	"fmt"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// pieces are what a surface sends for an answer of a state, as [states] names them. A
// stream begins with a piece without content; its last piece ends it.
func (w way) pieces(state string) []string {
	if state == "nothing" {
		return nil
	}
	events := dialectPieces[w.dialect](w.stream, state)
	if !w.stream {
		return events
	}
	if state == "cut" || state == "left" {
		events = events[:2]
	}
	for i, e := range events {
		switch w.name {
		case "gemini list":
			events[i] = []string{"[", ",\r\n"}[min(i, 1)] + e
			if i == len(events)-1 && state != "cut" && state != "left" {
				events[i] += "]"
			}
		case "ollama streamed", "generate streamed":
			events[i] = e + "\n"
		default:
			events[i] = "data: " + strings.ReplaceAll(e, "\n", "\n\ndata: ") + "\n\n"
		}
	}
	return events
}

// dialectPieces make the documents of an answer, several of one piece with a line end
// between: one for a whole answer; for a stream an opening, the content if there is any,
// and the end.
var dialectPieces = map[llm.Dialect]func(stream bool, state string) []string{
	llm.OpenAIChat:        chatPieces,
	llm.OpenAIResponses:   responsesPieces,
	llm.AnthropicMessages: messagesPieces,
	llm.GeminiGenerate:    geminiPieces,
	llm.OllamaChat:        ollamaPieces(`"message":{"role":"assistant","content":%q}`),
	llm.OllamaGenerate:    ollamaPieces(`"response":%q`),
}

// textOf is the text of an answer of a state.
func textOf(state string) string {
	switch state {
	case "empty", "refused", "filtered", "truncated":
		return ""
	}
	return "Ja"
}

// present leaves empty pieces out.
func present(pieces ...string) []string {
	var all []string
	for _, p := range pieces {
		if p != "" {
			all = append(all, p)
		}
	}
	return all
}

// pick gives what a map says of a state, or the other.
func pick(m map[string]string, state, other string) string {
	if found, ok := m[state]; ok {
		return found
	}
	return other
}

func chatPieces(stream bool, state string) []string {
	const broken = `{"error":{"message":"x","code":503}}`
	finish := pick(map[string]string{"filtered": "content_filter", "truncated": "length", "short": "length"}, state, "stop")
	message := fmt.Sprintf(`{"content":%q}`, textOf(state))
	if state == "refused" {
		message = `{"content":null,"refusal":"Nein."}`
	}
	if !stream {
		if state == "error" {
			return []string{broken}
		}
		return []string{fmt.Sprintf(`{"choices":[{"index":0,"message":%s,"finish_reason":%q}]}`, message, finish)}
	}
	end := fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`+"\n[DONE]", finish)
	if state == "error" {
		end = broken
	}
	content := fmt.Sprintf(`{"choices":[{"index":0,"delta":%s}]}`, message)
	if textOf(state) == "" && state != "refused" {
		content = ""
	}
	return present(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`, content, end)
}

func responsesPieces(stream bool, state string) []string {
	part := fmt.Sprintf(`{"type":"output_text","text":%q}`, textOf(state))
	status := `"status":"completed"`
	switch state {
	case "refused":
		part = `{"type":"refusal","refusal":"Nein."}`
	case "filtered":
		status = `"status":"incomplete","incomplete_details":{"reason":"content_filter"}`
	case "truncated", "short":
		status = `"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}`
	case "error":
		status = `"status":"failed","error":{"code":"server_error","message":"x"}`
	}
	output := `{"type":"message","content":[` + part + `]}`
	if state == "error" {
		output = ""
	}
	response := fmt.Sprintf(`{"object":"response",%s,"output":[%s]}`, status, output)
	if !stream {
		return []string{response}
	}
	content := ""
	switch {
	case state == "refused":
		content = `{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"Nein."}`
	case textOf(state) != "":
		content = fmt.Sprintf(`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":%q}`, textOf(state))
	}
	kind := map[bool]string{true: "response.completed", false: "response.incomplete"}[strings.Contains(status, "completed")]
	if state == "error" {
		kind = "response.failed"
	}
	return present(`{"type":"response.created","response":{"status":"in_progress","output":[]}}`, content,
		fmt.Sprintf(`{"type":%q,"response":%s}`, kind, response))
}

func messagesPieces(stream bool, state string) []string {
	const broken = `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`
	stop := pick(map[string]string{"refused": "refusal", "truncated": "max_tokens", "short": "max_tokens"}, state, "end_turn")
	block, delta := "", ""
	if text := textOf(state); text != "" {
		block = fmt.Sprintf(`{"type":"text","text":%q}`, text)
		delta = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n" +
			fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, text)
	}
	end := fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q}}`+"\n"+`{"type":"message_stop"}`, stop)
	switch {
	case state == "error" && !stream:
		return []string{broken}
	case !stream:
		return []string{fmt.Sprintf(`{"type":"message","content":[%s],"stop_reason":%q}`, block, stop)}
	case state == "error":
		end = broken
	}
	return present(`{"type":"message_start","message":{"type":"message","content":[]}}`+"\n"+`{"type":"ping"}`, delta, end)
}

func geminiPieces(stream bool, state string) []string {
	const broken = `{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}`
	finish := pick(map[string]string{"refused": "SAFETY", "filtered": "RECITATION", "truncated": "MAX_TOKENS", "short": "MAX_TOKENS"}, state, "STOP")
	piece := func(more string) string { return `{"candidates":[{"index":0` + more + `}]}` }
	content := fmt.Sprintf(`,"content":{"role":"model","parts":[{"text":%q}]}`, textOf(state))
	if textOf(state) == "" {
		content = ""
	}
	switch {
	case state == "error" && !stream:
		return []string{broken}
	case !stream:
		return []string{piece(content + `,"finishReason":"` + finish + `"`)}
	}
	end := piece(`,"finishReason":"` + finish + `"`)
	if state == "error" {
		end = broken
	}
	text := ""
	if content != "" {
		text = piece(content)
	}
	return present(piece(`,"content":{"role":"model","parts":[{"text":"hm","thought":true}]}`), text, end)
}

func ollamaPieces(field string) func(stream bool, state string) []string {
	return func(stream bool, state string) []string {
		const broken = `{"error":"out of memory"}`
		reason := pick(map[string]string{"truncated": "length", "short": "length"}, state, "stop")
		end := `,"done":true,"done_reason":"` + reason + `"}`
		part := func(text string) string { return `{"model":"m",` + fmt.Sprintf(field, text) }
		switch {
		case state == "error" && !stream:
			return []string{broken}
		case !stream:
			return []string{part(textOf(state)) + end}
		}
		content := ""
		if text := textOf(state); text != "" {
			content = part(text) + `,"done":false}`
		}
		if state == "error" {
			return present(part("")+`,"done":false}`, content, broken)
		}
		return present(part("")+`,"done":false}`, content, part("")+end)
	}
}
