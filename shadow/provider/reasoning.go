package provider

import (
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// efforts are the words for how much to think, from none to all.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// nearest is the offered word that comes next to the wanted one, the lesser of two; a
// word that is not known stays. It notes a word that had to be exchanged.
func nearest(want string, r *llm.Record, offered ...string) string {
	at := slices.Index(efforts, want)
	if at < 0 || len(offered) == 0 || slices.Contains(offered, want) {
		return want
	}
	best, distance := offered[0], len(efforts)
	for _, word := range offered {
		d := at - slices.Index(efforts, word)
		if d = max(d, -d); d < distance {
			best, distance = word, d
		}
	}
	r.Lose(llm.LostReasoning, "reasoning "+want+" asked as "+best)
	return best
}

// effort is how a dialect asks this model to think as much as a word says, as a patch
// of the request; nil where there is nothing to ask.
func (c *Client) effort(d llm.Dialect, word string, r *llm.Record) object {
	switch d {
	case llm.OpenAIChat, llm.OpenAIResponses:
		return c.openAIEffort(d, word, r)
	case llm.AnthropicMessages:
		if word == "none" {
			return object{"thinking": object{"type": "disabled", "budget_tokens": nil, "display": nil}}
		}
		return object{"output_config": object{"effort": nearest(word, r, "low", "medium", "high", "xhigh", "max")}}
	case llm.GeminiGenerate:
		return object{"generationConfig": object{"thinkingConfig": c.geminiThinking(word, r)}}
	}
	if word == "none" {
		return object{"think": false}
	}
	return object{"think": nearest(word, r, "low", "medium", "high")}
}

func (c *Client) openAIEffort(d llm.Dialect, word string, r *llm.Record) object {
	switch model := openAIModelOf(c.end.Model); {
	case model.series:
		word = nearest(word, r, "low", "medium", "high")
	case model.major == 5 && model.minor == 0:
		word = nearest(word, r, "minimal", "low", "medium", "high")
	case model.known && model.major < 5 && word == "none":
		return nil // it never thinks, and refuses the field
	}
	if d == llm.OpenAIResponses {
		return object{"reasoning": object{"effort": word}}
	}
	return object{"reasoning_effort": word}
}

// geminiBudgets are the tokens that Google's own translation gives for the words.
var geminiBudgets = map[string]int{"low": 1024, "medium": 8192, "high": 24576}

// geminiThinking is the switch of Gemini's thinking: a budget of 0 switches it off,
// which the larger models do not allow; more is a level, a budget before generation 3.
func (c *Client) geminiThinking(word string, r *llm.Record) object {
	version, large := versionIn(geminiVersion, c.end.Model), strings.Contains(c.end.Model, "-pro")
	old := version.major == 2
	switch {
	case word == "none" && !large:
		return object{"thinkingBudget": 0, "thinkingLevel": nil}
	case large:
		word = nearest(word, r, "low", "medium", "high")
	case old:
		word = nearest(word, r, "low", "medium", "high")
	default:
		word = nearest(word, r, "minimal", "low", "medium", "high")
	}
	if old {
		return object{"thinkingBudget": geminiBudgets[word], "thinkingLevel": nil}
	}
	return object{"thinkingLevel": word, "thinkingBudget": nil}
}

// reason asks to think as much as the endpoint says, else as much as the question does.
func (e *encoder) reason(d llm.Dialect) {
	word := e.c.end.Reasoning
	if word == "" {
		if word = e.q.Effort; word == "" {
			return
		}
		if !e.thinks(d) {
			if word != "none" {
				e.Lose(llm.LostReasoning, "")
			}
			return
		}
	}
	patch(e.body, e.c.effort(d, word, &e.Record))
}

// plainOllama are families that Ollama serves and that cannot think: it refuses to ask them to.
var plainOllama = []string{"llama2", "llama3", "llama4", "gemma2", "gemma3", "gemma:", "mistral", "mixtral", "phi3", "phi4:", "qwen2", "codellama", "command-r"}

// thinks says whether the model takes a word for how much to think, as far as its id tells.
func (e *encoder) thinks(d llm.Dialect) bool {
	id := e.c.end.Model
	switch d {
	case llm.OpenAIChat, llm.OpenAIResponses:
		model := openAIModelOf(id)
		return !model.known && !e.own || model.series || model.major >= 5
	case llm.AnthropicMessages:
		version := versionIn(claudeVersion, id)
		return e.q.Effort == "none" || version == generation{} && !claudeThree.MatchString(id) || version.atLeast(4, 6)
	case llm.GeminiGenerate:
		version := versionIn(geminiVersion, id)
		return version == generation{} || version.atLeast(2, 5)
	}
	return e.q.Effort == "none" || !slices.ContainsFunc(plainOllama, func(family string) bool { return strings.HasPrefix(id, family) })
}

// settle fits a prompt of ours to the model: where it may think, the limit has room for
// its thoughts beside the reply, and no temperature is asked for.
func (e *encoder) settle(d llm.Dialect) {
	if !e.mayThink(d) {
		return
	}
	e.q.Temperature = ""
	if e.q.MaxTokens != nil {
		limit := *e.q.MaxTokens + e.q.ThinkTokens
		e.q.MaxTokens = &limit
	}
}

// mayThink says whether the model may think although it is asked what the word says:
// false only where it is known not to.
func (e *encoder) mayThink(d llm.Dialect) bool {
	id, word := e.c.end.Model, e.word()
	switch d {
	case llm.OpenAIChat, llm.OpenAIResponses:
		model := openAIModelOf(id)
		if !model.known {
			return e.c.end.Reasoning != "none" // a server of one's own is asked what the configuration says, and nothing else
		}
		return model.reasons(word) || model.major == 5 && model.minor == 0
	case llm.GeminiGenerate:
		version := versionIn(geminiVersion, id)
		if version != (generation{}) && !version.atLeast(2, 5) {
			return false
		}
		return word != "none" || strings.Contains(id, "-pro")
	case llm.OllamaChat:
		if slices.ContainsFunc(plainOllama, func(family string) bool { return strings.HasPrefix(id, family) }) {
			return false
		}
		return word != "none" || strings.Contains(id, "gpt-oss") // it thinks a little at the least
	}
	return word != "none" && !claudeThree.MatchString(id)
}
