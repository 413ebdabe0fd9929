package llmfake

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// maxBody bounds a request, in bytes.
const maxBody = 64 << 20

// ServeHTTP implements [http.Handler].
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := route(r)
	if t.dialect == "" {
		f.list(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "request was not read", http.StatusRequestEntityTooLarge)
		return
	}
	if !f.begin() {
		panic(http.ErrAbortHandler)
	}
	defer f.end()
	c := newCall(t, r, body)
	c.N = int(f.calls.Add(1))
	a := f.script(c).filled(c)
	if err := play(r.Context(), w, c, a); err != nil {
		f.left.Add(1)
		panic(http.ErrAbortHandler)
	}
	if a.Then == Reset {
		panic(http.ErrAbortHandler)
	}
}

// target is what a call's method, path and query say.
type target struct {
	dialect llm.Dialect // empty: no call to a model
	model   string      // where the path names it
	stream  bool        // the path asks for one
	listed  bool        // it comes as one list
}

func route(r *http.Request) target {
	d, stream, ok := llm.Endpoint(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		return target{}
	}
	t := target{dialect: d, stream: stream, listed: r.URL.Query().Get("alt") != "sse"}
	if d == llm.GeminiGenerate {
		t.model, _, _ = strings.Cut(path.Base(r.URL.Path), ":")
	}
	return t
}

// play sends an answer in time. The error says that the client left.
func play(ctx context.Context, w http.ResponseWriter, c Call, a Answer) error {
	start := time.Now()
	if a.Then == Hang && (a.empty() || !c.Stream) {
		<-ctx.Done()
		return ctx.Err()
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if c.Stream && a.status() == http.StatusOK {
		return playStream(ctx, w, c, a, start)
	}
	if err := sleep(ctx, start, max(a.First, a.Took)); err != nil {
		return err
	}
	if a.Then == Reset && a.empty() {
		return nil
	}
	body := a.Raw
	if body == nil {
		body = encode(c, a)
	}
	setDefault(w.Header(), "Content-Type", "application/json")
	w.WriteHeader(a.status())
	if a.Then != Finish {
		body = body[:len(body)/2]
	}
	_, err := w.Write(body)
	if a.Then == Reset {
		_ = http.NewResponseController(w).Flush()
	}
	return err
}

func playStream(ctx context.Context, w http.ResponseWriter, c Call, a Answer, start time.Time) error {
	if err := sleep(ctx, start, a.First/2); err != nil {
		return err
	}
	if a.Then == Reset && a.empty() {
		return nil
	}
	s := encodeStream(c, a)
	setDefault(w.Header(), "Content-Type", s.media)
	w.WriteHeader(a.status())
	if err := send(w, s.head); err != nil {
		return err
	}
	for i, p := range s.pieces {
		at := a.First + max(0, a.Took-a.First)*time.Duration(i)/time.Duration(len(s.pieces))
		if err := sleep(ctx, start, at); err != nil {
			return err
		}
		if err := send(w, p); err != nil {
			return err
		}
	}
	if a.Then == Hang {
		<-ctx.Done()
		return ctx.Err()
	}
	if err := sleep(ctx, start, a.Took); err != nil {
		return err
	}
	if a.Then != Finish {
		return nil
	}
	return send(w, s.tail)
}

func send(w http.ResponseWriter, p []byte) error {
	if _, err := w.Write(p); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// sleep waits until the time since start is d, or the client leaves.
func sleep(ctx context.Context, start time.Time, d time.Duration) error {
	d -= time.Since(start)
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func setDefault(h http.Header, name, value string) {
	if h.Get(name) == "" {
		h.Set(name, value)
	}
}

// list serves the lists of models; what is neither a call nor a list is a 404.
func (f *Fake) list(w http.ResponseWriter, r *http.Request) {
	var body any
	switch p := r.URL.Path; {
	case r.Method != http.MethodGet:
	case strings.HasSuffix(p, "/v1/models"):
		body = openAIModels(f.models)
	case strings.HasSuffix(p, "/api/tags"):
		body = ollamaTags(f.models)
	}
	w.Header().Set("Content-Type", "application/json")
	if body == nil {
		w.WriteHeader(http.StatusNotFound)
		body = map[string]any{"error": map[string]any{"message": "no such path", "type": "invalid_request_error", "code": nil}}
	}
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}
