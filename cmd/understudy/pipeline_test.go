package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/sinks"
)

const pipelineConfiguration = `
experiment: {name: pipeline}
models:
  live: {provider: openai, base_url: %[1]s/v1, model: live-2026-01-01}
  cand: {provider: openai, base_url: %[2]s/v1, model: cand-2026-02-14}
  judge: {provider: openai, base_url: %[3]s/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, sample_by: request}
bus: {%[4]s}
candidates:
  cand: {model: cand, timeout: 2s}
  half: {model: cand, timeout: 2s, share: 50%%}
  again: {model: live, control: true, timeout: 2s}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
report: {limits: [500ms, 1s]}
sinks: {dir: rows, flush: {every: 200ms}}
gate: {latency: {over: {1s: 50%%}}}
`

// post sends one chat request and gives the status and the whole body.
func post(t *testing.T, base, said string) (int, string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "live-2026-01-01", "messages": []map[string]string{{"role": "user", "content": said}}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(base+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// liveScript answers everything but what a test says it must not.
func liveScript(c llmfake.Call) llmfake.Answer {
	switch said := c.LastUser(); {
	case strings.HasPrefix(said, "live limit"):
		return llmfake.Error(http.StatusTooManyRequests, "rate_limit_exceeded")
	case strings.HasPrefix(said, "live down"):
		return llmfake.Error(http.StatusServiceUnavailable, "")
	}
	return llmfake.Text("live: " + c.LastUser())
}

func candScript(c llmfake.Call) llmfake.Answer {
	switch said := c.LastUser(); {
	case strings.HasPrefix(said, "cand hangs"):
		return llmfake.Answer{Then: llmfake.Hang}
	case strings.HasPrefix(said, "cand limit"):
		return llmfake.Error(http.StatusTooManyRequests, "rate_limit_exceeded")
	case strings.HasPrefix(said, "cand empty"):
		return llmfake.Text("")
	case strings.HasPrefix(said, "cand error in 200"):
		return llmfake.Answer{Raw: []byte(`{"error":{"message":"provider returned error","code":502}}`)}
	}
	return llmfake.Text("cand: " + c.LastUser())
}

func judgeScript(c llmfake.Call) llmfake.Answer {
	switch said := c.LastUser(); {
	case strings.Contains(said, "judge gives text"):
		return llmfake.Text(`{"grade": "2", "problem": "none", "reason": "a number as text"}`)
	case strings.Contains(said, "judge moved"):
		a := llmfake.Verdict(2, "none", "by another snapshot")
		a.Model = "judge-mini-2026-09-09"
		return a
	case strings.Contains(said, "judge alias"):
		a := llmfake.Verdict(2, "none", "by an alias")
		a.Model = "judge-mini"
		return a
	}
	return llmfake.Verdict(2, "none", "fine")
}

// Every outcome reaches its row with its reason, the users' answers are what the
// live model said, and the books balance.
func TestEveryOutcomeHasItsReason(t *testing.T) {
	t.Parallel()
	live, _ := fake(t, liveScript)
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	s := start(t, t.TempDir(), fmt.Sprintf(pipelineConfiguration, live, cand, judges, "dir: bus, sync: 10s"))
	base := s.tapURL()
	cases := []struct {
		said, live, cand string // state/reason or judge reason, per arm
	}{
		{"all well", "graded", "graded"},
		{"live limit", "failed rate_limited", "graded"},
		{"live down", "failed status_5xx", "graded"},
		{"cand hangs", "graded", "failed timeout"},
		{"cand limit", "graded", "failed rate_limited"},
		{"cand empty", "graded", "failed empty"},
		{"cand error in 200", "graded", "failed error_in_200"},
		{"judge gives text", "not_graded malformed", "not_graded malformed"},
		{"judge alias", "not_graded snapshot_unproven", "not_graded snapshot_unproven"},
	}
	want := map[string][2]string{}
	for i, c := range cases {
		route := fmt.Sprintf("%d", i)
		status, body := post(t, strings.TrimSuffix(base, "/v1")+"/"+route+"/v1", c.said)
		if failed := strings.HasPrefix(c.live, "failed"); failed != (status != http.StatusOK) || !failed && !strings.Contains(body, "live: "+c.said) {
			t.Errorf("%s: the user got status %d, %.80s", c.said, status, body)
		}
		want["/"+route+"/v1/chat/completions"] = [2]string{c.live, c.cand}
	}
	rows := s.awaitRows(4 * len(cases))
	got := map[string][2]string{}
	for _, r := range rows {
		outcome := strings.TrimSpace(string(r.State) + " " + r.Reason)
		if r.State == sinks.Answered {
			outcome = strings.TrimSpace(string(r.JudgeState) + " " + string(r.JudgeReason))
		}
		pair := got[r.Route]
		switch r.Arm {
		case "live":
			pair[0] = outcome
		case "cand":
			pair[1] = outcome
			if r.Reason == "timeout" && (!r.Censored || r.Took == nil || *r.Took < 2*time.Second) {
				t.Errorf("a time-out took %v, censored %v", r.Took, r.Censored)
			}
		}
		got[r.Route] = pair
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes of live and cand by route (-want +got):\n%s", diff)
	}
	s.stop()
	status, out, errs := s.command("gate", "--candidate", "cand")
	if status != exitKeepRunning {
		t.Errorf("gate: status %d, want keep running:\n%s%s", status, out, errs)
	}
	var decision reports.Decision
	status, out, errs = s.command("gate", "--candidate", "cand", "--format", "json")
	if err := json.Unmarshal([]byte(out), &decision); err != nil || status != exitKeepRunning || decision.Outcome != reports.KeepRunning {
		t.Errorf("gate as JSON: status %d, %v:\n%s%s", status, err, out, errs)
	}
	for _, usage := range []struct{ why, name string }{
		{"two candidates and none named", ""}, {"the control arm", "again"}, {"live", "live"}, {"nobody", "nobody"},
	} {
		args := []string{"gate"}
		if usage.name != "" {
			args = append(args, "--candidate", usage.name)
		}
		if status, _, errs := s.command(args...); status != exitUsage {
			t.Errorf("gate for %s: status %d: %s", usage.why, status, errs)
		}
	}
	checkReproducible(t, s)
	checkLostFile(t, s)
}

// A judge that answers as another snapshot than the pinned one gives no grade, and
// whoever runs the process is told.
func TestMovedJudge(t *testing.T) {
	live, _ := fake(t, liveScript)
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	configuration := fmt.Sprintf(pipelineConfiguration, live, cand, judges, "dir: bus, sync: 10s")
	for _, more := range []string{"  half: {model: cand, timeout: 2s, share: 50%}\n", "  again: {model: live, control: true, timeout: 2s}\n"} {
		configuration = strings.Replace(configuration, more, "", 1)
	}
	s := start(t, t.TempDir(), configuration)
	base := s.tapURL()
	post(t, base, "live down, judge moved") // one answer, so that no second one waits
	got := map[string]string{}
	for _, r := range s.awaitRows(2) {
		got[string(r.Arm)] = string(r.State) + r.Reason + " " + string(r.JudgeState) + " " + string(r.JudgeReason)
	}
	if diff := cmp.Diff(map[string]string{"live": "failedstatus_5xx  ", "cand": "answered not_graded snapshot_mismatch"}, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if !strings.Contains(s.log.String(), "alarm: judge paused") {
		t.Error("no alarm")
	}
	s.stop()
}

// checkReproducible wants the same bytes for the same rows.
func checkReproducible(t *testing.T, s *stage) {
	for _, format := range []string{"text", "markdown", "html", "png", "json"} {
		_, first, _ := s.command("report", "--format", format)
		_, second, _ := s.command("report", "--format", format)
		if first == "" || first != second {
			t.Errorf("two %s reports of the same rows differ, or are empty", format)
		}
	}
}

// checkLostFile takes one file of rows away: no report and no decision without it.
func checkLostFile(t *testing.T, s *stage) {
	files, err := filepath.Glob(filepath.Join(s.dir, "rows", "rows", "*", "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no row files: %v", err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	status, _, errs := s.command("gate", "--candidate", "cand")
	if status != exitError || !strings.Contains(errs, filepath.Base(files[0])) {
		t.Errorf("gate without one file: status %d, %s", status, errs)
	}
}

// Two processes share the work over one bus: one taps, the other asks, judges and
// writes.
func TestTwoProcessesOnOneBus(t *testing.T) {
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Sync: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	live, _ := fake(t, liveScript)
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	configuration := fmt.Sprintf(pipelineConfiguration, live, cand, judges, "url: "+server.URL())
	work := start(t, t.TempDir(), configuration, "--roles", "candidates,judge,sinks")
	taps := start(t, t.TempDir(), configuration, "--roles", "tap")
	for i := range 20 {
		if status, _ := post(t, taps.tapURL(), fmt.Sprintf("hello %d", i)); status != http.StatusOK {
			t.Errorf("request %d: status %d", i, status)
		}
	}
	work.awaitRows(80)
	taps.stop() // writes the last books
	work.eventually("the books are written", func() bool {
		var r struct {
			Report struct{ Books struct{ Published int } }
		}
		status, out, _ := work.command("report", "--format", "json")
		return status == exitOK && json.Unmarshal([]byte(out), &r) == nil && r.Report.Books.Published == 20
	})
	work.stop()

	// another configuration under the same name is refused, on the bus already
	other := start(t, t.TempDir(), strings.Replace(configuration, "timeout: 2s, share", "timeout: 3s, share", 1), "--roles", "tap")
	if status := <-other.done; status != exitError || !strings.Contains(other.log.String(), "began with another configuration") {
		t.Errorf("status %d: %s", status, other.log)
	}
}
