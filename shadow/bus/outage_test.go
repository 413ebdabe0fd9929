package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
)

// readCase reads a case file's facts.
func readCase(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestDeduplication(t *testing.T) {
	server := startServer(t, embedded.Options{})
	a := connect(t, bus.Options{InProcess: server})
	b := connect(t, bus.Options{InProcess: server})
	publishSamples(t, a, 0, 1)
	again := func(b *bus.Bus) {
		t.Helper()
		if err := b.PublishSample(t.Context(), sample(0)); !errors.Is(err, shadow.ErrDuplicate) {
			t.Errorf("error %v, want ErrDuplicate", err)
		}
	}
	again(b) // from another process
	got := make(chan shadow.SampleID, 10)
	consume(t, func(ctx context.Context) error {
		return a.EachSample(ctx, func(_ context.Context, s shadow.Sample) error { got <- s.ID; return nil })
	})
	take(t, got, 1)
	settled(t, a)
	again(a) // blocked inside the window even after its ack
	publishSamples(t, a, 1, 2)
	if next := take(t, got, 1)[0]; next != sample(1).ID {
		t.Errorf("sample %s came again", next)
	}
	settled(t, a)
	if len(got) != 0 {
		t.Errorf("%d extra deliveries", len(got))
	}
}

// A worker that is killed after it received messages acknowledges none of them; they
// come again to another one, each is worked on there once.
func TestKilledWorker(t *testing.T) {
	var c struct {
		KillAfter int `json:"kill_after_received"`
	}
	readCase(t, "bus-ackwait-kill.json", &c)
	server := startServer(t, embedded.Options{})
	o := bus.Options{InProcess: server, AckWait: 300 * time.Millisecond}
	b := connect(t, o)
	publishSamples(t, b, 0, c.KillAfter+5)
	doomed := connect(t, o)
	received := make(chan shadow.SampleID, c.KillAfter)
	stuck := make(chan struct{})
	stop := consume(t, func(ctx context.Context) error {
		return doomed.EachSample(ctx, func(_ context.Context, s shadow.Sample) error {
			received <- s.ID
			<-stuck
			return nil
		}, bus.Concurrency(c.KillAfter))
	})
	take(t, received, c.KillAfter)
	doomed.Close() // nothing that it held was acknowledged or given back
	got := make(chan shadow.SampleID, 100)
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error { got <- s.ID; return nil })
	})
	seen := map[shadow.SampleID]int{}
	for _, id := range take(t, got, c.KillAfter+5) {
		seen[id]++
	}
	settled(t, b)
	if len(seen) != c.KillAfter+5 || len(got) != 0 {
		t.Errorf("%d different, %d extra; want %d, 0", len(seen), len(got), c.KillAfter+5)
	}
	close(stuck)
	if err := stop(); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("the killed worker ended with %v", err)
	}
}

// A call may take many times AckWait: the server is told that the message is in
// work, in single calls and in batches that fill slowly.
func TestLongCalls(t *testing.T) {
	const ackWait = 300 * time.Millisecond
	server := startServer(t, embedded.Options{})
	b := connect(t, bus.Options{InProcess: server, AckWait: ackWait})
	publishSamples(t, b, 0, 1)
	if err := b.PublishGraded(t.Context(), "1", []byte("1")); err != nil {
		t.Fatal(err)
	}
	var samples, batches atomic.Int64
	done := make(chan struct{}, 2)
	for range 2 { // two workers: whoever gets it, the other must not get it too
		consume(t, func(ctx context.Context) error {
			return b.EachSample(ctx, func(context.Context, shadow.Sample) error {
				samples.Add(1)
				<-time.After(4 * ackWait)
				done <- struct{}{}
				return nil
			})
		})
		consume(t, func(ctx context.Context) error {
			return b.EachGraded(ctx, func(context.Context, [][]byte) error {
				batches.Add(1)
				done <- struct{}{}
				return nil
			}, bus.Batch(100, 0, 4*ackWait))
		})
	}
	take(t, done, 2)
	settled(t, b)
	if samples.Load() != 1 || batches.Load() != 1 {
		t.Errorf("%d and %d calls, want 1 and 1", samples.Load(), batches.Load())
	}
}

func TestServerRestart(t *testing.T) {
	var c struct {
		Before int `json:"samples_before"`
		After  int `json:"samples_after"`
	}
	readCase(t, "bus-reconnect-consumer.json", &c)
	dir := filepath.Join(t.TempDir(), "bus")
	server := startServer(t, embedded.Options{Dir: dir, Listen: "127.0.0.1:0"})
	url := server.URL()
	var log lines
	b := connect(t, bus.Options{URL: url, AckWait: time.Second, Log: textLog(&log)})
	publishSamples(t, b, 0, c.Before)
	got := make(chan shadow.SampleID, 1000)
	half := make(chan struct{})
	var calls atomic.Int64
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error {
			if calls.Add(1) > int64(c.Before/2) {
				<-half // in work while the server goes down
			}
			got <- s.ID
			return nil
		}, bus.Concurrency(4))
	})
	take(t, got, c.Before/2)
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := b.PublishSample(ctx, sample(10_000)); err == nil {
		t.Error("published to a bus that is down")
	}
	startServer(t, embedded.Options{Dir: dir, Listen: strings.TrimPrefix(url, "nats://")})
	close(half)
	for n := c.Before; n < c.Before+c.After; n++ {
		for b.PublishSample(t.Context(), sample(n)) != nil { // until it has reconnected
			<-time.After(20 * time.Millisecond)
		}
	}
	seen := map[shadow.SampleID]int{}
	for len(seen) < c.Before/2+c.After {
		seen[take(t, got, 1)[0]]++
	}
	settled(t, b)
	for id, n := range seen {
		if n > 1 {
			t.Errorf("sample %s was worked on %d times in one process", id, n)
		}
	}
	if !strings.Contains(log.String(), "bus reconnected") {
		t.Error("the log does not say that the bus is back")
	}
}

