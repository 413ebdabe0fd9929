package tap_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/tap"
)

// raw sends bytes to a server and gives all that comes back until it closes.
func raw(t *testing.T, s *httptest.Server, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil && len(answer) == 0 {
		t.Fatal(err)
	}
	return string(answer)
}

// recorder is an upstream that keeps what it was sent.
type recorder struct {
	got    []string
	answer func(w http.ResponseWriter, body string)
}

func (rec *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	rec.got = append(rec.got, fmt.Sprintln(r.Method, r.RequestURI, r.Proto, sortedHeader(r.Header), r.TransferEncoding,
		r.ContentLength, r.Trailer, string(body), err))
	rec.answer(w, string(body))
}

func sortedHeader(h http.Header) []string {
	var all []string
	for name, values := range h {
		all = append(all, fmt.Sprintf("%s=%q", name, values))
	}
	slices.Sort(all)
	return all
}

var dates = regexp.MustCompile(`Date: [^\r]*\r\n`)

func asSeen(answer string) string {
	return unchunked(dates.ReplaceAllString(answer, "Date: now\r\n"))
}

// What client and upstream see must not differ between: the proxy without a tap, with
// a tap that samples nothing, and with one that samples everything.
func TestSameBytes(t *testing.T) {
	plain := func(body string, headers ...string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, _ string) {
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Add(headers[i], headers[i+1])
			}
			_, _ = io.WriteString(w, body)
		}
	}
	ask := func(line, body string, headers ...string) string {
		if line == "" {
			line = "POST " + chatPath
		}
		h := strings.Join(append([]string{line + " HTTP/1.1", "Host: front", "Connection: close"}, headers...), "\r\n")
		if body != "" && !strings.Contains(h, "Transfer-Encoding") {
			h += fmt.Sprintf("\r\nContent-Length: %d", len(body))
		}
		return h + "\r\n\r\n" + body
	}
	for _, c := range []struct {
		name, why string
		request   string
		answer    func(http.ResponseWriter, string)
		seen      string // must be in what the upstream got
		contains  string // must be in what the client got
	}{
		{name: "plain", why: "length kept", request: ask("", question), answer: plain(wholeAnswer, "Content-Type", "application/json"),
			contains: fmt.Sprintf("Content-Length: %d\r\n", len(wholeAnswer)), seen: question},
		{name: "cookies", why: "order of repeated values", request: ask("", question),
			answer:   plain(wholeAnswer, "Set-Cookie", "b=1", "Set-Cookie", "a=2", "X-Request-Id", "r", "x-ratelimit-limit-tokens", "5"),
			contains: "Set-Cookie: b=1\r\nSet-Cookie: a=2\r\n"},
		{name: "gzip", why: "packed bytes pass as they are", request: ask("", question, "Accept-Encoding: br;q=1, gzip"),
			answer: plain(packed(t, "gzip", wholeAnswer), "Content-Encoding", "gzip"), contains: packed(t, "gzip", wholeAnswer), seen: "br;q=1, gzip"},
		{name: "no encoding asked", why: "none may be added", request: ask("", question), answer: plain(wholeAnswer)},
		{name: "user agent", why: "none is made up", request: ask("", question), answer: plain(wholeAnswer)},
		{name: "client's forwarding headers", why: "another proxy's headers are the client's",
			request: ask("", question, "X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 5.6.7.8", "Forwarded: for=x"),
			answer:  plain(wholeAnswer), seen: `X-Forwarded-For=["1.2.3.4" "5.6.7.8"]`},
		{name: "escaped path", why: "a slash that is data", request: ask("POST /a%2fb/%E4%BD/chat/completions?x=%zz;y&&a=1?", question),
			answer: plain(wholeAnswer), seen: "/a%2fb/%E4%BD/chat/completions?x=%zz;y&&a=1?"},
		{name: "odd path", why: "characters that Go would escape", request: ask("POST /v1/{x}|\"/chat/completions", question),
			answer: plain(wholeAnswer), seen: "/v1/{x}|\"/chat/completions "},
		{name: "bare question mark", why: "an empty query is still one", request: ask("POST /v1/chat/completions?", question),
			answer: plain(wholeAnswer), seen: "/v1/chat/completions? "},
		{name: "chunked request", why: "no length known", request: ask("", fmt.Sprintf("5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n",
			question[:5], len(question)-5, question[5:]), "Transfer-Encoding: chunked"), answer: plain(wholeAnswer), seen: "[chunked] -1"},
		{name: "request trailer", why: "it comes after the body", request: ask("", fmt.Sprintf("%x\r\n%s\r\n0\r\nX-Sum: 7\r\n\r\n",
			len(question), question), "Transfer-Encoding: chunked", "Trailer: X-Sum"), answer: plain(wholeAnswer), seen: "map[X-Sum:[7]]"},
		{name: "expect", why: "the body is sent only when the upstream wants it", request: ask("", question, "Expect: 100-continue"),
			answer: plain(wholeAnswer), contains: "HTTP/1.1 100 Continue\r\n"},
		{name: "HEAD", why: "a length and no body", request: ask("HEAD /v1/models", ""), answer: plain("", "Content-Length", "77"),
			contains: "Content-Length: 77\r\n"},
		{name: "GET", why: "what is not tapped", request: ask("GET /v1/models", ""), answer: plain("{}")},
		{name: "empty post", why: "a request without body", request: ask("POST "+chatPath, "", "Content-Length: 0"), answer: plain("{}")},
		{name: "402", why: "rare status codes", request: ask("", question), contains: "HTTP/1.1 402 ",
			answer: func(w http.ResponseWriter, _ string) { w.WriteHeader(402) }},
		{name: "529", why: "codes without a name", request: ask("", question), contains: "HTTP/1.1 529 ",
			answer: func(w http.ResponseWriter, _ string) { w.WriteHeader(529) }},
		{name: "204", why: "no body and no length", request: ask("", question), answer: func(w http.ResponseWriter, _ string) { w.WriteHeader(204) }},
		{name: "304", why: "no body allowed", request: ask("", question), answer: func(w http.ResponseWriter, _ string) { w.WriteHeader(304) }},
		{name: "answer trailer", why: "announced and not", request: ask("", question, "TE: trailers"), contains: "X-Late: 2\r\n", // after the last chunk
			answer: func(w http.ResponseWriter, _ string) {
				w.Header().Set("Trailer", "X-Sum")
				_, _ = io.WriteString(w, wholeAnswer)
				w.Header().Set("X-Sum", "1")
				w.Header().Set(http.TrailerPrefix+"X-Late", "2")
			}},
		{name: "early hints", why: "an answer before the answer", request: ask("", question), contains: "HTTP/1.1 103 ",
			answer: func(w http.ResponseWriter, _ string) {
				w.Header().Set("Link", "</a>")
				w.WriteHeader(103)
				w.Header().Del("Link")
				_, _ = io.WriteString(w, wholeAnswer)
			}},
		{name: "no type", why: "none is guessed", request: ask("", question),
			answer: func(w http.ResponseWriter, _ string) {
				w.Header()["Content-Type"] = nil
				_, _ = io.WriteString(w, "<html>")
			}},
		{name: "no date", why: "none is made up", request: ask("", question),
			answer: func(w http.ResponseWriter, _ string) {
				w.Header()["Date"] = nil
				_, _ = io.WriteString(w, wholeAnswer)
			}},
		{name: "stream", why: "chunked answers", request: ask("", streamed), contains: "Transfer-Encoding: chunked",
			answer: func(w http.ResponseWriter, _ string) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				for _, e := range []string{roleChunk, chunk("a"), stopChunk, doneEvent} {
					_, _ = io.WriteString(w, e)
					_ = http.NewResponseController(w).Flush()
				}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var upstreamSaw, clientSaw []string
			run := func(front func(string) *httptest.Server) {
				rec := &recorder{answer: c.answer}
				upstream := serve(t, rec)
				answer := raw(t, front(upstream.URL), c.request)
				clientSaw = append(clientSaw, asSeen(answer))
				upstreamSaw = append(upstreamSaw, strings.Join(rec.got, ""))
			}
			run(func(u string) *httptest.Server { return serve(t, proxyTo(t, u)) })
			for _, rate := range []float64{0, 1} {
				o := options()
				o.Rate = rate
				r := start(t, o, &store{})
				run(func(u string) *httptest.Server { return r.proxied(t, u) })
				r.drained(t)
				r.balanced(t)
			}
			for i := range clientSaw {
				if diff := cmp.Diff(clientSaw[0], clientSaw[i]); diff != "" {
					t.Errorf("client, run %d: %s", i, diff)
				}
				if diff := cmp.Diff(upstreamSaw[0], upstreamSaw[i]); diff != "" {
					t.Errorf("upstream, run %d: %s", i, diff)
				}
			}
			if !strings.Contains(upstreamSaw[0], c.seen) || !strings.Contains(clientSaw[0], c.contains) {
				t.Errorf("%s: upstream saw %s\nclient saw %q", c.why, upstreamSaw[0], clientSaw[0])
			}
			if strings.Contains(upstreamSaw[0], "Forwarded") != strings.Contains(c.request, "Forwarded") ||
				strings.Contains(upstreamSaw[0], "User-Agent") || strings.Contains(upstreamSaw[0], "Accept-Encoding") != strings.Contains(c.request, "Accept-Encoding") {
				t.Errorf("the proxy added to %s", upstreamSaw[0])
			}
			// Against the upstream itself: the same, but for the host.
			direct := &recorder{answer: c.answer}
			answer := asSeen(raw(t, serve(t, direct), c.request))
			if diff := cmp.Diff(linesOf(answer), linesOf(clientSaw[0])); diff != "" {
				t.Errorf("not as from the upstream itself: %s", diff)
			}
		})
	}
}

