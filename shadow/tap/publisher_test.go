package tap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// Whatever the publisher does, the live side answers, and the books balance.
func TestBadPublishers(t *testing.T) {
	for _, c := range []struct {
		name, why, want string
		sample          func(context.Context, shadow.Sample) error
	}{
		{name: "dead", why: "the bus is away", want: "dropped[bus_down]",
			sample: func(context.Context, shadow.Sample) error { return errors.New("no connection") }},
		{name: "slow", why: "the bus accepts and says nothing", want: "dropped[bus_down]",
			sample: func(ctx context.Context, _ shadow.Sample) error { <-ctx.Done(); return context.Cause(ctx) }},
		{name: "too large", why: "the bus does not carry it", want: "not_sampled[too_large]",
			sample: func(context.Context, shadow.Sample) error { return fmt.Errorf("publish: %w", shadow.ErrTooLarge) }},
		{name: "encode", why: "no JSON", want: "dropped[encode]", sample: func(context.Context, shadow.Sample) error {
			_, err := json.Marshal(unspeakable{})
			return fmt.Errorf("encode message: %w", err)
		}},
		{name: "panics", why: "a bug in it is not the live side's", want: "dropped[bus_down]",
			sample: func(context.Context, shadow.Sample) error { panic("bug") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options(), &store{sample: c.sample})
				h := r.Middleware(answering(200, wholeAnswer))
				for range 10 {
					w := &plainWriter{}
					h.ServeHTTP(w, request(t, "POST", chatPath, question))
					if w.body.String() != wholeAnswer {
						t.Errorf("the client got %q", w.body.String())
					}
				}
				time.Sleep(tap.DefaultPublishTimeout + time.Second) // on the fake clock
				r.drained(t)
				r.balanced(t)
				if r.counts()[c.want] != 10 {
					t.Errorf("%s: %v", c.why, r.counts())
				}
			})
		})
	}
}

// unspeakable is a value that is no JSON.
type unspeakable struct{}

func (unspeakable) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }

// One stalled call holds back nothing but itself; all stalled fill the queue; Run ends in time.
func TestStalledPublisher(t *testing.T) {
	for _, stall := range []int64{1, 1 << 30} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int64
			release := make(chan bool)
			s := &store{sample: func(context.Context, shadow.Sample) error {
				if calls.Add(1) <= stall {
					<-release // and ignores its context
				}
				return nil
			}}
			o := options()
			o.Publishers, o.Queue.Items = 2, 3
			r := start(t, o, s)
			h := r.Middleware(answering(200, wholeAnswer))
			const n = 50
			for range n {
				h.ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, question))
				synctest.Wait()
			}
			began := time.Now()
			err := r.stop()
			if took := time.Since(began); took > tap.DefaultDrainLimit+2*time.Second+tap.DefaultPublishTimeout || !errors.Is(err, tap.ErrStuck) {
				t.Errorf("stopped after %v with %v", took, err)
			}
			close(release)
			synctest.Wait()
			if sum := s.counts(); sum["seen"] != n || sum["dropped[stopped]"] < min(stall, 2) {
				t.Errorf("the books say %v", sum)
			}
			if stall == 1 && len(s.samples) != n {
				t.Errorf("%d of %d came beside the stalled one", len(s.samples), n)
			}
		})
	}
}

func TestQueueIsBounded(t *testing.T) {
	s := &store{}
	o := options()
	o.Queue = tap.Queue{Items: 5}
	tp, err := tap.New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	h := tp.Middleware(answering(200, wholeAnswer))
	for range 20 { // before Run
		h.ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, question))
	}
	runOnce(t, tp)
	sameCounts(t, s.counts(), want("seen", 20, "sampled", 20, "published", 5, "dropped[queue_full]", 15))
	h.ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, question)) // after Run: counted, nobody asks any more
	if err := tp.Run(t.Context()); !errors.Is(err, tap.ErrRunning) {
		t.Errorf("a second run: %v", err)
	}
}

// runOnce runs a tap that is told to stop at once: it publishes what waits.
func runOnce(t *testing.T, tp *tap.Tap) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tp.Run(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := &store{}
	o := options()
	o.Queue.Bytes = 64 << 10
	tp, err := tap.New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	h := tp.Middleware(answering(200, strings.Replace(wholeAnswer, "Gern.", strings.Repeat("y", 20<<10), 1)))
	for range 50 {
		h.ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, question))
	}
	runOnce(t, tp)
	sum := s.counts()
	if sum["published"] < 1 || sum["published"] > 3 || sum["published"]+sum["dropped[queue_full]"] != 50 {
		t.Errorf("%v", sum)
	}
}

func TestBooksAreOfferedAgain(t *testing.T) {
	var logged lockedBuffer
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		s := &store{book: func(_ context.Context, b shadow.Books) error {
			if tries.Add(1) < 4 {
				return fmt.Errorf("no connection for %d", b.Number)
			}
			return nil
		}}
		o := options()
		o.Log = slog.New(slog.NewTextHandler(&logged, nil))
		r := start(t, o, s)
		h := r.Middleware(answering(200, wholeAnswer))
		for range 5 {
			h.ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, question))
			time.Sleep(tap.DefaultBooksEvery)
		}
		r.drained(t)
		r.balanced(t)
		for i, b := range s.books {
			if b.Number != uint64(i+1) || b.Source != "tap-1" {
				t.Errorf("entry %d has number %d of %q", i, b.Number, b.Source)
			}
		}
		if s.counts()["seen"] != 5 || s.samples[4].Seq != 5 {
			t.Errorf("%v", s.counts())
		}
		if log := logged.String(); strings.Count(log, "books wait") != 1 || strings.Count(log, "books go on") != 1 {
			t.Errorf("three tries in vain are one change of state, and the end of them another: %s", log)
		}
	})
}

func TestNoSecretLeaves(t *testing.T) {
	var c struct{ Headers map[string]string }
	readCase(t, "key-in-logs.json", &c)
	c.Headers["Api-Key"] = "CANARY-DDD-444"
	c.Headers["X-Goog-Api-Key"] = "CANARY-EEE-555"
	for _, upstream := range []string{serve(t, answering(200, wholeAnswer)).URL, "http://127.0.0.1:1"} {
		var logged lockedBuffer
		o := options()
		o.Log = slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Queue.Items = 3
		s := &store{sample: func(_ context.Context, s shadow.Sample) error {
			if s.Seq%2 == 0 {
				return errors.New("no connection")
			}
			return nil
		}}
		r := start(t, o, s)
		front := r.proxied(t, upstream)
		var headers []string
		for name, value := range c.Headers {
			headers = append(headers, name, value)
		}
		for range 10 {
			post(t, front.URL, question, headers...)
		}
		r.drained(t)
		var all bytes.Buffer
		for _, sample := range s.samples {
			data, err := shadow.EncodeSample(sample)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(data)
			fmt.Fprintf(&all, "%+v", sample)
		}
		fmt.Fprintf(&all, "%+v", s.books)
		if strings.Contains(all.String()+logged.String(), "CANARY") || strings.Contains(logged.String(), "127.0.0.1") {
			t.Errorf("a secret left: %s", logged.String())
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
