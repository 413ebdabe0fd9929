package main

import (
	"fmt"
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
  judge: {provider: openai, base_url: %[3]s/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, sample_by: request}
bus: {dir: bus, sync: 10s}
candidates: {cand: {model: cand}}
judge: {primary: judge}
sinks: {dir: rows, flush: {every: 200ms}}
gate: {latency: none}
`

// Whatever users speak is tapped and their answers are graded; a candidate that cannot
// be asked in their dialect is counted as such, said before the start, and never failed.
func TestCandidatesAreAskedInTheirDialect(t *testing.T) {
	live, _ := fake(t, func(llmfake.Call) llmfake.Answer { return llmfake.Text("Gern.") })
	cand, asked := fake(t, candScript)
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
		"/openai/deployments/m/chat/completions": `{"model":"m","stream":true,` + messages,
	}
	for path, body := range bodies {
		resp, err := http.Post(base+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	want, got := map[string]string{}, map[string]string{}
	for path := range bodies {
		want[path+" live"], want[path+" cand"] = "answered ", "not_asked unsupported"
		if strings.HasSuffix(path, "/chat/completions") {
			want[path+" cand"] = "answered "
		}
	}
	for _, r := range s.awaitRows(2 * len(bodies)) {
		got[r.Route+" "+string(r.Arm)] = fmt.Sprintf("%s %s", r.State, r.Reason)
		if r.State == "answered" && r.JudgeState != "graded" {
			t.Errorf("%s of %s: %s %s", r.Route, r.Arm, r.JudgeState, r.JudgeReason)
		}
	}
	s.stop()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if asked.Calls() != 2 {
		t.Errorf("the candidate was asked %d times, want 2", asked.Calls())
	}
	_, checked, _ := s.command("check")
	for what, text := range map[string]string{"log": s.log.String(), "check": checked} {
		for _, part := range []string{"…/chat/completions", "…/api/generate", "…/responses", "cand"} {
			if !strings.Contains(text, part) {
				t.Errorf("the %s does not name %s:\n%s", what, part, text)
			}
		}
	}
	if !strings.Contains(checked, "cand: cannot be asked for …/responses, …/v1/messages, ") || !strings.Contains(s.log.String(), "candidate cannot be asked") {
		t.Errorf("what cannot be asked is not said:\n%s", checked)
	}
	if _, out, _ := s.command("report"); !strings.Contains(out, "the books balance") {
		t.Errorf("the books do not balance:\n%s", out)
	}
}
