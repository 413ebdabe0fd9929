package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// kindIn is the subject on which others send what they recorded. No stream keeps it.
const kindIn = "in"

const (
	// maxIntakeItems and maxIntakeBytes bound what waits for Intake's function in this
	// process: it works in memory, so that more is a burst beyond all measure.
	maxIntakeItems = 10_000
	maxIntakeBytes = 64 << 20
	// intakeLostEvery is how often lost messages are told of.
	intakeLostEvery = time.Second
)

// Intake calls f with each message that somebody sends to understudy.in.<experiment>
// over plain NATS, one after the other, until ctx ends; then with those that are here
// already. What f returns is the reply, where one is asked for. Of several processes
// that take them in, one gets a message.
//
// It never makes a sender wait. Messages that come faster than f works, by more than a
// bounded buffer, are lost; lost is told how many, from the goroutine of this call.
func (b *Bus) Intake(ctx context.Context, f func(data []byte) []byte, lost func(n int)) error {
	sub, err := b.nc.QueueSubscribe(b.subject(kindIn), "understudy", func(m *nats.Msg) {
		reply := f(m.Data)
		if m.Reply != "" {
			_ = m.Respond(reply) // who does not get it asks again or gives up
		}
	})
	if err != nil {
		return fmt.Errorf("take in on %s: %w", b.subject(kindIn), err)
	}
	ended := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(ended) })
	if err := sub.SetPendingLimits(maxIntakeItems, maxIntakeBytes); err != nil {
		return fmt.Errorf("take in on %s: %w", b.subject(kindIn), err)
	}
	if err := b.nc.FlushTimeout(flushTimeout); err != nil && ctx.Err() == nil {
		b.o.Log.WarnContext(ctx, "intake is not known to the bus yet", "error", err)
	} else if err == nil {
		b.o.Log.InfoContext(ctx, "intake listens", "subject", b.subject(kindIn))
	}
	b.tellLost(ctx, sub, lost)
	if err := sub.Drain(); err != nil {
		return nil // the connection is gone, and what waited with it
	}
	select {
	case <-ended:
	case <-b.closed:
	case <-time.After(flushTimeout):
	}
	return nil
}

// tellLost tells of messages that were lost until ctx ends.
func (b *Bus) tellLost(ctx context.Context, sub *nats.Subscription, lost func(int)) {
	tick := time.NewTicker(intakeLostEvery)
	defer tick.Stop()
	told := 0
	for more := true; more; {
		select {
		case <-tick.C:
		case <-b.closed:
			more = false
		case <-ctx.Done():
			more = false
		}
		if n, err := sub.Dropped(); err == nil && n > told {
			lost(n - told)
			told = n
		}
	}
}
