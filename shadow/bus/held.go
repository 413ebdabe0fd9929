package bus

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// key tells messages of a stream apart, also when the stream was created anew and
// counts from one again.
type key struct {
	seq    uint64
	stored int64 // unix nanoseconds
}

// message is one that this process holds: received and neither acknowledged nor given back.
type message struct {
	jetstream.Msg
	key       key
	delivered uint64
	size      int
}

// held is what one Each call holds: it bounds its number and bytes, and keeps the
// server from delivering them to somebody else.
type held struct {
	mu       sync.Mutex
	messages map[key]*message
	bytes    int
	maxCount int
	maxBytes int
	freed    chan struct{} // one entry: something was released
}

func newHeld(maxCount, maxBytes int) *held {
	return &held{
		messages: make(map[key]*message), maxCount: maxCount, maxBytes: maxBytes,
		freed: make(chan struct{}, 1),
	}
}

// room is how many messages and bytes may be pulled. Bytes are positive whenever
// something may be pulled, and enough for the largest message when nothing is held.
func (h *held) room() (count, bytes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.maxCount - len(h.messages), h.maxBytes - h.bytes
}

// add says false for a message that is held already: the server took it for lost
// while the bus was down. Settling the first settles both.
func (h *held) add(m *message) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, there := h.messages[m.key]; there {
		return false
	}
	h.messages[m.key] = m
	h.bytes += m.size
	return true
}

// release forgets messages that were acknowledged or given back.
func (h *held) release(ms ...*message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range ms {
		if _, there := h.messages[m.key]; there {
			delete(h.messages, m.key)
			h.bytes -= m.size
		}
	}
	select {
	case h.freed <- struct{}{}:
	default:
	}
}

// keep tells the server, until ctx ends, that what is held is in work. A signal that
// is lost while the bus is down costs a second delivery, nothing more.
func (h *held) keep(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, m := range h.all() {
			if m.InProgress() != nil {
				break // disconnected: all fail alike
			}
		}
	}
}

func (h *held) all() []*message {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*message, 0, len(h.messages))
	for _, m := range h.messages {
		all = append(all, m)
	}
	return all
}

// recent remembers the last messages that were worked off, for the case that an
// acknowledgement is lost and the message comes again.
type recent struct {
	mu   sync.Mutex
	seen map[key]struct{}
	ring []key
	next int
}

const recentSize = 1 << 14

func newRecent() *recent { return &recent{seen: make(map[key]struct{})} }

func (r *recent) add(k key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.seen[k]; there {
		return
	}
	r.seen[k] = struct{}{}
	if len(r.ring) < recentSize {
		r.ring = append(r.ring, k)
		return
	}
	delete(r.seen, r.ring[r.next])
	r.ring[r.next] = k
	r.next = (r.next + 1) % recentSize
}

func (r *recent) has(k key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, there := r.seen[k]
	return there
}
