package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// A running process takes over rate and share from its changed file, keeps the old
// ones where the change is faulty or needs a restart, and goes on serving.
func TestFollowsTheFile(t *testing.T) {
	t.Parallel()
	live, _ := fake(t, func(llmfake.Call) llmfake.Answer { return llmfake.Text("Gern.") })
	text := `models:
  c: {provider: openai, base_url: ` + live + `/v1, model: c}
  j: {provider: openai, base_url: ` + live + `/v1, model: j-2026-01-02, digest: "sha256:0123456789abcdef"}
tap: {upstream: "` + live + `", listen: "127.0.0.1:0", rate: 100%}
candidates: {a: {model: c, share: 100%}}
judge: {primary: j}
`
	s := start(t, t.TempDir(), text)
	base := s.tapURL()
	write := func(old, new string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.dir, configFile), []byte(strings.Replace(text, old, new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ old, new, says string }{
		{"rate: 100%", "rate: 25%", "configuration in force\" rate=0.25"},
		{"share: 100%", "share: 50%", "shares=map[a:0.5]"},
		{"rate: 100%", "rate: 300%", "300%"},
		{"rate: 100%}", "rate: 50%, max_body: 2MiB}", "tap.max_body: changed while the process runs; it needs a restart"},
	} {
		write(c.old, c.new)
		s.eventually(c.says, func() bool { return strings.Contains(s.log.String(), c.says) })
		send(t, base+"/chat/completions", "s-1", `{"model":"m","messages":[{"role":"user","content":"x"}]}`)
	}
	write("", "")
	s.eventually("back", func() bool { return strings.Count(s.log.String(), "rate=1 ") > 1 })
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.eventually("SIGHUP", func() bool { return strings.Count(s.log.String(), "configuration in force\" rate=1 ") > 1 })
	s.stop()
	if n := strings.Count(s.log.String(), "the one before stays in force"); n != 2 {
		t.Errorf("%d refusals in the log, want 2, one for each change", n)
	}
}
