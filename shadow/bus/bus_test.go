package bus_test

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const experiment = "pilot 1.0 / ä"

// startServer runs an embedded server until the test ends; it may be shut down before.
func startServer(t testing.TB, o embedded.Options) *embedded.Server {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "bus")
	}
	s, err := embedded.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect joins a bus until the test ends.
func connect(t testing.TB, o bus.Options) *bus.Bus {
	t.Helper()
	if o.Experiment == "" {
		o.Experiment = experiment
	}
	b, err := bus.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func sample(n int) shadow.Sample {
	var id shadow.SampleID
	binary.BigEndian.PutUint64(id[:], uint64(n)+1)
	return shadow.Sample{
		ID: id, Seen: time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC), Session: "s", Rate: 1,
		Dialect: llm.OpenAIChat, Request: []byte(`{"model":"m"}`), Live: shadow.Answer{Arm: shadow.Live, Share: 1},
	}
}

// untilStored repeats a publish: on a starved machine a large write may take longer
// than the connection's limit of a second. The id sees to it that it is stored once.
func untilStored(t testing.TB, publish func() error) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; {
		err := publish()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func publishSamples(t testing.TB, b *bus.Bus, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		if err := b.PublishSample(t.Context(), sample(n)); err != nil {
			t.Fatal(err)
		}
	}
}

// consume runs each in the background; stop ends it and returns its error. It is
// ended with the test at the latest.
func consume(t testing.TB, each func(context.Context) error) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- each(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-result
	})
	t.Cleanup(func() { stop() })
	return stop
}

// take receives n values, or fails the test after a generous time.
func take[T any](t testing.TB, from <-chan T, n int) []T {
	t.Helper()
	limit := time.After(3 * time.Minute)
	got := make([]T, 0, n)
	for len(got) < n {
		select {
		case v := <-from:
			got = append(got, v)
		case <-limit:
			t.Fatalf("got %d of %d in time", len(got), n)
		}
	}
	return got
}

// settled waits until nothing is left to be worked on.
func settled(t testing.TB, b *bus.Bus) bus.Backlog {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for {
		backlog, err := b.Backlog(ctx) // on a starved machine a server may not answer in time
		if err == nil && backlog.Left() == 0 {
			return backlog
		}
		select {
		case <-ctx.Done():
			t.Fatalf("still left: %+v, %v", backlog, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// raw is a plain connection, for what a stranger may do.
func raw(t testing.TB, s *embedded.Server) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// store publishes what no understudy would, and waits until the stream has it: a
// flush only says that the server has read it.
func store(t testing.TB, nc *nats.Conn, subject, data string) {
	t.Helper()
	if _, err := nc.Request(subject, []byte(data), 10*time.Second); err != nil {
		t.Fatal(err)
	}
}

func TestFlow(t *testing.T) {
	server := startServer(t, embedded.Options{})
	b := connect(t, bus.Options{InProcess: server})
	other := connect(t, bus.Options{InProcess: server, Experiment: "another"})
	publishSamples(t, b, 0, 5)
	if err := other.PublishSample(t.Context(), sample(0)); err != nil {
		t.Fatal(err) // the same id in another experiment is another message
	}
	before, err := b.Backlog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (bus.Backlog{Samples: bus.Stage{Waiting: 5}}); before != want {
		t.Errorf("backlog %+v, want %+v", before, want)
	}
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(ctx context.Context, s shadow.Sample) error {
			return b.PublishTrial(ctx, shadow.Trial{Sample: s, Candidates: []shadow.Answer{}})
		}, bus.Concurrency(1))
	})
	consume(t, func(ctx context.Context) error {
		return b.EachTrial(ctx, func(ctx context.Context, s shadow.Trial) error {
			return b.PublishGraded(ctx, s.Sample.ID.String(), []byte(s.Sample.ID.String()))
		}, bus.Concurrency(1))
	})
	batches := make(chan []string, 10)
	consume(t, func(ctx context.Context) error {
		return b.EachGraded(ctx, func(_ context.Context, graded [][]byte) error {
			var ids []string
			for _, g := range graded {
				ids = append(ids, string(g))
			}
			batches <- ids
			return nil
		}, bus.Batch(5, 0, time.Minute))
	})
	got := take(t, batches, 1)[0]
	var want []string
	for n := range 5 {
		want = append(want, sample(n).ID.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of one stage after the other (-want +got):\n%s", diff)
	}
	settled(t, b)
	left, err := other.Backlog(t.Context())
	if err != nil || left.Samples.Waiting != 1 {
		t.Errorf("other experiment: %+v, %v", left, err)
	}
}

func TestValuesTravelUnchanged(t *testing.T) {
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{})})
	want := sample(1)
	want.Request = []byte("{\"a\": \"\\ud800<&>\"}\x00\xff")
	want.Live.Text = "nul \x00, <b>, 漢字"
	if err := b.PublishSample(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	books := shadow.Books{Source: "tap-1", Number: 1, Lines: []shadow.Line{{Entry: shadow.Seen, Count: 3}}}
	for range 2 {
		if err := b.PublishBooks(t.Context(), books); err != nil {
			t.Fatal(err)
		}
	}
	samples := make(chan shadow.Sample, 1)
	consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error { samples <- s; return nil })
	})
	entries := make(chan []shadow.Books, 2)
	consume(t, func(ctx context.Context) error {
		return b.EachBooks(ctx, func(_ context.Context, s []shadow.Books) error { entries <- s; return nil },
			bus.Batch(0, 0, 10*time.Millisecond))
	})
	if diff := cmp.Diff(want, take(t, samples, 1)[0]); diff != "" {
		t.Errorf("sample (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]shadow.Books{books}, take(t, entries, 1)[0]); diff != "" {
		t.Errorf("books (-want +got):\n%s", diff)
	}
	settled(t, b)
	if len(entries) > 0 {
		t.Error("an entry of the books was delivered twice")
	}
}

