package candidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// record writes what the model said into its answer. A failed answer keeps what was
// said before it failed: it is shown, never graded. late says that the arm's time
// limit was over when the call returned.
func (a *Asker) record(ctx context.Context, answer *shadow.Answer, arm arm, s shadow.Sample, reply llm.Reply, err error, late bool) {
	answer.Snapshot = reply.Model
	answer.Text, answer.Refusal = clean(reply.Text), clean(reply.Refusal)
	answer.ToolCalls = toolCalls(reply.ToolCalls)
	answer.Finish = reply.Finish
	answer.Usage = reply.Usage
	answer.Attempts = max(reply.Attempts, 1)
	answer.Status = reply.Status
	answer.Lost, answer.Notes = reply.Lost, append(slices.Clip(reply.Notes), trace(reply)...)
	for _, call := range reply.Trace {
		answer.Uses = append(answer.Uses, shadow.Use{Model: call.Model, Fate: call.Fate, Usage: call.Usage})
	}
	if err == nil {
		answer.Failure = nothing(reply) // a whole answer that comes late is slow, not lost
		return
	}
	var failure *llm.Failure
	if errors.As(err, &failure) {
		answer.Status = cmp.Or(failure.Status, reply.Status)
	} else if !late && ctx.Err() == nil {
		a.log.ErrorContext(ctx, "model failed against its contract", "sample", s.ID, "arm", arm.Name, "error", err)
	}
	answer.Failure, answer.Censored = reason(failure, late)
}

// reason is why a call failed, and whether its time is a lower bound. What a time
// limit does to a connection is a time-out, whatever the model calls it; what the
// provider said itself stays what it said.
func reason(failure *llm.Failure, late bool) (llm.Reason, bool) {
	r := llm.MalformedReason
	if failure != nil && slices.Contains(llm.Reasons(), failure.Reason) {
		r = failure.Reason
	}
	switch r {
	case llm.Timeout, llm.ClientAbort:
		return llm.Timeout, true // no user is here to leave: we cut it off
	case llm.Connect, llm.Reset, llm.MalformedReason:
		if late {
			return llm.Timeout, true
		}
	}
	return r, false
}

// nothing says why a reply that came without an error is no answer; empty if it is one.
func nothing(r llm.Reply) llm.Reason {
	switch {
	case strings.TrimSpace(r.Text) != "" || strings.TrimSpace(r.Refusal) != "" || len(r.ToolCalls) > 0:
		return ""
	case r.Finish == llm.FinishLength:
		return llm.Truncated
	case r.Finish == llm.FinishFiltered:
		return llm.Filtered
	}
	return llm.Empty
}

// trace notes what a policy did: each call, what became of it, and when.
func trace(r llm.Reply) []string {
	var notes []string
	if r.Mark != llm.Plain {
		notes = append(notes, "answer "+string(r.Mark))
	}
	for i, a := range r.Trace {
		note := fmt.Sprintf("call %d: %s %s at %s for %s", i+1, a.Model, a.Fate, a.At.Round(time.Millisecond), a.Took.Round(time.Millisecond))
		for _, why := range []string{string(a.Reason), a.Code, a.Flaw} {
			if why != "" {
				note += ", " + clean(why)
			}
		}
		if a.Usage.Out != nil {
			note += fmt.Sprintf(", %d tokens", *a.Usage.Out)
		}
		notes = append(notes, note)
	}
	return notes
}

// toolCalls makes the texts of tool calls fit to be sent on.
func toolCalls(calls []llm.ToolCall) []llm.ToolCall {
	var all []llm.ToolCall
	for _, c := range calls {
		all = append(all, llm.ToolCall{ID: clean(c.ID), Name: clean(c.Name), Arguments: clean(c.Arguments)})
	}
	return all
}

// clean replaces bytes that are no UTF-8, which a message cannot carry.
func clean(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
