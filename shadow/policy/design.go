package policy

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Kind says how a [Design] joins its stages.
type Kind uint8

// The kinds of designs.
const (
	KindModel    Kind = iota // one model, no policy
	KindFailover             // see [Failover]
	KindRace                 // see [Race]: the primary and the reserve
	KindRobin                // see [RoundRobin]
)

// Design is a policy on paper: what it would do with a request can be computed from what
// each of its models did with it. Times and rules are those of the policy that it is of;
// the zero value of a field is that policy's default.
//
// Some of what a policy does hangs on more than that and is left out: Retry-After, the
// breaker and remembered refusals, the retry budget (calls of a race's primary are made
// as often as Attempts allows), the output check, and the plausibility of answers (all
// are taken as plausible).
type Design struct {
	Name   string // a model's name, or the policy's
	Kind   Kind
	Stages []Design

	Limits                     // of each call of a failover or round robin
	Each         []Limits      // go before, by stage
	On           []Trigger     // of a failover or round robin
	Weights      []int         // of a round robin
	ReserveAfter time.Duration // of a race
	MayWinAfter  time.Duration // of a race
	Attempts     int           // of a race
	Budget       time.Duration
}

// Outcome is what a call came to.
type Outcome struct {
	// Took is how long it was until the answer was whole, or the call had failed.
	// Infinite says that it never ended.
	Took time.Duration
	// First is the time to the first content; 0 if there was none, or nothing was streamed.
	First time.Duration
	// Failure is nil if it answered.
	Failure *llm.Failure
}

// Infinite is the time of a call that does not end by itself.
const Infinite time.Duration = math.MaxInt64

// Course is what a design would do with one request.
type Course struct {
	Outcome
	// Served is the name of the model whose answer goes out; empty if none does.
	Served string
	// Calls are all that are made, in the order of their beginning.
	Calls []Made
}

// Made is a call of a course.
type Made struct {
	Model string
	// At is when it begins, from the request's start, and End when it ends or is given up.
	At, End time.Duration
	// Whole says that it ended by itself: with an answer, or with a failure of its own.
	Whole bool
}

