package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/sinks"
)

// onStage writes a configuration for commands, without a process that runs.
func onStage(t *testing.T, configuration string) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir(), log: &lines{}}
	if err := os.WriteFile(filepath.Join(s.dir, configFile), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// replay runs a replay and gives what it prints.
func (s *stage) replay(args ...string) string {
	s.t.Helper()
	status, out, errs := s.command(append([]string{"replay"}, args...)...)
	if status != exitOK {
		s.t.Fatalf("replay: status %d: %s%s", status, out, errs)
	}
	return strings.Join(strings.Fields(out), " ")
}

type bookkeeping struct {
	Balanced                 bool
	Seen, Sampled, Published int
}

func (s *stage) books() bookkeeping {
	s.t.Helper()
	var r struct{ Report struct{ Books bookkeeping } }
	s.report(&r)
	return r.Report.Books
}

func documentLines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, strings.Replace(recordedChat, `"took_ms"`, `"seen":"2026-11-0%[3]dT12:00:00Z","took_ms"`, 1)+"\n", i, i%7, 1+i%9)
	}
	return b.String()
}

// Recorded documents become rows with their own times; a second replay, and one of a
// longer file, count nothing twice; what cannot be used is said with its line.
func TestReplayOfDocuments(t *testing.T) {
	t.Parallel()
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	s := onStage(t, fmt.Sprintf(pipelineConfiguration, cand, cand, judges, "dir: bus, sync: 10s"))
	bad := "not JSON\n{\"endpoint\":\"/v1/chat/completions\",\"request\":{\"messages\":[]},\"failure\":\"timeout\"}\n{\"endpoint\":\"/v1/embeddings\",\"request\":{},\"response\":{}}\n"
	path := s.file("traffic.jsonl", bad+documentLines(0, 20))
	out := s.replay(path)
	for _, want := range []string{
		"traffic.jsonl: 23 requests", "published 20", "dropped (malformed) 2", "not sampled (unsupported_endpoint) 1",
		"traffic.jsonl:1: is no JSON, at byte 0", "traffic.jsonl:2: no conversation",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	rows := s.rows()
	if len(rows) != 80 {
		t.Fatalf("%d rows, want 80", len(rows))
	}
	for _, r := range rows {
		if r.Arm == shadow.Live && (*r.Took != 900*time.Millisecond || r.Seen.Month() != time.November || r.JudgeState != "graded" || !slices.Equal(r.Tags, []string{"vantage=recorded"})) {
			t.Errorf("live row %+v", r)
		}
	}
	want := bookkeeping{true, 23, 22, 20}
	if got := s.books(); got != want {
		t.Errorf("books %+v, want %+v", got, want)
	}
	if out := s.replay(path); !strings.Contains(out, "replayed before 23") || strings.Contains(out, "published") {
		t.Errorf("again: %s", out)
	}
	if got := s.books(); got != want {
		t.Errorf("books after a second replay %+v, want %+v", got, want)
	}
	if out := s.replay(s.file("longer.jsonl", documentLines(10, 25))); !strings.Contains(out, "published 5 replayed before 10") {
		t.Errorf("longer: %s", out)
	}
	if got, want := s.books(), (bookkeeping{true, 28, 27, 25}); got != want || len(s.rows()) != 100 {
		t.Errorf("books %+v, want %+v; %d rows", got, want, len(s.rows()))
	}
}

// A batch's requests are joined with its answers. Nobody measured them: no time is made up.
func TestReplayOfABatch(t *testing.T) {
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	s := onStage(t, fmt.Sprintf(pipelineConfiguration, cand, cand, judges, "dir: bus, sync: 10s"))
	request := func(id string) string {
		return `{"custom_id":"` + id + `","method":"POST","url":"/v1/chat/completions","body":{"model":"live","messages":[{"role":"user","content":"hello"}]}}` + "\n"
	}
	requests := s.file("requests.jsonl", request("a")+request("b")+request("c")+request("d")+`{"custom_id":"e"}`+"\n")
	answers := s.file("output.jsonl", `{"id":"1","custom_id":"b","response":null,"error":{"code":"batch_expired","message":"x"}}
{"id":"2","custom_id":"a","response":{"status_code":200,"body":{"created":1793500000,"model":"live-2026-01-01","choices":[{"message":{"content":"Good day."},"finish_reason":"stop"}]}},"error":null}
{"id":"3","custom_id":"c","response":{"status_code":429,"body":{"error":{"code":"rate_limit_exceeded"}}},"error":null}
`)
	out := s.replay(requests, "--answers", answers)
	for _, want := range []string{"5 requests", "published 3", "dropped (incomplete_response) 1", "dropped (malformed) 1", "requests.jsonl:4: the output file has no answer to it", "requests.jsonl:5: no line of a batch's requests"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	got := map[string]int{}
	for _, r := range s.rows() {
		if r.Arm != shadow.Live {
			continue
		}
		if r.Took != nil {
			t.Errorf("a time of %v", *r.Took)
		}
		got[strings.TrimSpace(string(r.State)+" "+r.Reason)]++
		if r.State == sinks.Answered && r.Seen.Unix() != 1793500000 {
			t.Errorf("seen %v", r.Seen)
		}
	}
	if diff := cmp.Diff(map[string]int{"answered": 1, "failed timeout": 1, "failed rate_limited": 1}, got); diff != "" {
		t.Error(diff)
	}
	var r struct {
		Report struct {
			Arms []struct {
				Latency struct{ Calls int }
			}
		}
	}
	if s.report(&r); len(r.Report.Arms) != 4 || r.Report.Arms[0].Latency.Calls != 2 || r.Report.Arms[1].Latency.Calls != 3 {
		t.Errorf("timed calls %+v, want live's two failures and three of cand", r.Report.Arms)
	}
}

// Rows with texts are replayed into another experiment, over an external bus too.
func TestReplayOfRows(t *testing.T) {
	t.Parallel()
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Sync: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	first := onStage(t, fmt.Sprintf(pipelineConfiguration, cand, cand, judges, "dir: bus, sync: 10s"))
	first.replay(first.file("traffic.jsonl", documentLines(0, 12)))

	configuration := strings.Replace(fmt.Sprintf(pipelineConfiguration, cand, cand, judges, "url: "+server.URL()), "name: pipeline", "name: second", 1)
	second := start(t, t.TempDir(), configuration, "--roles", "candidates,judge,sinks")
	if out := second.replay(filepath.Join(first.dir, "rows")); !strings.Contains(out, "12 requests published 12") {
		t.Errorf("replay: %s", out)
	}
	live := func(rows []sinks.Row) map[shadow.SampleID]string {
		all := map[shadow.SampleID]string{}
		for _, r := range rows {
			if r.Arm == shadow.Live {
				all[r.Sample] = fmt.Sprint(r.Seen, r.Session, r.Route, *r.Took, r.Model, r.Finish, *r.AnswerChars, r.Rate, r.Dialect, r.Tags)
			}
		}
		return all
	}
	if diff := cmp.Diff(live(first.rows()), live(second.awaitRows(48))); diff != "" {
		t.Errorf("live rows before and after (-before +after):\n%s", diff)
	}
	second.stop()
	if status, _, errs := first.command("replay", filepath.Join(first.dir, "rows")); status != exitError || !strings.Contains(errs, "own sinks.dir") {
		t.Errorf("own rows: status %d, %s", status, errs)
	}
}

// A replay that was cut off between its journal and its books books on; what it did not
// write down it does again under the same numbers.
func TestReplayGoesOn(t *testing.T) {
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	s := onStage(t, fmt.Sprintf(pipelineConfiguration, cand, cand, judges, "dir: bus, sync: 10s"))
	path := s.file("traffic.jsonl", documentLines(0, 30))
	func() {
		cfg, err := config.Load(filepath.Join(s.dir, configFile))
		if err != nil {
			t.Fatal(err)
		}
		set, err := newSetup(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p, stop, err := newProcess(t.Context(), set, newLog(s.log))
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		f, err := openFeed(t.Context(), p, 1)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for r, err := range readDocuments(path) {
			if n++; n > 10 || err != nil {
				break
			}
			if err := f.one(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		} // ten samples are on the bus, and nobody wrote that down
	}()
	if out := s.replay(path); !strings.Contains(out, "published 30") {
		t.Errorf("replay: %s", out)
	}
	if got, want := s.books(), (bookkeeping{true, 30, 30, 30}); got != want || len(s.rows()) != 120 {
		t.Errorf("books %+v, want %+v; %d rows", got, want, len(s.rows()))
	}
}
