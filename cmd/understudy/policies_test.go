package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// A whole policy as an arm: rules choose, a chain goes on, a race is held, and the
// answer says what was called.
func TestPolicyAsArm(t *testing.T) {
	fake := llmfake.New(func(c llmfake.Call) llmfake.Answer {
		if c.Model == "gone" {
			return llmfake.Error(402, "billing_error")
		}
		return llmfake.Text(c.Model + " answers")
	})
	url, err := fake.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	t.Setenv("POLICY_TEST_KEY", "k")
	text := fmt.Sprintf(`
models:
  gone: {provider: openai, base_url: "%[1]s/v1", model: gone, key: env:POLICY_TEST_KEY} # another account
  good: {provider: openai, base_url: "%[1]s/v1", model: good}
  judge: {provider: openai, model: gpt-5.6-terra-2026-08-20, key: env:K}
policies:
  chain: {failover: [gone, good], budget: 10s}
  sure: {failover: [gone], last_resort: "Please call us."}
  racing: {race: {primary: good, reserve: chain}}
  choice: {route: [{when: {messages_over: 1, tags: {lang: de}}, to: chain}], default: sure}
tap: {upstream: "http://127.0.0.1:1"}
candidates:
  chain: {model: chain}
  choice: {model: choice}
  racing: {model: racing}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
`, url)
	cfg, err := config.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	asker, err := openCandidates(cfg, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	sample := func(n int, lang string) shadow.Sample {
		turns := strings.Repeat(`{"role":"user","content":"hello"},`, n)
		return shadow.Sample{
			ID: shadow.SampleID{1}, Seen: time.Now(), Session: "s", Rate: 1, Dialect: llm.OpenAIChat,
			Request: []byte(`{"model":"m","messages":[` + strings.TrimSuffix(turns, ",") + `]}`), Tags: map[string]string{"lang": lang},
		}
	}
	for _, tt := range []struct {
		sample shadow.Sample
		texts  []string
		note   string
	}{
		{sample(2, "de"), []string{"good answers", "good answers", "good answers"}, "failed"},
		{sample(2, "en"), []string{"good answers", "Please call us.", "good answers"}, "skipped"}, // the refusal is remembered
		{sample(1, "de"), []string{"good answers", "Please call us.", "good answers"}, "skipped"},
	} {
		trial, err := asker.Try(t.Context(), tt.sample)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range trial.Candidates {
			if a.Text != tt.texts[i] {
				t.Errorf("%s: %q, want %q (%v)", a.Arm, a.Text, tt.texts[i], a.Notes)
			}
		}
		if uses := trial.Candidates[0].Uses; len(uses) != 2 || uses[1].Model != "good" || uses[1].Fate != llm.Served || uses[1].Usage.Out == nil {
			t.Errorf("uses %+v", uses)
		}
		if notes := strings.Join(trial.Candidates[0].Notes, "; "); !strings.Contains(notes, "gone "+tt.note) && !strings.Contains(notes, "gone skipped") || !strings.Contains(notes, "good served") || strings.Contains(notes, url) {
			t.Errorf("notes %q", notes)
		}
	}
}

// What a reply says of an account's limits holds every arm back that asks that account,
// a policy's too.
func TestArmsShareAQuota(t *testing.T) {
	low := map[string]string{"X-Ratelimit-Limit-Requests": "100", "X-Ratelimit-Remaining-Requests": "1", "X-Ratelimit-Reset-Requests": "1h"}
	url, asked := fake(t, func(llmfake.Call) llmfake.Answer { return llmfake.Answer{Text: "yes", Header: low} })
	cfg, err := config.Parse("x.yaml", fmt.Appendf(nil, `
models:
  one: {provider: openai, base_url: "%s/v1", model: m}
  judge: {provider: openai, model: gpt-5.6-terra-2026-08-20, key: env:K}
policies: {chain: {failover: [one]}}
tap: {upstream: "http://127.0.0.1:1"}
candidates: {one: {model: one}, chain: {model: chain, share: 50%%}}
judge: {primary: judge}
`, url))
	if err != nil {
		t.Fatal(err)
	}
	policies := newTroupe(cfg, slog.New(slog.DiscardHandler))
	m, _ := cfg.Model("one")
	client, err := openWithin(m, policies.quotaOf(m))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Model().Complete(t.Context(), llm.Request{Dialect: llm.OpenAIChat, Body: []byte(`{"messages":[{"role":"user","content":"?"}]}`)}); err != nil || asked.Calls() != 1 {
		t.Fatalf("%v, %d calls", err, asked.Calls())
	}
	for _, arm := range []string{"one", "chain"} {
		ended, end := context.WithCancel(t.Context())
		end()
		if policies.wait(arm)(ended) == nil {
			t.Errorf("%s is not held back", arm)
		}
	}
	if err := policies.wait("judge")(t.Context()); err != nil {
		t.Errorf("another account is held back: %v", err)
	}
}