// Models are the names of all models, each once, in the order of the stages.
func (d Design) Models() []string {
	if d.Kind == KindModel {
		return []string{d.Name}
	}
	var all []string
	for _, s := range d.Stages {
		for _, name := range s.Models() {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// Player plays a design for one request after the other.
type Player struct {
	design  Design
	stages  []*Player
	turns   *turns
	outcome func(model string) Outcome
	stream  bool
}

// NewPlayer makes a player of a design, which must be sound: a race has two stages, a
// failover and a round robin at least one, and weights, if any, are as many as stages.
func NewPlayer(d Design) *Player {
	p := &Player{design: d}
	for _, s := range d.Stages {
		p.stages = append(p.stages, NewPlayer(s))
	}
	if d.Kind == KindRobin {
		p.turns = newTurns(d.Weights, len(d.Stages))
	}
	p.design.Budget = cmp.Or(d.Budget, DefaultBudget)
	p.design.MayWinAfter = cmp.Or(d.MayWinAfter, DefaultMayWinAfter)
	p.design.Attempts = cmp.Or(d.Attempts, DefaultAttempts)
	if d.On == nil {
		p.design.On = Triggers()
	}
	return p
}

// Play says what the design would do with the next request. outcome tells what a model
// did with it, however often it is asked.
func (p *Player) Play(stream bool, outcome func(model string) Outcome) Course {
	p.prepare(stream, outcome)
	return p.play(Infinite)
}

func (p *Player) prepare(stream bool, outcome func(string) Outcome) {
	p.stream, p.outcome = stream, outcome
	for _, s := range p.stages {
		s.prepare(stream, outcome)
	}
}

// play takes at most limit, from its own start.
func (p *Player) play(limit time.Duration) Course {
	switch p.design.Kind {
	case KindFailover:
		return p.chain(0, min(limit, p.design.Budget))
	case KindRobin:
		return p.chain(p.turns.next(), min(limit, p.design.Budget))
	case KindRace:
		return p.race(min(limit, p.design.Budget))
	}
	c := Course{Outcome: p.outcome(p.design.Name)}
	made := Made{Model: p.design.Name, Whole: c.Took <= limit}
	if !made.Whole {
		c.Outcome = cut(c.Outcome, limit)
	}
	made.End = c.Took
	if c.Calls = []Made{made}; c.Failure == nil {
		c.Served = p.design.Name
	}
	return c
}

// cut is a call that its limit ends.
func cut(o Outcome, limit time.Duration) Outcome {
	if o.First > limit {
		o.First = 0
	}
	return Outcome{Took: limit, First: o.First, Failure: &llm.Failure{Class: llm.Unavailable, Reason: llm.Timeout}}
}

// chain is [Failover], from a stage on.
func (p *Player) chain(start int, budget time.Duration) Course {
	var c Course
	for i := range p.stages {
		stage := (start + i) % len(p.stages)
		limit, limits := budget-c.Took, limitsOf(p.design.Each, p.design.Limits, stage)
		if limits.Timeout > 0 {
			limit = min(limit, limits.Timeout)
		}
		one := p.call(p.stages[stage], limit, limits.FirstToken)
		c.then(one)
		begun := p.stream && one.First > 0
		if one.Failure == nil || begun || !goesOn(one.Failure, p.design.On) || c.Took >= budget {
			break
		}
	}
	return c
}

// call is one stage's within its limits.
func (p *Player) call(stage *Player, limit, first time.Duration) Course {
	if !p.stream || first <= 0 || first >= limit {
		return stage.play(limit)
	}
	// What it does within the limit of the first token is the same as without it.
	state := stage.mark()
	one := stage.play(limit)
	if one.First > 0 && one.First <= first || one.Took <= first {
		return one
	}
	stage.back(state)
	return stage.play(first)
}

// mark and back make a call as if it had not been made: whose turn it is stays.
func (p *Player) mark() [][]int {
	var all [][]int
	if p.turns != nil {
		all = append(all, slices.Clone(p.turns.credit))
	}
	for _, s := range p.stages {
		all = append(all, s.mark()...)
	}
	return all
}

func (p *Player) back(state [][]int) [][]int {
	if p.turns != nil {
		copy(p.turns.credit, state[0])
		state = state[1:]
	}
	for _, s := range p.stages {
		state = s.back(state)
	}
	return state
}

// then adds what comes after what is there.
func (c *Course) then(next Course) {
	for _, m := range next.Calls {
		m.At, m.End = m.At+c.Took, m.End+c.Took
		c.Calls = append(c.Calls, m)
	}
	if next.First > 0 {
		next.First += c.Took
	}
	c.Outcome = Outcome{Took: c.Took + next.Took, First: next.First, Failure: next.Failure}
	c.Served = next.Served
}

// race is [Race].
func (p *Player) race(budget time.Duration) Course {
	state := p.mark()
	c, begins := p.decide(budget)
	// Once more until it is over, for the calls that are really made.
	p.back(state)
	c.Calls = p.primary(c.Took).Calls
	if begins < c.Took {
		other := Course{Outcome: Outcome{Took: begins}}
		other.then(p.stages[1].play(c.Took - begins))
		c.Calls = append(c.Calls, other.Calls...)
	}
	slices.SortStableFunc(c.Calls, func(a, b Made) int { return cmp.Compare(a.At, b.At) })
	return c
}

// decide says how a race ends, and when its reserve would begin.
func (p *Player) decide(budget time.Duration) (c Course, begins time.Duration) {
	d, main := p.design, p.primary(budget)
	lost, fatal := Infinite, false // when the primary has failed for good
	if main.Failure != nil && main.Took < budget {
		lost, fatal = main.Took, main.Failure.Class == llm.Invalid
	}
	begins = min(d.ReserveAfter, lost)
	if main.Failure == nil && main.Took <= begins || fatal && lost <= begins {
		begins = budget
	}
	var other Course
	ready := Infinite // when the reserve may go out
	if begins < budget {
		other.Took = begins
		other.then(p.stages[1].play(budget - begins))
		if other.Failure == nil && other.Took < budget {
			if ready = max(other.Took, d.MayWinAfter); !fatal {
				ready = max(other.Took, min(d.MayWinAfter, lost))
			}
		}
	}
	switch {
	case main.Failure == nil && main.Took < budget && main.Took <= ready:
		c.Outcome, c.Served = main.Outcome, main.Served
	case fatal && lost < ready:
		c.Outcome = main.Outcome
	case ready < Infinite: // when the time is up, it goes out before its turn
		c.Outcome, c.Served = other.Outcome, other.Served
		c.Took = min(ready, budget)
	case lost < budget && other.Took < budget:
		c.Outcome = main.Outcome
		c.Took = max(lost, other.Took)
	default:
		c.Outcome = cut(Outcome{}, budget)
	}
	if c.First = 0; c.Failure == nil && p.stream {
		c.First = c.Took // held back until the winner is known
	}
	return c, begins
}

// primary are a race's calls of its first stage.
func (p *Player) primary(budget time.Duration) Course {
	var c Course
	for range p.design.Attempts {
		c.then(p.stages[0].play(budget - c.Took))
		if c.Failure == nil || c.Failure.Class != llm.Unavailable || c.Took >= budget {
			break
		}
	}
	return c
}
