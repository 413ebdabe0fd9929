package llm_test

import (
	"fmt"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestEndpoint(t *testing.T) {
	tests := []struct {
		path, why string
		dialect   llm.Dialect
		stream    bool
	}{
		{"/v1/chat/completions", "the usual path", llm.OpenAIChat, false},
		{"/chat/completions/", "a slash at the end", llm.OpenAIChat, false},
		{"/openai/deployments/gpt-prod/chat/completions", "Azure's deployments", llm.OpenAIChat, false},
		{"/v1/responses", "the usual path", llm.OpenAIResponses, false},
		{"/openai/v1/responses", "Azure's newer form", llm.OpenAIResponses, false},
		{"/v1/responses/resp_1", "a stored response is no question", "", false},
		{"/v1/responses/resp_1/cancel", "nor is this", "", false},
		{"/v1/messages", "the usual path", llm.AnthropicMessages, false},
		{"/anthropic/v1/messages", "a gateway's prefix", llm.AnthropicMessages, false},
		{"/v1/messages/count_tokens", "counts, does not answer", "", false},
		{"/v1/messages/batches", "answers later", "", false},
		{"/v1/threads/t_1/messages", "another API with the same word", "", false},
		{"/v1beta/models/gemini-4-flash:generateContent", "the usual path", llm.GeminiGenerate, false},
		{"/v1beta/models/gemini-4-flash:streamGenerateContent", "the path asks for the stream", llm.GeminiGenerate, true},
		{"/v1/projects/p/locations/l/publishers/google/models/gemini-4-flash:streamGenerateContent", "Vertex", llm.GeminiGenerate, true},
		{"/v1beta/models/gemini-4-flash:countTokens", "counts, does not answer", "", false},
		{"/v1beta/models/gemini-4-flash:batchGenerateContent", "answers later", "", false},
		{"/v1beta/models/:generateContent", "no model", "", false},
		{"/api/chat", "the usual path", llm.OllamaChat, false},
		{"/ollama/api/generate", "a gateway's prefix", llm.OllamaGenerate, false},
		{"/v1/embeddings", "no conversation", "", false},
		{"/v1/completions", "the older API", "", false},
		{"", "nothing", "", false},
	}
	for _, tt := range tests {
		if d, stream, ok := llm.Endpoint(tt.path); d != tt.dialect || stream != tt.stream || ok != (tt.dialect != "") {
			t.Errorf("%s (%s): %q, stream %v, ok %v", tt.path, tt.why, d, stream, ok)
		}
	}
}

func ExampleEndpoint() {
	fmt.Println(llm.Endpoint("/v1beta/models/gemini-4-flash:streamGenerateContent"))
	// Output: gemini-generate true true
}
