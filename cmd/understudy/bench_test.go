//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

const benchConfiguration = `
experiment: {name: bench}
models:
  cand: {provider: openai, base_url: %[1]s/cand, model: cand-2026-02-14}
  judge: {provider: openai, base_url: %[1]s/judge, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, sample_by: request, queue: {items: 10000}}
bus: {url: "%[2]s"}
candidates:
  cand: {model: cand}
judge: {repeat: none, agreement: none, injection: none, primary: judge, concurrency: 64}
sinks: {dir: rows, flush: {every: %[3]s}}
`

// instant answers at once and reads every request: what is left is our own work.
func instant(b testing.TB) string {
	const chat = `{"id":"x","object":"chat.completion","model":"%s","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],"usage":{"prompt_tokens":500,"completion_tokens":40}}`
	answers := map[string][]byte{
		"cand":  fmt.Appendf(nil, chat, "cand-2026-02-14", "Loosen the nuts, jack the car up, change the wheel."),
		"judge": fmt.Appendf(nil, chat, "judge-mini-2026-03-01", `{"grade":2,"problem":"none","reason":"It says what to do."}`),
		"v1":    fmt.Appendf(nil, chat, "live-2026-01-01", "First loosen the nuts, then jack the car up."),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		kind, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		w.Header()["Content-Type"] = []string{"application/json"}
		_, _ = w.Write(answers[kind])
	}))
	b.Cleanup(s.Close)
	return s.URL
}

// benchRequest is a conversation of about so many bytes.
func benchRequest(size int) []byte {
	var turns []map[string]string
	for n, left := 0, size-100; left > 0; n++ {
		role := []string{"user", "assistant"}[n%2]
		text := strings.Repeat("How do I change a tyre? ", min(left, 4<<10)/24)
		turns = append(turns, map[string]string{"role": role, "content": text})
		left -= len(text) + 35
		if len(text) == 0 {
			break
		}
	}
	data, err := json.Marshal(map[string]any{"model": "live-2026-01-01", "messages": turns})
	if err != nil {
		panic(err)
	}
	return data
}

func benchSample(n int, request []byte) shadow.Sample {
	in, out := int64(500), int64(40)
	seen := time.Now().UTC().Add(-time.Hour)
	return shadow.Sample{
		ID: shadow.SampleID{1, byte(n >> 16), byte(n >> 8), byte(n)}, Experiment: "bench", Tap: "0123456789abcdef", Seq: uint64(n + 1), Seen: seen,
		Session: fmt.Sprintf("c-%d", n/5), Route: "/v1/chat/completions", Rate: 0.01, Draw: 0.00123, Dialect: llm.OpenAIChat, Request: request,
		Live: shadow.Answer{
			Arm: shadow.Live, Share: 1, Snapshot: "live-2026-01-01", Text: "First loosen the nuts, then jack the car up.",
			Finish: llm.FinishStop, Started: seen, Took: time.Second, Usage: llm.Usage{In: &in, Out: &out}, Attempts: 1, Status: 200,
		},
	}
}

// benchSyncs are how the bus writes to disk: at an interval, or each message by itself.
var benchSyncs = []struct {
	name  string
	every time.Duration
}{{"interval", time.Minute}, {"always", 0}}

var benchSizes = []struct {
	name        string
	size, count int
}{{"2KiB", 2 << 10, 4000}, {"16KiB", 16 << 10, 2000}, {"256KiB", 256 << 10, 300}}

// BenchmarkWorkers has samples asked, judged and written as Parquet by all roles behind
// the tap, and beside it in the same run the floor: pull, two HTTP calls, acknowledge,
// by bare code. ratio compares them by the clock, cpu-ratio by processor time, which a
// busy machine changes less.
func BenchmarkWorkers(b *testing.B) {
	for _, sync := range benchSyncs {
		for _, s := range benchSizes {
			b.Run("sync="+sync.name+"/"+s.name, func(b *testing.B) { benchWorkers(b, sync.every, s.size, s.count) })
		}
	}
}

