package reports

import (
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Experiment is what was fixed before the run: candidates, judge, rubric, gate and
// dates. It is stored as experiment.json beside the rows; Digest covers all of it
// but rates and shares, and a change starts a new experiment.
type Experiment struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	// Start is the first UTC day, Stop the day after the last one; zero when open.
	Start time.Time `json:"start,omitzero"`
	Stop  time.Time `json:"stop,omitzero"`

	Live       string `json:"live"` // what serves: an upstream's host or a policy
	Candidates []Arm  `json:"candidates"`

	Judge    Judge            `json:"judge"`
	Rubric   string           `json:"rubric"` // its name
	Digests  rubric.Digest    `json:"rubric_digest"`
	Problems []rubric.Problem `json:"problems"` // the closed list, none first

	// Limits are the latency limits of the tables, rising. Level is the confidence
	// level of intervals, e.g. 0.95.
	Limits []time.Duration `json:"limits_ns"`
	Level  float64         `json:"level"`
	Gate   Gate            `json:"gate"`
}

// Arm is a candidate of the experiment.
type Arm struct {
	Name    shadow.Arm    `json:"name"`
	Model   string        `json:"model"` // model id or policy, as configured
	Control bool          `json:"control,omitempty"`
	Timeout time.Duration `json:"timeout_ns"`
}

// Judge names the pinned judge and its reserve (empty if there is none).
type Judge struct {
	Primary       string       `json:"primary"`
	Pinned        llm.Snapshot `json:"pinned"`
	Reserve       string       `json:"reserve,omitempty"`
	ReservePinned llm.Snapshot `json:"reserve_pinned,omitempty"`
}

// Gate is the rule of the decision. Its shares and alphas lie in 0..1.
type Gate struct {
	// Margin is how many grades worse would still be no worse.
	Margin float64 `json:"margin"`
	// Alpha is the anytime-valid error level; PlannedPairs sets where it is tightest.
	Alpha        float64 `json:"alpha"`
	PlannedPairs int     `json:"planned_pairs"`
	BurnIn       BurnIn  `json:"burn_in"`
	// Over limits the candidate's own share of calls over a time, FirstTokenOver the
	// share of streamed calls whose first token came later; rising by Limit.
	Over           []ShareLimit `json:"over,omitempty"`
	FirstTokenOver []ShareLimit `json:"first_token_over,omitempty"`
	// P95Increase, FailuresIncrease and ProblemIncrease limit candidate − control
	// arm where there is one, else − live. nil is no limit.
	P95Increase      *time.Duration `json:"p95_increase_ns,omitempty"`
	FailuresIncrease *float64       `json:"failures_increase,omitempty"`
	ProblemIncrease  []ProblemLimit `json:"problem_increase,omitempty"`
	// CostIncrease limits by which share an answer may cost more than one of the
	// control arm where there is one, else of live. nil is no limit.
	CostIncrease *float64 `json:"cost_increase,omitempty"`
	// CostIfKnown leaves the cost guard out, and says so, where no pair has two known
	// costs: the limit is the default, not one that somebody asked for.
	CostIfKnown bool `json:"cost_if_known,omitempty"`
}

// BurnIn is how much must be seen before the anytime interval is used at all.
type BurnIn struct {
	Pairs    int `json:"pairs"`
	Sessions int `json:"sessions"`
}

// ShareLimit allows at most Share of the calls to take longer than Limit.
type ShareLimit struct {
	Limit time.Duration `json:"limit_ns"`
	Share float64       `json:"share"`
}

// ProblemLimit allows a problem's share to rise by at most Increase.
type ProblemLimit struct {
	Problem  rubric.Problem `json:"problem"`
	Increase float64        `json:"increase"`
}
