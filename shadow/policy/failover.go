package policy

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// maxBackOff is how long a chain waits for a model that asked it to, before it goes on
// to the next: a short back-off, our judgement; a user waits on the other side.
const maxBackOff = 2 * time.Second

// Limits are a call's time limits; 0 is none but the policy's budget.
type Limits struct {
	// Timeout is for the whole call.
	Timeout time.Duration
	// FirstToken is for a stream's first content. Answers that are not streamed have none.
	FirstToken time.Duration
}

// FailoverOptions of a chain. The zero value is a chain that goes on after every trigger.
type FailoverOptions struct {
	// Name is what the configuration calls the policy.
	Name string
	// On is what the chain goes on after; nil is all of [Triggers].
	On []Trigger
	// Limits are those of each call; Each, where it has an entry for a stage, goes before.
	Limits
	Each []Limits
	// Budget is for the whole request; 0 is [DefaultBudget].
	Budget time.Duration
	// Retries is what a second call of a stage that asked to wait (Retry-After of two
	// seconds at most) is taken from; nil makes none. Both calls carry one idempotency key.
	Retries *RetryBudget
	// Check looks at answers of all stages but the first, which need not keep to the
	// request's form as the first model does; nil checks none, as for judges: their
	// verdict is never corrected.
	Check *OutputCheck
}

type failover struct {
	FailoverOptions
	models []llm.Model
}

// Failover asks models in order until one answers.
//
// It goes on after the failures of On and after a lasting refusal; a stage that is
// [Health]'s to skip costs no time, nor does one that cannot be asked this
// ([llm.ErrUnsupported]; the chain's error if none can). What is the caller's own fault ends it at once, as
// does the caller's own leaving. A stream that has begun to say something is never
// taken over. FirstToken and Took count from the request's start. When all have
// failed, the failure is the last call's, with all others in its text.
//
// It panics without a model, which is a bug of the caller's.
func Failover(models []llm.Model, o FailoverOptions) llm.Model {
	if len(models) == 0 {
		panic("policy: a chain without a model")
	}
	f := newFailover(models, o)
	return llm.Model{Name: o.Name, Dialects: takes(models), Complete: func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		return f.from(ctx, req, 0)
	}}
}

func newFailover(models []llm.Model, o FailoverOptions) *failover {
	f := &failover{FailoverOptions: o, models: slices.Clone(models)}
	if f.On == nil {
		f.On = Triggers()
	}
	f.Budget = cmp.Or(f.Budget, DefaultBudget)
	return f
}

// takes are the dialects that every model takes; nil is any.
func takes(models []llm.Model) []llm.Dialect {
	var all []llm.Dialect
	for _, m := range models {
		switch {
		case m.Dialects == nil:
		case all == nil:
			all = slices.Clone(m.Dialects)
		default:
			all = slices.DeleteFunc(all, func(d llm.Dialect) bool { return !m.Takes(d) })
		}
	}
	return all
}

// from asks the stages in order, turned so that start is the first.
func (f *failover) from(ctx context.Context, req llm.Request, start int) (llm.Reply, error) {
	var all struct { // in one piece, since it is needed for each request
		run   run
		call  call
		trace [4]llm.Attempt
	}
	r, s := &all.run, &all.call
	r.start, r.trace = time.Now(), all.trace[:0]
	s.run, s.end = r, r.start.Add(f.Budget)
	f.Retries.request()
	if req.IdempotencyKey == "" && f.Retries != nil {
		req.IdempotencyKey = rand.Text()
	}
	var last step
	var told error
	for i := range f.models {
		stage := (start + i) % len(f.models)
		s.model, s.limits = f.models[stage], f.limits(stage)
		last = f.stage(ctx, req, s, i > 0)
		switch {
		case last.err == nil:
			return r.serve(last.reply, last.at, last.index), nil
		case ctx.Err() != nil:
			return r.fail(last.reply, last.at), over(ctx)
		case s.begun.Load(), !errors.Is(last.err, llm.ErrUnsupported) && !goesOn(failure(last.err), f.On):
			return r.fail(last.reply, last.at), last.err
		}
		if told = worse(told, last.err); !time.Now().Before(s.end) {
			break
		}
	}
	return r.fail(last.reply, last.at), allFailed(told, r.trace)
}

// over is how a request ends whose caller's time is up, or whose caller has left.
func over(ctx context.Context) error {
	if gaveUp(ctx) {
		return context.Cause(ctx)
	}
	return llm.FailureFromError(ctx, context.Cause(ctx))
}

