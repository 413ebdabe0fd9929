package tap_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// Both requests of one kept-alive connection are answered while what comes behind the tap
// hangs: the case's candidate of 30 s is a publisher that ends after them.
func TestKeepAliveBesideAStall(t *testing.T) {
	var c struct {
		Requests int `json:"requests_on_one_connection"`
	}
	readCase(t, "tap-slow-candidate-keepalive.json", &c)
	release := make(chan bool)
	r := start(t, options(), &store{sample: func(context.Context, shadow.Sample) error { <-release; return nil }})
	upstream := serve(t, answering(200, wholeAnswer))
	front := r.proxied(t, upstream.URL)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	reused := 0
	for range c.Requests {
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
			if i.Reused {
				reused++
			}
		}})
		req, _ := http.NewRequestWithContext(ctx, "POST", front.URL+chatPath, strings.NewReader(question))
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(got) != wholeAnswer {
			t.Errorf("%q, %v", got, err)
		}
	}
	close(release)
	if n := len(r.drained(t)); n != c.Requests || n < 2 || reused != n-1 {
		t.Errorf("%d samples, %d requests on a used connection", n, reused)
	}
}

func TestTimeoutOfTheServiceIsATimeout(t *testing.T) {
	r := start(t, options(), &store{})
	inner := r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		<-req.Context().Done()
		w.WriteHeader(http.StatusBadGateway) // as a proxy says to a call that was cancelled
	}))
	ended := make(chan struct{}) // the time-out's handler does not wait for the one inside
	front := r.serve(t, http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer close(ended)
		inner.ServeHTTP(w, req)
	}), 30*time.Millisecond, "too slow"))
	if status, body := post(t, front.URL, question); status != 503 || body != "too slow" {
		t.Errorf("%d %q", status, body)
	}
	<-ended
	if live := r.one(t).Live; live.Failure != "timeout" || !live.Censored || live.Took < 30*time.Millisecond {
		t.Errorf("%+v", live)
	}
}

func TestHTTP2(t *testing.T) {
	var lines atomic.Int64
	upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range []string{roleChunk, chunk("Gern."), stopChunk, doneEvent} {
			_, _ = io.WriteString(w, e)
			_ = http.NewResponseController(w).Flush()
			lines.Add(1)
		}
	}))
	r := start(t, options(), &store{})
	front := httptest.NewUnstartedServer(r.Middleware(proxyTo(t, upstream.URL)))
	front.EnableHTTP2 = true
	front.StartTLS()
	r.fronts = append(r.fronts, front)
	resp, err := front.Client().Post(front.URL+chatPath, "application/json", strings.NewReader(streamed))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	front.Client().CloseIdleConnections()
	if err != nil || resp.ProtoMajor != 2 || string(got) != roleChunk+chunk("Gern.")+stopChunk+doneEvent {
		t.Errorf("%s %q, %v", resp.Proto, got, err)
	}
	if s := r.one(t); s.Live.Text != "Gern." || s.Live.FirstToken == 0 || lines.Load() != 4 {
		t.Errorf("%+v", s.Live)
	}
}

// A hundred strange paths do not push the tapped one out of the books, nor do they fill the memory.
func TestStrangePaths(t *testing.T) {
	r := start(t, options(), &store{})
	h := r.Middleware(answering(200, wholeAnswer))
	for i := range 300 {
		h.ServeHTTP(&plainWriter{}, request(t, "POST", fmt.Sprintf("/scan/%d", i), ""))
	}
	h.ServeHTTP(&plainWriter{}, request(t, "POST", "/"+strings.Repeat("x", 3000)+"/chat/completions", question))
	h.ServeHTTP(&plainWriter{}, request(t, "POST", "/%ff/chat/completions", question))
	h.ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, question))
	r.drained(t)
	r.balanced(t)
	sameCounts(t, r.countsOf(chatPath), want("seen", 1, "sampled", 1, "published", 1))
	names := map[string]bool{}
	for _, b := range r.books {
		for _, l := range b.Lines {
			names[l.Endpoint] = true
		}
	}
	if len(names) > shadow.MaxEndpoints+1 || !names[shadow.OtherEndpoint] || !names["/\uFFFD/chat/completions"] {
		t.Errorf("%d endpoints", len(names))
	}
}

// Whatever client and model say, the bytes pass, nothing of ours panics, and the books balance.
func FuzzCapture(f *testing.F) {
	f.Add([]byte(question), []byte(wholeAnswer), "", 200)
	f.Add([]byte(streamed), []byte(roleChunk+chunk("a")+stopChunk+doneEvent), "", 200)
	f.Add([]byte(question), []byte("\x1f\x8b\x08\x00"), "gzip", 200)
	f.Add([]byte(question), []byte("\x28\xb5\x2f\xfd"), "zstd, deflate", 200)
	f.Add([]byte(question), []byte("\x0b\x02\x80"), "br", 200)
	f.Add([]byte(`{"messages":[{"content":"\ud83d"}]}`), []byte(`{"error":`), "deflate", 429)
	f.Fuzz(func(t *testing.T, ask, answer []byte, encoding string, status int) {
		var logged lockedBuffer
		o := options()
		o.Session = keys(t, "body:metadata.0.id", "header:X", "opening")
		o.Publishers, o.Decoders, o.MaxBody = 1, 1, 64<<10
		o.Log = slog.New(slog.NewTextHandler(&logged, nil))
		s := &store{}
		tp, err := tap.New(o, s)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		w := &plainWriter{}
		tp.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got, _ = io.ReadAll(r.Body)
			w.Header()["Content-Encoding"] = []string{encoding}
			w.WriteHeader(status)
			_, _ = w.Write(answer)
		})).ServeHTTP(w, request(t, "POST", chatPath, string(ask)))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := tp.Run(ctx); err != nil {
			t.Fatal(err)
		}
		s.balanced(t)
		if !bytes.Equal(got, ask) || !bytes.Equal(w.body.Bytes(), answer) || w.status != status {
			t.Error("the live side was changed")
		}
		if s.counts()["seen"] != 1 || strings.Contains(logged.String(), "panicked") {
			t.Errorf("%v: %s", s.counts(), logged.String())
		}
		for _, sample := range s.samples {
			data, err := shadow.EncodeSample(sample)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := shadow.DecodeSample(data); err != nil || !bytes.Equal(back.Request, ask) {
				t.Errorf("%q came back as %q, %v", ask, back.Request, err)
			}
		}
	})
}
