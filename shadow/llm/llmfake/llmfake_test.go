package llmfake_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// The one goroutine that may stay is opencensus's, which importing genai starts.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

const chatPath = "/v1/chat/completions"

// post sends a body to a fake in memory and gives status, body and the error of reading it.
func post(ctx context.Context, c *http.Client, path, body string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://fake"+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

// inBubble runs f with a fake and a client inside a bubble with its own clock.
func inBubble(t *testing.T, script llmfake.Script, f func(t *testing.T, fake *llmfake.Fake, c *http.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fake := llmfake.New(script, "m-1")
		c := fake.Client()
		defer func() {
			c.CloseIdleConnections()
			if err := fake.Close(); err != nil {
				t.Error(err)
			}
		}()
		f(t, fake, c)
	})
}

func always(a llmfake.Answer) llmfake.Script { return func(llmfake.Call) llmfake.Answer { return a } }

func TestTimes(t *testing.T) {
	script := always(llmfake.Answer{Text: "Guten Tag, was kostet es?", Pieces: 5, First: 400 * time.Millisecond, Took: 2300 * time.Millisecond})
	inBubble(t, script, func(t *testing.T, fake *llmfake.Fake, c *http.Client) {
		start := time.Now()
		if _, _, err := post(t.Context(), c, chatPath, `{"model":"m","messages":[]}`); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 2300*time.Millisecond {
			t.Errorf("whole answer took %v", took)
		}
		start = time.Now()
		s := llm.NewStream(llm.OpenAIChat, 0)
		first := firstToken(t, c, s, start)
		if first != 400*time.Millisecond || time.Since(start) != 2300*time.Millisecond {
			t.Errorf("first token after %v, all after %v", first, time.Since(start))
		}
		if r, err := s.Reply(); err != nil || r.Text != "Guten Tag, was kostet es?" || r.Usage.Out == nil {
			t.Errorf("reply %+v, %v", r, err)
		}
	})
}

func firstToken(t *testing.T, c *http.Client, s *llm.Stream, start time.Time) (first time.Duration) {
	t.Helper()
	resp, err := c.Post("http://fake"+chatPath, "application/json", strings.NewReader(`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		_, _ = s.Write(buf[:n])
		if _, ok := s.FirstContent(); ok && first == 0 {
			first = time.Since(start)
		}
		if err != nil {
			return first
		}
	}
}

func TestThen(t *testing.T) {
	tests := []struct {
		name, why string
		answer    llmfake.Answer
		stream    bool
		reason    llm.Reason // of what was read
		cut       bool       // reading fails
		silent    bool       // the client has to leave
	}{
		{name: "finish", why: "the usual end", answer: llmfake.Text("Hi"), stream: true},
		{name: "close a stream", why: "no end sign", answer: llmfake.Answer{Text: "Hi", Then: llmfake.Close}, stream: true, reason: llm.Reset},
		{name: "close a document", why: "half of it", answer: llmfake.Answer{Text: "Hi", Then: llmfake.Close}, reason: llm.MalformedReason},
		{name: "reset a stream", why: "the connection is lost", answer: llmfake.Answer{Text: "Hi", Then: llmfake.Reset}, stream: true, reason: llm.Reset, cut: true},
		{name: "reset a document", why: "the connection is lost", answer: llmfake.Answer{Text: "Hi", Then: llmfake.Reset}, reason: llm.MalformedReason, cut: true},
		{name: "reset at once", why: "no byte of an answer", answer: llmfake.Answer{Then: llmfake.Reset}, cut: true},
		{name: "hang at once", why: "a judge that never answers", answer: llmfake.Answer{Then: llmfake.Hang}, cut: true, silent: true},
		{name: "hang after tokens", why: "a stream that stalls", answer: llmfake.Answer{Text: "Hi", Then: llmfake.Hang}, stream: true, reason: llm.Reset, cut: true, silent: true},
		{name: "raw", why: "bytes as they are", answer: llmfake.Answer{Raw: []byte("data: [DONE]\n\n"), Pieces: 3}, stream: true, reason: llm.Empty},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, always(tt.answer), func(t *testing.T, fake *llmfake.Fake, c *http.Client) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				_, body, err := post(ctx, c, chatPath, fmt.Sprintf(`{"model":"m","stream":%v,"messages":[]}`, tt.stream))
				if (err != nil) != tt.cut || errors.Is(err, context.DeadlineExceeded) != tt.silent {
					t.Errorf("%s: error %v", tt.why, err)
				}
				if body != "" {
					if r := reason(body, tt.stream); r != tt.reason {
						t.Errorf("%s: reason %q, want %q", tt.why, r, tt.reason)
					}
				}
				synctest.Wait()
				if left := fake.Left() > 0; left != tt.silent || fake.Calls() != 1 || fake.Open() != 0 || fake.Connections() != 1 {
					t.Errorf("%s: left %v, calls %d, open %d, connections %d", tt.why, left, fake.Calls(), fake.Open(), fake.Connections())
				}
			})
		})
	}
}

func reason(body string, stream bool) llm.Reason {
	_, err := llm.DecodeReply(llm.OpenAIChat, []byte(body))
	if stream {
		s := llm.NewStream(llm.OpenAIChat, 0)
		_, _ = io.WriteString(s, body)
		_, err = s.Reply()
	}
	var f *llm.Failure
	if errors.As(err, &f) {
		return f.Reason
	}
	return ""
}

func TestCall(t *testing.T) {
	tests := []struct {
		name, path, body string
		want             llmfake.Call
	}{
		{name: "openai", path: chatPath, body: `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}`, want: llmfake.Call{Dialect: llm.OpenAIChat}},
		{name: "anthropic", path: "/v1/messages", body: `{"model":"m","system":"s","messages":[{"role":"user","content":[{"type":"text","text":"u"}]}]}`, want: llmfake.Call{Dialect: llm.AnthropicMessages}},
		{name: "gemini", path: "/v1beta/models/m:generateContent", body: `{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"u"}]}]}`, want: llmfake.Call{Dialect: llm.GeminiGenerate}},
		{name: "ollama", path: "/api/chat", body: `{"model":"m","stream":false,"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}`, want: llmfake.Call{Dialect: llm.OllamaChat}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got llmfake.Call
			script := func(c llmfake.Call) llmfake.Answer { got = c; return llmfake.Verdict(3, "tone", "blunt") }
			inBubble(t, script, func(t *testing.T, fake *llmfake.Fake, c *http.Client) {
				status, body, err := post(t.Context(), c, tt.path, tt.body)
				if err != nil || status != http.StatusOK {
					t.Fatal(status, body, err)
				}
				r, err := llm.DecodeReply(tt.want.Dialect, []byte(body))
				if err != nil || r.Text != `{"grade":3,"problem":"tone","reason":"blunt"}` || r.Model != "m" || r.Finish != llm.FinishStop || r.Usage.In == nil {
					t.Errorf("reply %+v, %v", r, err)
				}
			})
			if got.LastUser() != "u" || got.N != 1 || got.Model != "m" || got.Dialect != tt.want.Dialect || len(got.Turns) != 2 || got.Turns[0].Text != "s" {
				t.Errorf("call %+v", got)
			}
		})
	}
}

