package llmfake

import (
	"fmt"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func responsesAnswer(c Call, a Answer) object {
	output := []object{}
	if message := responsesMessage(a); message != nil {
		output = append(output, message)
	}
	for i, t := range a.ToolCalls {
		output = append(output, responsesCall(i, t, t.Arguments))
	}
	out := responsesHead(c, a)
	out["output"], out["status"] = output, "completed"
	out["usage"] = object{"input_tokens": a.In, "output_tokens": a.Out, "total_tokens": a.In + a.Out}
	switch a.finish() {
	case llm.FinishLength:
		out["status"], out["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	case llm.FinishFiltered:
		out["status"], out["incomplete_details"] = "incomplete", object{"reason": "content_filter"}
	}
	return out
}

func responsesHead(c Call, a Answer) object {
	return object{"id": fmt.Sprintf("resp_%d", c.N), "object": "response", "created_at": 0, "status": "in_progress",
		"error": nil, "incomplete_details": nil, "model": a.Model, "output": []object{}, "usage": nil}
}

// responsesMessage is the message with text and refusal, nil without any.
func responsesMessage(a Answer) object {
	content := []object{}
	if a.Text != "" {
		content = append(content, object{"type": "output_text", "text": a.Text, "annotations": []object{}})
	}
	if a.Refusal != "" {
		content = append(content, object{"type": "refusal", "refusal": a.Refusal})
	}
	if len(content) == 0 {
		return nil
	}
	return object{"id": "msg_0", "type": "message", "status": "completed", "role": "assistant", "content": content}
}

func responsesCall(i int, t llm.ToolCall, arguments string) object {
	return object{"id": fmt.Sprintf("fc_%d", i), "type": "function_call", "status": "completed", "call_id": t.ID, "name": t.Name, "arguments": arguments}
}

// responsesEvents numbers the events of a stream.
type responsesEvents struct{ next int }

func (e *responsesEvents) event(kind string, v object) []byte {
	v["sequence_number"] = e.next
	e.next++
	return named("response."+kind, v)
}

func responsesStream(c Call, a Answer) streamed {
	s := streamed{media: eventStream}
	var e responsesEvents
	s.head = e.event("created", object{"response": responsesHead(c, a)})
	item := 0
	if message := responsesMessage(a); message != nil {
		s.head = append(s.head, e.event("output_item.added", object{"output_index": 0, "item": object{"id": "msg_0", "type": "message", "role": "assistant", "content": []object{}}})...)
		for _, p := range a.words() {
			s.pieces = append(s.pieces, e.event("output_text.delta", part("delta", string(p), 0)))
		}
		if a.Refusal != "" {
			at := min(len(a.Text), 1) // behind the text, where there is one
			s.pieces = append(s.pieces, e.event("refusal.delta", part("delta", a.Refusal, at)))
		}
		last := len(s.pieces) - 1
		s.pieces[last] = append(s.pieces[last], e.event("output_item.done", object{"output_index": 0, "item": message})...)
		item++
	}
	for i, t := range a.ToolCalls {
		id := fmt.Sprintf("fc_%d", i)
		piece := e.event("output_item.added", object{"output_index": item, "item": responsesCall(i, t, "")})
		for _, p := range cut([]byte(t.Arguments), 2, func(at int) bool { return utf8.RuneStart(t.Arguments[at]) }) {
			piece = append(piece, e.event("function_call_arguments.delta", object{"item_id": id, "output_index": item, "delta": string(p)})...)
		}
		piece = append(piece, e.event("function_call_arguments.done", object{"item_id": id, "output_index": item, "arguments": t.Arguments})...)
		s.pieces = append(s.pieces, append(piece, e.event("output_item.done", object{"output_index": item, "item": responsesCall(i, t, t.Arguments)})...))
		item++
	}
	answer := responsesAnswer(c, a)
	s.tail = e.event(fmt.Sprint(answer["status"]), object{"response": answer})
	return s
}

// part is a piece of the message's part with this index.
func part(name, piece string, index int) object {
	return object{"item_id": "msg_0", "output_index": 0, "content_index": index, name: piece}
}
