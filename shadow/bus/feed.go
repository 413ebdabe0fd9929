package bus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// heartbeat is how often the server shows that a waiting pull is alive; after two
	// missed ones the consumer is looked up, or created, again.
	heartbeat = 1500 * time.Millisecond
	maxPull   = 500
	// messageOverhead is about what a message takes beside its body.
	messageOverhead = 512
	// reopenTimeout is short: the question may be lost with the connection, and
	// workers are to receive again within 5 s.
	reopenTimeout = time.Second
	minBackoff    = 100 * time.Millisecond
	maxBackoff    = 2 * time.Second
)

// feed pulls messages into out as there is room for them, until ctx ends or the
// connection is closed; then it closes out.
func (s *stage) feed(ctx context.Context, out chan<- *message) error {
	defer close(out)
	backoff := minBackoff
	for ctx.Err() == nil {
		if !s.bus.Connected() {
			pause(ctx, minBackoff)
			continue
		}
		count, room := s.held.room()
		if count <= 0 || room <= 0 {
			s.waitFreed(ctx, time.Second)
			continue
		}
		got, err := s.pull(ctx, count, room, out)
		switch {
		case err == nil && got > 0:
			backoff = minBackoff
		case err == nil:
			// Nothing came in a whole pull, or the next message needs more room.
			s.waitFreed(ctx, minBackoff)
		case ctx.Err() != nil:
		default:
			s.reopen(ctx, err)
			pause(ctx, backoff)
			backoff = min(2*backoff, maxBackoff)
		}
	}
	if s.bus.nc.IsClosed() {
		return nats.ErrConnectionClosed
	}
	return nil
}

func (s *stage) waitFreed(ctx context.Context, longest time.Duration) {
	select {
	case <-ctx.Done():
	case <-s.held.freed:
	case <-time.After(longest):
	}
}

// pull asks for messages once and hands on what comes until the pull is used up.
// out has room for all that may be held.
func (s *stage) pull(ctx context.Context, count, room int, out chan<- *message) (int, error) {
	batch, err := s.consumer.Fetch(min(count, maxPull),
		jetstream.FetchMaxBytes(min(room, max(pullBytes, s.largest()))),
		jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(heartbeat))
	if err != nil {
		return 0, err
	}
	got := 0
	for raw := range batch.Messages() {
		got++
		s.healthy(ctx)
		m := &message{Msg: raw, size: len(raw.Data()) + messageOverhead}
		if meta, err := raw.Metadata(); err == nil {
			m.key = key{meta.Sequence.Stream, meta.Timestamp.UnixNano()}
			m.delivered = meta.NumDelivered
		}
		if s.held.add(m) {
			out <- m
		}
	}
	err = batch.Error()
	if errors.Is(err, jetstream.ErrNoMessages) || errors.Is(err, nats.ErrTimeout) {
		err = nil
	}
	return got, err
}

// largest is the room that any message of the server fits into.
func (s *stage) largest() int { return int(s.bus.MaxPayload()) + headRoom }

// reopen looks the consumer up again after a pull failed, and says so once.
func (s *stage) reopen(ctx context.Context, cause error) {
	if !s.failing {
		s.failing = true
		s.bus.o.Log.WarnContext(ctx, "bus consumer stopped receiving, opening it again", "stage", s.kind, "error", cause)
	}
	if !s.bus.Connected() {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, reopenTimeout, errSlow)
	defer cancel()
	if consumer, err := s.bus.consumer(ctx, s.kind); err == nil {
		s.consumer = consumer
	}
}

// healthy notes that messages arrive.
func (s *stage) healthy(ctx context.Context) {
	if s.failing {
		s.failing = false
		s.bus.o.Log.InfoContext(ctx, "bus consumer receives again", "stage", s.kind)
	}
}
