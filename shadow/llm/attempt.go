package llm

import "time"

// Attempt is one call that a policy made for a request, or one that it spared itself.
// It never names an endpoint or a key.
type Attempt struct {
	// Model is what the configuration calls it; Snapshot is what says that it answered.
	Model    string
	Snapshot Snapshot
	// At is when the call began, from the start of the request; FirstToken and Took are
	// the call's own times. Took of a call that was given up is a lower bound.
	At, FirstToken, Took time.Duration
	// Status, Reason and Code say how it failed; Reason is empty for an answer.
	Status int
	Reason Reason
	Code   string
	Usage  Usage
	Fate   Fate
	// Flaw is why an answer is not plausible, empty if it is or was not looked at.
	Flaw string
}

// Fate is what became of a policy's attempt.
type Fate string

// The fates of an attempt.
const (
	Failed  Fate = "failed"   // no answer
	Served  Fate = "served"   // its answer went out
	Spare   Fate = "spare"    // it answered, and another answer went out: paid for nothing
	GivenUp Fate = "given_up" // cancelled, since another answer went out
	Skipped Fate = "skipped"  // not called: a refusal is remembered, or a breaker is open
)

// Mark says what is special about a policy's answer.
type Mark string

// The marks of an answer.
const (
	Plain       Mark = ""            // nothing
	Implausible Mark = "implausible" // no answer in time was a plausible one; this was the best
	LastResort  Mark = "last_resort" // made by a rule, no model said it: confidence 0
)

// Outcome is a policy's trace in one word.
type Outcome string

// The outcomes of a request to a policy.
const (
	Direct   Outcome = ""         // the first choice answered
	Failover Outcome = "failover" // another model answered
	Fallback Outcome = "fallback" // all models failed
)

// Outcome sums up a trace: fallback if no model's answer went out, direct if it was
// the first model's, whatever else was called beside it; else failover. Without a
// trace it is direct.
func (r Reply) Outcome() Outcome {
	if len(r.Trace) == 0 {
		return Direct
	}
	for _, a := range r.Trace {
		if a.Fate != Served {
			continue
		}
		if a.Model == r.Trace[0].Model {
			return Direct
		}
		return Failover
	}
	return Fallback
}
