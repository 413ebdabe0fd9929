package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
)

// Errors of Decide.
var (
	// ErrArm is an arm that the experiment does not have, or live.
	ErrArm = errors.New("no candidate of this experiment")
	// ErrControl is the control arm: it measures noise and is never decided on.
	ErrControl = errors.New("the control arm is never decided on")
	// ErrGate is a gate other than the one that the experiment fixed before it ran.
	ErrGate = errors.New("not the experiment's gate")
)

// Decision is what the gate says of a candidate.
type Decision struct {
	Arm     shadow.Arm `json:"arm"`
	Outcome Outcome    `json:"outcome"`
	// Reasons are what the outcome rests on, the weightiest first.
	Reasons []Code `json:"reasons"`
	// Sentence says it for people, without control characters.
	Sentence string  `json:"sentence"`
	Quality  Check   `json:"quality"`
	Guards   []Check `json:"guards"`
	// CostUnguarded: the default limit on cost was left out, because no pair has two
	// known costs.
	CostUnguarded bool `json:"cost_unguarded,omitempty"`
	// Missing says whether the grades that are missing could turn Quality; empty if
	// none are.
	Missing string `json:"missing_grades,omitempty"`
	// Turnable: they could. Then the decision rests on answers that nobody graded.
	Turnable bool `json:"missing_grades_could_turn,omitempty"`
	// MorePairs is about how many more pairs would settle the checks in Settles if the
	// figures stayed as they are; nil if the experiment need not keep running, or if
	// it cannot be said.
	MorePairs *int `json:"more_pairs"`
	// Settles are all open checks, or the one that MorePairs belongs to: burn_in means
	// its end.
	Settles []Code `json:"settles"`
	// MoreDays is MorePairs at the rate of graded pairs between the first and the last
	// sample; nil if these lie less than a day apart. AfterStop: from the last sample
	// on, these days reach the stop.
	MoreDays  *int `json:"more_days"`
	AfterStop bool `json:"after_stop"`
	// Experiment is the digest of the experiment that was decided on.
	Experiment string `json:"experiment_digest"`
}

// Check is one figure held to its limit.
type Check struct {
	Code  Code  `json:"code"`
	State State `json:"state"`
	// Value and Interval are in Unit: grades, share (0..1), s, or relative (an increase
	// of 0.5 is half as much again; nil with Fail is one from nothing). Against names
	// the arm of a difference, and is empty for the candidate's own figure.
	Value    *float64   `json:"value"`
	Interval *Interval  `json:"interval"`
	Limit    float64    `json:"limit"`
	Unit     string     `json:"unit"`
	Against  shadow.Arm `json:"against,omitempty"`
	// N counts pairs, or calls for the candidate's own figure. More is about how many
	// more of them would settle this check; nil if it is not open or cannot be said.
	N    int  `json:"n"`
	More *int `json:"more"`

	// what is the figure in words.
	what string
}

// ExitCode is the exit status of the gate command: 0 go, 3 no-go, 4 keep running,
// 1 no decision.
func (d Decision) ExitCode() int {
	switch d.Outcome {
	case Go:
		return 0
	case NoGo:
		return 3
	case KeepRunning:
		return 4
	}
	return 1
}

// Decide says whether a candidate may be promoted, by intervals: quality by the
// anytime interval of the grade difference against the margin, every guard by its
// interval against its limit. With several candidates quality passes only if it also
// does by Holm over all of them at alpha, so that the chance of any wrong go stays at
// alpha; guards are not adjusted, they must all hold. A failed check is a no-go; when
// all pass it is a go; else the experiment keeps running. From the experiment's stop
// on, what is open is a no-go, reported as undecided. now is the time of asking; zero
// is before the stop, and what comes after the report's window does not count. Pairs are
// those since the experiment's start, whatever the window's first day: see Report.Whole.
//
// Differing losses block a go. Input that is unfit (no graded pair, a judge that
// is not the pinned one, no session, contradictory rows) can only keep running,
// also after the stop. Books that do not balance give NoDecision.
//
// g must be the gate of the report's experiment. Errors: ErrArm, ErrControl, ErrGate.
func (g Gate) Decide(r Report, arm shadow.Arm, now time.Time) (Decision, error) {
	r, now = r.basis(), r.Window.until(now)
	c, ok := r.comparison(arm)
	a, there := r.arm(arm)
	switch {
	case !ok || !there:
		return Decision{}, fmt.Errorf("decide on arm %q: %w", arm, ErrArm)
	case c.Control:
		return Decision{}, fmt.Errorf("decide on arm %q: %w", arm, ErrControl)
	case !sameGate(g, r.Experiment.Gate):
		return Decision{}, fmt.Errorf("decide on arm %q: %w", arm, ErrGate)
	}
	d := Decision{
		Arm: arm, Experiment: r.Experiment.Digest, Reasons: []Code{}, Settles: []Code{},
		Quality: g.quality(c, candidates(r.Comparisons)), Guards: g.guards(a, c, r.Experiment.Level),
		CostUnguarded: g.CostIncrease != nil && g.leavesCostOut(c),
	}
	d.conclude(r, c, now)
	d.Sentence = sentence(d, r, c)
	d.Missing, d.Turnable = missingWords(d.Quality, c.Quality)
	return d, nil
}

