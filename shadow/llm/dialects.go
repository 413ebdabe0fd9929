package llm

import "errors"

// Further dialects. Requests and answers of all of them are read, whole and streamed.
const (
	OpenAIResponses   Dialect = "openai-responses"   // Responses
	AnthropicMessages Dialect = "anthropic-messages" // Messages, of any anthropic-version
	GeminiGenerate    Dialect = "gemini-generate"    // generateContent and streamGenerateContent
	OllamaChat        Dialect = "ollama-chat"        // Ollama's own /api/chat
	OllamaGenerate    Dialect = "ollama-generate"    // Ollama's own /api/generate
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