var chunkSizes = regexp.MustCompile(`\r\n[0-9a-f]+\r\n`)

// unchunked leaves out where chunks end, which is up to the timing of reads.
func unchunked(answer string) string {
	head, body, _ := strings.Cut(answer, "\r\n\r\n")
	if !strings.Contains(head, "Transfer-Encoding: chunked") {
		return answer
	}
	body = chunkSizes.ReplaceAllString("\r\n"+body, "")
	return head + "\r\n\r\n" + strings.TrimSuffix(body, "\r\n")
}

// linesOf sorts the lines of an answer, since Go writes some headers before others.
func linesOf(answer string) []string {
	lines := strings.Split(answer, "\r\n")
	slices.Sort(lines)
	return lines
}

func TestProxyBehindAPath(t *testing.T) {
	rec := &recorder{answer: func(http.ResponseWriter, string) {}}
	upstream := serve(t, rec)
	u, _ := url.Parse(upstream.URL + "/base%2f1/v1?x=1")
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	front := serve(t, tap.ReverseProxy(u, tap.ProxyOptions{Transport: transport}))
	raw(t, front, "POST /chat/completions?a=%2f HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")
	if len(rec.got) != 1 || !strings.HasPrefix(rec.got[0], "POST /base%2f1/v1/chat/completions?a=%2f HTTP") {
		t.Errorf("%q", rec.got)
	}
}
