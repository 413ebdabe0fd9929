package tap_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// sessionOf is the session of one request, by the opening if no header names it.
func sessionOf(t *testing.T, path, body string, sources ...string) string {
	t.Helper()
	o := options()
	o.Session = keys(t, sources...)
	r := start(t, o, &store{})
	r.Middleware(answering(200, wholeAnswer)).ServeHTTP(&plainWriter{}, request(t, "POST", path, body))
	s := r.one(t)
	if s.Session == s.ID.String() {
		return ""
	}
	return s.Session
}

// A conversation is one session as it grows; one that opens in another way is another.
func TestOpening(t *testing.T) {
	const system, hello = `{"role":"system","content":"Be kind."}`, `{"role":"user","content":"Hallo"}`
	chat := func(turns ...string) string { return `{"model":"m","messages":[` + strings.Join(turns, ",") + `]}` }
	of := func(body string) string { return sessionOf(t, chatPath, body, "opening") }
	// SHA-256 of 6 "system" 8 "Be kind." 4 "user" 5 "Hallo", its first 16 bytes, by
	// Python 3 hashlib: a process of another version must find the same session.
	const want = "opening:9ac7f8f695a506260562460e8e8f523d"
	for _, c := range []struct {
		why, body string
		same      bool
	}{
		{"the first request", chat(system, hello), true},
		{"the conversation went on", chat(system, hello, `{"role":"assistant","content":"Gern."}`, `{"role":"user","content":"Und?"}`), true},
		{"other parameters", `{"temperature":0,"messages":[` + system + `, {"content":[{"type":"text","text":"Hallo"}],"role":"user"}],"model":"n"}`, true},
		{"another system prompt", chat(`{"role":"system","content":"Be short."}`, hello), false},
		{"none", chat(hello), false},
		{"another user", chat(system, `{"role":"user","content":"Hallo!"}`), false},
		{"text of the turns moved between them", chat(`{"role":"system","content":"Be kind.Ha"}`, `{"role":"user","content":"llo"}`), false},
	} {
		if got := of(c.body); (got == want) != c.same || !strings.HasPrefix(got, "opening:") {
			t.Errorf("%s: session %q", c.why, got)
		}
	}
	if got := of(chat(system)); got != "" {
		t.Errorf("without a user's turn the session is %q", got)
	}
	anthropic := `{"model":"m","max_tokens":9,"system":"Be kind.","messages":[` + hello + `]}`
	if got := sessionOf(t, "/v1/messages", anthropic, "opening"); got != want {
		t.Errorf("in another dialect the session is %q", got)
	}
	if got := sessionOf(t, chatPath, chat(system, hello), "header:X-Session-Id", "body:user", "opening"); got != want {
		t.Errorf("as the last resort: %q", got)
	}
}

// A body is read before the decision only where no key before it is there.
func TestBodiesAreReadOnlyForAKey(t *testing.T) {
	for _, c := range []struct {
		why, header string
		sources     []string
		own         bool
	}{
		{"a header names the session first", "s-1", []string{"header:X-Session-Id", "opening"}, true},
		{"no header does", "", []string{"header:X-Session-Id", "opening"}, false},
		{"the body is to be asked first", "s-1", []string{"opening", "header:X-Session-Id"}, false},
		{"no key is in the body", "", []string{"header:X-Session-Id", "traceparent"}, true},
	} {
		o := options()
		o.Rate, o.Session = 0, keys(t, c.sources...)
		r := start(t, o, &store{})
		req := request(t, "POST", chatPath, question)
		req.Header.Set("X-Session-Id", c.header)
		body := req.Body
		r.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, got *http.Request) {
			if (got.Body == body) != c.own {
				t.Errorf("%s: the caller's own body: %v", c.why, got.Body == body)
			}
			if text, err := io.ReadAll(got.Body); string(text) != question || err != nil {
				t.Errorf("%s: the handler read %q, %v", c.why, text, err)
			}
		})).ServeHTTP(&plainWriter{}, req)
		r.drained(t)
	}
}
