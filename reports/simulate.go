package reports

import (
	"errors"
	"iter"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/policy"
	"github.com/understudy-eval/understudy/sinks"
)

// Simulation is what policies would have done with the samples that were measured, next
// to what each arm did by itself: all on the same samples, those of which every arm that
// is needed has a known outcome. Intervals are a bootstrap's over sessions, of which those
// beyond 2,000 are drawn together with others.
type Simulation struct {
	Experiment string `json:"experiment"`
	Digest     string `json:"digest"`
	Window     Window `json:"window"`
	// Level is that of every interval, Resamples how often the sessions were drawn.
	Level     float64 `json:"level"`
	Resamples int     `json:"resamples"`
	// Samples are what was simulated, in so many sessions; LeftOut the others by cause.
	Samples  int            `json:"samples"`
	Sessions int            `json:"sessions"`
	LeftOut  map[string]int `json:"left_out"`
	// ThenUSD is the price of what follows each answer that goes out.
	ThenUSD float64 `json:"then_usd"`
	// Limits are the latency limits, rising.
	Limits []time.Duration `json:"limits_ns"`
	// Plays are live's, those of the other arms that are needed, and then the policies'.
	Plays []PolicyPlay `json:"plays"`
	// Assumptions are what the figures rest on, beyond the rows.
	Assumptions []string `json:"assumptions"`
}

// PolicyPlay is what one policy, or one arm by itself, would have done.
type PolicyPlay struct {
	Name string `json:"name"`
	Arm  bool   `json:"arm"` // an arm by itself, as it was measured
	// Served has a share for each model that it may ask, of all requests; what is missing
	// to 1 is Failed.
	Served []ServedShare `json:"served"`
	Failed Figure        `json:"failed"`
	// P50, P95 and P99 are times in seconds until the answer was whole or the request had
	// failed: the shortest within which at least that share of requests had ended.
	P50 Figure `json:"p50_s"`
	P95 Figure `json:"p95_s"`
	P99 Figure `json:"p99_s"`
	// Over are the shares of requests that took longer than each of Limits.
	Over []Figure `json:"over"`
	// Grade is the mean of the answers that go out, as far as they were graded; Delta is
	// that minus the live answer's to the same requests.
	Grade Figure `json:"grade"`
	Delta Figure `json:"delta"`
	// Poor is the share of grades 5 and 6, Problems that of each problem, of those graded.
	Poor     Figure                    `json:"poor"`
	Problems map[rubric.Problem]Figure `json:"problems"`
	// Cost is in USD for 1,000 requests: every call that is made, whole, and ThenUSD; over
	// the requests of which the cost of every arm's answer is known, the same for all.
	Cost Figure `json:"usd_per_1000"`
	// Calls are made for a request on average.
	Calls Figure `json:"calls"`
	// False is the share of requests that went out from another model although the first
	// one asked would still have answered within the budget.
	False Figure `json:"false_failovers"`
}

// ServedShare is how often an arm's answer goes out, and the mean grade of these.
type ServedShare struct {
	Arm   shadow.Arm `json:"arm"`
	Share Figure     `json:"share"`
	Grade Figure     `json:"grade"`
}

// Figure is a value with its interval; both are nil where it is undefined, and the
// interval alone with fewer than two sessions. N is what it rests on: requests, or graded
// answers.
type Figure struct {
	Value    *float64  `json:"value"`
	Interval *Interval `json:"interval"`
	N        int       `json:"n"`
}

// SimulateOptions tune [Simulate]; the zero value is right for most.
type SimulateOptions struct {
	// ThenUSD is the price of what follows each answer that goes out, e.g. speech.
	ThenUSD float64
	// Resamples is how often the sessions are drawn; 0 is [DefaultResamples].
	Resamples int
}

// DefaultResamples is how often sessions are drawn for intervals.
const DefaultResamples = 400

// ErrNothingToSimulate says that no sample has a known outcome of every arm.
var ErrNothingToSimulate = errors.New("no sample of which the outcome of every arm that is needed is known")

// simulationAssumptions are those of [policy.Design] and of this file.
func simulationAssumptions() []string {
	return []string{
		"calls do not slow each other down: a model that got more, or fewer, requests than it was measured with may be slower, or faster",
		"every attempt at a model comes to what its one measured call came to; no breaker, no remembered refusal, no Retry-After; retries are not used up",
		"a stream that has begun is never taken over: a time limit then fails the request",
		"every answer is taken as plausible and none is corrected; a call that a measured time limit cut off failed then",
		"candidates were measured from the worker, live at the tap: the control arm shows what that makes",
		"a call that is given up costs as much as a whole one, and a failed one whose usage is unknown nothing",
	}
}

// Simulate plays designs, whose models are arms of the experiment, on rows. The same rows,
// designs and options give the same figures, whatever the order of the rows. Errors: those
// of the rows, an arm that the experiment has not, [ErrNothingToSimulate].
func Simulate(rows iter.Seq2[sinks.Row, error], e Experiment, w Window, designs []policy.Design, o SimulateOptions) (Simulation, error) {
	if o.Resamples == 0 {
		o.Resamples = DefaultResamples
	}
	m, err := measure(rows, e, w, designs)
	if err != nil {
		return Simulation{}, err
	}
	s := Simulation{
		Experiment: e.Name, Digest: e.Digest, Window: w, Level: e.Level, Resamples: o.Resamples,
		Samples: len(m.samples), Sessions: m.sessions, LeftOut: m.leftOut, ThenUSD: o.ThenUSD, Limits: e.Limits,
		Assumptions: simulationAssumptions(),
	}
	if len(m.samples) == 0 {
		return s, ErrNothingToSimulate
	}
	draws := newDraws(m, o.Resamples)
	for _, arm := range m.arms {
		s.Plays = append(s.Plays, m.play(policy.Design{Name: string(arm)}, e, o, draws))
	}
	for _, d := range designs {
		s.Plays = append(s.Plays, m.play(d, e, o, draws))
	}
	return s, nil
}
