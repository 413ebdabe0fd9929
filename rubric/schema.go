package rubric

import "encoding/json"

// schema mirrors the JSON schema of a verdict; its field order is the order of the keys.
type schema struct {
	Type       string   `json:"type"`
	Properties verdict  `json:"properties"`
	Required   []string `json:"required"`
	Additional bool     `json:"additionalProperties"`
}

type verdict struct {
	Reason  property `json:"reason"`
	Grade   property `json:"grade"`
	Problem property `json:"problem"`
}

type property struct {
	Type        string `json:"type"`
	Enum        []any  `json:"enum,omitempty"`
	Description string `json:"description"`
}

// Schema is the JSON schema of a verdict, in the subset that providers take in
// strict mode: every property required, no others, grade an integer out of 1..6,
// problem out of the closed list. It is the one form that [Rubric.Parse] accepts.
// The reason comes first: a model writes the keys in this order, and grades better
// after it has named its ground.
func (r *Rubric) Schema() json.RawMessage {
	s := schema{Type: "object", Required: []string{"reason", "grade", "problem"}}
	s.Properties.Reason = property{Type: "string", Description: "why, in one or two sentences"}
	s.Properties.Grade = property{Type: "integer", Description: "from 1 (best) to 6 (worst)"}
	for g := Best; g <= Worst; g++ {
		s.Properties.Grade.Enum = append(s.Properties.Grade.Enum, g)
	}
	s.Properties.Problem = property{Type: "string", Description: "the one main problem, or none"}
	for _, p := range r.problems {
		s.Properties.Problem.Enum = append(s.Properties.Problem.Enum, p.ID)
	}
	data, err := json.Marshal(s)
	if err != nil {
		panic("rubric: schema: " + err.Error()) // plain strings and numbers always encode
	}
	return data
}
