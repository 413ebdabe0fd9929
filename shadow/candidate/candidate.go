package candidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// DefaultTimeout is the time limit of an arm that sets none: well above the tail
// limits that reports look at, so that the tail is measured and not cut off.
const DefaultTimeout = 60 * time.Second

// Arm is a candidate.
type Arm struct {
	// Name is how reports call it; unique, and neither empty nor shadow.Live.
	Name shadow.Arm
	// Model answers. It is asked with a ctx that ends at Timeout.
	Model llm.Model
	// Share is the share of the samples that it is asked, in (0, 1]; 0 is 1.
	// Shares nest: an arm at 0.3 answers a subset of what an arm at 1 answers.
	Share float64
	// Timeout is the limit of one call; DefaultTimeout if zero.
	Timeout time.Duration
	// Concurrency bounds the calls to this arm at the same time, over all Try calls;
	// 0 does not. The wait for a place is our own time: part of Queued, not of Took.
	Concurrency int
	// Wait, if set, returns when the arm may be asked, or with an error when ctx ends. It is
	// our own time as well.
	Wait func(ctx context.Context) error
	// Purse keeps the arm within a limit for each day; nil limits nothing. MostCalls is
	// how many calls to models one answer takes at most, 1 if zero. Price says what a
	// reply cost, in 1e-9 USD, as far as it is known; nil is unknown.
	Purse     *shadow.Purse
	MostCalls int
	Price     func(llm.Reply) (nanoUSD int64, known bool)
	// Control says that it is the live model again. It is asked like any other.
	Control bool
}

// Options of an [Asker].
type Options struct {
	// Log gets what a model did against its contract (panics, errors that are no
	// *llm.Failure), never a text; nil discards it.
	Log *slog.Logger
}

// Asker asks the candidates. Its methods may be called from any number of goroutines.
type Asker struct {
	arms   []arm
	shares atomic.Pointer[[]float64] // of arms, now
	log    *slog.Logger
}

type arm struct {
	Arm
	places chan struct{} // nil without a bound
}

// New checks the arms, which may be none. Errors name the arm: without a name or
// model, named as another or as the live arm, a share outside 0..1, a negative limit.
func New(arms []Arm, o Options) (*Asker, error) {
	a := &Asker{log: o.Log}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	seen := map[shadow.Arm]bool{}
	for i, one := range arms {
		switch {
		case one.Name == "":
			return nil, fmt.Errorf("candidate %d: no name", i+1)
		case one.Name == shadow.Live:
			return nil, fmt.Errorf("candidate %d: %q is the name of the live arm", i+1, one.Name)
		case seen[one.Name]:
			return nil, fmt.Errorf("candidate %q is there twice", one.Name)
		case one.Model.Complete == nil:
			return nil, fmt.Errorf("candidate %q: no model", one.Name)
		case !(one.Share >= 0 && one.Share <= 1):
			return nil, fmt.Errorf("candidate %q: share %v is not in (0, 1]", one.Name, one.Share)
		case one.Timeout < 0 || one.Concurrency < 0 || one.MostCalls < 0:
			return nil, fmt.Errorf("candidate %q: negative time limit, concurrency or number of calls", one.Name)
		}
		seen[one.Name] = true
		one.Share = cmp.Or(one.Share, 1)
		one.Timeout = cmp.Or(one.Timeout, DefaultTimeout)
		one.MostCalls = cmp.Or(one.MostCalls, 1)
		next := arm{Arm: one}
		if one.Concurrency > 0 {
			next.places = make(chan struct{}, one.Concurrency)
		}
		a.arms = append(a.arms, next)
	}
	shares := make([]float64, len(a.arms))
	for i, arm := range a.arms {
		shares[i] = arm.Share
	}
	a.shares.Store(&shares)
	return a, nil
}

// SetShares changes the shares of some arms for samples that are tried from now on;
// each answer keeps the share under which it was asked. Errors: an arm that is none of
// New's, a share outside (0, 1]; then nothing changes.
func (a *Asker) SetShares(shares map[shadow.Arm]float64) error {
	next := slices.Clone(*a.shares.Load())
	for name, share := range shares {
		i := slices.IndexFunc(a.arms, func(one arm) bool { return one.Name == name })
		if i < 0 {
			return fmt.Errorf("candidate %q: not among those that are asked", name)
		}
		if !(share > 0 && share <= 1) {
			return fmt.Errorf("candidate %q: share %v is not in (0, 1]", name, share)
		}
		next[i] = share
	}
	a.shares.Store(&next)
	return nil
}

