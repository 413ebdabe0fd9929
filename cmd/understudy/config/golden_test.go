package config_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func parseFile(t *testing.T, path string) (*config.Config, error) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return config.Parse(filepath.Base(path), data)
}

// TestExample: the complete surface is known; only what is not built is refused.
func TestExample(t *testing.T) {
	_, err := parseFile(t, "testdata/example.yaml")
	if err == nil {
		t.Fatal("everything is accepted")
	}
	for line := range strings.Lines(err.Error()) {
		if !strings.Contains(line, ": not supported yet") {
			t.Errorf("more than not supported yet: %s", line)
		}
	}
	golden(t, "testdata/example.golden", err.Error()+"\n")
}

// TestBad: each file is wrong on purpose, and its golden is what a user reads. No
// message may show a key (all of them contain CANARY).
func TestBad(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c, err := parseFile(t, path)
			if err == nil || c != nil {
				t.Fatalf("accepted: %+v", c)
			}
			if strings.Contains(err.Error(), "CANARY") {
				t.Errorf("a key is shown: %v", err)
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", err.Error()+"\n")
		})
	}
}

// TestStarter: what init writes is right as it is, names every key it has on
// purpose, and stays short.
func TestStarter(t *testing.T) {
	text := config.Starter()
	golden(t, "testdata/starter.golden", string(text))
	c, err := config.Parse("dir/understudy.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 32 {
		t.Errorf("%d lines are no short file", lines)
	}
	if want := filepath.Join("dir", config.StarterRubric); c.Judge.Rubric != want {
		t.Errorf("rubric %q, want %q", c.Judge.Rubric, want)
	}
	text[0] = 'x'
	if config.Starter()[0] == 'x' {
		t.Error("a caller can change the starter for others")
	}
}
