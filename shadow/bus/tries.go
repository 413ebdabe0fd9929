package bus

import (
	"sync"
	"time"
)

// tries counts failures per message, and tells a message's own fault from a fault of
// the whole stage (a full disk, a store that is full): when nothing else succeeds, a
// message is not blamed.
type tries struct {
	mu       sync.Mutex
	attempts int
	giveUp   time.Duration
	worked0  uint64 // messages that succeeded
	failing  map[key]failing
}

type failing struct {
	count       int
	first       time.Time
	workedSince uint64 // value of worked0 at the first failure
}

// maxFailing bounds the memory of failures; beyond it counting starts again.
const maxFailing = 1 << 16

func newTries(attempts int, giveUp time.Duration) *tries {
	return &tries{attempts: attempts, giveUp: giveUp, failing: make(map[key]failing)}
}

// worked notes a success.
func (t *tries) worked(k key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.worked0++
	delete(t.failing, k)
}

// failed notes a failure, and says which one it is and whether to give the message up.
func (t *tries) failed(k key) (n int, hopeless bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, there := t.failing[k]
	if !there {
		if len(t.failing) >= maxFailing {
			clear(t.failing)
		}
		f = failing{first: time.Now(), workedSince: t.worked0}
	}
	f.count++
	t.failing[k] = f
	others := t.worked0 > f.workedSince
	if f.count < t.attempts || !others && time.Since(f.first) < t.giveUp {
		return f.count, false
	}
	delete(t.failing, k)
	return f.count, true
}

// retryDelay is base after the first failure, and doubles with each up to a minute.
func retryDelay(base time.Duration, n int) time.Duration {
	delay := base
	for range n - 1 {
		if delay >= maxRetryDelay {
			break
		}
		delay *= 2
	}
	return min(delay, maxRetryDelay)
}

// count is how often a message has failed here.
func (t *tries) count(k key) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failing[k].count
}
