package main

import (
	"bytes"
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// printing runs "tap --print" and gives what it writes to standard output.
func printing(t *testing.T, args ...string) (*stage, *lines) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	s, out := &stage{t: t, log: &lines{}, end: end, done: make(chan int, 1)}, &lines{}
	go func() {
		s.done <- run(ctx, append([]string{"tap", "--print"}, args...), strings.NewReader(""), out, s.log)
	}()
	t.Cleanup(end)
	return s, out
}

func send(t *testing.T, url, session, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if session != "" {
		req.Header.Set("X-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
}

// The first thing that a new user tries: no file, no bus, and every request shows up.
func TestTapPrintsWithoutAFile(t *testing.T) {
	live, _ := fake(t, func(llmfake.Call) llmfake.Answer { return llmfake.Answer{Text: "Gern.", In: 20, Out: 3} })
	s, out := printing(t, "--upstream", live, "--listen", "127.0.0.1:0")
	base := s.tapURL()
	send(t, base+"/chat/completions", "s-1", `{"model":"m","messages":[{"role":"user","content":"secret question"}]}`)
	send(t, base+"/embeddings", "", `{}`)
	s.eventually("both show up", func() bool {
		return strings.Contains(out.String(), "session=s-1") && strings.Contains(out.String(), "unsupported_endpoint")
	})
	s.stop()
	got := out.String()
	for _, want := range []string{
		`(?m)^seen=\S+ dialect=openai-chat endpoint=/v1/chat/completions session=s-1 in=20 out=3 first=- total=\d\.\d{3}s state="answered \(stop\)"$`,
		`(?m)^endpoint=/v1/embeddings counted="not sampled \(unsupported_endpoint\)"$`,
		`(?m)^/v1/chat/completions: seen 1, sampled 1$`,
		`(?m)^/v1/embeddings: seen 1, sampled 0, not sampled \(unsupported_endpoint\) 1$`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got+s.log.String(), "secret question") {
		t.Errorf("what was said is shown:\n%s%s", got, s.log)
	}
	if !strings.Contains(s.log.String(), "…/chat/completions") {
		t.Errorf("no line names what is tapped:\n%s", s.log)
	}
}

func TestTapPrintsWithAFile(t *testing.T) {
	live, _ := fake(t, func(llmfake.Call) llmfake.Answer { return llmfake.Error(503, "") })
	s := start(t, t.TempDir(), `models: {j: {provider: openai, base_url: http://127.0.0.1:9/v1, model: j-2026-01-02, digest: "sha256:0123456789abcdef"}}
tap: {upstream: `+live+`, listen: "127.0.0.1:0", session: [header:X-Chat]}
judge: {primary: j}
`)
	s.stop()
	p, out := printing(t, "--config", s.dir+"/"+configFile, "--rate", "100%")
	send(t, p.tapURL()+"/chat/completions", "", `{"model":"m","messages":[{"role":"user","content":"x"}]}`)
	p.stop()
	if got := out.String(); !strings.Contains(got, `in=? out=? first=- total=0.`) || !strings.Contains(got, `state="failed: status_5xx"`) {
		t.Errorf("%s", got)
	}
}

func TestTapFlags(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"an upstream without print", []string{"tap", "--upstream", "http://127.0.0.1:9"}, exitUsage, "belong to --print"},
		{"no address", []string{"tap", "--print", "--upstream", "api.openai.com"}, exitUsage, "--upstream: no address"},
		{"the API's base", []string{"tap", "--print", "--upstream", "http://127.0.0.1:9/v1/"}, exitUsage, "without /v1"},
		{"no share", []string{"tap", "--print", "--upstream", "http://127.0.0.1:9", "--rate", "200%"}, exitUsage, "out of range"},
		{"neither file nor upstream", []string{"tap", "--print", "--config", "no.yaml"}, exitError, "or name the live service: --upstream URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if got := run(t.Context(), c.args, strings.NewReader(""), &out, &out); got != c.status || !strings.Contains(out.String(), c.says) {
				t.Errorf("status %d, want %d:\n%s", got, c.status, out.String())
			}
		})
	}
}

// On a terminal lines are aligned, and nothing that a client sends moves the cursor.
func TestPrinterIsAlignedAndHarmless(t *testing.T) {
	in, out := int64(12345), int64(7)
	samples := []shadow.Sample{
		{Dialect: llm.OpenAIChat, Route: "/v1/chat/completions", Session: "s-1", Live: shadow.Answer{Usage: llm.Usage{In: &in, Out: &out},
			FirstToken: 120 * time.Millisecond, Took: 1200 * time.Millisecond, Finish: "stop", Attempts: 3}},
		{Dialect: llm.AnthropicMessages, Route: "/v1/\x1b[2Jmessages\r\n\u202e", Session: strings.Repeat("会話", 20), Live: shadow.Answer{Failure: llm.ClientAbort}},
	}
	for _, aligned := range []bool{true, false} {
		var b bytes.Buffer
		p := newPrinter(&b, aligned)
		for _, s := range samples {
			if err := p.PublishSample(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		_ = p.PublishBooks(t.Context(), shadow.Books{Lines: []shadow.Line{{Endpoint: "/\x1b[31m", Entry: shadow.EntryNotSampled, Reason: "encoding", Count: 2}}})
		_ = p.totals()
		got := b.String()
		if strings.ContainsAny(got, "\x1b\r\u202e") {
			t.Errorf("what a client sent reaches the terminal: %q", got)
		}
		if aligned && got != `time (UTC)  dialect             endpoint                    session                in      out     first     total  state
00:00:00    openai-chat         /v1/chat/completions        s-1                 12345        7    0.120s    1.200s  answered (stop), attempt 3
00:00:00    anthropic-messages  /v1/\x1b[2Jmessages\r\n\u…  会話会話会話会…         ?        ?         -    0.000s  failed: client_abort
/\x1b[31m: not sampled (encoding)
/\x1b[31m: seen 0, sampled 0, not sampled (encoding) 2
` {
			t.Errorf("%s", got)
		}
	}
}
