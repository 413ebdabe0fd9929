package llmfake

import (
	"fmt"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// streamed is a stream in its dialect: what comes before the first content, the
// pieces with content, and what ends it.
type streamed struct {
	media  string // content type
	head   []byte
	pieces [][]byte
	tail   []byte
}

const eventStream = "text/event-stream"

func encodeStream(c Call, a Answer) streamed {
	s := streamed{media: eventStream}
	switch c.Dialect {
	case llm.OpenAIResponses:
		s = responsesStream(c, a)
	case llm.AnthropicMessages:
		s = anthropicStream(a)
	case llm.GeminiGenerate:
		s = geminiStream(c, a)
	case llm.OllamaChat, llm.OllamaGenerate:
		s = ollamaStream(c, a)
	default:
		s = chatStream(c, a)
	}
	if a.Raw != nil {
		s.head, s.pieces, s.tail = nil, cut(a.Raw, a.Pieces, func(int) bool { return true }), nil
	}
	return s
}

// words divides the text of an answer into its pieces.
func (a Answer) words() [][]byte {
	return cut([]byte(a.Text), a.Pieces, func(i int) bool { return utf8.RuneStart(a.Text[i]) })
}

// event is a server-sent event without a name, named one with its data's type as name.
func event(v object) []byte { return fmt.Appendf(nil, "data: %s\n\n", text(v)) }

func named(kind string, v object) []byte {
	v["type"] = kind
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, text(v))
}

func chatStream(c Call, a Answer) streamed {
	delta := func(delta object, finish any) []byte {
		return chunk(c, a, object{"choices": []object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}})
	}
	s := streamed{media: eventStream, head: delta(object{"role": "assistant", "content": "", "refusal": nil}, nil)}
	for _, p := range a.words() {
		s.pieces = append(s.pieces, delta(object{"content": string(p)}, nil))
	}
	if a.Refusal != "" {
		s.pieces = append(s.pieces, delta(object{"refusal": a.Refusal}, nil))
	}
	if len(a.ToolCalls) > 0 {
		s.pieces = append(s.pieces, delta(object{"tool_calls": openAICalls(a.ToolCalls, true)}, nil))
	}
	s.tail = delta(object{}, a.finish())
	if info, err := llm.RequestInfo(llm.OpenAIChat, c.Body); err == nil && info.IncludeUsage {
		s.tail = append(s.tail, chunk(c, a, object{"choices": []object{}, "usage": openAIUsage(a)})...)
	}
	s.tail = append(s.tail, "data: [DONE]\n\n"...)
	return s
}

func chunk(c Call, a Answer, fields object) []byte {
	fields["id"], fields["object"], fields["created"], fields["model"] = fmt.Sprintf("chatcmpl-%d", c.N), "chat.completion.chunk", 0, a.Model
	return event(fields)
}

func anthropicStream(a Answer) streamed {
	message := object{"type": "message", "role": "assistant", "model": a.Model, "content": []object{}, "stop_reason": nil,
		"usage": object{"input_tokens": a.In, "output_tokens": 1}}
	s := streamed{media: eventStream, head: append(named("message_start", object{"message": message}), named("ping", object{})...)}
	index := 0
	block := func(start object, deltas ...object) {
		piece := named("content_block_start", object{"index": index, "content_block": start}) // no content yet
		for _, d := range deltas {
			piece = append(piece, named("content_block_delta", object{"index": index, "delta": d})...)
			s.pieces, piece = append(s.pieces, piece), nil
		}
		last := len(s.pieces) - 1
		s.pieces[last] = append(s.pieces[last], named("content_block_stop", object{"index": index})...)
		index++
	}
	var deltas []object
	for _, p := range a.words() {
		deltas = append(deltas, object{"type": "text_delta", "text": string(p)})
	}
	if deltas != nil {
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for _, t := range a.ToolCalls {
		block(object{"type": "tool_use", "id": t.ID, "name": t.Name, "input": object{}}, object{"type": "input_json_delta", "partial_json": t.Arguments})
	}
	s.tail = append(named("message_delta", object{"delta": anthropicStop(a), "usage": object{"output_tokens": a.Out}}), named("message_stop", object{})...)
	return s
}

// geminiStream sends events, or without alt=sse the entries of one list.
func geminiStream(c Call, a Answer) streamed {
	var chunks []object
	for _, p := range a.words() {
		chunks = append(chunks, geminiChunk(a, []object{{"text": string(p)}}, false))
	}
	if calls := geminiCalls(a); calls != nil {
		chunks = append(chunks, geminiChunk(a, calls, false))
	}
	last := geminiChunk(a, []object{{"text": ""}}, true)
	if a.Refusal != "" {
		last = geminiRefusal(a)
	}
	s := streamed{media: eventStream}
	if !c.listed {
		for _, v := range chunks {
			s.pieces = append(s.pieces, event(v))
		}
		s.tail = event(last)
		return s
	}
	s.media, s.head = "application/json", []byte("[")
	for _, v := range chunks {
		s.pieces = append(s.pieces, append(text(v), ",\r\n"...))
	}
	s.tail = append(text(last), ']')
	return s
}

func ollamaStream(c Call, a Answer) streamed {
	s := streamed{media: "application/x-ndjson"}
	line := func(v object) []byte { return append(text(v), '\n') }
	for _, p := range a.words() {
		s.pieces = append(s.pieces, line(ollamaChunk(c.Dialect, a, string(p), nil)))
	}
	if a.Refusal != "" {
		s.pieces = append(s.pieces, line(ollamaChunk(c.Dialect, a, a.Refusal, nil)))
	}
	if len(a.ToolCalls) > 0 {
		s.pieces = append(s.pieces, line(ollamaChunk(c.Dialect, a, "", a.ToolCalls)))
	}
	done := ollamaAnswer(c.Dialect, Answer{Finish: a.finish(), Model: a.Model, In: a.In, Out: a.Out, Took: a.Took})
	s.tail = line(done)
	return s
}
