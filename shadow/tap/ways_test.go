package tap_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/tap"
)

// Whatever way requests come in, each is in the books of its endpoint, sampled or with the
// reason why not: never are seen, sampled and skipped all 0. A line at the start names
// what is tapped.
func TestEveryWayInIsCounted(t *testing.T) {
	var c struct {
		Rate     float64        `json:"sample_rate"`
		Requests map[string]int `json:"requests"`
	}
	readCase(t, "tap-silent-no-mirror.json", &c)
	upstream := serve(t, answering(200, wholeAnswer))
	live := proxyTo(t, upstream.URL)
	for way, sender := range map[string]func(*rig) func(path, body string){
		"middleware": func(r *rig) func(path, body string) {
			h := r.Middleware(answering(200, wholeAnswer))
			return func(path, body string) { h.ServeHTTP(&plainWriter{}, request(t, "POST", path, body)) }
		},
		"sidecar": func(r *rig) func(path, body string) {
			h := r.Middleware(live)
			return func(path, body string) { h.ServeHTTP(&plainWriter{}, request(t, "POST", path, body)) }
		},
		"round tripper": func(r *rig) func(path, body string) {
			client := r.RoundTripper(instead(func(r *http.Request) (*http.Response, error) {
				_, _ = io.Copy(io.Discard, r.Body)
				return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(strings.NewReader(wholeAnswer))}, nil
			}))
			return func(path, body string) {
				resp, err := client.RoundTrip(request(t, "POST", path, body))
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		},
		"intake": func(r *rig) func(path, body string) {
			return func(path, body string) {
				r.Receive([]byte(`{"endpoint":"` + path + `","request":` + body + `,"response":` + wholeAnswer + `}`))
			}
		},
	} {
		for _, rate := range []float64{c.Rate, 0} {
			t.Run(way, func(t *testing.T) {
				var log bytes.Buffer
				o := options()
				o.Rate, o.Log = rate, slog.New(slog.NewTextHandler(&log, nil))
				r := start(t, o, &store{})
				send := sender(r)
				for path, n := range c.Requests {
					body := question
					if path == "/v1/responses" {
						body = `{"model":"live-1","input":"Hallo"}`
					}
					for range n {
						send(path, body)
					}
				}
				r.drained(t)
				r.balanced(t)
				for path, n := range c.Requests {
					wanted := want("seen", n, "sampled", n, "published", n)
					switch {
					case path == "/v1/embeddings":
						wanted = want("seen", n, "not_sampled[unsupported_endpoint]", n)
					case rate == 0:
						wanted = want("seen", n, "not_sampled[rate]", n)
					}
					sameCounts(t, r.countsOf(path), wanted)
				}
				if line := log.String(); !strings.Contains(line, "msg=tapping") || !strings.Contains(line, "…/chat/completions") {
					t.Errorf("the start says %s", line)
				}
			})
		}
	}
}

// A document that cannot be read has no endpoint of its own, and is counted all the same.
func TestUnreadableDocumentsAreCounted(t *testing.T) {
	r := start(t, options(), &store{})
	for _, body := range []string{"{", "[]", `{"endpoint":7}`} {
		if got := r.Receive([]byte(body)); got.Refused != 1 {
			t.Errorf("%s: %+v", body, got)
		}
	}
	if f, err := r.Offer(tap.Document{Endpoint: chatPath, Request: []byte("{}"), Failure: "timeout"}); err == nil || f != (tap.Fate{}) {
		t.Errorf("%+v, %v", f, err)
	}
	r.drained(t)
	sameCounts(t, r.countsOf("other"), want("seen", 4, "sampled", 4, "dropped[malformed]", 4))
}
