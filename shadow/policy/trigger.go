package policy

import (
	"fmt"
	"slices"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Trigger is a kind of failure after which a chain goes on to its next model.
type Trigger string

// The triggers.
const (
	ConnectionError Trigger = "connection_error" // no connection, or lost; a stream cut before its end
	ServerError     Trigger = "server_error"     // 5xx, an error in a 200, an answer that cannot be read or is empty
	RateLimit       Trigger = "rate_limit"       // 429 that a later call may pass
	Timeout         Trigger = "timeout"          // cut off by a time limit
)

// Triggers lists all triggers, which is also the default.
func Triggers() []Trigger { return []Trigger{ConnectionError, ServerError, RateLimit, Timeout} }

// ParseTrigger reads a trigger's name.
func ParseTrigger(name string) (Trigger, error) {
	if t := Trigger(name); slices.Contains(Triggers(), t) {
		return t, nil
	}
	return "", fmt.Errorf("%q is no failure to go on after, want one of %v", name, Triggers())
}

// trigger is the kind of a failure; empty for one that no other model makes good: the
// caller's own fault (400, 422, our own refusals), an answer that the token limit or a
// content filter cut off.
func trigger(f *llm.Failure) Trigger {
	switch f.Reason {
	case llm.Connect, llm.Reset:
		return ConnectionError
	case llm.RateLimited:
		return RateLimit
	case llm.Timeout:
		return Timeout
	case llm.Status5xx, llm.MalformedReason, llm.Empty:
		return ServerError
	case llm.ErrorIn200:
		if f.Class != llm.Invalid {
			return ServerError
		}
	}
	return ""
}

// goesOn says whether a chain asks its next model after a failure. A lasting refusal
// always does: that provider is gone for now.
func goesOn(f *llm.Failure, on []Trigger) bool {
	return f.Class == llm.Denied || slices.Contains(on, trigger(f))
}
