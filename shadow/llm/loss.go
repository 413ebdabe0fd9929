package llm

import "slices"

// Loss names what a model could not be asked as the client asked it: a closed list,
// counted per arm. An empty list says that nothing but the wording differed.
type Loss string

// The losses. Each says which thing was left out, or differs; [Reply.Notes] say how.
const (
	LostSystemPlace   Loss = "system_place"        // a system message between turns stands before them all
	LostOpening       Loss = "opening"             // a turn of the user was put before a conversation that the assistant opens
	LostPrefill       Loss = "prefill"             // a last turn of the assistant may be continued or answered
	LostThinking      Loss = "thinking"            // the reasoning of earlier turns
	LostImageDetail   Loss = "image_detail"        // the resolution at which images are to be read
	LostDocument      Loss = "document"            // a document stands as plain text
	LostCacheControl  Loss = "cache_control"       // marks for the provider's cache
	LostToolError     Loss = "tool_error"          // the mark that a tool failed; its text stays
	LostCustomTool    Loss = "custom_tool"         // a tool that takes text takes an object with one text
	LostToolStrict    Loss = "tool_strict"         // that arguments keep strictly to their schema
	LostToolChoice    Loss = "tool_choice"         // which tool has to be called
	LostParallelCalls Loss = "parallel_tool_calls" // that one call at most is wanted
	LostFormat        Loss = "format"              // the form of the answer is not demanded
	LostSchema        Loss = "schema"              // the schema is demanded in another shape, or not strictly
	LostMaxTokens     Loss = "max_tokens"          // a limit was added where the provider wants one
	LostTemperature   Loss = "temperature"
	LostTopP          Loss = "top_p"
	LostTopK          Loss = "top_k"
	LostSeed          Loss = "seed"
	LostStop          Loss = "stop"
	LostPenalties     Loss = "penalties"
	LostLogitBias     Loss = "logit_bias"
	LostLogprobs      Loss = "logprobs"
	LostReasoning     Loss = "reasoning" // how much to think, or only roughly so
	LostVerbosity     Loss = "verbosity"
	LostServiceTier   Loss = "service_tier"
	LostSafety        Loss = "safety_settings"
	LostOther         Loss = "other" // a field that is not in this list; a note names it
)

// Losses lists them all in the order in which tables show them.
func Losses() []Loss {
	return []Loss{
		LostSystemPlace, LostOpening, LostPrefill, LostThinking, LostImageDetail, LostDocument, LostCacheControl,
		LostToolError, LostCustomTool, LostToolStrict, LostToolChoice, LostParallelCalls, LostFormat, LostSchema,
		LostMaxTokens, LostTemperature, LostTopP, LostTopK, LostSeed, LostStop, LostPenalties, LostLogitBias,
		LostLogprobs, LostReasoning, LostVerbosity, LostServiceTier, LostSafety, LostOther,
	}
}

// Record is what is written down while a request is put into other words.
type Record struct {
	Lost  []Loss   // each once
	Notes []string // each once, in the order in which they arose
}

// Lose notes a loss, with words for a reader if there are any.
func (r *Record) Lose(l Loss, note string) {
	if !slices.Contains(r.Lost, l) {
		r.Lost = append(r.Lost, l)
	}
	r.Note(note)
}

// Note adds words for a reader; none if it is empty.
func (r *Record) Note(note string) {
	if note != "" && !slices.Contains(r.Notes, note) {
		r.Notes = append(r.Notes, note)
	}
}
