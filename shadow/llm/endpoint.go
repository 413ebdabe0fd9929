package llm

import "strings"

// Surface is a kind of path that clients POST requests to.
type Surface struct {
	// Suffix is how the path ends: clients put hosts' prefixes, Azure's deployments and
	// Vertex's projects before it.
	Suffix  string
	Dialect Dialect
	// Stream says that the path itself asks for a stream, as only Gemini's does; for
	// the others [RequestInfo] reads that from the body.
	Stream bool
}

// Surfaces lists all that are read here; no path belongs to two of them.
//
//	…/chat/completions               openai-chat; Azure's /openai/deployments/NAME/ before it too
//	…/responses                      openai-responses
//	…/v1/messages                    anthropic-messages
//	…/MODEL:generateContent          gemini-generate
//	…/MODEL:streamGenerateContent    gemini-generate, a stream
//	…/api/chat                       ollama-chat
//	…/api/generate                   ollama-generate
//
// An application's own /api/chat looks like Ollama's; whoever taps one has to say
// which paths are meant.
func Surfaces() []Surface {
	return []Surface{
		{"/chat/completions", OpenAIChat, false},
		{"/responses", OpenAIResponses, false},
		{"/v1/messages", AnthropicMessages, false},
		{":generateContent", GeminiGenerate, false},
		{":streamGenerateContent", GeminiGenerate, true},
		{"/api/chat", OllamaChat, false},
		{"/api/generate", OllamaGenerate, false},
	}
}

// Has says whether a path (without the query) is of this kind. One slash at its end is
// ignored; a path of Gemini's names a model.
func (s Surface) Has(path string) bool {
	path = strings.TrimSuffix(path, "/")
	return strings.HasSuffix(path, s.Suffix) && (s.Dialect != GeminiGenerate || geminiModel(path) != "")
}

// Endpoint finds the dialect of a POST among [Surfaces] by its path (without the
// query), and says whether the path itself asks for a stream. ok is false for any other
// path: embeddings, batches, counting tokens, a stored response by its id.
func Endpoint(path string) (d Dialect, stream, ok bool) {
	for _, s := range Surfaces() {
		if s.Has(path) {
			return s.Dialect, s.Stream, true
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
