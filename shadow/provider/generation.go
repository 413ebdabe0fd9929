package provider

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// What a model refuses depends on its generation, which its id tells. An id that tells
// none (a deployment's name, a server of one's own) refuses nothing that is known.
var (
	openAIGPT     = regexp.MustCompile(`^gpt-([0-9]+)(?:\.([0-9]+))?(?:[-.o]|$)`)
	openAISeries  = regexp.MustCompile(`^o[1-9](?:-|$)`)
	openAIOther   = regexp.MustCompile(`^(?:gpt-4o|chatgpt-)`)
	geminiVersion = regexp.MustCompile(`gemini-([0-9]+)(?:\.([0-9]+))?`)
	claudeVersion = regexp.MustCompile(`claude-[a-z]+-([0-9]{1,2})(?:[-.]([0-9]{1,2}))?(?:[-@]|$)`)
	claudeThree   = regexp.MustCompile(`claude-3(?:[-.][0-9])?-`)
)

// generation is a version of a family; zero is unknown.
type generation struct{ major, minor int }

func (g generation) atLeast(major, minor int) bool {
	return g.major > major || g.major == major && g.minor >= minor
}

func versionIn(re *regexp.Regexp, id string) generation {
	m := re.FindStringSubmatch(id)
	if m == nil {
		return generation{}
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi("0" + m[2])
	return generation{major, minor}
}

// openAIModel is what an id says about a model of OpenAI's.
type openAIModel struct {
	generation      // of gpt-N
	series     bool // o1, o3, o4-mini
	known      bool // it is one of OpenAI's
}

func openAIModelOf(id string) openAIModel {
	id = strings.TrimPrefix(id, "openai/")
	if tuned, ok := strings.CutPrefix(id, "ft:"); ok {
		id, _, _ = strings.Cut(tuned, ":")
	}
	m := openAIModel{generation: versionIn(openAIGPT, id), series: openAISeries.MatchString(id)}
	if strings.Contains(id, "-chat") {
		m.generation = generation{4, 0} // gpt-5-chat does not reason
	}
	m.known = m.series || m.major > 0 || openAIOther.MatchString(id)
	return m
}

// reasons says whether the model thinks before it answers, unless effort is none.
func (m openAIModel) reasons(effort string) bool {
	return m.series || m.major >= 5 && effort != "none"
}

// fit are the edits that a client's request needs so that this model's generation does
// not refuse it, with what they lose.
func (c *Client) fit(req llm.Request, out *call) []llm.Edit {
	switch req.Dialect {
	case llm.OpenAIChat, llm.OpenAIResponses:
		return c.fitOpenAI(req, out)
	case llm.AnthropicMessages:
		if out.header.Get("Anthropic-Version") >= anthropicPlain {
			return leaveOut(fieldsOf(req.Body), &out.Record, "temperature", "top_p", "top_k")
		}
	}
	return nil
}

func (c *Client) fitOpenAI(req llm.Request, out *call) []llm.Edit {
	fields := fieldsOf(req.Body)
	edits := withoutThoughts(fields["input"], &out.Record)
	model := openAIModelOf(c.end.Model)
	if !model.known || c.end.Provider != llm.ProviderOpenAI {
		return edits
	}
	effort := effortIn(fields)
	if c.end.Reasoning != "" {
		effort = c.end.Reasoning
	}
	if !model.reasons(effort) {
		return append(edits, c.fitPlain(model, fields, out)...)
	}
	if limit, both := fields["max_tokens"], fields["max_completion_tokens"]; req.Dialect == llm.OpenAIChat && limit != nil {
		if edits = append(edits, llm.Edit{Key: "max_tokens"}); both == nil {
			edits = append(edits, llm.Edit{Key: "max_completion_tokens", Value: limit})
		}
	}
	var refused []string
	if n, err := strconv.ParseFloat(string(fields["temperature"]), 64); err == nil && n != 1 {
		refused = append(refused, "temperature")
	}
	if model.atLeast(6, 0) {
		refused = append(refused, "top_p", "logprobs", "top_logprobs")
	}
	return append(edits, leaveOut(fields, &out.Record, refused...)...)
}

// withoutThoughts takes reasoning that the provider keeps for the live model out of the
// items of a Responses request: another model's request would name state that it does
// not have. The ids of the other items go too, since they ask for the reasoning beside
// them; reasoning that is in the request itself, encrypted, stays.
func withoutThoughts(input json.RawMessage, r *llm.Record) []llm.Edit {
	var items []json.RawMessage
	if json.Unmarshal(input, &items) != nil {
		return nil // a text
	}
	kept := []json.RawMessage{}
	for _, item := range items {
		fields := fieldsOf(item)
		if _, inside := fields["encrypted_content"]; string(fields["type"]) == `"reasoning"` && (!inside || string(fields["encrypted_content"]) == "null") {
			continue
		}
		kept = append(kept, item)
	}
	if len(kept) == len(items) {
		return nil
	}
	r.Lose(llm.LostThinking, "")
	for i, item := range kept {
		fields := fieldsOf(item)
		delete(fields, "id")
		if out, err := encoded(fields); err == nil && fields != nil {
			kept[i] = out
		}
	}
	value, err := encoded(kept)
	if err != nil {
		return nil
	}
	return []llm.Edit{{Key: "input", Value: value}}
}

// fitPlain takes out what only models that reason take.
func (c *Client) fitPlain(model openAIModel, fields map[string]json.RawMessage, out *call) []llm.Edit {
	if model.major >= 5 || effortIn(fields) == "" {
		return nil
	}
	if effortIn(fields) != "none" {
		out.Lose(llm.LostReasoning, "")
	}
	if _, chat := fields["reasoning_effort"]; chat {
		return []llm.Edit{{Key: "reasoning_effort"}}
	}
	return []llm.Edit{{Key: "reasoning"}}
}

// leaveOut takes fields out. A value of 1 is what these fields have by default:
// nothing is lost with it.
func leaveOut(fields map[string]json.RawMessage, r *llm.Record, names ...string) []llm.Edit {
	var edits []llm.Edit
	for _, name := range names {
		value, there := fields[name]
		if !there {
			continue
		}
		edits = append(edits, llm.Edit{Key: name})
		if n, err := strconv.ParseFloat(string(value), 64); (err != nil || n != 1) && !slices.Contains([]string{"null", "false"}, string(value)) {
			r.Lose(lossOf(name), "")
		}
	}
	return edits
}

func lossOf(field string) llm.Loss {
	switch field {
	case "temperature":
		return llm.LostTemperature
	case "top_p":
		return llm.LostTopP
	case "top_k":
		return llm.LostTopK
	}
	return llm.LostLogprobs
}

// fieldsOf are the fields of a body; none if it cannot be read.
func fieldsOf(body []byte) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields) // what is wrong with a body is said where it is used
	return fields
}

// effortIn is how much a body of either of OpenAI's dialects asks to think.
func effortIn(fields map[string]json.RawMessage) string {
	var word string
	if json.Unmarshal(fields["reasoning_effort"], &word) == nil {
		return word
	}
	var r struct{ Effort string }
	_ = json.Unmarshal(fields["reasoning"], &r) // of another type: none
	return r.Effort
}