// DecideAll decides on every candidate but control arms, in the experiment's order.
func (g Gate) DecideAll(r Report, now time.Time) ([]Decision, error) {
	out := []Decision{}
	for _, c := range r.Comparisons {
		if c.Control {
			continue
		}
		d, err := g.Decide(r, c.Arm, now)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func sameGate(a, b Gate) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// conclude fills outcome and reasons from the checks.
func (d *Decision) conclude(r Report, c Comparison, now time.Time) {
	if !r.Books.Balanced {
		d.Outcome, d.Reasons = NoDecision, []Code{CodeBooks}
		return
	}
	if codes := unfit(r, c); len(codes) > 0 {
		d.Outcome, d.Reasons = KeepRunning, codes
		return
	}
	states := make([]State, len(d.Guards))
	for i, check := range d.Guards {
		states[i] = check.State
	}
	d.Outcome = Combine(d.Quality.State, states...)
	if d.Outcome == Go && c.Ungraded.Differ {
		d.Outcome = KeepRunning
	}
	stop := r.Experiment.Stop
	undecided := d.Outcome == KeepRunning && !stop.IsZero() && !now.Before(stop)
	if undecided {
		d.Outcome = NoGo
	}
	if d.Outcome == KeepRunning {
		d.project(r, c)
	}
	d.Reasons = d.reasons(undecided, c.Ungraded.Differ)
}

// reasons puts first what the outcome rests on.
func (d *Decision) reasons(undecided, differ bool) []Code {
	var failed, open, passed []Code
	for _, check := range append([]Check{d.Quality}, d.Guards...) {
		switch check.State {
		case Fail:
			failed = append(failed, check.Code)
		case Unknown:
			open = append(open, check.Code)
		}
	}
	if d.Quality.State == Pass {
		passed = []Code{d.Quality.Code}
	}
	var out []Code
	if undecided {
		out = append(out, CodeUndecided)
	}
	out = append(out, failed...)
	if differ {
		out = append(out, CodeLossesDiffer)
	}
	if len(failed) > 0 {
		return append(append(out, passed...), open...)
	}
	return append(append(out, open...), passed...)
}

// unfit lists why the input can only give keep running.
func unfit(r Report, c Comparison) []Code {
	var out []Code
	if c.Quality.Delta.N == 0 {
		out = append(out, CodeNoData)
	}
	if r.Rows.OtherJudge > 0 || r.Rows.OtherRubric > 0 || unproven(r, c.Arm) {
		out = append(out, CodeSnapshot)
	}
	if c.Quality.Delta.Undefined == undefinedCluster {
		out = append(out, CodeClusterKey)
	}
	if r.Rows.Invalid > 0 {
		out = append(out, CodeInvalidRows)
	}
	return out
}

// unproven reports whether another snapshot than the pinned one answered in more
// than one of a hundred rulings on live or the candidate.
func unproven(r Report, arm shadow.Arm) bool {
	for _, a := range r.Arms {
		if a.Name != arm && a.Name != shadow.Live {
			continue
		}
		var other int64
		for _, reason := range a.NotGradedBy {
			if reason.Name == string(judge.NoSnapshotMismatch) || reason.Name == string(judge.NoSnapshotUnproven) {
				other += reason.N
			}
		}
		if 100*other > int64(a.Graded+a.NotGraded)*maxLossPoints {
			return true
		}
	}
	return false
}
