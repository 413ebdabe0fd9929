package tap_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/tap"
)

func keys(t testing.TB, texts ...string) []tap.Key {
	t.Helper()
	var all []tap.Key
	for _, text := range texts {
		k, err := tap.ParseKey(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	return all
}

func TestParseKey(t *testing.T) {
	for text, wanted := range map[string]string{
		"path": "path", "header:x-session-id": "header:X-Session-Id", "body:metadata.session_id": "body:metadata.session_id", "body:messages.0.id": "body:messages.0.id",
		"baggage:gen_ai.conversation.id": "baggage:gen_ai.conversation.id", "traceparent": "traceparent", "opening": "opening",
		"header:gen_ai.conversation.id": "header:Gen_ai.conversation.id",
		"baggage:":                      "", "baggage:a=b": "", "baggage:a,b": "", "traceparent:x": "", "opening:": "", "baggage": "",
		"": "", "header:": "", "header:a b": "", "header:a:b": "", "body:": "", "body:a..b": "", "body:.a": "", "cookie:x": "", "Path": "", "path:x": "",
	} {
		k, err := tap.ParseKey(text)
		if (err == nil) != (wanted != "") || err == nil && k.String() != wanted {
			t.Errorf("%q: %v, %v", text, k, err)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*tap.Options){
		"no experiment": func(o *tap.Options) { o.Experiment = "" },
		"rate 1.5":      func(o *tap.Options) { o.Rate = 1.5 },
		"rate -1":       func(o *tap.Options) { o.Rate = -1 },
		"sample by":     func(o *tap.Options) { o.SampleBy = "user" },
		"path session":  func(o *tap.Options) { o.Session = keys(t, "path") },
		"trace route":   func(o *tap.Options) { o.Route = keys(t, "traceparent")[0] },
		"opening route": func(o *tap.Options) { o.Route = keys(t, "opening")[0] },
		"opening tag":   func(o *tap.Options) { o.Tags = map[string]tap.Key{"a": keys(t, "opening")[0]} },
		"queue":         func(o *tap.Options) { o.Queue.Items = -1 },
		"body":          func(o *tap.Options) { o.MaxBody = -1 },
		"huge body":     func(o *tap.Options) { o.MaxBody = 1 << 60 },
		"time":          func(o *tap.Options) { o.BooksEvery = -1 },
		"endpoint":      func(o *tap.Options) { o.Endpoints = []llm.Surface{{Suffix: "chat", Dialect: llm.OpenAIChat}} },
	} {
		o := options()
		change(&o)
		if _, err := tap.New(o, &store{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func trace(parent string) http.Header { return http.Header{"Traceparent": {parent}} }

func TestSessions(t *testing.T) {
	body := `{"metadata":{"session_id":"b-1","n":7},"messages":[{"role":"user","content":"x","id":"m-1"}]}`
	long := strings.Repeat("k", 300)
	for _, c := range []struct {
		name, why string
		keys      []string
		header    http.Header
		want      string // "" is the sample's own id
	}{
		{name: "header", why: "the default", header: http.Header{"X-Session-Id": {"h-1", "h-2"}}, want: "h-1"},
		{name: "none", why: "its own session"},
		{name: "empty", why: "an empty key is none", header: http.Header{"X-Session-Id": {""}}},
		{name: "second", why: "the first that is present", keys: []string{"header:A", "header:B", "header:C"},
			header: http.Header{"B": {"b"}, "C": {"c"}}, want: "b"},
		{name: "body", why: "opt-in", keys: []string{"body:metadata.session_id"}, want: "b-1"},
		{name: "number", why: "numbers are keys too", keys: []string{"body:metadata.n"}, want: "7"},
		{name: "list", why: "a position in a list", keys: []string{"body:messages.0.id"}, want: "m-1"},
		{name: "beyond a list", why: "nothing there", keys: []string{"body:messages.7.id", "body:messages.x.id", "body:metadata", "body:metadata.n.x"}},
		{name: "body after header", why: "order as configured", keys: []string{"header:X", "body:metadata.session_id"}, want: "b-1"},
		{name: "otel header", why: "the attribute's own name", keys: []string{"header:gen_ai.conversation.id"},
			header: http.Header{http.CanonicalHeaderKey("gen_ai.conversation.id"): {"c-1"}}, want: "c-1"},
		{name: "baggage", why: "an entry among others, in percent-encoding", keys: []string{"baggage:gen_ai.conversation.id"},
			header: http.Header{"Baggage": {"user=u-1", "a=b;p=1 , gen_ai.conversation.id = c%201 ;ttl=3,z=1"}}, want: "c 1"},
		{name: "baggage as it is", why: "bad percent-encoding is kept", keys: []string{"baggage:id"}, header: http.Header{"Baggage": {"id=1%zz"}}, want: "1%zz"},
		{name: "other baggage", why: "names are whole and exact; an empty value is none", keys: []string{"baggage:id"}, header: http.Header{"Baggage": {"xid=1,ID=2,id=,id"}}},
		{name: "trace", why: "the id of the trace, not of the span", keys: []string{"traceparent"}, header: trace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
			want: "4bf92f3577b34da6a3ce929d0e0e4736"},
		{name: "later trace", why: "a later version adds to the end", keys: []string{"traceparent"}, header: trace("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"),
			want: "4bf92f3577b34da6a3ce929d0e0e4736"},
		{name: "trace with more", why: "version 00 ends with its flags", keys: []string{"traceparent"}, header: trace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more")},
		{name: "no trace", why: "an id of zeros is none", keys: []string{"traceparent"}, header: trace("00-00000000000000000000000000000000-00f067aa0ba902b7-01")},
		{name: "bad trace", why: "version ff is not valid", keys: []string{"traceparent"}, header: trace("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")},
		{name: "large trace", why: "digits are small", keys: []string{"traceparent"}, header: trace("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01")},
		{name: "cut trace", why: "nothing to read", keys: []string{"traceparent"}, header: trace("00-4bf9")},
		{name: "long", why: "a key is bounded", header: http.Header{"X-Session-Id": {long}},
			want: "sha256:" + "0"},
		{name: "no UTF-8", why: "it would not survive JSON", header: http.Header{"X-Session-Id": {"\xff"}}, want: "sha256:" + "a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			if c.keys != nil {
				o.Session = keys(t, c.keys...)
			}
			r := start(t, o, &store{})
			var got string
			h := r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				data, _ := io.ReadAll(r.Body)
				got = string(data)
				_, _ = io.WriteString(w, wholeAnswer)
			}))
			req := request(t, "POST", chatPath, body)
			for name, values := range c.header {
				req.Header[name] = values
			}
			h.ServeHTTP(&plainWriter{}, req)
			s := r.one(t)
			drawn := s.Session
			if c.want == "" {
				c.want, drawn = s.ID.String(), string(s.ID[:])
			}
			if s.Session != c.want && !(c.want == "sha256:0" && len(s.Session) == 71) {
				t.Errorf("session %q, want %q", s.Session, c.want)
			}
			if s.Draw != shadow.Draw(drawn, "salt") || got != body {
				t.Errorf("draw %v, upstream got %q", s.Draw, got)
			}
		})
	}
}

func TestConversationReuse(t *testing.T) {
	var turns []struct{ Conversation, Text string }
	readCase(t, "id-conversation-reuse.json", &turns)
	upstream := serve(t, answering(200, wholeAnswer))
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream.URL)
	for _, turn := range turns {
		post(t, front.URL, strings.Replace(question, "Hallo", turn.Text, 1), "X-Session-Id", turn.Conversation)
	}
	ids, sessions := map[shadow.SampleID]bool{}, map[string]int{}
	for _, s := range r.drained(t) {
		ids[s.ID] = true
		sessions[s.Session]++
	}
	if len(ids) != 4 || sessions["c-1"] != 3 || sessions["c-2"] != 1 {
		t.Errorf("%d ids, sessions %v", len(ids), sessions)
	}
}

// A session is sampled whole or not at all, and drawn as Keep says.
func TestSessionsStayWhole(t *testing.T) {
	o := options()
	o.Rate = 0.3
	o.Queue.Items = 1000
	r := start(t, o, &store{})
	h := r.Middleware(answering(200, wholeAnswer))
	expected := 0
	for i := range 300 {
		key := string(rune('a'+i%26)) + strings.Repeat("x", i%26)
		if shadow.Keep(key, "salt", 0.3) {
			expected++
		}
		req := request(t, "POST", chatPath, question)
		req.Header.Set("X-Session-Id", key)
		h.ServeHTTP(&plainWriter{}, req)
	}
	all := r.drained(t)
	if len(all) != expected || expected == 0 {
		t.Errorf("%d samples, want %d", len(all), expected)
	}
	sameCounts(t, r.counts(), want("seen", 300, "not_sampled[rate]", 300-expected, "sampled", expected, "published", expected))
}

func TestSampleByRequest(t *testing.T) {
	o := options()
	o.SampleBy = tap.ByRequest
	r := start(t, o, &store{})
	req := request(t, "POST", chatPath, question)
	req.Header.Set("X-Session-Id", "s-1")
	r.Middleware(answering(200, wholeAnswer)).ServeHTTP(&plainWriter{}, req)
	if s := r.one(t); s.Session != "s-1" || s.Draw != shadow.Draw(string(s.ID[:]), "salt") {
		t.Errorf("session %q, draw %v", s.Session, s.Draw)
	}
}

func TestRoutes(t *testing.T) {
	for text, wanted := range map[string]string{"path": chatPath, "header:X-Route": "r-1", "body:model": "live-1", "body:none": ""} {
		o := options()
		o.Route = keys(t, text)[0]
		r := start(t, o, &store{})
		req := request(t, "POST", chatPath, question)
		req.Header.Set("X-Route", "r-1")
		r.Middleware(answering(200, wholeAnswer)).ServeHTTP(&plainWriter{}, req)
		if s := r.one(t); s.Route != wanted {
			t.Errorf("%s: route %q", text, s.Route)
		}
	}
}

func TestTags(t *testing.T) {
	o := options()
	o.Tags = map[string]tap.Key{}
	for name, text := range map[string]string{"lang": "header:X-Lang", "plan": "header:X-Plan", "model": "body:model", "none": "body:none"} {
		o.Tags[name] = keys(t, text)[0]
	}
	r := start(t, o, &store{})
	req := request(t, "POST", chatPath, question)
	req.Header.Set("X-Lang", "ja")
	r.Middleware(answering(200, wholeAnswer)).ServeHTTP(&plainWriter{}, req)
	want := map[string]string{"lang": "ja", "model": "live-1"}
	if diff := cmp.Diff(want, r.one(t).Tags); diff != "" {
		t.Errorf("what a request does not have is no tag\n%s", diff)
	}
	for _, bad := range []map[string]tap.Key{{"": o.Tags["lang"]}, {"a=b": o.Tags["lang"]}, {"path": {}}} {
		o.Tags = bad
		if _, err := tap.New(o, &store{}); err == nil {
			t.Errorf("tags %v were taken", bad)
		}
	}
}

// With a key in the body, a body over the limit and one that breaks off still pass.
func TestBufferedBodiesPass(t *testing.T) {
	o := options()
	o.Session = keys(t, "body:metadata.session_id")
	o.MaxBody = 1000
	r := start(t, o, &store{})
	var got string
	var gotErr error
	h := r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		got, gotErr = string(data), err
	}))
	large := strings.Repeat("x", 5000)
	req := request(t, "POST", chatPath, large)
	req.ContentLength = -1
	h.ServeHTTP(&plainWriter{}, req)
	if got != large || gotErr != nil {
		t.Errorf("%d bytes, %v", len(got), gotErr)
	}
	req = request(t, "POST", chatPath, "")
	req.Body, req.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("half"), broken{})), 8
	h.ServeHTTP(&plainWriter{}, req)
	if got != "half" || gotErr != io.ErrUnexpectedEOF {
		t.Errorf("%q, %v", got, gotErr)
	}
	r.drained(t)
	sameCounts(t, r.counts(), want("seen", 2, "sampled", 1, "not_sampled[too_large]", 1, "dropped[incomplete_request]", 1))
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
