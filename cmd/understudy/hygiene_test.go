package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/rubric/standard"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// Every configured name is one that occurs nowhere else, so that a leak shows.
const namedConfiguration = `
experiment: {name: xq-experiment}
models:
  xq-cand: {provider: openai, base_url: %[2]s/v1, model: xq-cand-id-2026-02-14}
  xq-live: {provider: openai, base_url: %[1]s/v1, model: xq-live-id-2026-01-01}
  xq-judge: {provider: openai, base_url: %[3]s/v1, model: xq-judge-id-2026-03-01, digest: "sha256:0123456789abcdef"}
policies: {xq-policy: {failover: [xq-cand, xq-live]}}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, sample_by: request, salt: xq-salt, tags: {xq-tag: "header:X-Tag"}}
bus: {dir: bus, sync: 10s}
candidates: {xq-arm: {model: xq-cand}, xq-control: {model: xq-live, control: true}, xq-joined: {model: xq-policy}}
judge: {repeat: 100%%, agreement: none, injection: 100%%, primary: xq-judge}
sinks: {dir: rows, flush: {every: 200ms}}
`

// What a judge is sent holds no configured name of an arm, model, policy, experiment or
// tag, whatever a verdict is for: not in the prompt, and nowhere else but its own id.
func TestJudgeIsToldNoNames(t *testing.T) {
	live, _ := fake(t, liveScript)
	cand, _ := fake(t, candScript)
	var mu sync.Mutex
	var sent []llmfake.Call
	judges, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, c)
		return judgeScript(c)
	})
	s := start(t, t.TempDir(), fmt.Sprintf(namedConfiguration, live, cand, judges))
	for i := range 3 {
		if status, _ := post(t, s.tapURL(), fmt.Sprintf("hello %d", i)); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
	s.awaitRows(12)
	s.stop()
	mu.Lock()
	defer mu.Unlock()
	if len(sent) != 3*4*3 {
		t.Errorf("%d calls of the judge, want 4 answers of 3 samples, each again and with a planted instruction", len(sent))
	}
	for _, c := range sent {
		var header bytes.Buffer
		_ = c.Header.Write(&header)
		said := strings.ReplaceAll(strings.ToLower(string(c.Body)+header.String()+c.Path), "xq-judge-id-2026-03-01", "")
		if at := strings.Index(said, "xq-"); at >= 0 {
			t.Fatalf("the judge is told …%.60s…", said[at:])
		}
	}
}

// A name that the rubric's own words have is warned of at the start.
func TestNamed(t *testing.T) {
	parse := func(experiment, arm, model, id string) *config.Config {
		cfg, err := config.Parse("x.yaml", fmt.Appendf(nil, `
experiment: {name: %s}
models:
  %s: {provider: openai, base_url: "http://127.0.0.1:9/v1", model: %s}
  judge: {provider: anthropic, model: claude-x-5, key: env:K}
tap: {upstream: "http://127.0.0.1:7"}
candidates: {%s: {model: %s}}
judge: {primary: judge}
`, experiment, model, id, arm, model))
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	for _, tt := range []struct{ experiment, arm, model, id, want string }{
		{"support", "cand-a", "cand", "gpt-9", ""},
		{"support", "swer", "cand", "gpt-9", ""}, // a part of a word
		{"Grades", "cand-a", "cand", "gpt-9", "experiment.name"},
		{"support", "answer", "cand", "gpt-9", "candidates.answer"},
		{"support", "cand-a", "conversation", "gpt-9", "models.conversation"},
		{"support", "cand-a", "cand", "chat", "models.cand.model"},
	} {
		var keys []string
		for _, err := range named(parse(tt.experiment, tt.arm, tt.model, tt.id), standard.Rubric()) {
			keys = append(keys, err.(*config.Error).Key)
		}
		if got := strings.Join(keys, " "); got != tt.want {
			t.Errorf("%v: warned of %q, want %q", tt, got, tt.want)
		}
	}
}
