package policy_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/policy"
)

// acted does with a request what an outcome says, and notes it.
type acted struct {
	mu    sync.Mutex
	start time.Time
	made  []policy.Made
}

func (a *acted) model(name string, o func() policy.Outcome) llm.Model {
	return llm.Model{Name: name, Complete: func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		o, at := o(), time.Now()
		end := func(whole bool) {
			if time.Since(at) == 0 {
				return // begun at the moment in which it all ends
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			a.made = append(a.made, policy.Made{Model: name, At: at.Sub(a.start), End: time.Since(a.start), Whole: whole})
		}
		// until waits for a moment of the call; false if it was given up before.
		until := func(d time.Duration) bool {
			timer := time.NewTimer(time.Until(at.Add(d)))
			defer timer.Stop()
			select {
			case <-timer.C:
				return true
			case <-ctx.Done():
				return false
			}
		}
		var r llm.Reply
		if req.Stream && o.First > 0 {
			if !until(o.First) {
				end(false)
				return r, llm.FailureFromError(ctx, context.Cause(ctx))
			}
			r.FirstToken = o.First
			if req.OnFirst != nil {
				req.OnFirst()
			}
		}
		if !until(o.Took) {
			end(false)
			return r, llm.FailureFromError(ctx, context.Cause(ctx))
		}
		end(true)
		r.Took = o.Took
		if o.Failure != nil {
			return r, o.Failure
		}
		r.Text, r.Finish = name+" says where the order is, and when it will arrive.", llm.FinishStop
		return r, nil
	}}
}

// real makes the policy that a design is of.
func (a *acted) real(d policy.Design, outcome func(string) policy.Outcome) llm.Model {
	var stages []llm.Model
	for _, s := range d.Stages {
		stages = append(stages, a.real(s, outcome))
	}
	chain := policy.FailoverOptions{Name: d.Name, On: d.On, Limits: d.Limits, Each: d.Each, Budget: d.Budget}
	switch d.Kind {
	case policy.KindFailover:
		return policy.Failover(stages, chain)
	case policy.KindRobin:
		return policy.RoundRobin(stages, d.Weights, chain)
	case policy.KindRace:
		return policy.Race(stages[0], stages[1], policy.RaceOptions{Name: d.Name, ReserveAfter: d.ReserveAfter, MayWinAfter: d.MayWinAfter, Attempts: d.Attempts, Budget: d.Budget})
	}
	return a.model(d.Name, func() policy.Outcome { return outcome(d.Name) })
}

// dice draws designs and outcomes. No two of its times are alike, so that nothing ends
// at the same moment.
type dice struct {
	*rand.Rand
	step time.Duration
}

func (d *dice) time(most time.Duration) time.Duration {
	d.step += 7919 * time.Nanosecond
	return time.Duration(d.Int64N(int64(most)))/time.Millisecond*time.Millisecond + time.Millisecond + d.step
}

func (d *dice) maybe(most time.Duration) time.Duration {
	if d.IntN(2) == 0 {
		return 0
	}
	return d.time(most)
}

func (d *dice) design(depth int) policy.Design {
	if depth == 0 || d.IntN(3) == 0 && depth < 2 {
		return policy.Design{Name: string(rune('a' + d.IntN(3)))}
	}
	out := policy.Design{Name: fmt.Sprint("policy ", depth), Budget: d.time(12 * time.Second)}
	mayWin := d.time(4 * time.Second)
	if depth == 2 { // default times one in the other would end together
		out.Budget, mayWin = d.maybe(12*time.Second), d.maybe(4*time.Second)
	}
	stages := 1 + d.IntN(3)
	switch d.IntN(3) {
	case 0:
		out.Kind, stages = policy.KindRace, 2
		out.ReserveAfter, out.MayWinAfter, out.Attempts = d.maybe(3*time.Second), mayWin, d.IntN(4)
	case 1:
		out.Kind = policy.KindFailover
	case 2:
		out.Kind = policy.KindRobin
		for range stages {
			out.Weights = append(out.Weights, 1+d.IntN(3))
		}
	}
	if out.Kind != policy.KindRace {
		out.Limits = policy.Limits{Timeout: d.maybe(5 * time.Second), FirstToken: d.maybe(2 * time.Second)}
		if d.IntN(3) == 0 {
			out.Each = []policy.Limits{{Timeout: d.maybe(5 * time.Second), FirstToken: d.maybe(2 * time.Second)}}
		}
		if d.IntN(3) == 0 {
			out.On = []policy.Trigger{policy.Timeout, policy.ServerError}
		}
	}
	for range stages {
		out.Stages = append(out.Stages, d.design(depth-1))
	}
	return out
}

func (d *dice) outcome() policy.Outcome {
	o := policy.Outcome{Took: d.time(6 * time.Second)}
	if d.IntN(2) == 0 {
		o.First = o.Took/3 + 11*time.Nanosecond
	}
	fail := func(c llm.Class, r llm.Reason) { o.Failure = &llm.Failure{Class: c, Reason: r} }
	switch d.IntN(9) {
	case 0:
		fail(llm.Unavailable, llm.Status5xx)
	case 1:
		fail(llm.Denied, llm.DeniedReason)
	case 2:
		fail(llm.Invalid, llm.Status4xx)
	case 3:
		fail(llm.Unavailable, llm.Connect)
	case 4:
		o.Took = 1000 * time.Hour
	}
	return o
}

// What a design is said to do with a request is what the policy itself does with models
// that behave so: served by the same, after the same time, with the same calls.
func TestDesignsDoWhatPoliciesDo(t *testing.T) {
	for seed := range 1500 {
		synctest.Test(t, func(t *testing.T) {
			d := &dice{Rand: rand.New(rand.NewPCG(uint64(seed), 4))}
			design := d.design(2)
			player := policy.NewPlayer(design)
			outcomes := map[string]policy.Outcome{}
			a := &acted{}
			m := a.real(design, func(name string) policy.Outcome { return outcomes[name] })
			for request := range 4 {
				for _, name := range []string{"a", "b", "c"} {
					outcomes[name] = d.outcome()
				}
				stream := d.IntN(2) == 0
				want := player.Play(stream, func(name string) policy.Outcome {
					o := outcomes[name]
					if !stream {
						o.First = 0
					}
					return o
				})
				a.start, a.made = time.Now(), nil
				reply, err := m.Complete(t.Context(), ask(stream))
				got := policy.Course{Outcome: policy.Outcome{Took: time.Since(a.start), First: reply.FirstToken}, Calls: a.made}
				if err != nil {
					got.Failure, want.First, got.First = reasonOf(err), 0, 0
				} else {
					got.Served = reply.Text[:1]
				}
				if want.Failure != nil {
					want.Failure = reasonOf(want.Failure)
				}
				order := func(x, y policy.Made) int {
					return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.Model, y.Model), cmp.Compare(x.End, y.End))
				}
				for _, c := range []policy.Course{got, want} {
					for i := range c.Calls { // which of two calls of one model was first is chance
						c.Calls[i].Whole = c.Calls[i].Whole || c.Calls[i].End == want.Took
					}
				}
				slices.SortFunc(got.Calls, order)
				slices.SortFunc(want.Calls, order)
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Fatalf("seed %d, request %d, streamed %v, of %+v\nwith %v (-design +policy):\n%s", seed, request, stream, design, outcomes, diff)
				}
			}
		})
		if t.Failed() {
			return
		}
	}
}

func reasonOf(err error) *llm.Failure {
	f := llm.FailureFromError(context.Background(), err)
	return &llm.Failure{Reason: f.Reason}
}
