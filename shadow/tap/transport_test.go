package tap_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// client gives a client whose calls are tapped.
func (r *rig) client(t testing.TB) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: r.RoundTripper(transport)}
}

func TestRoundTripper(t *testing.T) {
	stream := roleChunk + chunk("Gern.") + stopChunk + doneEvent
	for _, c := range []struct {
		name, why string
		status    int
		body      string
		read      func(*http.Response) // nil reads to the end
		text      string
		failure   llm.Reason
		censored  bool
	}{
		{name: "whole", why: "the plain case", body: wholeAnswer, text: "Gern."},
		{name: "stream", why: "read to the end", body: stream, text: "Gern."},
		{name: "closed at the end sign", why: "SDKs stop reading there", body: stream + ": padding\n", text: "Gern.",
			read: func(r *http.Response) { _, _ = io.ReadFull(r.Body, make([]byte, len(stream))); r.Body.Close() }},
		{name: "closed early", why: "the caller leaves", body: stream, failure: llm.ClientAbort, censored: true,
			read: func(r *http.Response) { _, _ = io.ReadFull(r.Body, make([]byte, len(roleChunk))); r.Body.Close() }},
		{name: "never read", why: "the caller leaves at once", body: wholeAnswer, failure: llm.ClientAbort, censored: true,
			read: func(r *http.Response) { r.Body.Close() }},
		{name: "429", why: "a failure", status: 429, body: `{"error":{"code":"rate_limit_exceeded"}}`, failure: llm.RateLimited},
		{name: "nothing", why: "no body at all", status: 204, failure: llm.Empty},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.status == 0 {
				c.status = 200
			}
			upstream := serve(t, answering(c.status, c.body))
			r := start(t, options(), &store{})
			req, _ := http.NewRequestWithContext(t.Context(), "POST", upstream.URL+chatPath, strings.NewReader(question))
			body := req.Body
			resp, err := r.client(t).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if req.Body != body {
				t.Error("the caller's request was changed")
			}
			if c.read != nil {
				c.read(resp)
			} else if data, err := io.ReadAll(resp.Body); string(data) != c.body || err != nil {
				t.Errorf("read %q, %v", data, err)
			}
			resp.Body.Close()
			live := r.one(t).Live
			if live.Text != c.text || live.Failure != c.failure || live.Censored != c.censored || live.Status != c.status {
				t.Errorf("%s: %+v", c.why, live)
			}
			r.balanced(t)
		})
	}
}

func TestRoundTripperUnpacksLikeItsTransport(t *testing.T) {
	upstream := serve(t, answering(200, packed(t, "gzip", wholeAnswer), "Content-Encoding", "gzip"))
	r := start(t, options(), &store{})
	resp, err := r.client(t).Post(upstream.URL+chatPath, "application/json", strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if !resp.Uncompressed || string(data) != wholeAnswer || r.one(t).Live.Text != "Gern." {
		t.Errorf("%q", data)
	}
}

func TestRoundTripperUnknownLength(t *testing.T) {
	upstream := serve(t, answering(200, wholeAnswer))
	r := start(t, options(), &store{})
	resp, err := r.client(t).Post(upstream.URL+chatPath, "application/json", io.MultiReader(strings.NewReader(question)))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if s := r.one(t); string(s.Request) != question {
		t.Errorf("%q", s.Request)
	}
}

func TestRoundTripperFailures(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	hang := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	cut := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"choices"`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	for _, c := range []struct {
		name, url, want string
		ctx             func() (context.Context, context.CancelFunc)
	}{
		{name: "time-out", url: hang.URL, want: "timeout", ctx: func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 50*time.Millisecond)
		}},
		{name: "cancelled", url: hang.URL, want: "client_abort", ctx: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		}},
		{name: "cut", url: cut.URL, want: "reset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, options(), &store{})
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if c.ctx != nil {
				ctx, cancel = c.ctx()
			}
			defer cancel()
			req, _ := http.NewRequestWithContext(ctx, "POST", c.url+chatPath, strings.NewReader(question))
			resp, err := r.client(t).Do(req)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if err == nil {
				t.Fatal("no error")
			}
			live := r.one(t).Live
			if string(live.Failure) != c.want || live.Censored != (c.want != "reset") || live.Took <= 0 {
				t.Errorf("%+v", live)
			}
		})
	}
	for _, replayable := range []bool{true, false} {
		t.Run(fmt.Sprint("no connection ", replayable), func(t *testing.T) { // the request was never read
			r := start(t, options(), &store{})
			var body io.Reader = strings.NewReader(question)
			if !replayable {
				body = io.MultiReader(body)
			}
			_, err := r.client(t).Post("http://"+gone.Addr().String()+chatPath, "application/json", body)
			if err == nil {
				t.Fatal("no error")
			}
			r.drained(t)
			r.balanced(t)
			if replayable && (len(r.samples) != 1 || r.samples[0].Live.Failure != llm.Connect || string(r.samples[0].Request) != question) {
				t.Errorf("%+v", r.samples)
			}
			if !replayable && r.counts()["dropped[incomplete_request]"] != 1 {
				t.Errorf("%v", r.counts())
			}
		})
	}
}

// A transport that starts the body anew must not put the first try into the copy.
func TestRoundTripperReplays(t *testing.T) {
	r := start(t, options(), &store{})
	rt := r.RoundTripper(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		_, _ = io.CopyN(io.Discard, req.Body, 10)
		old := req.Body
		again, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		_, _ = io.CopyN(io.Discard, again, 5)
		_, _ = io.CopyN(io.Discard, old, 5) // the first try still reads
		_, _ = io.Copy(io.Discard, again)
		return &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(wholeAnswer))}, nil
	}))
	req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://x"+chatPath, bytes.NewReader([]byte(question)))
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	if s := r.one(t); string(s.Request) != question || s.Live.Text != "Gern." {
		t.Errorf("%q, %+v", s.Request, s.Live)
	}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestProxyFailures(t *testing.T) {
	closing := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for _, c := range []struct{ name, url, want string }{
		{"no connection", "http://" + gone.Addr().String(), "connect"},
		{"closed without an answer", closing.URL, "reset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, options(), &store{})
			front := r.proxied(t, c.url)
			status, body := post(t, front.URL, question)
			if status != 502 || strings.Contains(body, "127.0.0.1") || !strings.HasPrefix(body, `{"error":`) {
				t.Errorf("%d %s", status, body)
			}
			s := r.one(t)
			if string(s.Live.Failure) != c.want || s.Live.Censored || string(s.Request) != question {
				t.Errorf("%+v", s.Live)
			}
		})
	}
}

func TestUnusualRequests(t *testing.T) {
	r := start(t, options(), &store{})
	rt := r.RoundTripper(roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, errors.New("no URL") }))
	if _, err := rt.RoundTrip(&http.Request{}); err == nil {
		t.Error("no error")
	}
	if _, err := tap.New(tap.Options{}, &store{}); err == nil {
		t.Error("options without an experiment")
	}
}
