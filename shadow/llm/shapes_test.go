package llm_test

import (
	"fmt"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// named writes server-sent events that carry their type in the data too.
func named(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, e)
	}
	return b.String()
}

// unnamed writes server-sent events without a name.
func unnamed(events ...string) string { return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n" }

func lines(objects ...string) string { return strings.Join(objects, "\n") + "\n" }

// Shapes of the dialects' streams, after the vendors' documentation.
const (
	claudeStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":1}}}`
	claudePing  = `{"type":"ping"}`
	claudeThink = `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`
	claudeHm    = `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`
	claudeSign  = `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}`
	claudeOpen  = `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`
	claudeA     = `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"A"}}`
	claudeB     = `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ß 🎭"}}`
	claudeTool  = `{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"find_order","input":{}}}`
	claudeArg0  = `{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}`
	claudeArg1  = `{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"order\":"}}`
	claudeArg2  = `{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":" 4711}"}}`
	claudeEnd   = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15,"output_tokens_details":{"thinking_tokens":4}}}`
	claudeStop  = `{"type":"message_stop"}`

	respCreated = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"model":"gpt-6-mini-2026-05-01","output":[],"usage":null}}`
	respItem    = `{"type":"response.output_item.added","sequence_number":1,"output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}`
	respPart    = `{"type":"response.content_part.added","sequence_number":2,"item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`
	respA       = `{"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"A","obfuscation":"x"}`
	respB       = `{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"ß 🎭"}`
	respCall    = `{"type":"response.output_item.added","sequence_number":5,"output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_1","name":"find_order","arguments":""}}`
	respArg1    = `{"type":"response.function_call_arguments.delta","sequence_number":6,"item_id":"fc_1","output_index":2,"delta":"{\"order\":"}`
	respArg2    = `{"type":"response.function_call_arguments.delta","sequence_number":7,"item_id":"fc_1","output_index":2,"delta":" 4711}"}`
	respUsage   = `"usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":5,"cache_write_tokens":2},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":29}`
	respMessage = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Aß 🎭","annotations":[]}]}`
	respThought = `{"id":"rs_1","type":"reasoning","summary":[]}`
	respDone    = `{"type":"response.completed","sequence_number":8,"response":{"id":"resp_1","object":"response","status":"completed","error":null,"model":"gpt-6-mini-2026-05-01","output":[` + respThought + `,` + respMessage + `],` + respUsage + `}}`
	respBare    = `{"type":"response.completed","sequence_number":8,"response":{"id":"resp_1","status":"completed","model":"gpt-6-mini-2026-05-01",` + respUsage + `}}`

	geminiHm   = `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}],"role":"model"},"index":0}],"modelVersion":"gemini-4-flash","responseId":"r"}`
	geminiA    = `{"candidates":[{"content":{"parts":[{"text":"A"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":7,"totalTokenCount":7},"modelVersion":"gemini-4-flash"}`
	geminiB    = `{"candidates":[{"content":{"parts":[{"text":"ß 🎭"}],"role":"model"},"index":0}],"modelVersion":"gemini-4-flash"}`
	geminiCall = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"find_order","args":{"order":4711}}}],"role":"model"},"index":0}],"modelVersion":"gemini-4-flash"}`
	geminiEnd  = `{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"thoughtsTokenCount":4,"cachedContentTokenCount":2,"totalTokenCount":14},"modelVersion":"gemini-4-flash"}`

	ollamaHm   = `{"model":"qwen3:8b","created_at":"2026-11-02T06:52:12Z","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}`
	ollamaA    = `{"model":"qwen3:8b","message":{"role":"assistant","content":"A"},"done":false}`
	ollamaB    = `{"model":"qwen3:8b","message":{"role":"assistant","content":"ß 🎭"},"done":false}`
	ollamaCall = `{"model":"qwen3:8b","message":{"role":"assistant","content":"","tool_calls":[{"function":{"index":0,"name":"find_order","arguments":{"order":4711}}}]},"done":false}`
	ollamaEnd  = `{"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":4883583458,"load_duration":1334875,"prompt_eval_count":7,"prompt_eval_duration":342546000,"eval_count":3,"eval_duration":4535599000}`
)

// claude is a whole answer with thinking and text, and more events before its end.
func claude(more ...string) string {
	return named(append(append([]string{claudeStart, claudePing, claudeThink, claudeHm, claudeSign, claudeOpen, claudeA, claudeB}, more...), claudeEnd, claudeStop)...)
}

var order = llm.ToolCall{Name: "find_order", Arguments: `{"order":4711}`}

// orderAs is the call as a dialect sends it: with an id, and arguments in pieces.
func orderAs(id string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "find_order", Arguments: `{"order": 4711}`}
}
