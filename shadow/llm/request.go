package llm

import "fmt"

// Info is what a client's request says about itself.
type Info struct {
	// Model is the model that was asked for; of several model keys the last counts.
	// Gemini names it in the path only.
	Model string
	// Stream says that the answer is to be streamed: Ollama does unless it is told not
	// to, and for Gemini the path says it, see [Endpoint], so that it is false here.
	Stream bool
	// IncludeUsage says that a stream is to end with token counts; dialects other than
	// [OpenAIChat] always send them.
	IncludeUsage bool
	// N is the number of answers that were asked for; 1 if the request does not say.
	N int
	// MaxTokens is the limit of the answer's length, nil if there is none.
	MaxTokens *int64
}

// RequestInfo reads a client's request as far as it can be read: a field of the
// wrong type counts as absent. Errors: [ErrRequest], [ErrDialect].
func RequestInfo(d Dialect, body []byte) (Info, error) {
	v, err := request(d, body)
	if err != nil {
		return Info{}, fmt.Errorf("read request: %w", err)
	}
	info := Info{Model: v.get("model").str(), Stream: v.get("stream").yes(), IncludeUsage: true, N: 1}
	var n value
	switch d {
	case OpenAIChat:
		info.IncludeUsage = v.get("stream_options", "include_usage").yes()
		info.MaxTokens, n = v.either("max_completion_tokens", "max_tokens").count(), v.get("n")
	case OpenAIResponses:
		info.MaxTokens = v.get("max_output_tokens").count()
	case AnthropicMessages:
		info.MaxTokens = v.get("max_tokens").count()
	case GeminiGenerate:
		config := v.either("generationConfig", "generation_config")
		info.Model, info.Stream = "", false
		info.MaxTokens = config.either("maxOutputTokens", "max_output_tokens").count()
		n = config.either("candidateCount", "candidate_count")
	case OllamaChat, OllamaGenerate:
		info.Stream = !v.get("stream").is('f')
		info.MaxTokens = v.get("options", "num_predict").count()
	}
	if n := n.count(); n != nil {
		info.N = int(min(*n, 1<<31-1))
	}
	return info, nil
}
