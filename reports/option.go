package reports

import (
	"errors"
	"fmt"
	"time"
)

// ErrDecisionOnly is the printing of a report that was made for decisions alone.
var ErrDecisionOnly = errors.New("made for a decision alone, it cannot be printed")

// given is what a report is told beside rows, books and experiment.
type given struct {
	now   time.Time // zero: not told
	marks []Mark
	// labels are grades of people.
	labels []Label
	// decision: only what a decision rests on is wanted.
	decision bool
}

// Option tells a report what the rows cannot.
type Option func(*given)

// AsOf is the time at which the report is made: a week that has not ended by then is
// marked as incomplete. Without it only the rows say what there was.
func AsOf(now time.Time) Option { return func(g *given) { g.now = now } }

// ForDecision leaves out whatever no decision rests on: the report is for [Gate.Decide]
// alone, which says of it what it says of the whole one, and cannot be printed. It
// takes less time and memory, and fewer columns are read.
//
// What is there: Rows, Books, First and Last; of an arm its counts, also those of grades
// and problems, and Latency, FirstToken where the gate has a limit on it; of a
// comparison Quality without Poor and BetterUnpaired, Ungraded, Failures, Problems, and
// P95 and CostIncrease where the gate guards them. The rest is as in an empty report.
func ForDecision() Option { return func(g *given) { g.decision = true } }

func givenBy(options []Option) given {
	var g given
	for _, o := range options {
		o(&g)
	}
	return g
}

// printable is nil for a report that says all there is.
func (r Report) printable() error {
	if r.DecisionOnly {
		return fmt.Errorf("report on experiment %s: %w", r.Experiment.Name, ErrDecisionOnly)
	}
	return nil
}
