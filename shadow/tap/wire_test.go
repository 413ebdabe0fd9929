package tap_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/tap"
)

// socket is an upstream without net/http: it gives what came on the wire of each
// connection and answers with bytes as they are.
func socket(t *testing.T, answer func(conn net.Conn, in *bufio.Reader, head string)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				answer(conn, in, headOf(in))
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// headOf reads up to the empty line.
func headOf(in *bufio.Reader) string {
	var head strings.Builder
	for {
		line, err := in.ReadString('\n')
		head.WriteString(line)
		if err != nil || line == "\r\n" {
			return head.String()
		}
	}
}

// fieldsOf gives the fields of a head by their names in small letters, each with its
// values in order.
func fieldsOf(head string) map[string][]string {
	fields := map[string][]string{}
	for line := range strings.SplitSeq(head, "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			name = strings.ToLower(name)
			fields[name] = append(fields[name], strings.TrimSpace(value))
		}
	}
	return fields
}

// On the wire: every field with its values in their order, and none that the other side
// did not send, whatever the case of its name.
func TestFieldsOnTheWire(t *testing.T) {
	for _, rate := range []float64{0, 1} {
		var upstreamSaw string
		upstream := socket(t, func(conn net.Conn, in *bufio.Reader, head string) {
			upstreamSaw = head
			_, _ = io.ReadFull(in, make([]byte, len(question)))
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 Fine\r\nx-ODD-case: 1\r\nset-cookie: b=2\r\nSet-Cookie: a=1\r\nX-Empty:\r\n"+
				"OpenAI-Processing-Ms: 5\r\nX-Latin: gr\xfcn\r\nVary: a\r\nvary: B, c\r\nContent-Length: %d\r\n\r\n%s", len(wholeAnswer), wholeAnswer)
		})
		o := options()
		o.Rate = rate
		r := start(t, o, &store{})
		front := r.proxied(t, upstream)
		sent := "POST " + chatPath + " HTTP/1.1\r\nHost: front\r\nx-stainless-LANG: js\r\nX-Multi: b\r\nx-multi: a, a\r\nX-Empty:\r\n" +
			"COOKIE: one=1; two=2\r\nAccept: */*\r\naccept-encoding: identity\r\nX-Latin: gr\xfcn\r\nanthropic-version: 2023-06-01\r\nx-api-key: k\r\n" +
			"Via: 1.0 other\r\nContent-Length: " + fmt.Sprint(len(question)) + "\r\n\r\n"
		conn, err := net.Dial("tcp", front.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, sent+question)
		in := bufio.NewReader(conn)
		got := fieldsOf(headOf(in))
		body := make([]byte, len(wholeAnswer))
		_, _ = io.ReadFull(in, body)
		conn.Close()
		want := fieldsOf(sent)
		want["host"] = []string{strings.TrimPrefix(upstream, "http://")}
		if diff := cmp.Diff(want, fieldsOf(upstreamSaw)); diff != "" {
			t.Errorf("rate %v: the upstream saw: %s", rate, diff)
		}
		if diff := cmp.Diff(map[string][]string{"x-odd-case": {"1"}, "set-cookie": {"b=2", "a=1"}, "x-empty": {""}, "openai-processing-ms": {"5"},
			"x-latin": {"gr\xfcn"}, "vary": {"a", "B, c"}, "content-length": {fmt.Sprint(len(wholeAnswer))}}, got); diff != "" || string(body) != wholeAnswer {
			t.Errorf("rate %v: the client saw %q and %s", rate, body, diff)
		}
		r.drained(t)
	}
}

// A body that was not asked for is not sent: who is refused at once gets no "100 Continue".
func TestRefusedBeforeTheBody(t *testing.T) {
	upstream := socket(t, func(conn net.Conn, _ *bufio.Reader, _ string) {
		_, _ = io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")
	})
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream)
	answer := raw(t, front, "POST "+chatPath+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 401 ") || !strings.HasSuffix(answer, "\r\n\r\nno") || strings.Contains(answer, "100 Continue") {
		t.Errorf("%q", answer)
	}
	r.drained(t)
	sameCounts(t, r.counts(), want("seen", 1, "sampled", 1, "dropped[incomplete_request]", 1))
}

// Who asks with half a body has the answer's beginning at once, and the upstream the rest later.
func TestAnswerBeforeTheRequestsEnd(t *testing.T) {
	whole := make(chan bool, 1)
	upstream := socket(t, func(conn net.Conn, in *bufio.Reader, _ string) {
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n%s", roleChunk)
		body := make([]byte, 14<<10)
		_, err := io.ReadFull(in, body)
		whole <- err == nil && string(body) == strings.Repeat("ab", 7<<10)
		_, _ = io.WriteString(conn, chunk("Gern.")+stopChunk+doneEvent)
	})
	for _, rate := range []float64{0, 1} {
		o := options()
		o.Rate = rate
		r := start(t, o, &store{})
		conn, err := net.Dial("tcp", r.proxied(t, upstream).Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second)) // where it would hang
		_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", chatPath, 14<<10, strings.Repeat("ab", 3<<10))
		in := bufio.NewReader(conn)
		head := headOf(in)
		first, err := in.ReadString('}')
		if !strings.HasPrefix(head, "HTTP/1.1 200 ") || err != nil {
			t.Fatalf("%q %q, %v", head, first, err)
		}
		_, _ = io.WriteString(conn, strings.Repeat("ab", 4<<10))
		var rest strings.Builder
		for !strings.HasSuffix(rest.String(), "\r\n0\r\n\r\n") && err == nil {
			var line string
			line, err = in.ReadString('\n')
			rest.WriteString(line)
		}
		if !<-whole || !strings.Contains(rest.String(), doneEvent) {
			t.Errorf("%q, %v", rest.String(), err)
		}
		conn.Close()
		r.drained(t)
		r.balanced(t)
	}
}

