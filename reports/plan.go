package reports

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/stats"
)

// ErrVolume is traffic that nothing can be planned with.
var ErrVolume = errors.New("not a volume to plan with")

// DefaultSD is the standard deviation of paired grade differences that a plan
// assumes before any was measured, in grades: METHODS' figure for answers graded
// 1..6. DefaultICC is how alike the differences within a session are assumed to be.
const (
	DefaultSD  = 1.2
	DefaultICC = 0.3
)

// Volume is what a plan assumes of the traffic, or what was measured of it.
type Volume struct {
	// PairsPerDay counts samples whose live and candidate answers both get a grade.
	PairsPerDay float64 `json:"pairs_per_day"`
	// SD is the standard deviation of candidate − live over pairs, in grades.
	SD float64 `json:"sd"`
	// PairsPerSession is a mean, at least 1. With more than one, variances grow by
	// 1 + (PairsPerSession − 1) · ICC; see [stats.DesignEffect].
	PairsPerSession float64 `json:"pairs_per_session"`
	ICC             float64 `json:"icc"`
	// Measured is the number of pairs that the figures were measured on; 0 if they are
	// assumed.
	Measured int `json:"measured_pairs"`
}

// Measure is the volume that a report saw of a candidate: graded pairs a day between
// the first and the last sample (0 if these lie less than a day apart), and pairs per
// session. SD is SE · sqrt(pairs) of the grade difference, so it holds what sessions
// do to the standard error, and ICC is 0. Errors: ErrArm; ErrVolume without a
// standard error.
func Measure(r Report, arm shadow.Arm) (Volume, error) {
	c, ok := r.comparison(arm)
	if !ok {
		return Volume{}, fmt.Errorf("measure arm %q: %w", arm, ErrArm)
	}
	delta := c.Quality.Delta
	if delta.SE == nil || delta.Sessions == 0 {
		return Volume{}, fmt.Errorf("the grade difference of arm %q has no standard error yet (%s): %w", arm, counted(delta.N, "pair"), ErrVolume)
	}
	n := float64(delta.N)
	return Volume{
		PairsPerDay: pairsPerDay(r, c), SD: *delta.SE * math.Sqrt(n),
		PairsPerSession: n / float64(delta.Sessions), Measured: delta.N,
	}, nil
}

func (v Volume) check() error {
	switch {
	case !(v.PairsPerDay > 0) || math.IsInf(v.PairsPerDay, 1):
		return fmt.Errorf("%v pairs per day, want more than 0: %w", v.PairsPerDay, ErrVolume)
	case !(v.SD > 0 && v.SD <= widest):
		return fmt.Errorf("standard deviation of %v grades, want more than 0 and at most %d: %w", v.SD, widest, ErrVolume)
	case !(v.PairsPerSession >= 1 && v.PairsPerSession <= largestSession):
		return fmt.Errorf("%v pairs per session, want 1 to %d: %w", v.PairsPerSession, largestSession, ErrVolume)
	case !(v.ICC >= 0 && v.ICC <= 1):
		return fmt.Errorf("correlation of %v within sessions, want 0 to 1: %w", v.ICC, ErrVolume)
	}
	return nil
}

// widest is the largest difference of two grades 1..6.
const widest = 5

// largestSession is more pairs than any conversation has.
const largestSession = 1_000_000

// Plan says before the start what an experiment can show, and when. Days count from
// 1, the first day. A number that is nil does not exist; days beyond a hundred years
// and pairs beyond a billion are nil too.
type Plan struct {
	Format int    `json:"format"`
	Name   string `json:"name"`
	Gate   Gate   `json:"gate"`
	// Level is the confidence level of the guards' intervals, Power the chance with
	// which a difference is to show.
	Level  float64 `json:"level"`
	Power  float64 `json:"power"`
	Volume Volume  `json:"assumed"`
	// Candidates are those that are decided on, at least 1. With several, quality must
	// also hold by Holm: all figures are for the first one to hold, at alpha/Candidates.
	Candidates int `json:"candidates"`
	// Start is the first UTC day, Stop the day after the last one; zero when open.
	Start time.Time `json:"start,omitzero"`
	Stop  time.Time `json:"stop,omitzero"`

	Visible []Visible `json:"visible"`
	Needed  []Needed  `json:"needed"`
	Steps   []Step    `json:"steps"`
	// End is what is known at the stop, or with the planned pairs if there is none.
	End End `json:"end"`
	// Week is set by whoever knows models and prices.
	Week PlanCost `json:"week,omitzero"`
	// Warnings say what the plan cannot decide by the stop, or with the planned pairs.
	Warnings []string `json:"warnings"`
}

// Visible is the smallest true difference of mean grades, in grades and in either
// direction, that shows with the plan's power after so many pairs.
type Visible struct {
	// Week is 1..12, or 0 for the gate's planned pairs.
	Week  int  `json:"week"`
	Day   *int `json:"day"`
	Pairs int  `json:"pairs"`
	// Once is for an interval that is looked at this once. Daily is for the anytime
	// interval of a gate that plans with just these pairs, Gate for the one of this
	// gate; both are nil before the burn-in ends.
	Once  *float64 `json:"once"`
	Daily *float64 `json:"daily"`
	Gate  *float64 `json:"this_gate"`
}

