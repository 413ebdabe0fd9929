package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// DefaultBudget is the time that a policy has for one request, whatever it tries: below
// the 30 s after which clients and balancers give up. Before a service had it, its
// requests waited up to 60 s for nobody.
const DefaultBudget = 20 * time.Second

// errBudget is the cause when a policy's time for a request is used up.
var errBudget = fmt.Errorf("the policy's budget of time is used up: %w", context.DeadlineExceeded)

// run is what a policy knows about one request.
type run struct {
	start time.Time
	trace []llm.Attempt
}

// took is the time since the request began, at least one nanosecond: 0 is unknown.
func (r *run) took() time.Duration { return max(1, time.Since(r.start)) }

// nobody is the index of an answer that no model gave.
const nobody = -1

// add puts a call into the trace and gives the index of its answer there, or nobody.
// A policy's own calls stand in its place, and a rule's answer is no call. gone says
// that the call was given up.
func (r *run) add(m llm.Model, at time.Duration, reply llm.Reply, err error, gone bool) int {
	if len(reply.Trace) > 0 || reply.Mark == llm.LastResort {
		answer := nobody
		for _, inner := range reply.Trace {
			inner.At += at
			if inner.Fate == llm.Served {
				inner.Fate, answer = llm.Spare, len(r.trace) // until it is served here, too
			}
			r.trace = append(r.trace, inner)
		}
		return answer
	}
	a := llm.Attempt{
		Model: m.Name, Snapshot: reply.Model, At: at, FirstToken: reply.FirstToken, Took: reply.Took,
		Status: reply.Status, Usage: reply.Usage, Fate: llm.Spare,
	}
	if err != nil {
		a = fated(a, err, gone)
	}
	r.trace = append(r.trace, a)
	return len(r.trace) - 1
}

// serve makes a call's reply the policy's own: its times count from the request's
// start, and its call is the one that was served.
func (r *run) serve(reply llm.Reply, at time.Duration, index int) llm.Reply {
	if index != nobody {
		r.trace[index].Fate = llm.Served
	}
	if reply.FirstToken > 0 {
		reply.FirstToken += at
	}
	reply.Took = at + max(1, reply.Took)
	return r.finish(reply)
}

// fail makes what is known of a failed call the policy's own.
func (r *run) fail(reply llm.Reply, at time.Duration) llm.Reply {
	if reply.FirstToken > 0 {
		reply.FirstToken += at
	}
	reply.Took = r.took()
	return r.finish(reply)
}

// finish hangs the trace on a reply, also on that of a failure.
func (r *run) finish(reply llm.Reply) llm.Reply {
	reply.Trace, reply.Attempts = r.trace, 0
	for _, a := range r.trace {
		if a.Fate != llm.Skipped {
			reply.Attempts++
		}
	}
	return reply
}

// fated says how a call failed, or that it was given up.
func fated(a llm.Attempt, err error, gone bool) llm.Attempt {
	switch {
	case gone:
		a.Fate = llm.GivenUp
		return a
	case errors.Is(err, llm.ErrUnsupported):
		a.Fate, a.Code = llm.Skipped, "unsupported"
		return a
	}
	f := failure(err)
	a.Fate, a.Reason, a.Code = llm.Failed, f.Reason, f.Code
	a.Status = cmp.Or(f.Status, a.Status)
	if errors.Is(err, errSkipped) {
		a.Fate = llm.Skipped
	}
	return a
}

// failure is an error as a failure. An error that is none comes from a time limit of
// the model's own client, or breaks the contract of [llm.Complete].
func failure(err error) *llm.Failure {
	var f *llm.Failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &llm.Failure{Class: llm.Unavailable, Reason: llm.Timeout, Err: err}
	}
	return &llm.Failure{Class: llm.Malformed, Reason: llm.MalformedReason, Err: err}
}

// worse gives what to tell when two stages have both failed: that one was not asked
// at all, since it cannot be asked this, tells less than any failure.
func worse(first, second error) error {
	if first != nil && errors.Is(second, llm.ErrUnsupported) {
		return first
	}
	return second
}

// gaveUp says that whoever called has cancelled, which decides what a failed call
// means; never the type of its error. A time limit, ours or the caller's, is none.
func gaveUp(ctx context.Context) bool {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return false
	}
	var limit *llm.Failure
	return !errors.As(context.Cause(ctx), &limit)
}
