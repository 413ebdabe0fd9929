package bus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
)

func TestBatches(t *testing.T) {
	tests := []struct {
		name, why string
		sizes     []int // of the messages, in bytes
		opt       bus.EachOption
		want      []int // messages per batch
	}{
		{"count", "ten at a time", repeat(10, 30), bus.Batch(10, 1<<20, time.Hour), []int{10, 10, 10}},
		{"bytes", "three of 400 reach 1000", repeat(400, 9), bus.Batch(100, 1000, time.Hour), []int{3, 3, 3}},
		{"age", "too few, but old", repeat(10, 7), bus.Batch(100, 1<<20, 300*time.Millisecond), []int{7}},
		{"one large", "alone over the bound", []int{5000, 10, 10}, bus.Batch(2, 1000, time.Hour), []int{1, 2}},
		{"large among held", "more than one pull's bytes", repeat(3<<20, 8), bus.Batch(4, 64<<20, time.Hour), []int{4, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{Sync: time.Minute})})
			for n, size := range tt.sizes {
				untilStored(t, func() error { return b.PublishGraded(t.Context(), fmt.Sprint(n), make([]byte, size)) })
			}
			batches := make(chan int, 100)
			consume(t, func(ctx context.Context) error {
				return b.EachGraded(ctx, func(_ context.Context, all [][]byte) error {
					batches <- len(all)
					return nil
				}, tt.opt)
			})
			if diff := cmp.Diff(tt.want, take(t, batches, len(tt.want))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
			settled(t, b)
		})
	}
}

func repeat(size, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = size
	}
	return all
}

// Messages as large as the bus carries go through, one by one if they must.
func TestBoundedInBytes(t *testing.T) {
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{Sync: time.Minute}), MaxInFlight: 1})
	const total = 6
	for n := range total {
		s := sample(n)
		s.Request = make([]byte, 5<<20)
		untilStored(t, func() error { return b.PublishSample(t.Context(), s) })
	}
	var now, most atomic.Int64
	got := make(chan shadow.SampleID, total)
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			got <- s.ID
			return nil
		}, bus.Concurrency(4))
	})
	take(t, got, total)
	settled(t, b)
	if most.Load() > 1 {
		t.Errorf("%d messages of 5 MiB at once, the bound is the largest message", most.Load())
	}
}

// Workers of two processes share the work, each message goes to one of them.
func TestTwoProcesses(t *testing.T) {
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0", Sync: time.Minute})
	a := connect(t, bus.Options{URL: server.URL()})
	b := connect(t, bus.Options{URL: server.URL(), AckWait: time.Minute, KeepTrials: time.Hour})
	const total = 200
	publishSamples(t, a, 0, total)
	got := make(chan shadow.SampleID, 2*total)
	both := make(chan struct{})
	var first [2]atomic.Bool
	for i, one := range []*bus.Bus{a, b} {
		consume(t, func(ctx context.Context) error {
			return one.EachSample(ctx, func(_ context.Context, s shadow.Sample) error {
				if !first[i].Swap(true) && first[1-i].Load() {
					close(both)
				}
				<-both // until each of them has one
				got <- s.ID
				return nil
			}, bus.Concurrency(3))
		})
	}
	seen := map[shadow.SampleID]bool{}
	for _, id := range take(t, got, total) {
		seen[id] = true
	}
	settled(t, a)
	if len(seen) != total || len(got) != 0 {
		t.Errorf("%d different, %d extra", len(seen), len(got))
	}
}

func TestStreamsAreCompatible(t *testing.T) {
	server := startServer(t, embedded.Options{})
	connect(t, bus.Options{InProcess: server, KeepTrials: 48 * time.Hour})
	js, err := jetstream.New(raw(t, server))
	if err != nil {
		t.Fatal(err)
	}
	kept := func() time.Duration {
		stream, err := js.Stream(t.Context(), "understudy_trial")
		if err != nil {
			t.Fatal(err)
		}
		return stream.CachedInfo().Config.MaxAge
	}
	var log lines
	connect(t, bus.Options{InProcess: server, KeepTrials: time.Hour, Log: textLog(&log)})
	if got := kept(); got != 48*time.Hour {
		t.Errorf("trials kept %s after a process that needs less", got)
	}
	if log.String() == "" {
		t.Error("no word that trials stay longer than configured")
	}
	connect(t, bus.Options{InProcess: server, KeepTrials: 72 * time.Hour})
	if got := kept(); got != 72*time.Hour {
		t.Errorf("trials kept %s after a process that needs more", got)
	}
}

func TestForeignStreamRefused(t *testing.T) {
	server := startServer(t, embedded.Options{})
	js, err := jetstream.New(raw(t, server))
	if err != nil {
		t.Fatal(err)
	}
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "understudy_sample", Subjects: []string{"understudy.sample.*"}})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := bus.Connect(t.Context(), bus.Options{InProcess: server, Experiment: "e"}); err == nil {
		b.Close()
		t.Error("a stream that discards silently was taken")
	}
}

