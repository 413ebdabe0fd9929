package tap_test

import (
	"context"
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

// beside times turns of a bare handler and of the tap around it, one after the other, so
// that a busy machine slows both alike, and reports the lower quartiles, since what else
// runs can only add: what one of parts costs bare, and what the tap adds to it. A turn is
// short enough that what it captures waits in the queue, from where it is taken after it.
func beside(b *testing.B, o tap.Options, bare http.Handler, w http.ResponseWriter, r *http.Request, text string, parts int) {
	b.Helper()
	turn := max(10, 100/parts)
	o.Queue.Items = 2 * turn
	tp, err := tap.New(o, nowhere{})
	if err != nil {
		b.Fatal(err)
	}
	body := readBody{strings.NewReader(text)}
	var took [2][]time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for range max(1, b.N/turn) {
		for i, h := range []http.Handler{bare, tp.Middleware(bare)} {
			began := time.Now()
			for range turn {
				body.Reset(text)
				r.Body = body
				h.ServeHTTP(w, r)
			}
			took[i] = append(took[i], time.Since(began))
		}
		tp.Discard()
	}
	quiet := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/4].Nanoseconds()) / float64(turn*parts)
	}
	b.ReportMetric(quiet(took[0]), "ns-bare")
	b.ReportMetric(quiet(took[1])-quiet(took[0]), "ns-added")
	b.ReportMetric(0, "ns/op") // of both together, and of the benchmark itself
}

// What a sampled request pays with an answer of 2 KiB in one piece: its goroutine's part,
// from its arrival until it is in the queue. Allocations are of both runs together, and
// the bare one has none.
func BenchmarkSampled(b *testing.B) {
	answer := []byte(strings.Replace(wholeAnswer, "Gern.", strings.Repeat("word ", 400), 1))
	for _, c := range []struct {
		name    string
		text    string
		headers http.Header
	}{
		{"whole answer", question, http.Header{"X-Session-Id": {"3f2a9b1c-1111-4222-8333-944455556666"}}},
		{"whole answer, 14 KiB asked", `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 14<<10) + `"}]}`, http.Header{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			buffer := make([]byte, 32<<10)
			w, r := &nullWriter{http.Header{"Content-Type": {"application/json"}}}, request(b, "POST", chatPath, c.text)
			for name, values := range c.headers {
				r.Header[name] = values
			}
			beside(b, options(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = r.Body.Read(buffer)
				_, _ = w.Write(answer)
			}), w, r, c.text, 1)
		})
	}
}

// What an unsampled request pays over the bare handler.
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
			w, r := &nullWriter{http.Header{}}, request(b, "POST", c.path, long)
			for name, values := range c.headers {
				r.Header[name] = values
			}
			beside(b, o, bare, w, r, long, 1)
		})
	}
}

// What one event costs of a stream of 200 that is sampled, the request and its end included.
func BenchmarkEvent(b *testing.B) {
	const events = 200
	event := []byte(chunk("word "))
	w, r := &nullWriter{http.Header{"Content-Type": {"text/event-stream"}}}, request(b, "POST", chatPath, streamed)
	buffer := make([]byte, 4<<10)
	beside(b, options(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(buffer)
		for range events {
			_, _ = w.Write(event)
			w.(http.Flusher).Flush()
		}
	}), w, r, streamed, events)
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
