//go:build linux || darwin

package bus_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm"
)

const (
	benchTurns   = 7       // of each side, alternating; their medians count
	benchWindow  = 8 << 20 // bytes on their way, on both sides
	benchWorkers = 256     // as many as a tap has publishers
)

var benchSizes = []struct {
	name string
	size int
}{{"2KiB", 2 << 10}, {"16KiB", 16 << 10}, {"256KiB", 256 << 10}}

// benchSample is a sample whose request has so many bytes.
func benchSample(n uint64, request []byte) shadow.Sample {
	var id shadow.SampleID
	binary.BigEndian.PutUint64(id[:], n)
	in, out := int64(800), int64(120)
	seen := time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)
	return shadow.Sample{
		ID: id, Experiment: experiment, Tap: "0123456789abcdef", Seq: n, Seen: seen, Session: "c-1234567", Route: "/v1/chat/completions",
		Rate: 0.01, Draw: 0.00123, Dialect: llm.OpenAIChat, Request: request,
		Live: shadow.Answer{
			Arm: shadow.Live, Share: 1, Snapshot: "live-2026-01-01", Text: "A short answer, as most of them are.", Finish: llm.FinishStop,
			Started: seen, Took: time.Second, Usage: llm.Usage{In: &in, Out: &out}, Attempts: 1, Status: 200,
		},
	}
}

// body is a chat request of so many bytes.
func body(size int) []byte {
	const head, tail = `{"model":"live-2026-01-01","messages":[{"role":"user","content":"`, `"}]}`
	words := bytes.Repeat([]byte("How do I change a tyre? "), size/20)
	return append(append([]byte(head), words[:size-len(head)-len(tail)]...), tail...)
}

// BenchmarkPublish stores samples as a tap does, and messages of the same size with the
// client library's own asynchronous publishing, in turns on one server. ratio is ours
// of the library's, samples/s ours.
func BenchmarkPublish(b *testing.B) {
	for _, sync := range []struct {
		name  string
		every time.Duration
	}{{"interval", time.Minute}, {"always", 0}} {
		for _, s := range benchSizes {
			b.Run("sync="+sync.name+"/"+s.name, func(b *testing.B) { benchPublish(b, sync.every, s.size) })
		}
	}
}

func benchPublish(b *testing.B, every time.Duration, size int) {
	server := startServer(b, embedded.Options{Sync: every})
	ours := connect(b, bus.Options{InProcess: server})
	js, err := jetstream.New(raw(b, server))
	if err != nil {
		b.Fatal(err)
	}
	request := body(size)
	turn := max(50, (16<<20)/size)
	if every == 0 {
		turn = max(50, turn/8)
	}
	var floor, whole side
	var n uint64
	for b.Loop() {
		for range benchTurns {
			n += uint64(turn)
			floor.time(func() { publishRaw(b, js, request, turn) })
			whole.time(func() { publishOurs(b, ours, n, request, turn) })
			purge(b, js)
		}
	}
	f, o := float64(turn)/floor.median().Seconds(), float64(turn)/whole.median().Seconds()
	b.ReportMetric(f, "floor/s")
	b.ReportMetric(o, "samples/s")
	b.ReportMetric(o/f, "ratio")
	b.ReportMetric(floor.cpu.Seconds()/whole.cpu.Seconds(), "cpu-ratio")
	b.ReportMetric(float64(whole.cpu.Microseconds())/float64(turn*len(whole.took)), "cpu-µs/sample")
	b.ReportMetric(0, "ns/op")
}

// side is what one side of a comparison took: by the clock, each turn, and of all
// processors, which a busy machine changes less.
type side struct {
	took []time.Duration
	cpu  time.Duration
}

func (s *side) time(f func()) {
	cpu, start := processorTime(), time.Now()
	f()
	s.took = append(s.took, time.Since(start))
	s.cpu += processorTime() - cpu
}

func (s *side) median() time.Duration {
	slices.Sort(s.took)
	return s.took[len(s.took)/2]
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// publishRaw is the floor: nothing but the library, as many on their way as fit into
// the window.
func publishRaw(b *testing.B, js jetstream.JetStream, data []byte, count int) {
	pending := make(chan jetstream.PubAckFuture, max(1, min(2000, benchWindow/len(data))))
	var all sync.WaitGroup
	all.Go(func() {
		for f := range pending {
			select {
			case <-f.Ok():
			case err := <-f.Err():
				b.Error(err)
			}
		}
	})
	for range count {
		f, err := js.PublishAsync("understudy.sample.floor", data)
		if err != nil {
			b.Fatal(err)
		}
		pending <- f
	}
	close(pending)
	all.Wait()
}

func publishOurs(b *testing.B, ours *bus.Bus, from uint64, request []byte, count int) {
	var next atomic.Uint64
	var all sync.WaitGroup
	for range benchWorkers {
		all.Go(func() {
			for i := next.Add(1); i <= uint64(count); i = next.Add(1) {
				if err := ours.PublishSample(b.Context(), benchSample(from+i, request)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// purge empties the stream of samples, so that it never fills up.
func purge(b *testing.B, js jetstream.JetStream) {
	s, err := js.Stream(b.Context(), "understudy_sample")
	if err == nil {
		err = s.Purge(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
}
