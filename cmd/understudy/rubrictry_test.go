package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// Kept answers are graded with an edited rubric, once each, and what changed is said;
// nothing is written.
func TestRubricTry(t *testing.T) {
	t.Parallel()
	const mark = "Be lenient."
	live, _ := fake(t, liveScript)
	cand, _ := fake(t, candScript)
	judges, judge := fake(t, func(c llmfake.Call) llmfake.Answer {
		switch said := c.LastUser(); {
		case !strings.Contains(said, mark):
			return llmfake.Verdict(3, "incomplete", "by the rubric of the run")
		case strings.Contains(said, "cand: "):
			return llmfake.Verdict(1, "none", "by the edited one")
		case strings.Contains(said, "an unclear question"):
			return llmfake.Text("no verdict")
		}
		return llmfake.Verdict(3, "incomplete", "by the edited one")
	})
	configuration := strings.ReplaceAll(fmt.Sprintf(pipelineConfiguration, live, cand, judges, "dir: bus, sync: 10s"), "sinks: {dir: rows,", "sinks: {dir: rows, keep_text: 24h,")
	s := start(t, t.TempDir(), configuration)
	base := s.tapURL()
	for i := range 6 {
		post(t, base, fmt.Sprint("question ", i))
	}
	post(t, base, "an unclear question")
	s.awaitRows(4 * 7)
	s.stop()
	edited := filepath.Join(s.dir, "edited")
	if err := os.CopyFS(edited, os.DirFS("../../rubric/standard")); err != nil {
		t.Fatal(err)
	}
	prompt := filepath.Join(edited, "prompt.tmpl")
	text, err := os.ReadFile(prompt)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(prompt, []byte(mark+"\n"+string(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := judge.Calls()
	before := s.rows()
	status, out, errs := s.command("rubric", "try", edited, "--requests", "100")
	calls := judge.Calls() - asked
	var lines, better, without int
	for line := range strings.Lines(out) {
		lines++
		if strings.HasSuffix(strings.TrimSpace(line), " 2 better") {
			better++
		}
		if strings.Contains(line, "now not graded: malformed") {
			without++
		}
	}
	if status != exitOK || lines < 2 || calls != lines-1 || better == 0 || without == 0 || !strings.Contains(out, fmt.Sprintf("%d answers: ", lines-1)) ||
		!strings.Contains(out, fmt.Sprintf("%d better, 0 worse", better)) || !strings.Contains(out, "was 3.00,") {
		t.Errorf("status %d, %d calls, %s\n%s", status, calls, errs, out)
	}
	if after := s.rows(); len(after) != len(before) {
		t.Errorf("%d rows, were %d", len(after), len(before))
	}
	for _, c := range []struct {
		args, says string
		status     int
	}{
		{edited + " --requests 0", "--requests: want at least 1", exitUsage},
		{s.dir + "/none", "is no folder; want one with rubric.yaml", exitError},
		{"", "accepts 1 arg", exitUsage},
	} {
		status, out, errs := s.command(append([]string{"rubric", "try"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(out+errs, c.says) {
			t.Errorf("rubric try %s: status %d, %s%s", c.args, status, out, errs)
		}
	}
}
