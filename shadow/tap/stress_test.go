package tap_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Streams whose upstream answers before it has read the request are not cut, on a busy
// machine either: those that begin at once, early refusals, and whole answers at once.
// Without full duplex some are: the server reads the rest of a request away.
func TestNoStreamIsCut(t *testing.T) {
	n, workers := 2100, 16
	if testing.Short() {
		n = 300
	}
	var answer strings.Builder
	for i := range 20 {
		answer.WriteString(chunk(fmt.Sprint("word ", i, " ")))
	}
	answer.WriteString(stopChunk + doneEvent)
	r := start(t, options(), &store{})
	front := r.proxied(t, serve(t, hasty(answer.String())).URL)
	body := []byte(`{"stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("x", 14<<10) + `"}]}`)
	transport := &http.Transport{MaxIdleConnsPerHost: workers}
	defer transport.CloseIdleConnections()
	defer busy(2)()
	var asking sync.WaitGroup
	var next atomic.Int64
	var cut [3]atomic.Int64
	for range workers {
		asking.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				req, _ := http.NewRequestWithContext(t.Context(), "POST", front.URL+chatPath, hesitating{bytes.NewReader(body)})
				req.ContentLength = int64(len(body))
				req.Header.Set("X-Kind", fmt.Sprint(i%3))
				if !wholeStream(transport, req, answer.String()) {
					cut[i%3].Add(1)
				}
			}
		})
	}
	asking.Wait()
	for kind := range cut {
		if c := cut[kind].Load(); c != 0 {
			t.Errorf("kind %d: %d of %d streams were cut or changed", kind, c, n/3)
		}
	}
	r.drained(t)
	r.balanced(t)
	if r.counts()["seen"] != int64(n) {
		t.Errorf("%v", r.counts())
	}
	t.Log(r.counts())
}

// hesitating gives a body in parts of 2 KiB, as a network does.
type hesitating struct{ *bytes.Reader }

func (h hesitating) Read(p []byte) (int, error) {
	if h.Len() < int(h.Size()) {
		time.Sleep(100 * time.Microsecond)
	}
	return h.Reader.Read(p[:min(len(p), 2<<10)])
}

// WriteTo hides the reader's own, which pauses nowhere.
func (h hesitating) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{h})
}

// hasty answers before it reads: a stream of events (kind 0), a refusal as a stream (1),
// or all at once, without a look at the body (2).
func hasty(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		kind := r.Header.Get("X-Kind")
		w.Header().Set("Content-Type", "text/event-stream")
		if kind == "2" {
			_, _ = io.WriteString(w, answer)
			return
		}
		_ = http.NewResponseController(w).EnableFullDuplex()
		if kind == "1" {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		for event := range strings.SplitAfterSeq(answer, "\n\n") {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

// busy runs loops that take what they get of the machine, until the function is called.
func busy(n int) (end func()) {
	var stop atomic.Bool
	var loops sync.WaitGroup
	for range n {
		loops.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	return func() { stop.Store(true); loops.Wait() }
}

func wholeStream(transport http.RoundTripper, req *http.Request, want string) bool {
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return err == nil && string(got) == want
}
