package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/sinks"
)

// TestImageIsNotForTerminals: an image would only garble it.
func TestImageIsNotForTerminals(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0) // one that nobody sees
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	defer terminal.Close()
	var stderr bytes.Buffer
	args := []string{"report", "--format", "png"}
	if status := run(context.Background(), args, nil, terminal, &stderr); status != exitUsage || !strings.Contains(stderr.String(), "name a file with --out") {
		t.Errorf("status %d, %s", status, &stderr)
	}
}

// TestMending: a file that is damaged or gone is said with what can be done; one of a
// newer version says it itself.
func TestMending(t *testing.T) {
	for _, err := range []error{fmt.Errorf("read a: %w", sinks.ErrDamaged), fmt.Errorf("rows: %w", &sinks.MissingError{})} {
		if got := mending(err); !strings.Contains(got, "put the file back from a copy") {
			t.Errorf("%v%s", err, got)
		}
	}
	if got := mending(sinks.ErrVersion); got != "" {
		t.Error(got)
	}
}

func TestVersion(t *testing.T) {
	built := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "5f1c0d3a"}
	for _, c := range []struct {
		name, want string
		info       *debug.BuildInfo
	}{
		{"installed as a module", "v1.2.3", built("v1.2.3")},
		{"built in a checkout", "5f1c0d3a", built("(devel)", revision)},
		{"built in a checkout with changes", "5f1c0d3a, modified", built("", revision, debug.BuildSetting{Key: "vcs.modified", Value: "true"})},
		{"neither", "unknown (built without its revision, as by go run)", built("(devel)")},
	} {
		if got := version(c.info, true); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := version(nil, false); got != "unknown" {
		t.Errorf("no information: %q", got)
	}
}
