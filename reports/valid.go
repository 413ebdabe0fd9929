package reports

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// ErrExperiment is an experiment that cannot be reported on: an arm without a name
// or with another's, a level outside 0..1, a limit that is not positive.
var ErrExperiment = errors.New("experiment is not usable")

// valid reports whether a row says nothing that contradicts itself.
func valid(row sinks.Row, e Experiment) bool {
	if !(row.Rate > 0 && row.Rate <= 1) || row.JudgeRate < 0 || row.JudgeRate > 1 || row.JudgeRate != row.JudgeRate {
		return false
	}
	switch row.State {
	case sinks.NotAsked:
		return row.JudgeState != judge.StateGraded && row.Grade == nil && row.Arm != shadow.Live
	case sinks.Failed:
		return row.JudgeState != judge.StateGraded && row.Grade == nil && row.Reason != "" && timed(row)
	case sinks.Answered:
		return timed(row) && validVerdict(row, e)
	}
	return false
}

func timed(row sinks.Row) bool {
	return row.Took != nil && *row.Took >= 0 && (row.FirstToken == nil || *row.FirstToken >= 0)
}

func validVerdict(row sinks.Row, e Experiment) bool {
	switch row.JudgeState {
	case judge.StateGraded:
		return row.Grade != nil && *row.Grade >= rubric.Best && *row.Grade <= rubric.Worst &&
			row.JudgePinned != "" && row.Rubric == e.Digests && (len(e.Problems) == 0 || slices.Contains(e.Problems, row.Problem))
	case judge.StateNotGraded:
		return row.Grade == nil && row.JudgeReason != ""
	case judge.StateNotDrawn, "":
		return row.Grade == nil
	}
	return false
}

// checked returns the experiment with its limits rising and its level set, as
// reports use it; its own slices are not changed.
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
	e.Limits = rising(e.Limits)
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
