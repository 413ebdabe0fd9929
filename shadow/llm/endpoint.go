package llm

import "strings"

// endpoints says which path is which dialect, by its end: clients put hosts' prefixes,
// Azure's deployments and Vertex's projects before it.
var endpoints = [...]struct {
	suffix  string
	dialect Dialect
	stream  bool
}{
	{"/chat/completions", OpenAIChat, false},
	{"/responses", OpenAIResponses, false},
	{"/v1/messages", AnthropicMessages, false},
	{":generateContent", GeminiGenerate, false},
	{":streamGenerateContent", GeminiGenerate, true},
	{"/api/chat", OllamaChat, false},
	{"/api/generate", OllamaGenerate, false},
}

// Endpoint finds the dialect of a POST by its path (without the query), and says
// whether the path itself asks for a stream, as only Gemini's does; for the others
// [RequestInfo] reads that from the body. One slash at the end is ignored.
//
//	…/chat/completions               openai-chat; Azure's /openai/deployments/NAME/ before it too
//	…/responses                      openai-responses
//	…/v1/messages                    anthropic-messages
//	…/MODEL:generateContent          gemini-generate
//	…/MODEL:streamGenerateContent    gemini-generate, a stream
//	…/api/chat                       ollama-chat
//	…/api/generate                   ollama-generate
//
// ok is false for any other path: embeddings, batches, counting tokens, a stored
// response by its id. An application's own /api/chat looks like Ollama's; whoever taps
// one has to say which paths are meant.
func Endpoint(path string) (d Dialect, stream, ok bool) {
	path = strings.TrimSuffix(path, "/")
	for _, e := range endpoints {
		if strings.HasSuffix(path, e.suffix) && (e.dialect != GeminiGenerate || geminiModel(path) != "") {
			return e.dialect, e.stream, true
		}
	}
	return "", false, false
}

// geminiModel is the model in a path of Gemini's, "" without one.
func geminiModel(path string) string {
	name, _, found := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	if !found {
		return ""
	}
	return name
}
