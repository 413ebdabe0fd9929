package reports

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// ErrExperiment is an experiment that cannot be reported on: an arm without a name
// or with another's, a level outside 0..1, a limit that is not positive.
var ErrExperiment = errors.New("experiment is not usable")

// checked returns the experiment with its limits rising, its level set and no list
// nil, as reports use it; its own slices are not changed.
func (e Experiment) checked() (Experiment, error) {
	names := map[shadow.Arm]bool{shadow.Live: true, "": true}
	for _, a := range e.Candidates {
		if names[a.Name] {
			return Experiment{}, fmt.Errorf("arm %q: empty, %s or there twice: %w", a.Name, shadow.Live, ErrExperiment)
		}
		names[a.Name] = true
	}
	if e.Level == 0 {
		e.Level = DefaultLevel
	}
	if !(e.Level > 0 && e.Level < 1) {
		return Experiment{}, fmt.Errorf("level %v is not between 0 and 1: %w", e.Level, ErrExperiment)
	}
	for _, l := range slices.Concat(e.Limits, limitsOf(e.Gate.Over), limitsOf(e.Gate.FirstTokenOver)) {
		if l <= 0 {
			return Experiment{}, fmt.Errorf("latency limit %v is not positive: %w", l, ErrExperiment)
		}
	}
	e.Limits = append([]time.Duration{}, rising(e.Limits)...)
	e.Candidates, e.Problems = append([]Arm{}, e.Candidates...), append([]rubric.Problem{}, e.Problems...)
	return e, nil
}

// DefaultLevel is the confidence level of an experiment that names none.
const DefaultLevel = 0.95

func limitsOf(shares []ShareLimit) []time.Duration {
	var out []time.Duration
	for _, s := range shares {
		out = append(out, s.Limit)
	}
	return out
}

// rising is the limits of all lists, sorted, each once.
func rising(lists ...[]time.Duration) []time.Duration {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
