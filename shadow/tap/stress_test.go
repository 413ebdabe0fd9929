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
)

// Streams whose upstream answers before it has read the request are not cut, on a busy machine either.
func TestNoStreamIsCut(t *testing.T) {
	n, workers := 2000, 16
	if testing.Short() {
		n = 200
	}
	var answer strings.Builder
	for i := range 20 {
		answer.WriteString(chunk(fmt.Sprint("word ", i, " ")))
	}
	answer.WriteString(stopChunk + doneEvent)
	upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Content-Type", "text/event-stream")
		if r.Header.Get("X-Early") != "" {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		for event := range strings.SplitAfterSeq(answer.String(), "\n\n") {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream.URL)
	body := []byte(`{"stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("x", 14<<10) + `"}]}`)
	transport := &http.Transport{MaxIdleConnsPerHost: workers}
	defer transport.CloseIdleConnections()
	stop := make(chan bool)
	var busy, asking sync.WaitGroup
	for range 2 {
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.Gosched()
				}
			}
		})
	}
	var next, cut atomic.Int64
	for range workers {
		asking.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				req, _ := http.NewRequestWithContext(t.Context(), "POST", front.URL+chatPath, bytes.NewReader(body))
				if i%5 == 0 {
					req.Header.Set("X-Early", "1")
				}
				if !wholeStream(transport, req, answer.String()) {
					cut.Add(1)
				}
			}
		})
	}
	asking.Wait()
	close(stop)
	busy.Wait()
	if cut.Load() != 0 {
		t.Errorf("%d of %d streams were cut or changed", cut.Load(), n)
	}
	r.drained(t)
	r.balanced(t)
	if r.counts()["seen"] != int64(n) {
		t.Errorf("%v", r.counts())
	}
	t.Log(r.counts())
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
