package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// errSkipped is a call that was not made.
var errSkipped = errors.New("not called")

// The defaults of [HealthOptions].
const (
	// DefaultRemember is how long each instance spares itself a provider that has refused
	// for good (a service's rule).
	DefaultRemember = 10 * time.Minute
	// DefaultWindow, DefaultFailures and DefaultOpen are a gateway's breaker: more than
	// 20 % of the last 50 calls, then 30 s without any.
	DefaultWindow   = 50
	DefaultFailures = 11
	DefaultOpen     = 30 * time.Second
	// halfOpen is how many real requests try a provider whose breaker was open.
	halfOpen = 3
)

// HealthOptions of [NewHealth]. The zero value is the gateway's breaker.
type HealthOptions struct {
	// Failures of the last Window calls open the breaker for Open. A Window equal to
	// Failures counts failures in a row. Calls that are refused for good, that are the
	// caller's own fault, or that meet a rate limit are no failures here.
	Failures, Window int
	Open             time.Duration
	// Remember is how long a lasting refusal is remembered.
	Remember time.Duration
	// OnRefusal is told of a lasting refusal when it comes, not of calls that are
	// skipped because of it; nil is nobody.
	OnRefusal func(provider string, f *llm.Failure)
}

// Health knows how one provider does, from all calls to it in this process.
type Health struct {
	o        HealthOptions
	provider string
	breaker  circuitbreaker.CircuitBreaker[any]

	mu      sync.Mutex
	refused *llm.Failure
	until   time.Time
}

// NewHealth starts with a provider that is well. The name is for its messages: an
// endpoint does not belong in it.
func NewHealth(provider string, o HealthOptions) *Health {
	o.Window, o.Failures = cmp.Or(o.Window, DefaultWindow), cmp.Or(o.Failures, DefaultFailures)
	o.Open, o.Remember = cmp.Or(o.Open, DefaultOpen), cmp.Or(o.Remember, DefaultRemember)
	return &Health{o: o, provider: provider, breaker: circuitbreaker.NewBuilder[any]().
		WithFailureThresholdRatio(uint(o.Failures), uint(o.Window)). // #nosec G115: small
		WithSuccessThreshold(halfOpen).WithDelay(o.Open).Build()}
}

// Guard is the model, called only while its provider is well. Else the call fails at
// once: with the refusal that is remembered, or as connect with the code breaker_open.
//
// The breaker is closed, open for a time, then half-open: three real requests are let
// through, all good closes it, one bad opens it again. A call that its caller gives up
// says nothing about the provider, but for one let through while half-open, which
// counts as bad: the breaker waits rather than guesses.
func (h *Health) Guard(m llm.Model) llm.Model {
	ask := m.Complete
	m.Complete = func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		if f := h.skip(); f != nil {
			return llm.Reply{}, f
		}
		halfOpen := h.breaker.IsHalfOpen()
		reply, err := ask(ctx, req)
		h.record(err, halfOpen, gaveUp(ctx) || errors.Is(err, llm.ErrUnsupported))
		return reply, err
	}
	return m
}

// skip says why the provider is not called now, or takes the breaker's permit.
func (h *Health) skip() *llm.Failure {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused != nil && time.Now().Before(h.until) {
		f := *h.refused
		f.Err = errors.Join(errSkipped, fmt.Errorf("%s has refused %s ago", h.provider, h.o.Remember-time.Until(h.until)))
		return &f
	}
	if !h.breaker.TryAcquirePermit() {
		return &llm.Failure{
			Class: llm.Unavailable, Reason: llm.Connect, Code: "breaker_open",
			Err: errors.Join(errSkipped, fmt.Errorf("breaker of %s is open", h.provider)),
		}
	}
	return nil
}

func (h *Health) record(err error, halfOpen, left bool) {
	if left {
		if halfOpen {
			h.breaker.RecordFailure()
		}
		return
	}
	if err == nil {
		h.breaker.RecordSuccess()
		return
	}
	f := failure(err)
	if t := trigger(f); f.Class != llm.Denied && t != "" && t != RateLimit {
		h.breaker.RecordFailure()
		return
	}
	h.breaker.RecordSuccess() // the provider is there, and has said no
	if f.Class != llm.Denied || !lasting(f) {
		return
	}
	h.mu.Lock()
	h.refused, h.until = f, time.Now().Add(h.o.Remember)
	h.mu.Unlock()
	if h.o.OnRefusal != nil {
		h.o.OnRefusal(h.provider, f)
	}
}

// lasting says that a refusal is the provider's, not one model's: key or money.
func lasting(f *llm.Failure) bool { return slices.Contains([]int{401, 402, 403, 429}, f.Status) }

// SecondKey asks second, the same model with another key, when first's key is refused
// (401, 403), once. No money (402, a quota used up) is the account's, whatever the key.
func SecondKey(first, second llm.Model) llm.Model {
	ask := first.Complete
	m := first
	m.Complete = func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		reply, err := ask(ctx, req)
		var f *llm.Failure
		if !errors.As(err, &f) || f.Status != 401 && f.Status != 403 || ctx.Err() != nil {
			return reply, err
		}
		r := run{start: time.Now().Add(-reply.Took)}
		r.add(first, 0, reply, err, false)
		at := reply.Took
		reply, err = second.Complete(ctx, req)
		index := r.add(second, at, reply, err, gaveUp(ctx))
		if err != nil {
			return r.fail(reply, at), err
		}
		return r.serve(reply, at, index), nil
	}
	return m
}
