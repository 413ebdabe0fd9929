package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/reports"
)

// The demo comes to the founding case's end from answers and verdicts on the wire:
// better by about four standard errors, and no-go for its tail. Every other command
// can be tried on what it keeps. Latencies are not asserted: the machine may be busy.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the demo takes about a minute")
	}
	dir := filepath.Join(t.TempDir(), "kept")
	var out, progress bytes.Buffer
	if status := run(t.Context(), []string{"demo", "--keep", dir}, strings.NewReader(""), &out, &progress); status != exitOK {
		t.Fatalf("status %d:\n%s", status, progress.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, filepath.Join(dir, "report.md")) || !strings.Contains(last, "understudy gate") {
		t.Errorf("the last line says neither where the report is nor what to try next: %s", last)
	}
	for _, line := range []string{"6000 requests are sent", "requests answered, 0 failed"} {
		if !strings.Contains(progress.String(), line) {
			t.Errorf("progress lacks %q:\n%s", line, progress.String())
		}
	}
	s := &stage{t: t, dir: dir}
	var r struct {
		Report    reports.Report
		Decisions []reports.Decision
	}
	s.report(&r)
	checkFoundingCase(t, r.Report, r.Decisions)
	if status, text, errs := s.command("gate"); status != exitNoGo || !strings.Contains(text, "next: no-go: better by 0.31 grades (4.0 SE)") {
		t.Errorf("gate: status %d\n%s%s", status, text, errs)
	}
	if status, text, errs := s.command("plan", "--from-rows", "--pairs-per-day", "30"); status != exitOK || !strings.Contains(text, "measured on 600 pairs") {
		t.Errorf("plan: status %d\n%s%s", status, text, errs)
	}
	if status, _, errs := s.command("plan", "--from-rows"); status != exitUsage || !strings.Contains(errs, "less than a day apart") {
		t.Errorf("a plan without a rate: status %d\n%s", status, errs)
	}
	if status, text, _ := s.command("check"); status != exitOK || !strings.Contains(text, "ok: nothing was called") {
		t.Errorf("check: status %d\n%s", status, text)
	}
	if status := run(t.Context(), []string{"demo", "--keep", dir}, strings.NewReader(""), &out, &progress); status != exitUsage {
		t.Errorf("a folder that is not empty: status %d", status)
	}
}

func checkFoundingCase(t *testing.T, r reports.Report, decisions []reports.Decision) {
	if !r.Books.Balanced || r.Books.Seen != 6000 || r.Books.Sampled != 600 {
		t.Errorf("books: %+v", r.Books)
	}
	want := map[string]float64{"live": 2.68, "next": 2.37, "control": 2.68}
	for _, a := range r.Arms {
		if a.Mean.Value == nil || math.Abs(*a.Mean.Value-want[string(a.Name)]) > 0.05 {
			t.Errorf("arm %s: mean %v, want %.2f ± 0.05", a.Name, a.Mean.Value, want[string(a.Name)])
		}
	}
	for _, c := range r.Comparisons {
		in := c.Quality.Delta.InSE
		if in == nil || !c.Control && (*in < -4.5 || *in > -3.5) || c.Control && math.Abs(*in) > 2 {
			t.Errorf("arm %s: delta in SE %v", c.Arm, in)
		}
	}
	if len(decisions) != 1 || decisions[0].Outcome != reports.NoGo || decisions[0].Reasons[0] != "tail_over_3s" {
		data, _ := json.Marshal(decisions)
		t.Errorf("decisions: %s", data)
	}
}

// Nothing of the user's is overwritten, and nothing temporary is left.
func TestDemoFolderMustBeNew(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := demoFolder(dir); err == nil {
		t.Error("a folder with a file in it was taken")
	}
	kept, cleanup, err := demoFolder("")
	if err != nil {
		t.Fatal(err)
	}
	if err := cleanup(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept); !os.IsNotExist(err) {
		t.Errorf("the temporary folder is still there: %v", err)
	}
}
