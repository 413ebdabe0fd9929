package tap_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// TestMain makes this program a server, too, for benchmarks of several processes.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		serveRole(role)
	}
	goleak.VerifyTestMain(m)
}

const (
	chatPath    = "/v1/chat/completions"
	question    = `{"model":"live-1","messages":[{"role":"user","content":"Hallo"}]}`
	streamed    = `{"model":"live-1","stream":true,"messages":[{"role":"user","content":"Hallo"}]}`
	wholeAnswer = `{"model":"live-1-2026-01-01","choices":[{"index":0,"message":{"role":"assistant","content":"Gern."},` +
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":3,"total_tokens":23}}`
)

// store is a publisher that keeps what it gets, and fails or waits as it is told.
type store struct {
	mu      sync.Mutex
	samples []shadow.Sample
	books   []shadow.Books

	sample func(context.Context, shadow.Sample) error
	book   func(context.Context, shadow.Books) error
}

func (s *store) PublishSample(ctx context.Context, sample shadow.Sample) error {
	if s.sample != nil {
		if err := s.sample(ctx, sample); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = append(s.samples, sample)
	return nil
}

func (s *store) PublishBooks(ctx context.Context, b shadow.Books) error {
	if s.book != nil {
		if err := s.book(ctx, b); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books = append(s.books, b)
	return nil
}

// published gives the samples that came until now.
func (s *store) published() []shadow.Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.samples)
}

// counts adds the books up, as "entry" or "entry[reason]", over endpoints and days.
func (s *store) counts() map[string]int64 { return s.countsOf("") }

func (s *store) countsOf(endpoint string) map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := map[string]int64{}
	for _, b := range s.books {
		for _, l := range b.Lines {
			if endpoint != "" && l.Endpoint != endpoint {
				continue
			}
			name := string(l.Entry)
			if l.Reason != "" {
				name += "[" + l.Reason + "]"
			}
			sum[name] += l.Count
		}
	}
	return sum
}

// balanced checks both identities of the books.
func (s *store) balanced(t *testing.T) {
	t.Helper()
	sum := s.counts()
	var not, dropped int64
	for name, n := range sum {
		switch {
		case len(name) > 11 && name[:11] == "not_sampled":
			not += n
		case len(name) > 7 && name[:7] == "dropped":
			dropped += n
		}
	}
	if sum["seen"] != sum["sampled"]+not || sum["sampled"] != sum["published"]+dropped {
		t.Errorf("books do not balance: %v", sum)
	}
	if int64(len(s.samples)) != sum["published"] {
		t.Errorf("%d samples came, the books say %d", len(s.samples), sum["published"])
	}
}

// rig is a tap that runs, with what it publishes.
type rig struct {
	*tap.Tap
	*store
	stop   func() error
	fronts []*httptest.Server
}

func options() tap.Options {
	return tap.Options{Experiment: "test", Source: "tap-1", Rate: 1, Salt: "salt"}
}

// start runs a tap; stop drains it, and runs at the test's end at the latest.
func start(t testing.TB, o tap.Options, s *store) *rig {
	t.Helper()
	tp, err := tap.New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- tp.Run(ctx) }()
	r := &rig{Tap: tp, store: s}
	r.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { _ = r.stop() })
	return r
}

// drained stops the tap and gives its samples, in the order of their numbers.
func (r *rig) drained(t testing.TB) []shadow.Sample {
	t.Helper()
	for _, f := range r.fronts {
		f.Close() // waits for the handlers
	}
	if err := r.stop(); err != nil {
		t.Fatalf("stop: %v", err)
	}
	slices.SortFunc(r.samples, func(a, b shadow.Sample) int { return int(a.Seq) - int(b.Seq) })
	return r.samples
}

// one gives the only sample there is.
func (r *rig) one(t testing.TB) shadow.Sample {
	t.Helper()
	all := r.drained(t)
	if len(all) != 1 {
		t.Fatalf("%d samples, want 1; books %v", len(all), r.counts())
	}
	return all[0]
}

// serve starts a server on loopback.
func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// proxied puts the tap and the reverse proxy in front of an upstream.
func (r *rig) proxied(t testing.TB, upstream string) *httptest.Server {
	t.Helper()
	return r.serve(t, r.Middleware(proxyTo(t, upstream)))
}

// serve starts a server whose handlers end before the tap is stopped.
func (r *rig) serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := serve(t, h)
	r.fronts = append(r.fronts, s)
	return s
}

func proxyTo(t testing.TB, upstream string) http.Handler {
	t.Helper()
	u, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true, ExpectContinueTimeout: time.Second}
	t.Cleanup(transport.CloseIdleConnections)
	return tap.ReverseProxy(u, tap.ProxyOptions{Transport: transport})
}

// post sends a body to a server's chat path and reads the whole answer.
func post(t testing.TB, base, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+chatPath, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	return resp.StatusCode, string(answer)
}

// answering reads the request and gives a whole answer.
func answering(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func chunk(text string) string {
	return fmt.Sprintf("data: {\"model\":\"live-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
}

const (
	roleChunk = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
	stopChunk = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	doneEvent = "data: [DONE]\n\n"
)

func want(pairs ...any) map[string]int64 {
	m := map[string]int64{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = int64(pairs[i+1].(int))
	}
	return m
}

func sameCounts(t *testing.T, got, want map[string]int64) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("books say %v, want %v", got, want)
	}
}
