package tap

import (
	"context"
	"net/http"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// Clients that repeat a failed call by themselves send the same body again. The SDKs
// of OpenAI and Anthropic, and what is built upon them, number their attempts from 0 on
// in one header; others name the call by a key that stays the same.
const (
	retryCount  = "X-Stainless-Retry-Count"
	idempotency = "Idempotency-Key"
)

var fateRetried = fate{notSampled: shadow.NotSampledRetry}

// maxNumber is the largest number of an attempt that is believed.
const maxNumber = 99

// repeats gives the number that a client gives an attempt after the first; 0 for the
// first, and for who numbers none.
func repeats(h http.Header) int {
	n := 0
	for _, c := range []byte(first(h[retryCount])) {
		if c < '0' || c > '9' {
			return 0
		}
		n = min(10*n+int(c-'0'), maxNumber)
	}
	return n
}

// turnOf is the key of a request, and whether its client marks attempts at all.
func turnOf(e *endpoint, session string, r *http.Request) (turnKey, bool) {
	key := tidyKey(first(r.Header[idempotency]))
	marked := key != "" || len(r.Header[retryCount]) > 0
	return turnKey{endpoint: e, session: session, idempotency: key, length: r.ContentLength}, marked
}

// mayRetry says whether a client that marks its attempts may try again after this
// one: after those statuses, a time-out, a cut, or when the answer asks for it.
func (c *capture) mayRetry() bool {
	if !c.marked {
		return false
	}
	switch first(c.refused["X-Should-Retry"]) {
	case "true":
		return true
	case "false":
		return false
	}
	switch c.status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return c.failure != nil || c.status >= 500
}

// pause is until when a failed attempt waits for the next.
func (c *capture) pause(now time.Time) time.Time {
	if c.wait > 0 && c.wait <= maxHint {
		return now.Add(max(turnWait, c.wait+turnGrace))
	}
	return now.Add(turnWait)
}

// tried is a turn with one more attempt: the sample of the first, and what the live
// service said to the last. Its clock runs from the first attempt's arrival.
func (it *item) tried(last *item) *item {
	before := last.at.Sub(it.at)
	s, live := it.sample, last.sample.Live
	live.Started = s.Live.Started
	live.Attempts = max(s.Live.Attempts, last.number) + 1 // one before may be decoded later
	live.Took += before
	if live.FirstToken > 0 {
		live.FirstToken += before
	}
	s.Live, s.Request = live, last.sample.Request
	return &item{arrival: it.arrival, sample: s, weight: last.weight}
}

// keepTurns settles the turns that nobody tries again, until ctx ends.
func (r *run) keepTurns(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			r.settleTurns(now, false)
		}
	}
}

// settleTurns sends on and counts what is settled, and with all everything that waits.
func (r *run) settleTurns(now time.Time, all bool) {
	for _, s := range r.tap.turns.due(now, all) {
		if s.fate != (fate{}) {
			r.tap.settle(s.it, s.fate)
			continue
		}
		r.send(s.it)
	}
}

// attempt takes what a capture was decoded to.
func (r *run) attempt(c *capture, it *item, f fate) {
	t := r.tap
	now := time.Now()
	switch {
	case c.further && f != (fate{}):
		t.turns.lost(c.turn, f)
		t.settle(it, fateRetried)
	case c.further:
		until := time.Time{}
		if c.mayRetry() {
			until = c.pause(now)
		}
		t.turns.join(c.turn, it, until, c.alone)
	case f != (fate{}):
		t.turns.gone(c.turn)
		t.settle(it, f)
	default:
		t.turns.wait(c.turn, it, c.pause(now))
	}
	r.settleTurns(now, false)
}
