package sinks

import (
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/contract"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// contractOf gives the contract that a sample's request sets, the same for all arms;
// nil if it sets none or cannot be read. Redaction may have changed the schema as
// well as the answer, so it cannot be told of a redacted sample.
func contractOf(s shadow.Sample) *contract.Contract {
	if s.Redacted {
		return nil
	}
	asked, err := llm.RequestContract(s.Dialect, s.Request)
	if err != nil {
		return nil
	}
	return contract.New(asked)
}

// conforms says whether an answer keeps the contract; nil where that is unknown,
// where there is none, and for an arm that gave no answer.
func conforms(c *contract.Contract, a shadow.Answer) *bool {
	if !a.Answered() {
		return nil
	}
	kept, _ := c.Check(llm.Reply{Text: a.Text, Refusal: a.Refusal, ToolCalls: a.ToolCalls, Finish: a.Finish})
	return kept
}