func benchWorkers(b *testing.B, every time.Duration, size, count int) {
	url, request := instant(b), benchRequest(size)
	for b.Loop() {
		server := benchServer(b, every)
		p, stop := benchProcess(b, url, server.URL(), "1m")
		consumer, closeFloor := fillFloor(b, server, request, count)
		floor := cost(func() { benchFloor(b, consumer, url+"/cand", count) })
		closeFloor()
		fill(b, p.bus, request, 0, count)
		whole := cost(func() { playUntil(b, p, allRoles()[1:], func() { awaitLast(b, p.bus, size) }) })
		checkWritten(b, p, 2*count)
		n := float64(count)
		b.ReportMetric(n/whole.took.Seconds(), "samples/s")
		b.ReportMetric(n/floor.took.Seconds(), "floor/s")
		b.ReportMetric(floor.took.Seconds()/whole.took.Seconds(), "ratio")
		b.ReportMetric(floor.cpu.Seconds()/whole.cpu.Seconds(), "cpu-ratio")
		b.ReportMetric(whole.cpu.Seconds()*1e6/n, "cpu-µs/sample")
		b.ReportMetric(0, "ns/op")
		if err := errors.Join(stop(), server.Shutdown()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTapToFile sends sampled requests through the tap and counts from the first of
// them until the last row stands in a proven file. Clients and the live service are in
// the process, too.
func BenchmarkTapToFile(b *testing.B) {
	for _, sync := range benchSyncs {
		b.Run("sync="+sync.name, func(b *testing.B) { benchTapToFile(b, sync.every, 2<<10, 4000) })
	}
}

func benchTapToFile(b *testing.B, every time.Duration, size, count int) {
	url, request := instant(b), benchRequest(size)
	for b.Loop() {
		server := benchServer(b, every)
		p, stop := benchProcess(b, url, server.URL(), "1m")
		listens := make(chan string, 1)
		p.listening = func(address string) { listens <- address }
		whole := cost(func() {
			playUntil(b, p, allRoles(), func() {
				postAll(b, "http://"+<-listens+"/v1/chat/completions", request, count)
				awaitLast(b, p.bus, size)
			})
		})
		checkWritten(b, p, 2*count)
		b.ReportMetric(float64(count)/whole.took.Seconds(), "samples/s")
		b.ReportMetric(whole.cpu.Seconds()*1e6/float64(count), "cpu-µs/sample")
		b.ReportMetric(0, "ns/op")
		if err := errors.Join(stop(), server.Shutdown()); err != nil {
			b.Fatal(err)
		}
	}
}

// spent is what something took by the clock and of all processors.
type spent struct{ took, cpu time.Duration }

func cost(f func()) spent {
	used, start := processorTime(), time.Now()
	f()
	return spent{time.Since(start), processorTime() - used}
}

func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// playUntil plays roles while f runs, then ends them as an interrupt does: what is
// under way is written.
func playUntil(b testing.TB, p *process, roles []role, f func()) {
	ctx, end := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- p.play(ctx, roles) }()
	f()
	end()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

func benchServer(b testing.TB, every time.Duration) *embedded.Server {
	server, err := embedded.Start(embedded.Options{Dir: b.TempDir(), Listen: "127.0.0.1:0", Sync: every})
	if err != nil {
		b.Fatal(err)
	}
	return server
}

// awaitLast waits until nothing is left but less than one batch of the files: that is
// written when the roles end, and more would stay on the bus.
func awaitLast(b testing.TB, from *bus.Bus, size int) {
	awaitLeft(b, from, func(l bus.Backlog) bool {
		return l.Samples.Left()+l.Trials.Left() == 0 && l.Graded.Left()*uint64(size) < bus.DefaultBatchBytes
	})
}

// awaitLeft polls, whatever a busy server takes to answer.
func awaitLeft(b testing.TB, from *bus.Bus, enough func(bus.Backlog) bool) {
	for {
		l, err := from.Backlog(b.Context())
		if err == nil && enough(l) {
			return
		}
		if b.Context().Err() != nil {
			b.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// checkWritten wants every row graded and nothing left behind.
func checkWritten(b testing.TB, p *process, rows int) {
	graded := 0
	for row, err := range sinks.Scan(os.DirFS(p.cfg.Sinks.Dir)) {
		if err != nil {
			b.Fatal(err)
		}
		if row.Grade != nil {
			graded++
		}
	}
	if graded != rows {
		b.Fatalf("%d graded rows, want %d", graded, rows)
	}
}

func postAll(b *testing.B, url string, request []byte, count int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	for w := range 64 {
		all.Go(func() {
			for n := w; n < count; n += 64 {
				resp, err := client.Post(url, "application/json", bytes.NewReader(request))
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	all.Wait()
}

func benchProcess(b testing.TB, url, busURL, flush string) (p *process, stop func() error) {
	dir := b.TempDir()
	path := filepath.Join(dir, configFile)
	if err := os.WriteFile(path, fmt.Appendf(nil, benchConfiguration, url, busURL, flush), 0o600); err != nil {
		b.Fatal(err)
	}
	cfg, err := config.Load(path)
	if err != nil {
		b.Fatal(err)
	}
	s, err := newSetup(cfg)
	if err != nil {
		b.Fatal(err)
	}
	p, stop, err = newProcess(b.Context(), s, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		b.Fatal(err)
	}
	return p, stop
}

func fill(b testing.TB, to *bus.Bus, request []byte, from, count int) {
	var all sync.WaitGroup
	for w := range 32 {
		all.Go(func() {
			for n := from + w; n < from+count; n += 32 {
				if err := to.PublishSample(b.Context(), benchSample(n, request)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// fillFloor stores messages for the floor and gives what pulls them.
func fillFloor(b *testing.B, server *embedded.Server, request []byte, count int) (jetstream.Consumer, func()) {
	nc, err := nats.Connect(server.URL())
	if err != nil {
		b.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		b.Fatal(err)
	}
	for n := range count {
		if _, err := js.PublishAsync("understudy.sample.floor", request); err != nil {
			b.Fatal(n, err)
		}
		if n%16 == 0 {
			<-js.PublishAsyncComplete()
		}
	}
	<-js.PublishAsyncComplete()
	consumer, err := js.CreateConsumer(b.Context(), "understudy_sample", jetstream.ConsumerConfig{
		Durable: "floor", FilterSubject: "understudy.sample.floor", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: -1,
	})
	if err != nil {
		b.Fatal(err)
	}
	return consumer, nc.Close
}

// benchFloor pulls messages, makes two calls for each and acknowledges it.
func benchFloor(b *testing.B, consumer jetstream.Consumer, url string, count int) {
	transport := &http.Transport{MaxIdleConnsPerHost: 1024}
	defer transport.CloseIdleConnections()
	messages := make(chan jetstream.Msg, 128)
	var workers sync.WaitGroup
	for range 64 {
		workers.Go(func() {
			for m := range messages {
				for range 2 {
					if err := callOnce(b.Context(), transport, url, m.Data()); err != nil {
						b.Error(err)
					}
				}
				_ = m.Ack()
			}
		})
	}
	for got := 0; got < count; {
		batch, err := consumer.FetchBytes(8<<20, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			b.Fatal(err)
		}
		for m := range batch.Messages() {
			got++
			messages <- m
		}
	}
	close(messages)
	workers.Wait()
}

func callOnce(ctx context.Context, transport http.RoundTripper, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}
