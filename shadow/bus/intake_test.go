package bus_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
)

const intakeSubject = "understudy.in.support"

// Of two processes one takes a message, and its answer is the reply. Without a reply
// subject none is sent, and what came before the end is still taken.
func TestIntake(t *testing.T) {
	s := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	var taken atomic.Int64
	var stops []func() error
	for range 2 {
		b := connect(t, bus.Options{URL: s.URL(), Experiment: "support"})
		stops = append(stops, consume(t, func(ctx context.Context) error {
			return b.Intake(ctx, func(data []byte) []byte {
				taken.Add(1)
				return append([]byte("took "), data...)
			}, func(n int) { t.Errorf("%d lost", n) })
		}))
	}
	nc := raw(t, s)
	for i := range 100 {
		var reply *nats.Msg
		var err error
		for end := time.Now().Add(time.Minute); ; { // until the subscriptions are there
			reply, err = nc.Request(intakeSubject, []byte("x"), 10*time.Second)
			if err != nats.ErrNoResponders || time.Now().After(end) {
				break
			}
		}
		if err != nil || string(reply.Data) != "took x" {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	if n := taken.Load(); n != 100 {
		t.Errorf("%d taken, want 100", n)
	}
	if err := nc.Publish(intakeSubject, []byte("no reply wanted")); err != nil {
		t.Fatal(err)
	}
	if err := nc.Publish("understudy.in.another", []byte("of another experiment")); err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Request(intakeSubject, []byte("last"), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	for _, stop := range stops {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	if n := taken.Load(); n != 102 {
		t.Errorf("%d taken, want 102", n)
	}
	if _, err := nc.Request(intakeSubject, []byte("x"), 10*time.Second); err != nats.ErrNoResponders {
		t.Errorf("after the end: %v", err)
	}
}

// A sender never waits for a slow taker: what is too much is told of.
func TestIntakeTellsWhatIsLost(t *testing.T) {
	s := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	b := connect(t, bus.Options{URL: s.URL(), Experiment: "support"})
	gate, began := make(chan struct{}), make(chan struct{}, 1)
	var taken, lost atomic.Int64
	stop := consume(t, func(ctx context.Context) error {
		return b.Intake(ctx, func([]byte) []byte {
			select {
			case began <- struct{}{}:
			default:
			}
			<-gate
			taken.Add(1)
			return nil
		}, func(n int) { lost.Add(int64(n)) })
	})
	nc := raw(t, s)
	for waiting := true; waiting; { // until the subscription is there and its function waits
		if err := nc.Publish(intakeSubject, []byte("x")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-began:
			waiting = false
		case <-time.After(10 * time.Millisecond):
		}
	}
	const sent = 20_000
	for range sent {
		if err := nc.Publish(intakeSubject, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); lost.Load() == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	close(gate)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if n := lost.Load(); n == 0 || n > sent {
		t.Errorf("%d lost of %d", n, sent)
	}
}