// What switches the protocol passes both ways, where the tap samples the path as well.
func TestUpgrade(t *testing.T) {
	upstream := socket(t, func(conn net.Conn, in *bufio.Reader, head string) {
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")
		_, _ = io.Copy(conn, in) // an echo
	})
	for _, line := range []string{"GET /v1/realtime?model=x", "POST " + chatPath} {
		r := start(t, options(), &store{})
		ended := make(chan bool) // the server does not wait for who took the connection over
		h := r.Middleware(proxyTo(t, upstream))
		front := r.serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			defer close(ended)
			h.ServeHTTP(w, req)
		}))
		conn, err := net.Dial("tcp", front.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, line+" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n")
		in := bufio.NewReader(conn)
		head := headOf(in)
		if !strings.HasPrefix(head, "HTTP/1.1 101 ") || !strings.Contains(head, "Sec-Websocket-Accept: x\r\n") {
			t.Errorf("%s: %q", line, head)
		}
		for _, said := range []string{"\x81\x05hallo", "\x00\xff"} {
			_, _ = io.WriteString(conn, said)
			back := make([]byte, len(said))
			if _, err := io.ReadFull(in, back); err != nil || string(back) != said {
				t.Errorf("%s: %q came back as %q, %v", line, said, back, err)
			}
		}
		conn.Close()
		<-ended
		r.drained(t)
		r.balanced(t)
		if r.counts()["seen"] != 1 {
			t.Errorf("%s: %v", line, r.counts())
		}
	}
}

// HTTP/2 on both sides: stream, trailers and repeated values as they are.
func TestHTTP2OnBothSides(t *testing.T) {
	var proto string
	upstream := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto = r.Proto
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header()["Set-Cookie"] = []string{"b=1", "a=2"}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Trailer", "X-Sum")
		for _, e := range []string{roleChunk, chunk("Gern."), stopChunk, doneEvent} {
			_, _ = io.WriteString(w, e)
			_ = http.NewResponseController(w).Flush()
		}
		w.Header().Set("X-Sum", r.Trailer.Get("X-Asked"))
	}))
	upstream.EnableHTTP2 = true
	upstream.StartTLS()
	t.Cleanup(upstream.Close)
	known := x509.NewCertPool()
	known.AddCert(upstream.Certificate())
	transport := &http.Transport{DisableCompression: true, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: known}}
	t.Cleanup(transport.CloseIdleConnections)
	u, _ := url.Parse(upstream.URL)
	r := start(t, options(), &store{})
	front := httptest.NewUnstartedServer(r.Middleware(tap.ReverseProxy(u, tap.ProxyOptions{Transport: transport})))
	front.EnableHTTP2 = true
	front.StartTLS()
	r.fronts = append(r.fronts, front)
	req, _ := http.NewRequestWithContext(t.Context(), "POST", front.URL+chatPath, io.MultiReader(strings.NewReader(streamed)))
	req.Trailer = http.Header{"X-Asked": {"7"}}
	resp, err := front.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	front.Client().CloseIdleConnections()
	if err != nil || resp.Proto != "HTTP/2.0" || proto != "HTTP/2.0" || string(got) != roleChunk+chunk("Gern.")+stopChunk+doneEvent {
		t.Errorf("%s before %s: %q, %v", resp.Proto, proto, got, err)
	}
	if !slices.Equal(resp.Header["Set-Cookie"], []string{"b=1", "a=2"}) || resp.Trailer.Get("X-Sum") != "7" {
		t.Errorf("%v, trailers %v", resp.Header, resp.Trailer)
	}
	if s := r.one(t); s.Live.Text != "Gern." || string(s.Request) != streamed {
		t.Errorf("%+v", s.Live)
	}
}

// The tap reads no more of a body than the service does, and the connection lives or
// ends as without it.
func TestBodiesThatAreNotRead(t *testing.T) {
	var c struct {
		Bytes int `json:"body_bytes"`
	}
	readCase(t, "tap-body-drained.json", &c)
	body := strings.Replace(question, "Hallo", strings.Repeat("x", c.Bytes-len(question)+len("Hallo")), 1)
	for name, service := range map[string]http.HandlerFunc{
		"reads all": answering(200, wholeAnswer),
		"at once":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, wholeAnswer) },
		"413 after 1 KB": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadFull(r.Body, make([]byte, 1<<10))
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		},
	} {
		t.Run(name, func(t *testing.T) {
			one := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", chatPath, len(body), body)
			two := one + strings.Replace(one, "Host: x", "Host: x\r\nConnection: close", 1)
			bare := asSeen(raw(t, serve(t, service), two))
			r := start(t, options(), &store{})
			tapped := asSeen(raw(t, r.serve(t, r.Middleware(service)), two))
			proxied := asSeen(raw(t, r.proxied(t, serve(t, service).URL), two))
			if bare != tapped || strings.Count(bare, "HTTP/1.1 ") != 2 {
				t.Errorf("tapped: %s", cmp.Diff(bare, tapped))
			}
			if diff := cmp.Diff(linesOf(bare), linesOf(proxied)); diff != "" {
				t.Errorf("through the proxy: %s", diff)
			}
			r.drained(t)
			r.balanced(t)
			if sum := r.counts(); sum["seen"] != 4 || maps.Equal(sum, want("seen", 4)) {
				t.Errorf("%v", sum)
			}
		})
	}
}
