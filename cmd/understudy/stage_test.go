package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/sinks"
)

// stage is a running understudy process with fake providers around it.
type stage struct {
	t    *testing.T
	dir  string
	log  *lines
	end  context.CancelFunc
	done chan int
}

// fake starts a provider that ends with the test.
func fake(t *testing.T, script llmfake.Script) (url string, f *llmfake.Fake) {
	t.Helper()
	f = llmfake.New(script)
	url, err := f.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return url, f
}

// start writes a configuration into a folder and runs some roles of it.
func start(t *testing.T, dir, configuration string, args ...string) *stage {
	t.Helper()
	path := filepath.Join(dir, configFile)
	if err := os.WriteFile(path, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	s := &stage{t: t, dir: dir, log: &lines{}, end: end, done: make(chan int, 1)}
	go func() {
		s.done <- run(ctx, append([]string{"run", "--config", path}, args...), strings.NewReader(""), s.log, s.log)
	}()
	t.Cleanup(func() {
		end()
		if t.Failed() {
			t.Logf("log of the process:\n%s", s.log)
		}
	})
	return s
}

// tapURL waits for the tap and gives its base URL.
func (s *stage) tapURL() string {
	s.t.Helper()
	pattern := regexp.MustCompile(`msg="tap listens" address=(\S+)`)
	var address string
	s.eventually("the tap listens", func() bool {
		found := pattern.FindStringSubmatch(s.log.String())
		if found != nil {
			address = found[1]
		}
		return found != nil
	})
	return "http://" + address + "/v1"
}

// stop ends the process as an interrupt would, and wants status 0.
func (s *stage) stop() {
	s.t.Helper()
	s.end()
	if status := <-s.done; status != exitOK {
		s.t.Fatalf("run ended with status %d", status)
	}
}

// rows are the rows written so far, but for those of further verdicts: which answers
// are graded again is drawn by chance.
func (s *stage) rows() []sinks.Row {
	var all []sinks.Row
	for row, err := range sinks.Scan(os.DirFS(filepath.Join(s.dir, "rows"))) {
		if err != nil {
			return all // a file may vanish under its temporary name while it is listed
		}
		if row.Repeat == 0 {
			all = append(all, row)
		}
	}
	return all
}

// awaitRows waits until n rows are written.
func (s *stage) awaitRows(n int) []sinks.Row {
	s.t.Helper()
	var all []sinks.Row
	s.eventually(fmt.Sprintf("%d rows", n), func() bool {
		all = s.rows()
		return len(all) >= n
	})
	if len(all) != n {
		s.t.Fatalf("%d rows, want %d", len(all), n)
	}
	return all
}

// eventually polls, bounded only to end a test that hangs. A look that takes long is
// followed by a long pause, so that what is waited for can go on.
func (s *stage) eventually(what string, ok func() bool) {
	s.t.Helper()
	var looked time.Duration
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(max(20*time.Millisecond, 2*looked)) {
		began := time.Now()
		if ok() {
			return
		}
		looked = time.Since(began)
		select {
		case status := <-s.done:
			s.t.Fatalf("waiting for %s: the process ended with status %d", what, status)
		default:
		}
	}
	s.t.Fatalf("waited in vain for %s", what)
}

// command runs another command on the stage's configuration.
func (s *stage) command(args ...string) (status int, stdout, stderr string) {
	s.t.Helper()
	var out, errs bytes.Buffer
	status = run(s.t.Context(), append(args, "--config", filepath.Join(s.dir, configFile)), strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

// report reads the JSON report into a value.
func (s *stage) report(into any) {
	s.t.Helper()
	status, out, errs := s.command("report", "--format", "json")
	if status != exitOK {
		s.t.Fatalf("report: status %d: %s", status, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		s.t.Fatal(err)
	}
}

// lines is a log that several goroutines write.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