// A small store: the streams become smaller, and what is full says so.
func TestFullStore(t *testing.T) {
	server := startServer(t, embedded.Options{MaxStore: 200 << 20, Sync: time.Minute})
	b := connect(t, bus.Options{InProcess: server})
	err := error(nil)
	for n := 0; err == nil && n < 100; n++ {
		s := sample(n)
		s.Request = make([]byte, 4<<20)
		err = b.PublishSample(t.Context(), s)
	}
	if err == nil {
		t.Fatal("a full stream takes everything")
	}
	// The later stages still have room, or samples could never be worked off.
	if err := b.PublishTrial(t.Context(), shadow.Trial{Sample: sample(0)}); err != nil {
		t.Errorf("trial: %v", err)
	}
	if err := b.PublishGraded(t.Context(), "1", []byte("1")); err != nil {
		t.Errorf("graded: %v", err)
	}
}

// What runs when ctx ends may finish within the grace time, the rest is given back.
func TestGrace(t *testing.T) {
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{})})
	publishSamples(t, b, 0, 2)
	if err := b.PublishGraded(t.Context(), "1", []byte("1")); err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{}, 2)
	var samples, graded atomic.Int64
	var stops []func() error
	stops = append(stops, consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(fctx context.Context, s shadow.Sample) error {
			begun <- struct{}{}
			<-ctx.Done()
			samples.Add(1)
			return b.PublishTrial(fctx, shadow.Trial{Sample: s})
		}, bus.Concurrency(1), bus.Grace(time.Minute))
	}))
	stops = append(stops, consume(t, func(ctx context.Context) error {
		return b.EachGraded(ctx, func(fctx context.Context, all [][]byte) error {
			graded.Add(int64(len(all)))
			return fctx.Err()
		}, bus.Batch(100, 0, time.Hour), bus.Grace(time.Minute))
	}))
	take(t, begun, 1)
	for backlog, err := b.Backlog(t.Context()); backlog.Graded.Working == 0; backlog, err = b.Backlog(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, stop := range stops {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	backlog, err := b.Backlog(t.Context())
	if err != nil || samples.Load() != 1 || graded.Load() != 1 || backlog.Trials.Waiting != 1 || backlog.Graded.Left() != 0 {
		t.Errorf("samples %d, graded %d, backlog %+v, %v", samples.Load(), graded.Load(), backlog, err)
	}
	if backlog.Samples.Left() != 1 {
		t.Errorf("samples left %+v, want 1", backlog.Samples)
	}
}

// Without grace an error after ctx ended is no failure: the sample comes back soon.
func TestStopGivesBack(t *testing.T) {
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{}), AckWait: time.Hour, RetryDelay: time.Hour, Attempts: 1, GiveUp: 1})
	publishSamples(t, b, 0, 1)
	begun := make(chan struct{}, 1)
	stop := consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(ctx context.Context, _ shadow.Sample) error {
			begun <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		})
	})
	take(t, begun, 1)
	if err := stop(); err != nil {
		t.Error(err)
	}
	got := make(chan shadow.SampleID, 1)
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error { got <- s.ID; return nil })
	})
	take(t, got, 1)
	if backlog := settled(t, b); backlog.Dead() != 0 {
		t.Errorf("dead %+v", backlog)
	}
}

func TestEachRefuses(t *testing.T) {
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{})})
	f := func(context.Context, shadow.Sample) error { return nil }
	for _, opt := range []bus.EachOption{bus.Concurrency(0), bus.Batch(-1, 0, 0), bus.Grace(-1)} {
		if err := b.EachSample(t.Context(), f, opt); err == nil {
			t.Error("accepted")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.EachSample(ctx, f); err != nil {
		t.Errorf("ended ctx: %v", err)
	}
	b.Close()
	if err := b.EachSample(t.Context(), f); err == nil {
		t.Error("closed bus: no error")
	}
	if err := b.PublishSample(t.Context(), sample(1)); err == nil {
		t.Error("closed bus: published")
	}
	if err := b.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func ExampleBus_EachSample() {
	dir, err := os.MkdirTemp("", "understudy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	server, err := embedded.Start(embedded.Options{Dir: filepath.Join(dir, "bus")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Shutdown()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	b, err := bus.Connect(ctx, bus.Options{InProcess: server, Experiment: "pilot"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	if err := b.PublishSample(ctx, sample(41)); err != nil {
		fmt.Println(err)
		return
	}
	err = b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error {
		fmt.Println("sample", s.ID)
		stop()
		return nil // acknowledged
	})
	fmt.Println("ended:", err)
	// Output:
	// sample 000000000000002a0000000000000000
	// ended: <nil>
}
