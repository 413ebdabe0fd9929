package tap_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
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
		body := question
		if path == "/v1/responses" {
			body = `{"model":"live-1","input":"Hallo"}`
		}
		for range n {
			resp, err := http.Post(front.URL+path, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	}
	http.DefaultClient.CloseIdleConnections()
	r.drained(t)
	sameCounts(t, r.countsOf("/v1/chat/completions"), want("seen", 20, "sampled", 20, "published", 20))
	sameCounts(t, r.countsOf("/v1/responses"), want("seen", 20, "sampled", 20, "published", 20))
	sameCounts(t, r.countsOf("/v1/embeddings"), want("seen", 20, "not_sampled[unsupported_endpoint]", 20))
	if got := strings.Join(r.Tapped(), ", "); got != "POST …/chat/completions, POST …/responses, POST …/v1/messages, "+
		"POST …:generateContent, POST …:streamGenerateContent, POST …/api/chat, POST …/api/generate" {
		t.Errorf("tapped: %s", got)
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
		{name: "brotli bomb", why: "the same in another encoding", request: question, answer: packed(t, "br", answerOf(20<<20)), encoding: "br",
			limit: 1 << 20, want: "not_sampled[too_large]"},
		{name: "compress", why: "no decoder for it", request: question, answer: "\x1f\x9d\x90", encoding: "compress", limit: 1 << 20, want: "not_sampled[encoding]"},
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
