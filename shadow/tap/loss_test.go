package tap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// readCase reads an input case from testdata.
func readCase(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsSilentlySkipped(t *testing.T) {
	var c struct {
		Requests map[string]int `json:"requests"`
	}
	readCase(t, "tap-silent-no-mirror.json", &c)
	upstream := serve(t, answering(200, wholeAnswer))
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream.URL)
	for path, n := range c.Requests {
		for range n {
			resp, err := http.Post(front.URL+path, "application/json", strings.NewReader(question))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	}
	http.DefaultClient.CloseIdleConnections()
	r.drained(t)
	sameCounts(t, r.countsOf("/v1/chat/completions"), want("seen", 20, "sampled", 20, "published", 20))
	sameCounts(t, r.countsOf("/v1/responses"), want("seen", 20, "not_sampled[unsupported_endpoint]", 20))
	sameCounts(t, r.countsOf("/v1/embeddings"), want("seen", 20, "not_sampled[unsupported_endpoint]", 20))
	if got := r.Tapped(); len(got) != 1 || got[0] != "POST …/chat/completions" {
		t.Errorf("tapped: %q", got)
	}
}

func TestWhatIsTapped(t *testing.T) {
	for _, c := range []struct {
		method, path string
		tapped       bool
	}{
		{"POST", "/v1/chat/completions", true},
		{"POST", "/chat/completions", true},
		{"POST", "/openai/deployments/x/chat/completions?api-version=1", true},
		{"POST", "/api/v1/chat/completions/", true},
		{"GET", "/v1/chat/completions", false},
		{"OPTIONS", "/v1/chat/completions", false},
		{"POST", "/v1/chat/completions/id", false},
		{"POST", "/v1/completions", false},
		{"POST", "/xchat/completions", false},
	} {
		r := start(t, options(), &store{})
		h := r.Middleware(answering(200, wholeAnswer))
		h.ServeHTTP(&plainWriter{}, request(t, c.method, c.path, question))
		r.drained(t)
		if got := r.counts()["sampled"] == 1; got != c.tapped || r.counts()["seen"] != 1 {
			t.Errorf("%s %s: %v", c.method, c.path, r.counts())
		}
	}
}

func request(t testing.TB, method, target, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://front"+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// plainWriter is a ResponseWriter that can nothing else.
type plainWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *plainWriter) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}
func (w *plainWriter) WriteHeader(status int)      { w.status = status }
func (w *plainWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

func TestSizes(t *testing.T) {
	var big struct {
		Messages int `json:"messages"`
		Chars    int `json:"chars_each"`
		Limit    int `json:"capture_limit_bytes"`
	}
	readCase(t, "tap-large-body.json", &big)
	turn := `{"role":"user","content":"` + strings.Repeat("x", big.Chars) + `"}`
	conversation := `{"messages":[` + strings.Repeat(turn+",", big.Messages-1) + turn + `]}`
	var cut struct {
		Response int `json:"response_bytes"`
		Limit    int `json:"capture_limit_bytes"`
	}
	readCase(t, "tap-truncated-capture.json", &cut)
	answerOf := func(n int) string { return strings.Replace(wholeAnswer, "Gern.", strings.Repeat("y", n), 1) }
	frame := len(question) + len(answerOf(0))
	for _, c := range []struct {
		name, why, request, answer string
		encoding                   string
		limit                      int
		want                       string
	}{
		{name: "large request", why: "1.5 MB conversation", request: conversation, answer: wholeAnswer, limit: big.Limit, want: "not_sampled[too_large]"},
		{name: "large answer", why: "over the limit by its answer", request: question, answer: answerOf(cut.Response), limit: cut.Limit, want: "not_sampled[too_large]"},
		{name: "just fits", why: "the limit itself is allowed", request: question, answer: answerOf(5000), limit: frame + 5000, want: "published"},
		{name: "one over", why: "the limit is for both together", request: question, answer: answerOf(5001), limit: frame + 5000, want: "not_sampled[too_large]"},
		{name: "one long line", why: "10 MB in a line", request: question, answer: "data: " + strings.Repeat("z", 10<<20), limit: 1 << 20, want: "not_sampled[too_large]"},
		{name: "bomb", why: "20 KB that unpack to 20 MB", request: question, answer: packed(t, "gzip", answerOf(20<<20)), encoding: "gzip",
			limit: 1 << 20, want: "not_sampled[too_large]"},
		{name: "zstd bomb", why: "the same in another encoding", request: question, answer: packed(t, "zstd", answerOf(20<<20)), encoding: "zstd",
			limit: 1 << 20, want: "not_sampled[too_large]"},
		{name: "brotli", why: "no decoder for it", request: question, answer: "\x0b\x02\x80", encoding: "br", limit: 1 << 20, want: "not_sampled[encoding]"},
		{name: "three layers", why: "nobody needs them", request: question, answer: "x", encoding: "gzip, gzip, gzip", limit: 1 << 20, want: "not_sampled[encoding]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			upstream := serve(t, answering(200, c.answer, "Content-Encoding", c.encoding))
			o := options()
			o.MaxBody = int64(c.limit)
			r := start(t, o, &store{})
			front := r.proxied(t, upstream.URL)
			if status, got := post(t, front.URL, c.request, "Accept-Encoding", "x"); status != 200 || got != c.answer {
				t.Errorf("the client got %d and %d bytes", status, len(got))
			}
			r.drained(t)
			r.balanced(t)
			if r.counts()[c.want] != 1 || r.counts()["seen"] != 1 {
				t.Errorf("%s: %v", c.why, r.counts())
			}
		})
	}
}

