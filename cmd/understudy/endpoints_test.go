package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

const endpointsConfiguration = `
experiment: {name: endpoints}
models:
  cand: {provider: openai, base_url: %[2]s/v1, model: cand-2026-02-14}
  claude: {provider: anthropic, base_url: %[2]s, model: claude-sonnet-5}
  gemini: {provider: google, base_url: %[2]s, model: gemini-4-flash}
  local: {provider: ollama, base_url: %[2]s, model: "qwen3:8b", reasoning: none}
  judge: {provider: openai, base_url: %[3]s/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, sample_by: request}
bus: {dir: bus, sync: 10s}
candidates: {cand: {model: cand}, claude: {model: claude}, gemini: {model: gemini}, local: {model: local}}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
sinks: {dir: rows, flush: {every: 200ms}}
gate: {latency: none}
`

// Whatever users speak is tapped, and candidates of every provider are asked it: as it
// was sent where they speak the dialect, as a translation elsewhere. A request that
// cannot be translated is counted as not asked, never as failed.
func TestCandidatesOfEveryProvider(t *testing.T) {
	live, _ := fake(t, func(llmfake.Call) llmfake.Answer { return llmfake.Text("Gern.") })
	cand, asked := fake(t, llmfake.Strict(candScript))
	judges, _ := fake(t, judgeScript)
	s := start(t, t.TempDir(), fmt.Sprintf(endpointsConfiguration, live, cand, judges))
	base := strings.TrimSuffix(s.tapURL(), "/v1")
	const messages = `"messages":[{"role":"user","content":"Hallo"}]}`
	const gemini = `{"contents":[{"role":"user","parts":[{"text":"Hallo"}]}]}`
	bodies := map[string]string{
		"/v1/chat/completions":                   `{"model":"m",` + messages,
		"/v1/responses":                          `{"model":"m","input":"Hallo"}`,
		"/v1/messages":                           `{"model":"m","max_tokens":9,` + messages,
		"/v1beta/models/m:generateContent":       gemini,
		"/v1beta/models/m:streamGenerateContent": gemini,
		"/api/chat":                              `{"model":"m",` + messages,
		"/api/generate":                          `{"model":"m","prompt":"Hallo"}`,
		"/openai/deployments/m/chat/completions": `{"model":"m","stream":true,"temperature":1.5,` + messages,
		"/x/api/generate":                        `{"model":"m","prompt":"def f(","suffix":"return 1"}`,
	}
	for path, body := range bodies {
		resp, err := http.Post(base+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil { // a user who leaves is a failed answer
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	want, got := map[string]string{}, map[string]string{}
	for path := range bodies {
		for _, arm := range []string{"live", "cand", "claude", "gemini", "local"} {
			want[path+" "+arm] = "answered "
			if path == "/x/api/generate" && arm != "live" && arm != "local" {
				want[path+" "+arm] = "not_asked unsupported"
			}
		}
	}
	for _, r := range s.awaitRows(5 * len(bodies)) {
		got[r.Route+" "+string(r.Arm)] = fmt.Sprintf("%s %s", r.State, r.Reason)
		if r.State == "answered" && r.JudgeState != "graded" {
			t.Errorf("%s of %s: %s %s", r.Route, r.Arm, r.JudgeState, r.JudgeReason)
		}
	}
	s.stop()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := 4*len(bodies) - 3; asked.Calls() != n {
		t.Errorf("the candidates were asked %d times, want %d", asked.Calls(), n)
	}
	_, checked, _ := s.command("check")
	for _, line := range []string{
		"cand: passed on as sent from …/chat/completions, …/responses\n",
		"claude: translated to anthropic-messages from …/chat/completions, …/responses, …:generateContent, …:streamGenerateContent, …/api/chat, …/api/generate\n",
		"gemini: left out or changed where a request has it: system_place, thinking, ",
		"local: passed on as sent from …/api/chat, …/api/generate\n",
	} {
		if !strings.Contains(checked, line) {
			t.Errorf("check does not say %q:\n%s", line, checked)
		}
	}
	if !strings.Contains(s.log.String(), "candidate is asked a translation") {
		t.Errorf("the log says nothing of translations:\n%s", s.log.String())
	}
	if _, out, _ := s.command("report"); !strings.Contains(out, "the books balance") {
		t.Errorf("the books do not balance:\n%s", out)
	}
}
