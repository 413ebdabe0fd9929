package bus

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
)

// What is on its way is bounded in bytes: of 100 publishes of 1 MiB seven fit into the
// window, the others wait outside it, and each is let in as one is stored.
func TestPublishWindowIsInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, closed := newSender(), make(chan struct{})
		const total, fit = 100, publishBytes / (1<<20 + messageOverhead)
		var all sync.WaitGroup
		for range total {
			all.Go(func() {
				if err := s.send(t.Context(), &nats.Msg{Data: make([]byte, 1<<20)}, closed); err != nil {
					t.Error(err)
				}
			})
		}
		for left := total; left > 0; left-- {
			synctest.Wait()
			if n := len(s.queue); n != min(fit, left) {
				t.Fatalf("%d on their way with %d left, want %d", n, left, min(fit, left))
			}
			(<-s.queue).done <- nil
		}
		all.Wait()
	})
}

// A message larger than the window goes alone, and one whose caller's time is over is
// never written.
func TestPublishLargerThanWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, closed := newSender(), make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				err := s.send(ctx, &nats.Msg{Data: make([]byte, publishBytes+1)}, closed)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v, want the caller's deadline", err)
				}
			})
		}
		synctest.Wait()
		if n := len(s.queue); n != 1 {
			t.Errorf("%d on their way, want one", n)
		}
		all.Wait()
		for range len(s.queue) {
			s.write(nil, <-s.queue) // a write would panic
		}
		if len(s.waiting) != 0 {
			t.Errorf("%d still wait", len(s.waiting))
		}
	})
}

// Whoever waits when the connection is closed is told so.
func TestPublishEndsWithConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, closed := newSender(), make(chan struct{})
		var all sync.WaitGroup
		for range sendQueue + 1 { // queued, and one before the queue
			all.Go(func() {
				if err := s.send(t.Context(), &nats.Msg{}, closed); !errors.Is(err, nats.ErrConnectionClosed) {
					t.Errorf("error %v, want that the connection is closed", err)
				}
			})
		}
		synctest.Wait()
		close(closed)
		all.Wait()
	})
}
