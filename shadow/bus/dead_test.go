package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
)

// token is the experiment's name in a subject.
const token = "pilot=201=2E0=20=2F=20=C3=A4"

// deadLetters reads a stage's dead letters.
func deadLetters(t *testing.T, s *embedded.Server, kind string) []*jetstream.RawStreamMsg {
	t.Helper()
	js, err := jetstream.New(raw(t, s))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "understudy_dead")
	if err != nil {
		t.Fatal(err)
	}
	info := stream.CachedInfo()
	var all []*jetstream.RawStreamMsg
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		m, err := stream.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		if m.Subject == "understudy.dead."+kind+"."+token {
			all = append(all, m)
		}
	}
	return all
}

func TestPoison(t *testing.T) {
	data, err := os.ReadFile("testdata/bus-poison-envelope.json")
	if err != nil {
		t.Fatal(err)
	}
	var c struct{ Messages []string }
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	server := startServer(t, embedded.Options{})
	var told atomic.Int64
	b := connect(t, bus.Options{InProcess: server, OnDead: func(stage, reason string) { told.Add(1) }})
	nc := raw(t, server)
	for _, m := range c.Messages {
		store(t, nc, "understudy.sample."+token, m)
	}
	publishSamples(t, b, 0, 10)
	got := make(chan shadow.SampleID, 100)
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error { got <- s.ID; return nil }, bus.Concurrency(1))
	})
	take(t, got, 10)
	backlog := settled(t, b)
	if backlog.Samples.Dead != 6 || told.Load() != 6 || len(got) != 0 {
		t.Errorf("dead %d, told %d, extra %d; want 6, 6, 0", backlog.Samples.Dead, told.Load(), len(got))
	}
	var reasons, bodies []string
	for _, m := range deadLetters(t, server, "sample") {
		reasons = append(reasons, m.Header.Get(bus.HeaderReason))
		bodies = append(bodies, string(m.Data))
	}
	want := []string{"malformed", "malformed", "unknown_version", "unknown_version", "malformed", "malformed"}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(c.Messages, bodies); diff != "" {
		t.Errorf("bodies as they were (-want +got):\n%s", diff)
	}
}

func TestFailures(t *testing.T) {
	tests := []struct {
		name, why string
		fail      func() error
		reason    string
		calls     int
	}{
		{"lasting", "no later try can mend it", func() error { return bus.Lasting(errors.New("no")) }, bus.DeadLasting, 1},
		{"wrapped lasting", "found through wrapping", func() error { return fmt.Errorf("x: %w", bus.Lasting(errors.New("no"))) }, bus.DeadLasting, 1},
		{"too large", "its trial can never be sent", func() error { return fmt.Errorf("x: %w", shadow.ErrTooLarge) }, bus.DeadTooLarge, 1},
		{"panic", "one message must not end the process", func() error { panic("boom\nsecond line") }, bus.DeadPanic, 1},
		{"nil map", "runtime errors are panics too", func() error { var s *shadow.Sample; return errors.New(s.Session) }, bus.DeadPanic, 1},
		{"again and again", "others succeed meanwhile", func() error { return errors.New("no") }, bus.DeadFailed, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := startServer(t, embedded.Options{})
			b := connect(t, bus.Options{InProcess: server, Attempts: 4, RetryDelay: time.Millisecond})
			publishSamples(t, b, 0, 3)
			var calls atomic.Int64
			good := make(chan shadow.SampleID, 10)
			consume(t, func(ctx context.Context) error {
				return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error {
					if s.ID == sample(0).ID {
						calls.Add(1)
						return tt.fail()
					}
					good <- s.ID
					return nil
				}, bus.Concurrency(1))
			})
			take(t, good, 2)
			backlog := settled(t, b)
			if backlog.Samples.Dead != 1 || int(calls.Load()) != tt.calls {
				t.Errorf("dead %d, calls %d; want 1, %d: %s", backlog.Samples.Dead, calls.Load(), tt.calls, tt.why)
			}
			letter := deadLetters(t, server, "sample")[0]
			if got := letter.Header.Get(bus.HeaderReason); got != tt.reason {
				t.Errorf("reason %q, want %q", got, tt.reason)
			}
			if s, err := shadow.DecodeSample(letter.Data); err != nil || s.ID != sample(0).ID {
				t.Errorf("dead letter does not hold the sample: %v", err)
			}
		})
	}
	if bus.Lasting(nil) != nil {
		t.Error("Lasting(nil) is not nil")
	}
}

