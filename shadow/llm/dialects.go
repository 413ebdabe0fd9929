package llm

import "errors"

// Further dialects. Judges and probes are asked in them and whole answers are
// decoded (not yet of OpenAIResponses); of requests only the contract is read, see
// [RequestContract], and streams of users are read in [OpenAIChat] only.
const (
	OpenAIResponses   Dialect = "openai-responses"
	AnthropicMessages Dialect = "anthropic-messages"
	GeminiGenerate    Dialect = "gemini-generate"
	OllamaChat        Dialect = "ollama-chat"
)

// Errors of reading a client's request.
var (
	// ErrDialect is a dialect that is not read here.
	ErrDialect = errors.New("dialect is not supported")
	// ErrRequest is a body that is not one JSON object.
	ErrRequest = errors.New("request is not a JSON object")
	// ErrNoMessages is a request without any conversation in it.
	ErrNoMessages = errors.New("request has no messages")
)
