package llm

import (
	"fmt"
	"slices"
)

// WithRemark makes a request that goes on from a client's: its conversation, then the
// answer's text, then a remark of the user's. All else stays byte for byte.
//
// Errors: [ErrRequest] for a body that is not one JSON object, or whose conversation
// is not a list (of Responses also a text); [ErrDialect] for ollama-generate, which
// has no turns.
func WithRemark(d Dialect, body []byte, answer, remark string) ([]byte, error) {
	v, err := request(d, body)
	if err != nil {
		return nil, fmt.Errorf("add a remark: %w", err)
	}
	key := "messages"
	turns := [...]value{messageOf("assistant", answer), messageOf("user", remark)}
	switch d {
	case OpenAIResponses:
		key = "input"
	case GeminiGenerate:
		key = "contents"
		turns = [...]value{contentOf("model", answer), contentOf("user", remark)}
	case OllamaGenerate:
		return nil, fmt.Errorf("add a remark: %w", ErrDialect)
	}
	list := v.get(key)
	if text, ok := list.text(); ok && d == OpenAIResponses {
		list = slices.Concat(value("["), messageOf("user", text), value("]"))
	}
	if !list.list() {
		return nil, fmt.Errorf("add a remark: %w: %s is no list", ErrRequest, key)
	}
	s := splicer{text: v}
	for m := range v.members() {
		s.fields = append(s.fields, field{member: m})
	}
	var all []byte
	for item := range list.items() {
		all = append(append(all, item...), ',')
	}
	all = slices.Concat([]byte("["), all, turns[0], []byte(","), turns[1], []byte("]"))
	s.apply(Edit{Key: key, Value: all})
	return s.bytes(), nil
}

func messageOf(role, text string) value {
	return slices.Concat(value(`{"role":"`+role+`","content":`), quote(text), value("}"))
}

func contentOf(role, text string) value {
	return slices.Concat(value(`{"role":"`+role+`","parts":[{"text":`), quote(text), value("}]}"))
}