func TestPartlyReadRequests(t *testing.T) {
	body := `{"messages":[{"role":"user","content":"` + strings.Repeat("b", 5000) + `"}]}`
	for _, c := range []struct {
		name    string
		live    http.HandlerFunc
		want    string
		chunked bool
	}{
		{name: "reads all", live: answering(200, wholeAnswer), want: "published"},
		{name: "reads all, chunked", live: answering(200, wholeAnswer), want: "published", chunked: true},
		{name: "reads nothing", live: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, wholeAnswer) }, want: "dropped[incomplete_request]"},
		{name: "413 after 1 KB", want: "dropped[incomplete_request]", live: func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.CopyN(io.Discard, r.Body, 1024)
			w.WriteHeader(413)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, options(), &store{})
			front := r.serve(t, r.Middleware(c.live)) // in the process, so that the tap sees what the handler reads
			req, _ := http.NewRequestWithContext(t.Context(), "POST", front.URL+chatPath, strings.NewReader(body))
			if c.chunked {
				req.ContentLength = -1
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			http.DefaultClient.CloseIdleConnections()
			r.drained(t)
			r.balanced(t)
			if r.counts()[c.want] != 1 {
				t.Errorf("%v", r.counts())
			}
			for _, s := range r.samples {
				if string(s.Request) != body {
					t.Error("a cut body in a sample")
				}
			}
		})
	}
}

func TestOddRequests(t *testing.T) {
	var odd []string
	readCase(t, "id-surrogate-request.json", &odd)
	cases := map[string]string{odd[0]: "published", odd[1]: "dropped[malformed]", odd[2]: "published", odd[3]: "dropped[malformed]",
		"": "dropped[malformed]", "null": "dropped[malformed]", "[]": "dropped[malformed]", "\x00\xff": "dropped[malformed]",
		`{"messages":` + strings.Repeat("[", 100_000): "dropped[malformed]", `{"messages":"x"}`: "dropped[malformed]",
	}
	for body, wanted := range cases {
		var got string
		upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, _ := io.ReadAll(r.Body)
			got = string(data)
			_, _ = io.WriteString(w, wholeAnswer)
		}))
		r := start(t, options(), &store{})
		front := r.proxied(t, upstream.URL)
		post(t, front.URL, body)
		r.drained(t)
		if got != body || r.counts()[wanted] != 1 {
			t.Errorf("%.80q: upstream got %.80q, books %v", body, got, r.counts())
		}
		for _, s := range r.samples {
			if string(s.Request) != body {
				t.Errorf("%q became %q", body, s.Request)
			}
		}
	}
}

func TestPackedRequestIsNoSample(t *testing.T) {
	upstream := serve(t, answering(200, wholeAnswer))
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream.URL)
	post(t, front.URL, packed(t, "gzip", question), "Content-Encoding", "gzip")
	r.drained(t)
	sameCounts(t, r.counts(), want("seen", 1, "not_sampled[encoding]", 1))
}

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
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		s := &store{book: func(_ context.Context, b shadow.Books) error {
			if tries.Add(1) < 4 {
				return fmt.Errorf("no connection for %d", b.Number)
			}
			return nil
		}}
		r := start(t, options(), s)
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