func TestPublishRefuses(t *testing.T) {
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{MaxPayload: 64 << 10})})
	big := sample(1)
	big.Request = make([]byte, 64<<10)
	foreign := sample(2)
	foreign.Experiment = "other"
	odd := sample(3)
	odd.Rate = 0
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name, why string
		publish   func() error
		want      error
	}{
		{"sample too large", "counted, never sent", func() error { return b.PublishSample(t.Context(), big) }, shadow.ErrTooLarge},
		{"trial too large", "answers may add too much", func() error { return b.PublishTrial(t.Context(), shadow.Trial{Sample: big}) }, shadow.ErrTooLarge},
		{"graded too large", "same limit", func() error { return b.PublishGraded(t.Context(), "x", make([]byte, 63<<10)) }, shadow.ErrTooLarge},
		{"foreign experiment", "it would be judged by the wrong rubric", func() error { return b.PublishSample(t.Context(), foreign) }, nil},
		{"graded without id", "it could not be deduplicated", func() error { return b.PublishGraded(t.Context(), "", []byte("x")) }, nil},
		{"ended ctx", "no waiting", func() error { return b.PublishSample(stopped, sample(4)) }, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.publish()
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v: %s", err, tt.want, tt.why)
			}
		})
	}
	if b.MaxPayload() != 64<<10 {
		t.Errorf("max payload %d", b.MaxPayload())
	}
}

func TestOptionsRefused(t *testing.T) {
	tests := []struct {
		name string
		o    bus.Options
	}{
		{"no experiment", bus.Options{URL: "nats://127.0.0.1:1"}},
		{"no address", bus.Options{Experiment: "e"}},
		{"negative", bus.Options{Experiment: "e", URL: "nats://127.0.0.1:1", AckWait: -1}},
		{"broken address", bus.Options{Experiment: "e", URL: "nats://user:hunter2@ho st:1"}},
		{"no host", bus.Options{Experiment: "e", URL: "nats://user:hunter2@"}},
		{"other scheme", bus.Options{Experiment: "e", URL: "http://user:hunter2@127.0.0.1:1"}},
		{"second of two", bus.Options{Experiment: "e", URL: "nats://127.0.0.1:1,user:hunter2"}},
		{"creds missing", bus.Options{Experiment: "e", URL: "nats://127.0.0.1:1", Creds: "testdata/none.creds"}},
		{"creds foreign", bus.Options{Experiment: "e", URL: "nats://127.0.0.1:1", Creds: "testdata/bus-poison-envelope.json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := bus.Connect(t.Context(), tt.o)
			if err == nil {
				t.Fatal("connected")
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error shows a password: %v", err)
			}
		})
	}
}

func TestExperimentRecord(t *testing.T) {
	server := startServer(t, embedded.Options{})
	a := connect(t, bus.Options{InProcess: server})
	b := connect(t, bus.Options{InProcess: server})
	names := []string{"plain", "a.b", "a b", "a=2Eb", "ä", "*", ">", strings.Repeat("x", 5000), strings.Repeat("x", 5001), "../x"}
	for _, name := range names {
		record := []byte("record of " + name)
		got, err := a.PutExperiment(t.Context(), name, record)
		if err != nil || string(got) != string(record) {
			t.Fatalf("%.20q first: %.40q, %v", name, got, err)
		}
		got, err = b.PutExperiment(t.Context(), name, []byte("changed"))
		if err != nil || string(got) != string(record) {
			t.Errorf("%.20q second: %.40q, %v; want the first writer's", name, got, err)
		}
	}
	if _, err := a.PutExperiment(t.Context(), "", []byte("x")); err == nil {
		t.Error("no name: accepted")
	}
	if _, err := a.PutExperiment(t.Context(), "big", make([]byte, 9<<20)); !errors.Is(err, shadow.ErrTooLarge) {
		t.Errorf("big: %v", err)
	}
}

func TestDeadReasonsAreClosed(t *testing.T) {
	want := []string{"malformed", "unknown_version", "too_large", "lasting", "panic", "failed"}
	if got := bus.DeadReasons(); !slices.Equal(got, want) {
		t.Errorf("reasons %q, want %q", got, want)
	}
}

// lines collects log lines.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func textLog(l *lines) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
