package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// startProcess is start in a process of its own, which kill ends at once.
func startProcess(t *testing.T, dir, configuration string) (s *stage, kill func()) {
	t.Helper()
	path := filepath.Join(dir, configFile)
	if err := os.WriteFile(path, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	s = &stage{t: t, dir: dir, log: &lines{}, done: make(chan int, 1)}
	cmd := exec.Command("understudy", "run", "--config", path)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
		s.done <- cmd.ProcessState.ExitCode()
	}()
	kill = func() {
		_ = cmd.Process.Kill()
		<-ended
	}
	t.Cleanup(func() {
		kill()
		if t.Failed() {
			t.Logf("log of the process:\n%s", s.log)
		}
	})
	return s, kill
}

// A process that is killed in the middle of its work loses nothing that its tap has
// booked: the next one on the same folder works it off, and counts nothing twice.
func TestKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	live, _ := fake(t, liveScript)
	cand, asked := fake(t, func(c llmfake.Call) llmfake.Answer {
		a := candScript(c)
		a.Took = 700 * time.Millisecond
		return a
	})
	judges, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		a := judgeScript(c)
		a.Took = 20 * time.Millisecond
		return a
	})
	dir := t.TempDir()
	server, err := embedded.Start(embedded.Options{Dir: filepath.Join(dir, "bus"), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	impatient(t, server.URL())
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	configuration := fmt.Sprintf(pipelineConfiguration, live, cand, judges, "dir: bus, sync: 10s")
	sent := 0
	for round := range 3 {
		s, kill := startProcess(t, dir, configuration)
		base := s.tapURL()
		for i := range 20 {
			if status, _ := post(t, base, fmt.Sprintf("hello %d of round %d", i, round)); status != http.StatusOK {
				t.Errorf("request %d: status %d", i, status)
			}
		}
		sent += 20
		if round < 2 {
			s.eventually("the tap's books are written", func() bool { return s.booked() == sent })
			kill()
			continue
		}
		r := s.awaitBooks(sent)
		if b := r.Report.Books; b.Published != sent || b.Dropped.sum() != 0 || b.Dead.sum() != 0 {
			t.Errorf("books %+v, want %d published", b, sent)
		}
		if rows := r.Report.Rows; rows.Used != 4*sent || rows.Conflicts != 0 {
			t.Errorf("rows %+v, want %d used", rows, 4*sent)
		}
	}
	t.Logf("the candidates were asked %d times for %d samples", asked.Calls(), sent)
}