// Try asks every candidate that the sample is for, all at once, and waits for all
// answers: at most the longest time limit, plus the wait for a place where
// concurrency is bounded. Candidates has one answer per arm in the order of New,
// empty without arms.
//
// An arm whose limit for the day is reached is not asked (budget). If it is not known
// whether it is, there is an error and no trial.
//
// Once ctx ends it returns its cause and no trial, whatever was answered by then: the
// sample is to be tried again, for an answer that we cut off is not the model's.
func (a *Asker) Try(ctx context.Context, s shadow.Sample) (shadow.Trial, error) {
	trial := shadow.Trial{Sample: s, Candidates: make([]shadow.Answer, len(a.arms))}
	why, unsupported := "", false
	if len(a.arms) > 0 {
		why, unsupported = llm.Unsupported(s.Dialect, s.Request)
	}
	shares := *a.shares.Load()
	paid := make([][]*shadow.Receipt, len(a.arms)) // of those to be asked
	for i, arm := range a.arms {
		answer := &trial.Candidates[i]
		*answer = shadow.Answer{Arm: arm.Name, Share: shares[i]}
		switch {
		case !s.InShare(shares[i]):
			answer.NotAsked = shadow.NotAskedShare
		case unsupported:
			answer.NotAsked = shadow.NotAskedUnsupported
			answer.Notes = []string{why}
		case !arm.Model.Takes(s.Dialect):
			answer.NotAsked = shadow.NotAskedUnsupported
			answer.Notes = []string{"the model takes no requests in " + string(s.Dialect)}
		default:
			var err error
			if paid[i], err = arm.Purse.Begin(ctx, arm.MostCalls); errors.Is(err, shadow.ErrSpent) {
				answer.NotAsked = shadow.NotAskedBudget
			} else if err != nil {
				giveBack(paid)
				return shadow.Trial{}, fmt.Errorf("try sample %s: candidate %q: %w", s.ID, arm.Name, err)
			}
		}
	}
	var asking sync.WaitGroup
	for i, arm := range a.arms {
		if answer := &trial.Candidates[i]; answer.NotAsked == "" {
			asking.Go(func() { a.ask(ctx, arm, s, answer, paid[i]) })
		}
	}
	asking.Wait()
	if ctx.Err() != nil {
		return shadow.Trial{}, fmt.Errorf("try sample %s: %w", s.ID, context.Cause(ctx))
	}
	return trial, nil
}

// giveBack settles what was paid for and is not asked.
func giveBack(paid [][]*shadow.Receipt) {
	for _, receipts := range paid {
		for _, receipt := range receipts {
			receipt.Settle(0, 0, true)
		}
	}
}

// ask puts the question to one arm, whose calls are paid for, and fills in its answer.
func (a *Asker) ask(ctx context.Context, arm arm, s shadow.Sample, answer *shadow.Answer, paid []*shadow.Receipt) {
	calls, reply, err := 0, llm.Reply{}, error(nil)
	defer func() { settle(paid, arm, calls, reply, err) }()
	if arm.places != nil {
		select {
		case arm.places <- struct{}{}:
			defer func() { <-arm.places }()
		case <-ctx.Done():
			return
		}
	}
	if arm.Wait != nil && arm.Wait(ctx) != nil {
		return
	}
	limit := fmt.Errorf("time limit of %s: %w", arm.Timeout, context.DeadlineExceeded)
	start := time.Now()
	callCtx, cancel := context.WithTimeoutCause(ctx, arm.Timeout, limit)
	defer cancel()
	reply, err = call(callCtx, arm.Model, request(s))
	took := time.Since(start)
	calls = max(reply.Attempts, len(reply.Trace), 1)
	if errors.Is(err, llm.ErrUnsupported) { // nothing was sent
		calls = len(reply.Trace)
		answer.NotAsked, answer.Notes = shadow.NotAskedUnsupported, []string{err.Error()}
		return
	}
	late := errors.Is(callCtx.Err(), context.DeadlineExceeded)
	a.record(ctx, answer, arm, s, reply, err, late)
	answer.Started = start.UTC().Round(0)
	answer.Queued = queued(start, s)
	answer.Took = took
	if !answer.Censored && reply.Took > 0 && reply.Took < took {
		answer.Took = reply.Took // without our own work around the call
	}
	answer.FirstToken = min(max(reply.FirstToken, 0), answer.Took)
}

// settle says what an answer came to. A call that the provider refused, or that did not
// reach it, costs nothing.
func settle(paid []*shadow.Receipt, arm arm, calls int, reply llm.Reply, err error) {
	var cost int64
	known := false
	var f *llm.Failure
	switch {
	case errors.As(err, &f) && reply.Usage.Out == nil && (f.Status >= 400 || f.Reason == llm.Connect):
		known = true
	case arm.Price != nil:
		cost, known = arm.Price(reply)
	}
	for i, receipt := range paid {
		n := 0
		if i == 0 {
			n = calls
		}
		receipt.Settle(n, cost, known)
	}
}

// request is the client's own, and a copy: no model can change another's.
func request(s shadow.Sample) llm.Request {
	return llm.Request{
		Dialect: s.Dialect, Body: slices.Clone(s.Request), Stream: s.Stream,
		Header: cloneHeader(s.Header), Tags: s.Tags,
	}
}

func cloneHeader(header map[string][]string) http.Header {
	if len(header) == 0 {
		return nil
	}
	return http.Header(maps.Clone(header)).Clone()
}

// queued is how long the sample waited between the live answer's end and our
// question. It is read from wall clocks, maybe of two machines: a label for the
// pipeline's lag, never part of a model's latency. A clock that steps gives 0 at least.
func queued(start time.Time, s shadow.Sample) time.Duration {
	return max(start.Sub(s.Seen)-s.Live.Took, 0)
}

// errPanic is a model that panicked.
var errPanic = errors.New("model panicked")

// call asks once and contains a panic.
func call(ctx context.Context, m llm.Model, req llm.Request) (reply llm.Reply, err error) {
	defer func() {
		if r := recover(); r != nil {
			reply, err = llm.Reply{}, fmt.Errorf("%w: %T", errPanic, r)
		}
	}()
	return m.Complete(ctx, req)
}
