package tap_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

func packed(t *testing.T, encoding, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw deflate":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWhatBecomesASample(t *testing.T) {
	event := http.Header{"Content-Type": {"text/event-stream"}}
	whole := roleChunk + chunk("Gern.") + stopChunk + doneEvent
	for _, c := range []struct {
		name, why string
		request   string
		status    int
		body      string
		header    http.Header
		text      string
		failure   llm.Reason
	}{
		{name: "whole answer", why: "the plain case", body: wholeAnswer, text: "Gern."},
		{name: "stream", why: "the other plain case", request: streamed, body: whole, header: event, text: "Gern."},
		{name: "stream of another type", why: "servers mislabel streams", body: whole,
			header: http.Header{"Content-Type": {"application/x-ndjson"}}, text: "Gern."},
		{name: "gzip", why: "clients accept it", body: packed(t, "gzip", wholeAnswer),
			header: http.Header{"Content-Encoding": {"gzip"}}, text: "Gern."},
		{name: "gzip in capitals", why: "encodings have no case", body: packed(t, "gzip", wholeAnswer),
			header: http.Header{"Content-Encoding": {"GZIP"}}, text: "Gern."},
		{name: "deflate", why: "zlib, as the standard says", body: packed(t, "deflate", wholeAnswer),
			header: http.Header{"Content-Encoding": {"deflate"}}, text: "Gern."},
		{name: "raw deflate", why: "bare, as some servers do", body: packed(t, "raw deflate", wholeAnswer),
			header: http.Header{"Content-Encoding": {"deflate"}}, text: "Gern."},
		{name: "brotli", why: "what browsers ask for", body: packed(t, "br", wholeAnswer),
			header: http.Header{"Content-Encoding": {"br"}}, text: "Gern."},
		{name: "zstd", why: "newer clients accept it", body: packed(t, "zstd", wholeAnswer),
			header: http.Header{"Content-Encoding": {"zstd"}}, text: "Gern."},
		{name: "twice", why: "two layers are unpacked in the right order", body: packed(t, "gzip", packed(t, "deflate", wholeAnswer)),
			header: http.Header{"Content-Encoding": {"deflate", "gzip"}}, text: "Gern."},
		{name: "packed stream", why: "event streams are compressed too", body: packed(t, "gzip", whole),
			header: http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, text: "Gern."},
		{name: "broken gzip", why: "the user could not read it either", body: packed(t, "gzip", wholeAnswer)[:30],
			header: http.Header{"Content-Encoding": {"gzip"}}, failure: llm.MalformedReason},
		{name: "gzip of nothing", why: "an empty body has no encoding", header: http.Header{"Content-Encoding": {"gzip"}}, failure: llm.Empty},
		{name: "identity", why: "it is no encoding", body: wholeAnswer, header: http.Header{"Content-Encoding": {"identity"}}, text: "Gern."},
		{name: "empty", why: "200 and nothing", failure: llm.Empty},
		{name: "only the end sign", why: "a stream without an answer", body: doneEvent, header: event, failure: llm.Empty},
		{name: "error in 200", why: "gateways do it", body: `{"error":{"message":"Provider returned error","code":429}}`, failure: llm.ErrorIn200},
		{name: "no JSON", why: "an error page with status 200", body: "<html>", failure: llm.MalformedReason},
		{name: "stream without end sign", why: "a proxy ended it properly, the answer is cut all the same",
			body: roleChunk + chunk("Ger"), header: event, text: "Ger", failure: llm.Reset},
		{name: "400", status: 400, why: "the client's mistake is an outcome", body: `{"error":{"message":"no","type":"invalid_request_error"}}`, failure: llm.Status4xx},
		{name: "401", status: 401, why: "a bad key", body: `{"error":{"code":"invalid_api_key"}}`, failure: llm.DeniedReason},
		{name: "429", status: 429, why: "a rate limit", body: `{"error":{"code":"rate_limit_exceeded"}}`, failure: llm.RateLimited},
		{name: "429 for money", status: 429, why: "looks like a rate limit, is lasting", body: `{"error":{"code":"insufficient_quota"}}`, failure: llm.DeniedReason},
		{name: "packed 429", status: 429, why: "error bodies are compressed too", body: packed(t, "gzip", `{"error":{"code":"insufficient_quota"}}`),
			header: http.Header{"Content-Encoding": {"gzip"}}, failure: llm.DeniedReason},
		{name: "500", status: 500, why: "a server error", body: "oops", failure: llm.Status5xx},
		{name: "529", status: 529, why: "overload has no constant in net/http", failure: llm.Status5xx},
		{name: "truncated", why: "the token limit was spent on reasoning",
			body: `{"choices":[{"message":{"content":""},"finish_reason":"length"}]}`, failure: llm.Truncated},
		{name: "control characters", why: "NUL and friends are text", body: `{"choices":[{"message":{"content":"a\u0000b\ud83d"},"finish_reason":"stop"}]}`,
			text: "a\x00b\uFFFD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.request == "" {
				c.request = question
			}
			if c.status == 0 {
				c.status = 200
			}
			var headers []string
			for name, values := range c.header {
				for _, v := range values {
					headers = append(headers, name, v)
				}
			}
			upstream := serve(t, answering(c.status, c.body, headers...))
			r := start(t, options(), &store{})
			front := r.proxied(t, upstream.URL)
			status, got := post(t, front.URL, c.request, "Accept-Encoding", "gzip, deflate, br, zstd")
			if status != c.status || got != c.body {
				t.Errorf("the client got %d %q", status, got)
			}
			s := r.one(t)
			if s.Live.Text != c.text || s.Live.Failure != c.failure || s.Live.Status != c.status {
				t.Errorf("%s: live answer %+v", c.why, s.Live)
			}
			if string(s.Request) != c.request || s.Stream != (c.request == streamed) {
				t.Errorf("request %q, stream %v", s.Request, s.Stream)
			}
			if s.Live.FirstToken < 0 || s.Live.FirstToken > s.Live.Took {
				t.Errorf("first token after %v of %v", s.Live.FirstToken, s.Live.Took)
			}
			if _, err := shadow.EncodeSample(s); err != nil {
				t.Error(err)
			}
			sameCounts(t, r.counts(), want("seen", 1, "sampled", 1, "published", 1))
		})
	}
}

