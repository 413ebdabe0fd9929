package tap_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

type (
	flushing  struct{ *plainWriter }
	hijacking struct{ *plainWriter }
	both      struct{ flushing }
	notifying struct{ both }
	pushing   struct{ flushing }
)

func (flushing) Flush() {}
func (hijacking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, errors.New("hijacked")
}
func (both) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, errors.New("hijacked") }
func (notifying) CloseNotify() <-chan bool                { return nil }
func (pushing) CloseNotify() <-chan bool                  { return nil }
func (pushing) Push(string, *http.PushOptions) error      { return nil }

func TestOptionalInterfacesAreKept(t *testing.T) {
	can := func(w http.ResponseWriter) [4]bool {
		_, f := w.(http.Flusher)
		_, h := w.(http.Hijacker)
		_, n := w.(interface{ CloseNotify() <-chan bool })
		_, p := w.(http.Pusher)
		return [4]bool{f, h, n, p}
	}
	for _, under := range []http.ResponseWriter{
		&plainWriter{}, flushing{&plainWriter{}}, hijacking{&plainWriter{}}, both{flushing{&plainWriter{}}},
		notifying{both{flushing{&plainWriter{}}}}, pushing{flushing{&plainWriter{}}},
	} {
		r := start(t, options(), &store{})
		r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if can(w) != can(under) {
				t.Errorf("%T: flush, hijack, notify, push %v, want %v", under, can(w), can(under))
			}
			if w == under {
				t.Error("the request was not sampled")
			}
			if h, ok := w.(http.Hijacker); ok {
				if _, _, err := h.Hijack(); err == nil || err.Error() != "hijacked" {
					t.Errorf("hijack: %v", err)
				}
			}
			if err := http.NewResponseController(w).Flush(); (err == nil) != can(under)[0] {
				t.Errorf("%T: flush: %v", under, err)
			}
		})).ServeHTTP(under, request(t, "POST", chatPath, question))
		r.drained(t)
		r.balanced(t)
	}
}

func TestUnsampledGetsItsOwn(t *testing.T) {
	o := options()
	o.Rate = 0
	r := start(t, o, &store{})
	under, req := &plainWriter{}, request(t, "POST", chatPath, question)
	body := req.Body
	r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if w != http.ResponseWriter(under) || r != req || r.Body != body {
			t.Error("an unsampled request was wrapped")
		}
	})).ServeHTTP(under, req)
}

func TestFullDuplexAndFilesReachTheServer(t *testing.T) {
	r := start(t, options(), &store{})
	front := r.serve(t, r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, req.Body)
		if n, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader(wholeAnswer[:50])); n != 50 || err != nil {
			t.Error(n, err)
		}
		if n, err := io.WriteString(w, wholeAnswer[50:]); n != len(wholeAnswer)-50 || err != nil {
			t.Error(n, err)
		}
	})))
	if _, got := post(t, front.URL, question); got != wholeAnswer {
		t.Errorf("%q", got)
	}
	if s := r.one(t); s.Live.Text != "Gern." {
		t.Errorf("%+v", s.Live)
	}
}

func TestReadFromWithoutHelp(t *testing.T) {
	r := start(t, options(), &store{})
	under := &plainWriter{}
	r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.Copy(w, bytes.NewBufferString(wholeAnswer))
	})).ServeHTTP(under, request(t, "POST", chatPath, question))
	if s := r.one(t); under.body.String() != wholeAnswer || s.Live.Text != "Gern." {
		t.Errorf("%q, %+v", under.body.String(), s.Live)
	}
}

func TestPanicsGoOn(t *testing.T) {
	for _, what := range []any{http.ErrAbortHandler, "a bug of the service"} {
		r := start(t, options(), &store{})
		h := r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			_, _ = io.WriteString(w, roleChunk)
			panic(what)
		}))
		req := request(t, "POST", chatPath, streamed)
		body := req.Body
		func() {
			defer func() {
				if got := recover(); got != what {
					t.Errorf("panic %v became %v", what, got)
				}
			}()
			h.ServeHTTP(&plainWriter{}, req)
		}()
		if s := r.one(t); s.Live.Failure != "reset" || req.Body != body {
			t.Errorf("%+v", s.Live)
		}
	}
}

// A handler that keeps its writer and body beyond its end must not reach another request's copy.
func TestLateUseTouchesNothing(t *testing.T) {
	r := start(t, options(), &store{})
	var late http.ResponseWriter
	var body io.Reader
	h := r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.ReadFull(req.Body, make([]byte, req.ContentLength))
		_, _ = io.WriteString(w, wholeAnswer)
		late, body = w, req.Body
	}))
	for range 20 {
		h.ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, question))
		_, _ = io.WriteString(late, "late")
		_, _ = body.Read(make([]byte, 10))
		late.WriteHeader(500)
	}
	for _, s := range r.drained(t) {
		if string(s.Request) != question || s.Live.Text != "Gern." || s.Live.Status != 200 {
			t.Errorf("%q, %+v", s.Request, s.Live)
		}
	}
}