// Needed is how many pairs show, with the plan's power, that a candidate is no worse
// than the margin or that it is better, if its true difference is as given.
type Needed struct {
	Shows Code `json:"shows"` // no_worse or better
	// Difference is candidate − live in grades; negative is better.
	Difference float64 `json:"true_difference"`
	Once       Size    `json:"once"`
	// Daily is for the anytime interval of a gate that plans with just these pairs,
	// and not before the burn-in ends.
	Daily Size `json:"daily"`
}

// Size is a number of pairs (or calls of a candidate, one a pair) and the day on
// which it is reached.
type Size struct {
	N   *int `json:"n"`
	Day *int `json:"day"`
}

// End is what the gate's anytime interval can show when the experiment ends.
type End struct {
	Day   *int `json:"day"`
	Pairs int  `json:"pairs"`
	// PassAsGood is the chance that a candidate as good as live is shown to be no
	// worse by the look at the end. Daily looks before it add to that: of simulated
	// runs of 900 pairs, 30 a day, 30 % passed at the end and 39 % at any look.
	// PassFrom is the true difference (candidate − live, in grades) from which on the
	// chance is the plan's power. Both are nil if the burn-in has not ended by then.
	PassAsGood *float64 `json:"pass_as_good"`
	PassFrom   *float64 `json:"pass_from"`
}

// weeksPlanned is how far the table of visible differences reaches: a quarter.
const weeksPlanned = 12

// betterBy are the true differences that a plan shows the price of, in grades.
var betterBy = [...]float64{0.1, 0.2, 0.3, 0.5}

// NewPlan plans an experiment's gate and dates for a volume. Of the experiment only
// Name, Gate, Level, Start, Stop and the number of candidates are used.
//
//	sd'       = SD · sqrt(1 + (PairsPerSession − 1) · ICC)
//	visible   = MDE(sd', pairs, a, power)
//	needed    = PairsNeeded(sd', margin − difference, a, power), margin 0 for better
//	a         = alpha / candidates for one look; for the anytime interval of that
//	            alpha P(|Z| > m), where m is its number of standard errors
//
// Errors: ErrVolume; ErrWindow if the stop is not after the start; ErrRange of stats
// for a gate that no configuration has.
func NewPlan(e Experiment, v Volume) (Plan, error) {
	if err := v.check(); err != nil {
		return Plan{}, fmt.Errorf("plan: %w", err)
	}
	dated := !e.Start.IsZero() && !e.Stop.IsZero()
	if dated && !e.Start.Before(e.Stop) {
		return Plan{}, fmt.Errorf("plan from %s until %s: %w", e.Start.Format(dayFormat), e.Stop.Format(dayFormat), ErrWindow)
	}
	effect, err := stats.DesignEffect(v.PairsPerSession, v.ICC)
	if err != nil {
		return Plan{}, fmt.Errorf("plan: %w", err)
	}
	several := max(1, countFunc(e.Candidates, func(a Arm) bool { return !a.Control }))
	p := planner{v, e.Gate, v.SD * math.Sqrt(effect), e.Level}
	p.gate.Alpha /= float64(several)
	out := Plan{
		Format: Format, Name: e.Name, Gate: e.Gate, Level: e.Level, Power: power, Volume: v, Candidates: several,
		Start: e.Start, Stop: e.Stop, Steps: p.steps(), Warnings: []string{},
	}
	if out.Visible, err = p.visible(); err != nil {
		return Plan{}, fmt.Errorf("plan: %w", err)
	}
	if out.Needed, err = p.needed(); err != nil {
		return Plan{}, fmt.Errorf("plan: %w", err)
	}
	if out.End, err = p.end(e.Start, e.Stop); err != nil {
		return Plan{}, fmt.Errorf("plan: %w", err)
	}
	out.Warnings = out.warnings()
	return out, nil
}

// planner computes a plan; sd is inflated for sessions, the gate's alpha divided by
// the candidates.
type planner struct {
	Volume
	gate  Gate
	sd    float64
	level float64
}

// day is the first day on whose evening there are n pairs.
func (p planner) day(n int) *int {
	days := math.Ceil(float64(n)/p.PairsPerDay - 1e-9)
	if days > longest {
		return nil
	}
	return new(max(int(days), 1))
}

// longest is where days stop to be of use: a hundred years.
const longest = 36525

func (p planner) size(n int) Size { return Size{&n, p.day(n)} }

// pairs is how many there are on the evening of a day.
func (p planner) pairs(day int) int {
	return int(min(math.Floor(float64(day)*p.PairsPerDay+1e-9), maxProjection))
}

// burnIn is the number of pairs at which the burn-in ends.
func (p planner) burnIn() int {
	need := p.gate.BurnIn.orDefault()
	return max(need.Pairs, int(min(math.Ceil(float64(need.Sessions)*p.PairsPerSession), maxProjection)))
}
