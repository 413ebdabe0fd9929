package tap_test

import (
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// way is a way to ask a model.
type way struct {
	name, path, body string
	dialect          llm.Dialect
	stream           bool
}

func ways() []way {
	const messages = `"messages":[{"role":"user","content":"Hallo"}]}`
	const gemini = `{"contents":[{"role":"user","parts":[{"text":"Hallo"}]}]}`
	return []way{
		{"chat", "/v1/chat/completions", `{"model":"m",` + messages, llm.OpenAIChat, false},
		{"chat streamed", "/v1/chat/completions", `{"model":"m","stream":true,"stream_options":{"include_usage":true},` + messages, llm.OpenAIChat, true},
		{"azure streamed", "/openai/deployments/m/chat/completions?api-version=1", `{"stream":true,"stream_options":{"include_usage":true},` + messages, llm.OpenAIChat, true},
		{"responses", "/v1/responses", `{"model":"m","input":"Hallo"}`, llm.OpenAIResponses, false},
		{"responses streamed", "/openai/v1/responses", `{"model":"m","stream":true,"input":"Hallo"}`, llm.OpenAIResponses, true},
		{"messages", "/v1/messages", `{"model":"m","max_tokens":9,` + messages, llm.AnthropicMessages, false},
		{"messages streamed", "/v1/messages", `{"model":"m","max_tokens":9,"stream":true,` + messages, llm.AnthropicMessages, true},
		{"gemini", "/v1beta/models/m:generateContent", gemini, llm.GeminiGenerate, false},
		{"gemini events", "/v1beta/models/m:streamGenerateContent?alt=sse", gemini, llm.GeminiGenerate, true},
		{"gemini list", "/v1beta/models/m:streamGenerateContent", gemini, llm.GeminiGenerate, true},
		{"ollama", "/api/chat", `{"model":"m","stream":false,` + messages, llm.OllamaChat, false},
		{"ollama streamed", "/api/chat", `{"model":"m",` + messages, llm.OllamaChat, true},
		{"generate", "/api/generate", `{"model":"m","stream":false,"prompt":"Hallo"}`, llm.OllamaGenerate, false},
		{"generate streamed", "/api/generate", `{"model":"m","prompt":"Hallo"}`, llm.OllamaGenerate, true},
	}
}

// lines says that a whole answer is a stream of one line.
func (w way) lines() bool { return w.dialect == llm.OllamaChat || w.dialect == llm.OllamaGenerate }

// tapped asks a fake through the tap and gives the sample.
func (w way) tapped(t *testing.T, a llmfake.Answer) shadow.Sample {
	t.Helper()
	fake := llmfake.New(func(llmfake.Call) llmfake.Answer { return a })
	r := start(t, options(), &store{})
	func() {
		defer func() { _ = recover() }() // the fake drops a connection with a panic
		r.Middleware(fake).ServeHTTP(&nullWriter{http.Header{}}, request(t, "POST", w.path, w.body))
	}()
	return r.one(t)
}

// Whatever dialect a user speaks, the sample says what was answered and when.
func TestEveryDialectIsTapped(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := w.tapped(t, llmfake.Answer{Text: "Gern, 世界.", Model: "m-1", Pieces: 3, In: 9, Out: 5, First: 400 * time.Millisecond, Took: 1300 * time.Millisecond})
				type facts struct {
					Dialect     llm.Dialect
					Stream      bool
					Text        string
					Model       llm.Snapshot
					In, Out     int64
					Finish      llm.Finish
					Failure     llm.Reason
					First, Took time.Duration
				}
				got := facts{s.Dialect, s.Stream, s.Live.Text, s.Live.Snapshot, 0, 0, s.Live.Finish, s.Live.Failure, s.Live.FirstToken, s.Live.Took}
				if u := s.Live.Usage; u.In != nil && u.Out != nil {
					got.In, got.Out = *u.In, *u.Out
				}
				want := facts{w.dialect, w.stream, "Gern, 世界.", "m-1", 9, 5, llm.FinishStop, "", 400 * time.Millisecond, 1300 * time.Millisecond}
				if !w.stream {
					want.First = 0
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				if string(s.Request) != w.body {
					t.Errorf("request became %s", s.Request)
				}
			})
		})
	}
}

// What ends an answer early has its own state in every dialect.
func TestEveryDialectFails(t *testing.T) {
	for _, c := range []struct {
		why    string
		answer llmfake.Answer
		whole  llm.Reason
		stream llm.Reason
	}{
		{"a cut answer is no whole one", llmfake.Answer{Text: strings.Repeat("Gern. ", 9), Pieces: 3, Then: llmfake.Close}, llm.MalformedReason, llm.Reset},
		{"a lost connection", llmfake.Answer{Text: strings.Repeat("Gern. ", 9), Pieces: 3, Then: llmfake.Reset}, llm.Reset, llm.Reset},
		{"nothing was said", llmfake.Answer{}, llm.Empty, llm.Empty},
		{"the provider's own limit", llmfake.Error(http.StatusTooManyRequests, ""), llm.RateLimited, llm.RateLimited},
	} {
		for _, w := range ways() {
			t.Run(w.name+" "+c.why, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					want := c.whole
					if w.stream || c.whole == llm.MalformedReason && w.lines() {
						want = c.stream
					}
					if s := w.tapped(t, c.answer); s.Live.Failure != want {
						t.Errorf("failure %q, want %q; %+v", s.Live.Failure, want, s.Live)
					}
				})
			})
		}
	}
}

// flusher is a compressor that can send what it has.
type flusher interface {
	io.WriteCloser
	Flush() error
}

// A compressed stream tells its times too: its packed bytes are timed, and unpacked later.
func TestFirstTokenOfACompressedStream(t *testing.T) {
	for encoding, open := range map[string]func(io.Writer) flusher{
		"gzip":    func(w io.Writer) flusher { return gzip.NewWriter(w) },
		"deflate": func(w io.Writer) flusher { return zlib.NewWriter(w) },
		"br":      func(w io.Writer) flusher { return brotli.NewWriter(w) },
		"zstd":    func(w io.Writer) flusher { z, _ := zstd.NewWriter(w); return z },
	} {
		t.Run(encoding, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options(), &store{})
				h := r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Encoding", encoding)
					z := open(w)
					for _, event := range []string{roleChunk, chunk("Gern."), chunk(" Ja."), stopChunk + doneEvent} {
						_, _ = io.WriteString(z, event)
						_ = z.Flush()
						time.Sleep(100 * time.Millisecond)
					}
					_ = z.Close()
				}))
				h.ServeHTTP(&nullWriter{http.Header{}}, request(t, "POST", chatPath, streamed))
				if live := r.one(t).Live; live.Text != "Gern. Ja." || live.FirstToken != 100*time.Millisecond || live.Took != 400*time.Millisecond {
					t.Errorf("%+v", live)
				}
			})
		})
	}
}