func TestErrorsAndLists(t *testing.T) {
	inBubble(t, always(llmfake.Error(429, "insufficient_quota")), func(t *testing.T, _ *llmfake.Fake, c *http.Client) {
		status, body, err := post(t.Context(), c, chatPath, `{"stream":true}`)
		if err != nil {
			t.Fatal(err)
		}
		f := llm.FailureFromStatus(llm.OpenAIChat, status, nil, []byte(body), time.Now())
		if f.Reason != llm.DeniedReason || f.Code != "insufficient_quota" {
			t.Errorf("failure %v", f)
		}
		for path, want := range map[string]string{"/v1/models": `"id":"m-1"`, "/api/tags": llmfake.Digest("m-1"), "/v2": "no such path"} {
			resp, err := c.Get("http://fake" + path)
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || !strings.Contains(string(data), want) {
				t.Errorf("%s: %s, %v", path, data, err)
			}
		}
	})
}

// TestManyCalls has a thousand calls asleep at the same time on loopback.
func TestManyCalls(t *testing.T) {
	fake := llmfake.New(always(llmfake.Answer{Text: "Hi", First: 50 * time.Millisecond, Took: 200 * time.Millisecond}))
	url, err := fake.Start()
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			resp, err := c.Post(url+chatPath, "application/json", strings.NewReader(`{"stream":true,"messages":[]}`))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c.CloseIdleConnections()
	if err := fake.Close(); err != nil {
		t.Error(err)
	}
	if _, err := fake.Start(); err == nil {
		t.Error("a closed fake starts again")
	}
	if diff := cmp.Diff([]int{1000, 0, 0}, []int{fake.Calls(), fake.Open(), fake.Left()}); diff != "" {
		t.Error(diff)
	}
}

func Example() {
	fake := llmfake.New(func(c llmfake.Call) llmfake.Answer {
		if c.LastUser() == "ping" {
			return llmfake.Text("pong")
		}
		return llmfake.Error(http.StatusTooManyRequests, "rate_limit_exceeded")
	})
	c := fake.Client()
	_, body, err := post(context.Background(), c, "/v1/chat/completions", `{"model":"m-1","messages":[{"role":"user","content":"ping"}]}`)
	if err != nil {
		fmt.Println(err)
	}
	var answer struct {
		Model   string
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		fmt.Println(err)
	}
	fmt.Println(answer.Model, answer.Choices[0].Message.Content, fake.Calls())
	c.CloseIdleConnections()
	if err := fake.Close(); err != nil {
		fmt.Println(err)
	}
	// Output: m-1 pong 1
}
