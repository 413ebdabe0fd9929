package provider

import (
	"slices"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Losses are what a client's requests in a dialect may ask for and this model cannot be
// asked as it was, in the order of [llm.Losses]: what a request that has every field
// would lose. Nothing is sent.
func (c *Client) Losses(d llm.Dialect) []llm.Loss {
	out, err := c.encode(llm.Request{Dialect: d, Body: []byte(everything[d])})
	if err != nil {
		return nil // of a dialect that is not known
	}
	return slices.DeleteFunc(llm.Losses(), func(l llm.Loss) bool { return !slices.Contains(out.Lost, l) })
}

const (
	aSchema = `{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"additionalProperties":false}`
	anImage = "iVBORw0KGgo="
)

// everything is a request of each dialect with all that it may have and that can be put
// to another provider at all.
var everything = map[llm.Dialect]string{
	llm.OpenAIChat: `{"messages":[{"role":"system","content":"s"},{"role":"user","name":"u","content":[{"type":"text","text":"q"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + anImage + `","detail":"high"}}]},
		{"role":"assistant","reasoning_content":"t","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"r"},{"role":"developer","content":"s"},{"role":"user","content":"q"}],
		"temperature":1.5,"top_p":0.5,"seed":1,"stop":["x"],"presence_penalty":0.5,"frequency_penalty":0.5,"logit_bias":{"1":1},"logprobs":true,"top_logprobs":2,
		"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":` + aSchema + `}}],"tool_choice":"required","parallel_tool_calls":false,
		"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + aSchema + `}},"reasoning_effort":"minimal","verbosity":"low","service_tier":"flex"}`,
	llm.OpenAIResponses: `{"input":[{"role":"user","content":[{"type":"input_text","text":"q"},{"type":"input_image","image_url":"data:image/png;base64,` + anImage + `","detail":"high"}]},{"type":"reasoning","summary":[]},
		{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"r"},{"role":"developer","content":"s"},{"role":"user","content":"q"}],
		"temperature":1.5,"top_p":0.5,"top_logprobs":2,"tools":[{"type":"function","name":"f","strict":true,"parameters":` + aSchema + `},{"type":"custom","name":"g"}],"tool_choice":"required","parallel_tool_calls":false,
		"text":{"verbosity":"low","format":{"type":"json_schema","name":"n","schema":` + aSchema + `}},"reasoning":{"effort":"minimal"},"truncation":"auto","service_tier":"flex"}`,
	llm.AnthropicMessages: `{"max_tokens":100,"messages":[{"role":"user","content":[{"type":"text","text":"q","cache_control":{"type":"ephemeral"}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"}}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"r"}]}],
		"temperature":0.5,"top_p":0.5,"top_k":5,"stop_sequences":["x"],"thinking":{"type":"enabled","budget_tokens":1024},"service_tier":"auto",
		"tools":[{"name":"f","strict":true,"input_schema":` + aSchema + `}],"tool_choice":{"type":"any","disable_parallel_tool_use":true},
		"output_config":{"format":{"type":"json_schema","schema":` + aSchema + `}}}`,
	llm.GeminiGenerate: `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"AA=="}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":"r"}}}]}],
		"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}],
		"generationConfig":{"temperature":1.5,"topP":0.5,"topK":5,"seed":1,"stopSequences":["x"],"presencePenalty":0.5,"frequencyPenalty":0.5,"responseLogprobs":true,"mediaResolution":"MEDIA_RESOLUTION_LOW",
		"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"n":{"type":"INTEGER"}}},"thinkingConfig":{"thinkingBudget":1024}}}`,
	llm.OllamaChat: `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"q","images":["` + anImage + `"]},{"role":"assistant","content":"","thinking":"t","tool_calls":[{"function":{"name":"f","arguments":{}}}]},{"role":"tool","tool_name":"f","content":"r"}],
		"tools":[{"type":"function","function":{"name":"f"}}],"format":` + aSchema + `,"think":true,
		"options":{"temperature":1.5,"top_p":0.5,"top_k":5,"seed":1,"stop":["x"],"presence_penalty":0.5,"frequency_penalty":0.5,"repeat_penalty":1.1}}`,
	llm.OllamaGenerate: `{"system":"s","prompt":"q","images":["` + anImage + `"],"format":` + aSchema + `,"think":true,
		"options":{"temperature":1.5,"top_p":0.5,"top_k":5,"seed":1,"stop":["x"],"presence_penalty":0.5,"frequency_penalty":0.5,"repeat_penalty":1.1}}`,
}
