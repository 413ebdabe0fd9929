package reports

// State says whether an interval keeps a limit.
type State string

// The states of a check. An interval that touches its limit is open.
const (
	Pass    State = "pass"
	Fail    State = "fail"
	Unknown State = "unknown"
)

// Against holds an interval to a limit: Pass if all of it lies below, Fail if all
// of it lies above, else Unknown. An open bound can only give Unknown on its side,
// and no interval gives Unknown.
func (iv *Interval) Against(limit float64) State {
	switch {
	case iv == nil:
		return Unknown
	case iv.Upper != nil && *iv.Upper < limit:
		return Pass
	case iv.Lower != nil && *iv.Lower > limit:
		return Fail
	}
	return Unknown
}

// Outcome is what a gate says.
type Outcome string

// The outcomes. NoDecision is none of the three: the books do not balance.
const (
	Go          Outcome = "go"
	NoGo        Outcome = "no-go"
	KeepRunning Outcome = "keep running"
	NoDecision  Outcome = "no decision"
)

// Combine joins the states of quality and guards: any Fail is NoGo, all Pass is Go,
// everything else KeepRunning. Checked in testdata/decision.json.
func Combine(quality State, guards ...State) Outcome {
	outcome := Go
	for _, s := range append([]State{quality}, guards...) {
		switch s {
		case Fail:
			return NoGo
		case Pass:
		default:
			outcome = KeepRunning
		}
	}
	return outcome
}