func (f *failover) limits(stage int) Limits { return limitsOf(f.Each, f.Limits, stage) }

// limitsOf are a stage's limits: its own, else those of all.
func limitsOf(each []Limits, all Limits, stage int) Limits {
	if stage < len(each) {
		return Limits{cmp.Or(each[stage].Timeout, all.Timeout), cmp.Or(each[stage].FirstToken, all.FirstToken)}
	}
	return all
}

// step is what came of a call: when it began, and its answer's place in the trace.
type step struct {
	reply llm.Reply
	err   error
	at    time.Duration
	index int
}

// stage asks one model, twice if it asked to wait a moment.
func (f *failover) stage(ctx context.Context, req llm.Request, s *call, later bool) step {
	one := s.do(ctx, req)
	if wait, again := f.backOff(s, one.err); again && sleep(ctx, wait) {
		one = s.do(ctx, req)
	}
	if one.err == nil && later && f.Check != nil {
		return f.Check.after(ctx, req, s, one)
	}
	return one
}

// backOff says whether a stage is asked again after the wait that it asked for.
func (f *failover) backOff(s *call, err error) (time.Duration, bool) {
	if err == nil || s.begun.Load() {
		return 0, false
	}
	fail := failure(err)
	wait := fail.RetryAfter
	if fail.Reason != llm.RateLimited || wait <= 0 || wait > maxBackOff || time.Now().Add(wait).After(s.end) {
		return 0, false
	}
	return wait, f.Retries.take()
}

// sleep waits, and says whether the caller is still there.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// call asks one stage within its limits and the budget's end.
type call struct {
	run    *run
	model  llm.Model
	limits Limits
	end    time.Time
	// begun says that a stream's content has begun: it cannot be taken back.
	begun atomic.Bool
}

// errFirstToken is the failure of a stream that says nothing in time.
func errFirstToken(limit time.Duration) *llm.Failure {
	return &llm.Failure{
		Class: llm.Unavailable, Reason: llm.Timeout, Code: "first_token",
		Err: fmt.Errorf("no content within %s: %w", limit, context.DeadlineExceeded),
	}
}

// do makes the call.
func (c *call) do(parent context.Context, req llm.Request) step {
	begin := time.Now()
	end, cause := c.end, errBudget
	if c.limits.Timeout > 0 && begin.Add(c.limits.Timeout).Before(end) {
		end = begin.Add(c.limits.Timeout)
		cause = fmt.Errorf("time limit of %s: %w", c.limits.Timeout, context.DeadlineExceeded)
	}
	ctx, cancel := context.WithDeadlineCause(parent, end, cause)
	defer cancel()
	if req.Stream {
		var done func()
		ctx, req, done = c.watch(ctx, req)
		defer done()
	}
	one := step{at: begin.Sub(c.run.start)}
	one.reply, one.err = c.model.Complete(ctx, req)
	if req.Stream && one.reply.FirstToken > 0 {
		c.begun.Store(true)
	}
	one.index = c.run.add(c.model, one.at, one.reply, one.err, gaveUp(parent))
	return one
}

// watch notes a stream's first content and ends a call that has none in time.
func (c *call) watch(ctx context.Context, req llm.Request) (context.Context, llm.Request, func()) {
	stop := func() {}
	if c.limits.FirstToken > 0 {
		limited, cancel := context.WithCancelCause(ctx)
		timer := time.AfterFunc(c.limits.FirstToken, func() {
			if !c.begun.Load() {
				cancel(errFirstToken(c.limits.FirstToken))
			}
		})
		ctx, stop = limited, func() { timer.Stop(); cancel(nil) }
	}
	tell := req.OnFirst
	req.OnFirst = func() {
		c.begun.Store(true)
		if tell != nil {
			tell()
		}
	}
	return ctx, req, stop
}

// allFailed is the failure of a chain whose models have all failed; that none of them
// can be asked this is none.
func allFailed(told error, trace []llm.Attempt) error {
	if errors.Is(told, llm.ErrUnsupported) {
		return told
	}
	last := failure(told)
	var all []string
	for _, a := range trace {
		all = append(all, fmt.Sprintf("%s: %s", a.Model, why(a)))
	}
	f := *last
	f.Err = errors.Join(fmt.Errorf("all models failed (%s)", strings.Join(all, "; ")), last.Err)
	return &f
}

func why(a llm.Attempt) string {
	switch {
	case a.Code != "":
		return string(a.Reason) + " " + a.Code
	case a.Status != 0:
		return fmt.Sprintf("%s %d", a.Reason, a.Status)
	}
	return string(a.Reason)
}
