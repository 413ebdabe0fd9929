//go:build linux

package duckdb_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A benchmark runs each side in a process of its own, so that its peak memory is its
// own: the test binary again, with the side and the data set's folder in the
// environment. It prints a run as JSON.
const (
	sideVariable = "UNDERSTUDY_SIDE"
	dirVariable  = "UNDERSTUDY_SIDE_DIR"
	threads      = 2
)

// side is what is measured: DuckDB asked for the listed figures, a report for a decision
// alone, DuckDB asked for what a report says, and the report.
type side string

const (
	duckDBListed side = "duckdb-listed"
	decision     side = "decision"
	duckDBWhole  side = "duckdb-whole"
	report       side = "report"
)

// run is one measured run of a side. CPU is user and system time of all threads,
// Peak the largest resident memory in bytes.
type run struct {
	Figures   figures
	Wall, CPU time.Duration
	Peak      int64
}

func TestMain(m *testing.M) {
	if s := side(os.Getenv(sideVariable)); s != "" {
		if err := measured(context.Background(), s, os.Getenv(dirVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// measured runs a side in this process and prints what it took.
func measured(ctx context.Context, s side, dir string) error {
	runtime.GOMAXPROCS(threads)
	of := map[side]func(context.Context, string) (figures, error){
		duckDBListed: byListed, decision: byDecision, duckDBWhole: byWhole, report: byReport,
	}[s]
	if of == nil {
		return fmt.Errorf("side %q is unknown", s)
	}
	debug.SetGCPercent(30) // as the commands do
	start := time.Now()
	f, err := of(ctx, dir)
	if err != nil {
		return err
	}
	r := run{Figures: f, Wall: time.Since(start)}
	if r.CPU, err = cpuTime(); err != nil {
		return err
	}
	if r.Peak, err = peak(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// peak reads VmHWM. The peak that getrusage tells is not it: a process starts with
// the one of the process that started it.
func peak() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		if kib, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(kib, "kB")), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no VmHWM in /proc/self/status")
}

// start runs a side in a process of its own.
func start(ctx context.Context, s side, dir string) (run, error) {
	self, err := os.Executable()
	if err != nil {
		return run{}, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), sideVariable+"="+string(s), dirVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var r run
	err = cmp.Or(err, json.Unmarshal(out, &r))
	if err != nil {
		return run{}, fmt.Errorf("run %s in a process of its own: %w", s, err)
	}
	return r, nil
}
