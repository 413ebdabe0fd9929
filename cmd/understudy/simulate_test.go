package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/policy"
)

const simulatedConfiguration = `
experiment: {name: simulated}
models:
  live: {provider: openai, base_url: %[1]s/v1, model: live-2026-01-01}
  cand: {provider: openai, base_url: %[2]s/v1, model: cand-2026-02-14}
  judge: {provider: openai, base_url: %[3]s/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
policies:
  race: {race: {primary: cand, reserve: live, reserve_may_win_after: 500ms}}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, sample_by: request}
bus: {dir: bus, sync: 10s}
candidates:
  cand: {model: cand}
  race: {model: race}
  again: {model: live, control: true}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
report: {limits: [400ms, 5s]}
sinks: {dir: rows, flush: {every: 200ms}}
`

// What a simulation says of a race, from the arms that it joins, is what the race itself
// did as an arm, with the same providers: whose answers went out, and how good they were.
func TestSimulatedAsRun(t *testing.T) {
	t.Parallel()
	// Far from the race's limit on both sides, and no two alike: a busy machine decides nothing.
	slow := func(said string) bool {
		return strings.HasSuffix(said, "0") || strings.HasSuffix(said, "5") || strings.HasSuffix(said, "7")
	}
	live, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		return llmfake.Text("live says " + c.LastUser() + " in a sentence of its own.")
	})
	cand, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		a := llmfake.Text("cand says " + c.LastUser() + " in a sentence of its own.")
		if slow(c.LastUser()) {
			a.Took = 4 * time.Second
		}
		return a
	})
	judges, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		if strings.Contains(c.LastUser(), "cand says") {
			return llmfake.Verdict(1, "none", "better")
		}
		return llmfake.Verdict(3, "incomplete", "worse")
	})
	s := start(t, t.TempDir(), fmt.Sprintf(simulatedConfiguration, live, cand, judges))
	base := s.tapURL()
	const n = 60
	for i := range n {
		post(t, base, fmt.Sprint("question ", i))
	}
	rows := s.awaitRows(4 * n)
	s.stop()
	var byLive, grades float64
	for _, r := range rows {
		if r.Arm == "race" {
			grades += float64(*r.Grade)
			if r.Model == "live-2026-01-01" {
				byLive++
			}
		}
	}
	status, out, errs := s.command("simulate", "--policy", "race", "--format", "json")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, errs)
	}
	var sim reports.Simulation
	if err := json.Unmarshal([]byte(out), &sim); err != nil {
		t.Fatal(err)
	}
	p := sim.Plays[len(sim.Plays)-1]
	within := func(what string, f reports.Figure, measured float64) {
		t.Helper()
		if f.Interval == nil || measured < *f.Interval.Lower || measured > *f.Interval.Upper {
			t.Errorf("%s: measured %v, simulated %v in %+v", what, measured, *f.Value, f.Interval)
		}
	}
	if sim.Samples != n || p.Served[1].Arm != shadow.Live || byLive == 0 || byLive == n {
		t.Fatalf("%d samples, %v of the race's answers are live's, simulated %+v", sim.Samples, byLive, p.Served)
	}
	within("answers of live", p.Served[1].Share, byLive/n)
	within("mean grade", p.Grade, grades/n)
	within("false failovers", p.False, byLive/n)

	path := filepath.Join(s.dir, "policies.yaml")
	if err := os.WriteFile(path, []byte("policies:\n  over-arms: {race: {primary: cand, reserve: live, reserve_may_win_after: 500ms}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func(name, text string) string {
		path := filepath.Join(s.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty, twice := file("empty.yaml", "\n"), file("twice.yaml", "policies: {self: {race: {primary: live, reserve: live}}}\n")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"--policy " + path, exitOK, "over-arms"},
		{"--policy " + path + " --sweep reserve_may_win_after=0.5s..5s --format markdown", exitOK, "reserve_may_win_after 5s"},
		{"--policy race --compare sequential,delayed,parallel --then 0.004", exitOK, "with 0.004 for what follows each answer"},
		{"--policy race --sweep timeout=1s..2s", exitUsage, "has no such time"},
		{"--policy race --sweep timeout=2s", exitUsage, "want KEY=FROM..TO"},
		{"--policy race --compare sideways", exitUsage, "want sequential, delayed or parallel"},
		{"--policy race," + path + " --sweep budget=1s..2s", exitUsage, "varies one policy, and there are 2"},
		{"--policy race --compare parallel,parallel", exitUsage, "parallel is there twice"},
		{"--policy race --then nan", exitUsage, "want a price in USD"},
		{"--policy race --then inf", exitUsage, "want a price in USD"},
		{"--policy race --compare=", exitUsage, "leave the flag out"},
		{"--policy race --sweep budget=5s..1s", exitUsage, "FROM below TO"},
		{"--policy " + empty, exitError, "policies: there is none"},
		{"--policy " + twice, exitError, "policies.self: both sides of the race are the arm live"},
		{"--policy nothing", exitUsage, "no policy of the configuration and no file has this name"},
		{"", exitUsage, "--policy: name a policy"},
		{"--policy race --from 2031-01-01", exitError, "the window has no row"},
	} {
		status, out, errs := s.command(append([]string{"simulate"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(out+errs, c.says) {
			t.Errorf("simulate %s: status %d, want %d and %q:\n%s%s", c.args, status, c.status, c.says, out, errs)
		}
	}
	if status, out, errs := s.command("simulate", "--policy", "race", "--format", "png"); status != exitOK || !strings.HasPrefix(out, "\x89PNG") {
		t.Errorf("png: status %d, %s", status, errs)
	}
}

// A policy on paper has the times of the one that is configured, and what cannot be
// computed from rows is refused.
func TestDesignOfPolicy(t *testing.T) {
	cfg, err := config.Parse("x.yaml", []byte(`
models:
  a: {provider: openai, base_url: "http://127.0.0.1:9/v1", model: a}
  b: {provider: openai, base_url: "http://127.0.0.1:9/v1", model: b}
  judge: {provider: openai, model: gpt-5.6-terra-2026-08-20, key: env:K}
policies:
  turns: {round_robin: [a, b], weights: [3, 1], timeout: 4s, budget: 9s}
  at-once: {race: {primary: a, reserve: turns, reserve_may_win_after: 0s, attempts: 2}}
  choice: {route: [{when: {tools: true}, to: a}], default: b}
tap: {upstream: "http://127.0.0.1:1"}
candidates: {a: {model: a}, same: {model: b, control: true}}
judge: {primary: judge}
`))
	if err != nil {
		t.Fatal(err)
	}
	designs, err := designsOf(cfg, reports.Experiment{}, "at-once")
	if err != nil {
		t.Fatal(err)
	}
	d := designs[0]
	turns := d.Stages[1]
	if d.Kind != policy.KindRace || d.MayWinAfter != 1 || d.Attempts != 2 || d.Budget != 20*time.Second || d.Stages[0].Name != "a" ||
		turns.Kind != policy.KindRobin || turns.Timeout != 4*time.Second || turns.Budget != 9*time.Second || turns.Weights[0] != 3 || turns.Stages[1].Name != "live" {
		t.Errorf("%+v", d)
	}
	player := policy.NewPlayer(d)
	if c := player.Play(false, func(string) policy.Outcome { return policy.Outcome{Took: time.Second} }); c.Served == "" || c.Took != time.Second {
		t.Errorf("%+v", c)
	}
	if _, err := designsOf(cfg, reports.Experiment{}, "choice"); err == nil || !strings.Contains(err.Error(), "a route looks at what rows do not keep") {
		t.Errorf("%v", err)
	}
	cfg.Candidates = cfg.Candidates[:1]
	if _, err := designsOf(cfg, reports.Experiment{}, "at-once"); err == nil || !strings.Contains(err.Error(), "no arm measures the model b") {
		t.Errorf("%v", err)
	}
}
