package provider

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

const (
	// quotaFloor is the share of a limit that shadow calls leave to others: a live service
	// may be asking at the same provider's account.
	quotaFloor = 0.2
	// quotaPause bounds one pause: then a call asks how things stand.
	quotaPause = time.Minute
)

// Quota holds calls back that would use up what a provider's account may still ask. It
// knows what the provider's last replies said of it: with less than a fifth of a limit
// left, for requests or tokens, it pauses until the provider resets that limit, and after a
// 429 until it may be asked again; for a minute at most, then one reply is looked at. A
// provider that says nothing is never held back. It is safe for concurrent use.
type Quota struct {
	mu    sync.Mutex
	until time.Time
}

// Wait waits until a call may be made. The error is the cause of ctx's end.
func (q *Quota) Wait(ctx context.Context) error {
	for {
		q.mu.Lock()
		left := time.Until(q.until)
		q.mu.Unlock()
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// saw notes what a reply's headers say of the limits.
func (q *Quota) saw(h http.Header, now time.Time) {
	if q == nil {
		return
	}
	for _, l := range limitsIn(h, now) {
		if l.remaining < quotaFloor*l.limit {
			q.pause(l.reset, now)
		}
	}
}

// refused notes a refusal; one that is no 429, or does not say how long, holds nobody.
func (q *Quota) refused(f *llm.Failure, now time.Time) {
	if q != nil && f.Reason == llm.RateLimited {
		q.pause(f.RetryAfter, now)
	}
}

func (q *Quota) pause(d time.Duration, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if until := now.Add(min(d, quotaPause)); until.After(q.until) {
		q.until = until
	}
}

// limit is one of an account's limits as a reply tells it.
type limit struct {
	limit, remaining float64
	reset            time.Duration
}

// limitsIn reads the headers of OpenAI and Anthropic, and of servers that send the same.
// One that lacks a part, or is no number, is none.
func limitsIn(h http.Header, now time.Time) []limit {
	var all []limit
	add := func(most, left, reset string) {
		l, err := strconv.ParseFloat(h.Get(most), 64)
		r, errLeft := strconv.ParseFloat(h.Get(left), 64)
		if err != nil || errLeft != nil || !(l > 0) || !(r >= 0) {
			return
		}
		if d, ok := resetIn(h.Get(reset), now); ok {
			all = append(all, limit{l, r, d})
		}
	}
	for _, of := range []string{"Requests", "Tokens"} {
		add("X-Ratelimit-Limit-"+of, "X-Ratelimit-Remaining-"+of, "X-Ratelimit-Reset-"+of)
	}
	for _, of := range []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		at := "Anthropic-Ratelimit-" + of
		add(at+"-Limit", at+"-Remaining", at+"-Reset")
	}
	return all
}

// resetIn reads when a limit is whole again: "6m0s", seconds, or a time.
func resetIn(text string, now time.Time) (time.Duration, bool) {
	if d, err := time.ParseDuration(text); err == nil {
		return d, true
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second)), true
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.Sub(now), true
	}
	return 0, false
}