// Who has every byte that was announced may close the connection before the handler
// returns: the answer is judged as it is. Who has not, left.
func TestLeavingAfterTheLastByte(t *testing.T) {
	body := roleChunk + chunk("Ger")
	for _, c := range []struct {
		name, length string
		failure      llm.Reason
	}{
		{"all that was announced", strconv.Itoa(len(body)), llm.Reset},
		{"more was announced", strconv.Itoa(len(body) + 1), llm.ClientAbort},
		{"nothing was announced", "", llm.ClientAbort},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, options(), &store{})
			req := request(t, "POST", chatPath, streamed)
			ctx, leave := context.WithCancel(req.Context())
			r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				_, _ = io.Copy(io.Discard, req.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				if c.length != "" {
					w.Header().Set("Content-Length", c.length)
				}
				_, _ = io.WriteString(w, body)
				leave()
			})).ServeHTTP(&plainWriter{}, req.WithContext(ctx))
			if s := r.one(t); s.Live.Failure != c.failure || s.Live.Text != "Ger" {
				t.Errorf("live answer %+v, want failure %s", s.Live, c.failure)
			}
		})
	}
}

func TestSampleSaysEverything(t *testing.T) {
	upstream := serve(t, answering(200, wholeAnswer))
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream.URL)
	post(t, front.URL, question, "X-Session-Id", "s-1", "OpenAI-Beta", "assistants=v2", "Authorization", "Bearer k")
	s := r.one(t)
	in, out := int64(20), int64(3)
	wanted := shadow.Sample{
		ID: s.ID, Seen: s.Seen, Draw: shadow.Draw("s-1", "salt"),
		Experiment: "test", Tap: "tap-1", Seq: 1, Session: "s-1", Route: chatPath, Rate: 1,
		Dialect: llm.OpenAIChat, Request: []byte(question), Header: map[string][]string{"Openai-Beta": {"assistants=v2"}},
		Live: shadow.Answer{
			Arm: shadow.Live, Share: 1, Snapshot: "live-1-2026-01-01", Text: "Gern.", Finish: llm.FinishStop,
			Started: s.Seen, Took: s.Live.Took, Usage: llm.Usage{In: &in, Out: &out}, Attempts: 1, Status: 200,
		},
	}
	if diff := cmp.Diff(wanted, s); diff != "" {
		t.Error(diff)
	}
	data, err := shadow.EncodeSample(s)
	if err != nil {
		t.Fatal(err)
	}
	back, err := shadow.DecodeSample(data)
	if diff := cmp.Diff(s, back); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestFirstTokenIsTheContents(t *testing.T) {
	for _, encoding := range []string{"", "gzip"} {
		t.Run("encoding "+encoding, func(t *testing.T) {
			next := make(chan bool)
			upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				var out io.Writer = w
				flush := func() { _ = http.NewResponseController(w).Flush() }
				if encoding == "gzip" {
					w.Header().Set("Content-Encoding", "gzip")
					z := gzip.NewWriter(w)
					defer z.Close()
					out, flush = z, func() { _ = z.Flush(); _ = http.NewResponseController(w).Flush() }
				}
				for _, event := range []string{roleChunk, chunk("Ja"), stopChunk + doneEvent} {
					_, _ = io.WriteString(out, event)
					flush()
					<-next
				}
			}))
			r := start(t, options(), &store{})
			front := r.proxied(t, upstream.URL)
			before, after := readInSteps(t, front.URL, next)
			live := r.one(t).Live
			if live.FirstToken <= before || live.FirstToken > after || live.Took < live.FirstToken {
				t.Errorf("first token after %v, want it in (%v, %v]; took %v", live.FirstToken, before, after, live.Took)
			}
		})
	}
}
