package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// Whatever is wrong behind the tap, by turns with nothing wrong, in one process: users get
// what the live service says, byte for byte. A candidate or judge that hangs and a disk
// without room are later stages' matter, and when the disk has room again nothing is lost.
func TestFaultsBehindTheTap(t *testing.T) {
	var fault atomic.Value
	fault.Store("none")
	hangs := func(name string, script llmfake.Script) llmfake.Script {
		return func(c llmfake.Call) llmfake.Answer {
			if fault.Load() == name {
				return llmfake.Answer{Then: llmfake.Hang}
			}
			return script(c)
		}
	}
	answer := func(said string) string {
		return fmt.Sprintf(`{"model":"live-2026-01-01", "choices":[{"index":0,"message":{"content":%q},"finish_reason":"stop"}]}`, "live: "+said)
	}
	live, _ := fake(t, func(c llmfake.Call) llmfake.Answer { return llmfake.Answer{Raw: []byte(answer(c.LastUser()))} })
	cand, _ := fake(t, hangs("candidate", candScript))
	judges, _ := fake(t, hangs("judge", judgeScript))
	dir := t.TempDir()
	fill, free, says := smallDisk(t, filepath.Join(dir, "rows"))
	configuration := strings.ReplaceAll(fmt.Sprintf(pipelineConfiguration, live, cand, judges, "dir: bus, sync: 10s"), "timeout: 2s", "timeout: 1100ms")
	s := start(t, dir, configuration)
	base, asked := s.tapURL(), 0
	turn := func(name string) {
		fault.Store(name)
		if name == "disk" {
			fill()
			defer free()
		}
		for i := range 8 {
			said := fmt.Sprint(name, " ", i)
			if status, got := post(t, base, said); status != 200 || got != answer(said) {
				t.Errorf("%s: status %d, the client got %q", said, status, got)
			}
			asked++
		}
		if name == "disk" {
			s.eventually("the sinks find no room", func() bool { return strings.Contains(s.log.String(), says) })
		}
	}
	turn("none")
	s.awaitRows(4 * asked) // the disk is filled under sinks that are there
	for _, name := range []string{"candidate", "none", "disk", "none"} {
		turn(name)
	}
	s.awaitRows(4 * asked)
	turn("judge")
	turn("none")
	s.stop()
	if b := s.books(); b.Seen != asked || b.Published != asked || !b.Balanced {
		t.Errorf("%d asked, books %+v", asked, b)
	}
}

// smallDisk makes a folder a small disk that can be filled and freed, and says what who
// writes there is told then. Where no disk can be mounted a file takes the folder's place.
func smallDisk(t *testing.T, dir string) (fill, free func(), says string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Logf("no small disk can be mounted (%v): a file stands for a full one", err)
		away := dir + ".away"
		return func() { must(errors.Join(os.Rename(dir, away), os.WriteFile(dir, nil, 0o600))) },
			func() { must(errors.Join(os.Remove(dir), os.Rename(away, dir))) }, syscall.ENOTDIR.Error()
	}
	t.Cleanup(func() { must(syscall.Unmount(dir, 0)) })
	filler := filepath.Join(dir, "filler")
	return func() {
		if err := os.WriteFile(filler, make([]byte, 4<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("the disk takes 4 MiB: %v", err)
		}
	}, func() { must(os.Remove(filler)) }, syscall.ENOSPC.Error()
}
