package llm

// assembler puts the streamed answer of one dialect together.
type assembler interface {
	// take reads an event.
	take(name string, v value) step
	// reply gives the answer as far as it came, and says whether nothing is missing.
	reply() (r Reply, whole bool)
}

// step is what an event brought: content that is not empty, the end of the answer, or
// a failure.
type step struct {
	content bool
	end     bool
	failure *Failure
}

func assemblerOf(d Dialect) assembler {
	switch d {
	case OpenAIChat:
		return &chatAnswer{}
	case OpenAIResponses:
		return &responsesAnswer{}
	case AnthropicMessages:
		return &anthropicAnswer{}
	case GeminiGenerate:
		return &geminiAnswer{}
	case OllamaChat, OllamaGenerate:
		return &ollamaAnswer{}
	default:
		return nil
	}
}
