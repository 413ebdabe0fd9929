package tap_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Whatever clients put where the session's key should be: it becomes the same short text
// in every process and on every way in, or the request is a session of its own.
func TestHostileSessionKeys(t *testing.T) {
	huge := strings.Repeat("k", 100<<10)
	body := func(value string) string {
		return `{"metadata":{"session_id":` + value + `},"messages":[{"role":"user","content":"Hallo"}]}`
	}
	digits := strings.Repeat("9", 400)
	for _, tt := range []struct {
		name, why string
		header    []string
		body      string
		want      string // "" is the sample's own id
	}{
		{name: "100 KB", why: "a key is bounded, and two that begin alike stay apart", header: []string{huge}, want: hashed(huge)},
		{name: "256 bytes", why: "the longest that stays as it is", header: []string{huge[:256]}, want: huge[:256]},
		{name: "257 bytes", why: "and the first that does not", header: []string{huge[:257]}, want: hashed(huge[:257])},
		{name: "blanks", why: "name nobody", header: []string{"  \t "}},
		{name: "wide blanks", why: "nor do those of other scripts", header: []string{"\u3000 \u00a0"}},
		{name: "blanks around", why: "are part of a key: nothing is guessed", header: []string{" a "}, want: " a "},
		{name: "no UTF-8", why: "would not survive JSON", header: []string{"gr\xfcn"}, want: hashed("gr\xfcn")},
		{name: "control characters", why: "are escaped wherever they are written", header: []string{"a\x00\x1b[2J\r\nb"}, want: "a\x00\x1b[2J\r\nb"},
		{name: "repeated", why: "the first counts", header: []string{"a", "b"}, want: "a"},
		{name: "repeated, first blank", why: "the first counts, and it is nothing", header: []string{" ", "b"}},
		{name: "body", why: "where no header is", body: body(`"b-1"`), want: "b-1"},
		{name: "body, 100 KB", why: "as in a header", body: body(`"` + huge + `"`), want: hashed(huge)},
		{name: "body, blanks", why: "as in a header", body: body(`" \n"`)},
		{name: "body, lone surrogate", why: "is readable all the same", body: body(`"a\ud83d"`), want: "a\ufffd"},
		{name: "body, number", why: "as it is written", body: body(`12345678901234567890.50`), want: "12345678901234567890.50"},
		{name: "body, huge number", why: "is no number of ours", body: body(digits), want: hashed(digits)},
		{name: "body, object", why: "is no key", body: body(`{"a":1}`)},
		{name: "body, list", why: "is no key", body: body(`["a"]`)},
		{name: "body, null", why: "is nothing", body: body(`null`)},
		{name: "body, true", why: "is no key", body: body(`true`)},
		{name: "body, missing", why: "is nothing", body: question},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.body == "" {
				tt.body = question
			}
			header := http.Header{}
			if tt.header != nil {
				header["X-Session-Id"] = tt.header
			}
			for way, s := range everyWayIn(t, "header:X-Session-Id body:metadata.session_id", header, tt.body) {
				want, draw := tt.want, tt.want
				if want == "" {
					want, draw = s.ID.String(), string(s.ID[:])
				}
				if s.Session != want || s.Draw != shadow.Draw(draw, "salt") {
					t.Errorf("%s, %s: session %.80q, want %.80q; draw %v", tt.why, way, s.Session, want, s.Draw)
				}
				data, err := shadow.EncodeSample(s)
				if err != nil || len(data) > len(s.Request)+4<<10 {
					t.Errorf("%s: a message of %d bytes, %v", way, len(data), err)
				}
			}
		})
	}
}

// everyWayIn sends a request through middleware, round tripper and intake, each with a tap
// of its own as in processes of their own, and gives what they make of it.
func everyWayIn(t *testing.T, session string, header http.Header, body string) map[string]shadow.Sample {
	t.Helper()
	o := options()
	o.Session = keys(t, strings.Fields(session)...)
	all := map[string]shadow.Sample{}
	for _, way := range []string{"middleware", "round tripper", "intake"} {
		r := start(t, o, &store{})
		req := request(t, "POST", chatPath, body)
		req.Header = header.Clone()
		switch way {
		case "middleware":
			r.Middleware(answering(200, wholeAnswer)).ServeHTTP(&plainWriter{}, req)
		case "round tripper":
			resp, err := r.RoundTripper(instead(func(r *http.Request) (*http.Response, error) {
				_, _ = io.Copy(io.Discard, r.Body)
				return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(strings.NewReader(wholeAnswer))}, nil
			})).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		case "intake":
			d := tap.Document{Endpoint: chatPath, Header: header, Request: []byte(body), Response: []byte(wholeAnswer)}
			if f, err := r.Offer(d); f != (tap.Fate{}) || err != nil {
				t.Fatalf("%+v, %v", f, err)
			}
		}
		all[way] = r.one(t)
		sameCounts(t, r.counts(), want("seen", 1, "sampled", 1, "published", 1))
	}
	return all
}

type instead func(*http.Request) (*http.Response, error)

func (f instead) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzSessionKey looks for a key that two processes draw differently, that is long or no
// text, or that costs a request its count.
func FuzzSessionKey(f *testing.F) {
	for _, seed := range []string{"", "s-1", " ", "\xff", "gen_ai.conversation.id=a%20b;p=1,x", "id=%zz",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7-01"} {
		f.Add(seed, question)
		f.Add(seed, `{"a":{"0":[{"b":"`+seed+`"}]},"messages":["x"]}`)
	}
	f.Add("", `{"a":[[["x"]]],"messages":[{"role":"user","content":"x"}]}`)
	f.Fuzz(func(t *testing.T, value, body string) {
		o := options()
		o.Session = keys(t, "traceparent", "baggage:gen_ai.conversation.id", "header:X-Session-Id", "body:a.0.b", "opening")
		o.Rate = 0.5
		var sampled [2]bool
		for i := range sampled {
			s := &store{}
			tp, err := tap.New(o, s)
			if err != nil {
				t.Fatal(err)
			}
			req := request(t, "POST", chatPath, body)
			req.Header = http.Header{"Traceparent": {value}, "Baggage": {value}, "X-Session-Id": {value}}
			tp.Middleware(answering(200, wholeAnswer)).ServeHTTP(&plainWriter{}, req)
			runOnce(t, tp)
			if s.counts()["seen"] != 1 {
				t.Fatalf("%v", s.counts())
			}
			s.balanced(t)
			for _, one := range s.samples {
				if len(one.Session) > 256 || !utf8.ValidString(one.Session) || one.Session == "" {
					t.Errorf("session %q", one.Session)
				}
			}
			sampled[i] = s.counts()["sampled"] == 1
		}
		if named := strings.TrimSpace(value) != ""; named && sampled[0] != sampled[1] {
			t.Errorf("drawn %v", sampled)
		}
	})
}