// When everything fails (a full disk), nothing is blamed: all is worked off once the
// fault is gone.
func TestStageFailureMakesNoDeadLetters(t *testing.T) {
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{}), Attempts: 2, RetryDelay: time.Millisecond})
	publishSamples(t, b, 0, 5)
	for n := range 20 {
		if err := b.PublishGraded(t.Context(), fmt.Sprint(n), []byte(fmt.Sprint(n))); err != nil {
			t.Fatal(err)
		}
	}
	var broken atomic.Bool
	broken.Store(true)
	var calls atomic.Int64
	tried := make(chan struct{})
	fault := func() error {
		if calls.Add(1) == 200 {
			close(tried)
		}
		if broken.Load() {
			return errors.New("disk full")
		}
		return nil
	}
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(context.Context, shadow.Sample) error { return fault() })
	})
	consume(t, func(ctx context.Context) error {
		return b.EachGraded(ctx, func(context.Context, [][]byte) error { return fault() }, bus.Batch(10, 0, time.Millisecond))
	})
	<-tried
	broken.Store(false)
	if backlog := settled(t, b); backlog.Dead() != 0 {
		t.Errorf("dead letters %+v, want none", backlog)
	}
}

func TestGiveUp(t *testing.T) {
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{}), Attempts: 2, GiveUp: time.Millisecond, RetryDelay: 5 * time.Millisecond})
	publishSamples(t, b, 0, 1)
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(context.Context, shadow.Sample) error { return errors.New("no") })
	})
	if backlog := settled(t, b); backlog.Samples.Dead != 1 {
		t.Errorf("dead %d, want 1: failing alone for longer than GiveUp", backlog.Samples.Dead)
	}
}

// One bad message in a batch is found; the others are worked off once.
func TestBadMessageInBatch(t *testing.T) {
	tests := []struct {
		name   string
		fail   func() error
		reason string
	}{
		{"lasting", func() error { return bus.Lasting(errors.New("no")) }, bus.DeadLasting},
		{"panic", func() error { panic("boom") }, bus.DeadPanic},
		{"error", func() error { return errors.New("no") }, bus.DeadFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := startServer(t, embedded.Options{})
			b := connect(t, bus.Options{InProcess: server, Attempts: 6, RetryDelay: time.Millisecond})
			const total = 40
			for n := range total {
				if err := b.PublishGraded(t.Context(), fmt.Sprint(n), []byte(fmt.Sprint(n))); err != nil {
					t.Fatal(err)
				}
			}
			var mu sync.Mutex
			var good []string
			consume(t, func(ctx context.Context) error {
				return b.EachGraded(ctx, func(_ context.Context, all [][]byte) error {
					if len(all) == 0 {
						t.Error("empty batch")
					}
					if slices.ContainsFunc(all, func(d []byte) bool { return string(d) == "17" || string(d) == "3" }) {
						return tt.fail()
					}
					mu.Lock()
					defer mu.Unlock()
					for _, d := range all {
						good = append(good, string(d))
					}
					return nil
				}, bus.Batch(total, 0, 20*time.Millisecond))
			})
			backlog := settled(t, b)
			mu.Lock()
			defer mu.Unlock()
			slices.Sort(good)
			if len(good) != total-2 || len(slices.Compact(slices.Clone(good))) != total-2 || backlog.Graded.Dead != 2 {
				t.Errorf("%d good, %d dead; want %d, 2", len(good), backlog.Graded.Dead, total-2)
			}
			for _, letter := range deadLetters(t, server, "graded") {
				if got := letter.Header.Get(bus.HeaderReason); got != tt.reason {
					t.Errorf("reason %q, want %q", got, tt.reason)
				}
			}
		})
	}
}

// A stranger's message may fill max_payload to the last byte.
func TestDeadLetterOfLargestMessage(t *testing.T) {
	server := startServer(t, embedded.Options{MaxPayload: 64 << 10})
	b := connect(t, bus.Options{InProcess: server})
	nc := raw(t, server)
	store(t, nc, "understudy.trial."+token, strings.Repeat("x", 64<<10))
	consume(t, func(ctx context.Context) error {
		return b.EachTrial(ctx, func(context.Context, shadow.Trial) error { return nil })
	})
	settled(t, b)
	letter := deadLetters(t, server, "trial")[0]
	if got := letter.Header.Get(bus.HeaderCut); got != "65536" || len(letter.Data) != 60<<10 {
		t.Errorf("cut %q to %d", got, len(letter.Data))
	}
}
