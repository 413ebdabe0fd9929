package bus

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
)

// stopDelay is how long a message that is given back at the end stays away: the
// pull that is being ended may still be open at the server, and would take it along.
const stopDelay = 500 * time.Millisecond

// stage is one Each call.
type stage struct {
	bus      *Bus
	kind     string
	o        eachOptions
	consumer jetstream.Consumer // used by feed alone
	failing  bool               // used by feed alone
	held     *held
	done     *recent
	tries    *tries
}

// run feeds messages to work until ctx ends; work's ctx lives on for the grace time.
func (b *Bus) run(ctx context.Context, s *stage, maxCount, maxBytes int, work func(context.Context, <-chan *message)) error {
	consumer, err := b.openConsumer(ctx, s.kind)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	s.bus, s.consumer, s.done, s.tries = b, consumer, newRecent(), newTries(b.o.Attempts, b.o.GiveUp)
	s.held = newHeld(maxCount, max(maxBytes, s.largest()))
	ackWait := consumer.CachedInfo().Config.AckWait
	feedCtx, stopFeeding := context.WithCancel(ctx)
	keepCtx, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	workCtx, stopWork := withGrace(ctx, s.o.grace)
	messages := make(chan *message, maxCount)
	var feedErr error
	var feeding, keeping sync.WaitGroup
	feeding.Go(func() { feedErr = s.feed(feedCtx, messages) })
	keeping.Go(func() { // a pull does not notice by itself that the connection is closed
		select {
		case <-b.closed:
			stopFeeding()
		case <-feedCtx.Done():
		}
	})
	keeping.Go(func() { s.held.keep(keepCtx, max(ackWait/3, 10*time.Millisecond)) })
	work(workCtx, messages)
	stopFeeding()
	feeding.Wait()
	stopKeeping()
	keeping.Wait()
	stopWork()
	b.flush()
	if feedErr != nil {
		return fmt.Errorf("consume %s: %w", s.kind, feedErr)
	}
	return nil
}

// flush sends the last acknowledgements.
func (b *Bus) flush() {
	if b.nc.IsConnected() {
		if err := b.nc.FlushTimeout(flushTimeout); err != nil {
			b.o.Log.Warn("bus flush: acknowledged messages may come again", "error", err)
		}
	}
}

// withGrace is ctx, but ends so much later.
func withGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	if grace == 0 {
		return context.WithCancel(ctx)
	}
	later, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-later.Done():
		case <-time.After(grace):
			cancel(context.Cause(ctx))
		}
	})
	return later, func() { stop(); cancel(context.Canceled) }
}

func eachOne[T any](ctx context.Context, b *Bus, kind string, decode func([]byte) (T, error),
	f func(context.Context, T) error, opts []EachOption,
) error {
	o, err := eachDefaults(opts)
	if err != nil {
		return err
	}
	s := &stage{kind: kind, o: o}
	one := func(ctx context.Context, m *message) error {
		value, err := decode(m.Data())
		if err != nil {
			return &deadError{reason: decodeReason(err), err: err}
		}
		return safely(func() error { return f(ctx, value) })
	}
	return b.run(ctx, s, o.concurrency, b.o.MaxInFlight, func(workCtx context.Context, messages <-chan *message) {
		var workers sync.WaitGroup
		for range o.concurrency {
			workers.Go(func() {
				for m := range messages {
					s.work(ctx, workCtx, m, one)
				}
			})
		}
		workers.Wait()
	})
}

// work has f work on a message and settles it. ctx says whether the stage still runs.
func (s *stage) work(ctx, workCtx context.Context, m *message, f func(context.Context, *message) error) {
	switch {
	case s.done.has(m.key):
		s.ack(m)
	case ctx.Err() != nil:
		s.giveBack(m, stopDelay)
	default:
		err := f(workCtx, m)
		s.settle(workCtx, m, err)
	}
}

// settle acknowledges a message, gives it back or makes it a dead letter.
func (s *stage) settle(ctx context.Context, m *message, err error) {
	var dead *deadError
	switch {
	case err == nil:
		s.tries.worked(m.key)
		s.ack(m)
	case errors.As(err, &dead):
		s.bury(ctx, m, dead)
	case ctx.Err() != nil:
		s.giveBack(m, stopDelay)
	default:
		n, hopeless := s.tries.failed(m.key)
		s.bus.o.Log.WarnContext(ctx, "message failed", "stage", s.kind, "seq", m.key.seq, "tries", n, "error", err)
		if hopeless {
			s.bury(ctx, m, &deadError{reason: DeadFailed, err: err})
			return
		}
		s.giveBack(m, retryDelay(s.bus.o.RetryDelay, n))
	}
}

// ack acknowledges a message whose product is stored. Should the acknowledgement be
// lost, the message comes again and is acknowledged without being worked on twice.
func (s *stage) ack(m *message) {
	s.done.add(m.key)
	if err := m.Ack(); err != nil {
		s.bus.o.Log.Debug("acknowledgement not sent, it will be repeated", "stage", s.kind, "seq", m.key.seq, "error", err)
	}
	s.held.release(m)
}

// giveBack lets the server deliver a message again after a delay. If that cannot be
// said now, the server does it once AckWait is over.
func (s *stage) giveBack(m *message, delay time.Duration) {
	if err := m.NakWithDelay(delay); err != nil {
		s.bus.o.Log.Debug("message not given back, it will come again by itself", "stage", s.kind, "seq", m.key.seq, "error", err)
	}
	s.held.release(m)
}

// safely contains f's panics, so that one message cannot end the process.
func safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &deadError{reason: DeadPanic, err: fmt.Errorf("panic: %v", r), stack: debug.Stack()}
		}
	}()
	err = f()
	var lasting *lastingError
	switch {
	case errors.As(err, &lasting):
		return &deadError{reason: DeadLasting, err: err}
	case errors.Is(err, shadow.ErrTooLarge):
		return &deadError{reason: DeadTooLarge, err: err}
	}
	return err
}
