package llm

import (
	"fmt"
	"time"
)

// Class says what a failure means for the next step; it is decided by status and
// code of the reply, never by its message.
type Class uint8

const (
	// Unavailable may work elsewhere or later: time-out, connection, 408, 429 for
	// rate, 5xx, 529, an error in a 200.
	Unavailable Class = iota + 1
	// Denied is lasting at this provider: 401, 402, 403, quota used up, bad key, model gone.
	Denied
	// Invalid is the caller's own fault: 400, 413, 422. It never fails over.
	Invalid
	// Malformed is a reply that could not be read.
	Malformed
)

func (c Class) String() string {
	switch c {
	case Unavailable:
		return "unavailable"
	case Denied:
		return "denied"
	case Invalid:
		return "invalid"
	case Malformed:
		return "malformed"
	default:
		return fmt.Sprintf("class(%d)", uint8(c))
	}
}

// Reason says why a model's answer failed: a closed list, the same for live and
// candidates, counted in the books. Empty means that the model answered.
type Reason string

// The reasons of a failed answer.
const (
	Timeout         Reason = "timeout"      // cut off by a time limit: its time is a lower bound
	Connect         Reason = "connect"      // no connection
	Reset           Reason = "reset"        // connection lost, or stream cut before its end sign
	ClientAbort     Reason = "client_abort" // the live user left; its time is a lower bound
	Status4xx       Reason = "status_4xx"   // other 4xx
	Status5xx       Reason = "status_5xx"   // 5xx and 529
	RateLimited     Reason = "rate_limited" // 429 that a later try may pass
	DeniedReason    Reason = "denied"       // 401, 402, 403, quota used up, model gone
	ErrorIn200      Reason = "error_in_200" // an error object under status 200
	MalformedReason Reason = "malformed"    // a reply that could not be read
	Empty           Reason = "empty"        // neither text nor tool call nor refusal
	Truncated       Reason = "truncated"    // token limit used up before there was any text
	Filtered        Reason = "filtered"     // withheld by the provider's content filter
	TooLarge        Reason = "too_large"    // larger than we are willing to hold
)

// Reasons lists every reason of a failed answer, in the order in which tables show them.
func Reasons() []Reason {
	return []Reason{
		Timeout, Connect, Reset, ClientAbort, Status4xx, Status5xx, RateLimited,
		DeniedReason, ErrorIn200, MalformedReason, Empty, Truncated, Filtered, TooLarge,
	}
}

// Failure is a call that gave no usable answer.
type Failure struct {
	Class  Class
	Reason Reason
	// Status is the HTTP status, 0 without a response. Code is the provider's own
	// error code or type, e.g. "insufficient_quota".
	Status int
	Code   string
	// RetryAfter is how long the provider asked to wait, rounded up; 0 if it did not say.
	RetryAfter time.Duration
	// Err is the cause. Its text may hold the provider's message, never an endpoint or a key.
	Err error
}

func (f *Failure) Error() string {
	s := fmt.Sprintf("%s (%s)", f.Reason, f.Class)
	if f.Status != 0 {
		s += fmt.Sprintf(", status %d", f.Status)
	}
	if f.Code != "" {
		s += ", code " + f.Code
	}
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Err }