// The store may come back empty: streams and consumer are created again.
func TestServerLosesItsStore(t *testing.T) {
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	url := server.URL()
	b := connect(t, bus.Options{URL: url})
	got := make(chan shadow.SampleID, 100)
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error { got <- s.ID; return nil })
	})
	publishSamples(t, b, 0, 3)
	take(t, got, 3)
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	startServer(t, embedded.Options{Listen: strings.TrimPrefix(url, "nats://")})
	for n := 10; n < 13; n++ { // the same stream sequences as before
		for b.PublishSample(t.Context(), sample(n)) != nil {
			<-time.After(20 * time.Millisecond)
		}
	}
	take(t, got, 3)
}

func TestDownAtStart(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	var log lines
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	o := bus.Options{URL: "nats://user:hunter2@" + address, Experiment: experiment, Log: textLog(&log)}
	_, err = bus.Connect(ctx, o)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, nats.ErrNoServers) {
		t.Errorf("error %v, want the deadline and what was wrong", err)
	}
	if strings.Contains(err.Error()+log.String(), "hunter2") || !strings.Contains(log.String(), "waiting for it") {
		t.Errorf("error %v, log %s", err, log.String())
	}
	var b *bus.Bus
	var connecting sync.WaitGroup
	connecting.Go(func() {
		o.URL = "nats://" + address
		if b, err = bus.Connect(t.Context(), o); err != nil {
			t.Error(err)
		}
	})
	startServer(t, embedded.Options{Listen: address})
	connecting.Wait()
	if b != nil {
		publishSamples(t, b, 0, 1)
		b.Close()
	}
}

// proxy passes connections on to a server until it is told to stall: then the
// sockets stay open and nobody reads.
type proxy struct {
	net.Listener
	to      string
	stalled atomic.Bool
	resume  chan struct{}
	conns   sync.WaitGroup
}

func startProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to, resume: make(chan struct{})}
	p.conns.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", p.to)
			if err != nil {
				in.Close()
				continue
			}
			p.conns.Go(func() { p.copy(out, in) })
			p.conns.Go(func() { p.copy(in, out) })
		}
	})
	return p
}

func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if p.stalled.Load() {
			<-p.resume
			return
		}
		if _, werr := to.Write(buffer[:n]); err != nil || werr != nil {
			return
		}
	}
}

// One stalled publish was measured to block its caller for a minute; it must end
// with the caller's deadline, and the process must come back by itself.
func TestStalledBus(t *testing.T) {
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	p := startProxy(t, strings.TrimPrefix(server.URL(), "nats://"))
	b := connect(t, bus.Options{URL: "nats://" + p.Addr().String()})
	publishSamples(t, b, 0, 1)
	p.stalled.Store(true)
	big := sample(1)
	big.Request = make([]byte, 2<<20)
	var publishing sync.WaitGroup
	for range 20 {
		publishing.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			if err := b.PublishSample(ctx, big); err == nil {
				t.Error("stored by a bus that does not read")
			}
			// Far above any scheduling noise, far below the library's minute.
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("publish took %s", took)
			}
		})
	}
	publishing.Wait()
	p.stalled.Store(false)
	close(p.resume)
	for b.PublishSample(t.Context(), sample(2)) != nil {
		<-time.After(20 * time.Millisecond)
	}
	b.Close()
	p.Close()
	p.conns.Wait()
}

// What a stage made while the bus was away is stored when it is back, and is not made
// again: answers and verdicts cost money.
func TestProductOutlivesOutage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bus")
	server := startServer(t, embedded.Options{Dir: dir, Listen: "127.0.0.1:0"})
	url := server.URL()
	b := connect(t, bus.Options{URL: url})
	var made atomic.Int64
	begun, resume := make(chan struct{}), make(chan struct{})
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(ctx context.Context, s shadow.Sample) error {
			if made.Add(1) == 1 {
				close(begun)
			}
			<-resume
			return b.PublishTrial(ctx, shadow.Trial{Sample: s})
		})
	})
	graded := make(chan shadow.SampleID, 10)
	consume(t, func(ctx context.Context) error {
		return b.EachTrial(ctx, func(ctx context.Context, s shadow.Trial) error {
			graded <- s.Sample.ID
			return b.PublishGraded(ctx, s.Sample.ID.String(), []byte("x"))
		})
	})
	publishSamples(t, b, 0, 1)
	<-begun
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	for b.Connected() {
		<-time.After(time.Millisecond)
	}
	close(resume)
	stopped, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := b.PublishGraded(stopped, "x", []byte("x")); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no connection") {
		t.Errorf("error %v, want ctx's end and what was wrong", err)
	}
	startServer(t, embedded.Options{Dir: dir, Listen: strings.TrimPrefix(url, "nats://")})
	take(t, graded, 1)
	if n := made.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
}
