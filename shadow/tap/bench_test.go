package tap_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// nowhere is a publisher that keeps nothing.
type nowhere struct{}

func (nowhere) PublishSample(context.Context, shadow.Sample) error { return nil }
func (nowhere) PublishBooks(context.Context, shadow.Books) error   { return nil }

// nullWriter has what a server's writer has and costs nothing.
type nullWriter struct{ header http.Header }

func (w *nullWriter) Header() http.Header         { return w.header }
func (w *nullWriter) WriteHeader(int)             {}
func (w *nullWriter) Write(p []byte) (int, error) { return len(p), nil }
func (w *nullWriter) Flush()                      {}

type readBody struct{ *strings.Reader }

func (readBody) Close() error { return nil }

// The bare handler, the tap beside it, and the tap with a sample, in one run. Nothing
// runs the queue, so that a sample is captured and then counted queue_full: what is
// measured is the request's goroutine.
func BenchmarkHandler(b *testing.B) {
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var buffer [256]byte
		_, _ = r.Body.Read(buffer[:])
		_, _ = io.WriteString(w, wholeAnswer)
	})
	for _, c := range []struct {
		name string
		rate float64
		key  string
	}{{"bare", -1, ""}, {"unsampled", 0, ""}, {"unsampled session", 0, "session-1"}, {"sampled", 1, "session-1"}} {
		b.Run(c.name, func(b *testing.B) {
			h := http.Handler(bare)
			if c.rate >= 0 {
				o := options()
				o.Rate = c.rate
				o.Queue.Items = 1
				tp, err := tap.New(o, nowhere{})
				if err != nil {
					b.Fatal(err)
				}
				h = tp.Middleware(bare)
			}
			w := &nullWriter{http.Header{"Content-Type": {"application/json"}}}
			r := request(b, "POST", chatPath, question)
			if c.key != "" {
				r.Header.Set("X-Session-Id", c.key)
			}
			body := readBody{strings.NewReader(question)}
			b.ReportAllocs()
			for b.Loop() {
				body.Reset(question)
				r.Body = body
				h.ServeHTTP(w, r)
			}
		})
	}
}

// What an unsampled request pays over the bare handler: both in turns of 1,000 requests
// in one run, and the medians of the turns, so that a busy machine slows both alike.
func BenchmarkUnsampled(b *testing.B) {
	bare := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	long := `{"model":"live-1","messages":[{"role":"user","content":"` + strings.Repeat("x", 4<<10) + `"}],"metadata":{"session_id":"s-1"}}`
	for _, c := range []struct {
		name, path string
		headers    http.Header
		session    string
	}{
		{"session in a header", chatPath, http.Header{"X-Session-Id": {"3f2a9b1c-1111-4222-8333-944455556666"}}, tap.DefaultSession},
		{"no session", chatPath, http.Header{}, tap.DefaultSession},
		{"not tapped", "/v1/embeddings", http.Header{}, tap.DefaultSession},
		{"trace", chatPath, http.Header{"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}, "traceparent"},
		{"session in a body of 4 KiB", chatPath, http.Header{}, "body:metadata.session_id"},
		{"opening of 4 KiB", chatPath, http.Header{}, "opening"},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := options()
			o.Rate, o.Session = 0, keys(b, c.session)
			tp, err := tap.New(o, nowhere{})
			if err != nil {
				b.Fatal(err)
			}
			w, r := &nullWriter{http.Header{}}, request(b, "POST", c.path, long)
			for name, values := range c.headers {
				r.Header[name] = values
			}
			body := readBody{strings.NewReader(long)}
			const turn = 1000
			var took [2][]time.Duration
			b.ReportAllocs()
			for range max(1, b.N/turn) {
				for i, h := range []http.Handler{bare, tp.Middleware(bare)} {
					began := time.Now()
					for range turn {
						body.Reset(long)
						r.Body = body
						h.ServeHTTP(w, r)
					}
					took[i] = append(took[i], time.Since(began))
				}
			}
			median := func(all []time.Duration) float64 {
				slices.Sort(all)
				return float64(all[len(all)/2].Nanoseconds()) / turn
			}
			b.ReportMetric(median(took[1])-median(took[0]), "ns-added/op")
		})
	}
}

// What one event of a stream of 200 costs, with and without the tap.
func BenchmarkEvent(b *testing.B) {
	const events = 200
	event := []byte(chunk("word "))
	for _, rate := range []float64{0, 1} {
		b.Run(map[float64]string{0: "unsampled", 1: "sampled"}[rate], func(b *testing.B) {
			o := options()
			o.Rate, o.Queue.Items = rate, 1
			tp, err := tap.New(o, nowhere{})
			if err != nil {
				b.Fatal(err)
			}
			h := tp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for range events {
					_, _ = w.Write(event)
				}
			}))
			w, r := &nullWriter{http.Header{}}, request(b, "POST", chatPath, streamed)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, answer := range map[string]string{"whole": wholeAnswer, "stream of 200": roleChunk + strings.Repeat(chunk("word "), 200) + stopChunk + doneEvent} {
		b.Run(name, func(b *testing.B) {
			o := options()
			o.Queue.Items = b.N
			o.Queue.Bytes = 1 << 40
			tp, err := tap.New(o, nowhere{})
			if err != nil {
				b.Fatal(err)
			}
			h := tp.Middleware(answering(200, answer))
			for range b.N {
				h.ServeHTTP(&nullWriter{http.Header{}}, request(b, "POST", chatPath, question))
			}
			ctx, cancel := context.WithCancel(b.Context())
			cancel()
			b.ResetTimer()
			b.ReportAllocs()
			if err := tp.Run(ctx); err != nil {
				b.Fatal(err)
			}
		})
	}
}
