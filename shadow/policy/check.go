package policy

import (
	"context"
	"fmt"

	"github.com/understudy-eval/understudy/shadow/contract"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// OutputCheck holds the answer of a chain's later stages against the form that the
// request itself demands (a JSON schema, a list, tools): prompts are tried on the
// first model, and the others need not keep to it. An answer that breaks the form gets
// one correction call at the same model; if that breaks it too, the chain goes on. A
// request without a form, and a form that cannot be checked, pass.
//
// A safe value for the end is a [Resort] behind the last model.
type OutputCheck struct{}

// remark asks a model to keep to the form. It holds nothing of the answer's text.
const remark = "Your answer does not have the form that was asked for: %s. Answer the same question again, in exactly that form and with nothing else."

// contractOf is what a client's request demands; nil if nothing, or if it cannot be read.
func contractOf(req llm.Request) *contract.Contract {
	if req.Body == nil {
		return nil
	}
	asked, err := llm.RequestContract(req.Dialect, req.Body)
	if err != nil {
		return nil
	}
	return contract.New(asked)
}

// after checks a stage's answer, and the corrected one.
func (o *OutputCheck) after(ctx context.Context, req llm.Request, s *call, one step) step {
	asked := contractOf(req)
	why := broken(asked, one.reply)
	if why == "" || s.begun.Load() || one.index == nobody {
		return one
	}
	s.run.trace[one.index].Flaw = why
	body, err := llm.WithRemark(req.Dialect, req.Body, one.reply.Text, fmt.Sprintf(remark, why))
	if err == nil && len(one.reply.ToolCalls) == 0 {
		again := req
		again.Body, again.IdempotencyKey = body, ""
		second := s.do(ctx, again)
		if second.err != nil {
			return second
		}
		if one, why = second, broken(asked, second.reply); why == "" {
			return one
		}
		s.run.trace[one.index].Flaw = why
	}
	one.err = &llm.Failure{Class: llm.Malformed, Reason: llm.MalformedReason, Code: "form", Err: fmt.Errorf("answer breaks the request's form: %s", why)}
	return one
}
