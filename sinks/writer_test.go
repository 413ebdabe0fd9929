package sinks_test

import (
	"context"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

func collect[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var all []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func rowsOf(gs []judge.Graded) []sinks.Row {
	var all []sinks.Row
	for _, g := range gs {
		all = append(all, sinks.Rows(g)...)
	}
	return all
}

func openIn(t *testing.T, dir string, o sinks.Options) *sinks.Writer {
	t.Helper()
	w, err := sinks.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func write(t *testing.T, dir string, gs []judge.Graded) {
	t.Helper()
	if err := openIn(t, dir, sinks.Options{}).Write(context.Background(), gs); err != nil {
		t.Fatal(err)
	}
}

func filesIn(t *testing.T, dir, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	gs := many(600)
	write(t, dir, gs)
	if diff := cmp.Diff(rowsOf(gs), collect(t, sinks.Scan(os.DirFS(dir)))); diff != "" {
		t.Error(diff)
	}
	if err := sinks.Verify(os.DirFS(dir)); err != nil {
		t.Error(err)
	}
}

func TestFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "rows")
	gs := many(2)
	late := time.FixedZone("late", 5*3600)
	gs[1].Trial.Sample.Seen = time.Date(2026, 10, 7, 3, 0, 0, 0, late) // still the 6th in UTC
	write(t, dir, gs)
	var days []string
	for _, name := range filesIn(t, dir, "rows/*/*.parquet") {
		days = append(days, filepath.Base(filepath.Dir(name)))
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, want that nobody else reads it", info.Mode())
		}
	}
	if diff := cmp.Diff([]string{"date=2026-10-05", "date=2026-10-06"}, days); diff != "" {
		t.Errorf("one file a day, by UTC\n%s", diff)
	}
}

func TestWriteTwice(t *testing.T) {
	dir := t.TempDir()
	w := openIn(t, dir, sinks.Options{KeepText: true})
	for range 2 {
		if err := w.Write(context.Background(), many(20)); err != nil {
			t.Fatal(err)
		}
	}
	first := tree(t, dir)
	if len(first) != 3 { // rows, books, texts
		t.Errorf("files %v", first)
	}
	write(t, dir, many(20)) // another process
	if diff := cmp.Diff(first, tree(t, dir)); diff != "" {
		t.Errorf("the same batch gives the same files\n%s", diff)
	}
}

func TestWriteNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, nil)
	if names := tree(t, dir); len(names) != 0 {
		t.Errorf("files %v", names)
	}
	if n := len(collect(t, sinks.Scan(os.DirFS(dir)))); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// The first row written is the first row read, though its sample came later.
func TestOrderOfWriting(t *testing.T) {
	dir := t.TempDir()
	w := openIn(t, dir, sinks.Options{})
	var want []sinks.Row
	for _, i := range []int{5, 1, 3, 2} {
		gs := many(6)[i : i+1]
		if err := w.Write(context.Background(), gs); err != nil {
			t.Fatal(err)
		}
		want = append(want, rowsOf(gs)...)
	}
	if diff := cmp.Diff(want, collect(t, sinks.Scan(os.DirFS(dir)))); diff != "" {
		t.Error(diff)
	}
}

func TestWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	w := openIn(t, dir, sinks.Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := w.Write(context.Background(), many(8 * 5)[i*5:i*5+5]); err != nil {
				t.Error(err)
			}
			if err := w.WriteBooks(context.Background(), someBooks()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(collect(t, sinks.Scan(os.DirFS(dir)))); n != 8*5*4 {
		t.Errorf("%d rows", n)
	}
	if err := sinks.Verify(os.DirFS(dir)); err != nil {
		t.Error(err)
	}
}

// Values that a file must give back exactly, or in the documented form.
func TestOddValues(t *testing.T) {
	odd := "before\x00after \x01\x08\x0b\x1f end \u202e日本 \U0001f600"
	for _, c := range []struct {
		name, why string
		change    func(*judge.Graded)
		wantArm   shadow.Arm
		wantRoute string
	}{
		{"nul", "control characters stay", func(g *judge.Graded) { g.Trial.Sample.Route = odd }, "terra", odd},
		{"no utf-8", "a string column holds UTF-8", func(g *judge.Graded) { g.Trial.Sample.Route = "a\xff\xfeb" }, "terra", "a\ufffdb"},
		{"arm of odd letters", "names are never changed", func(g *judge.Graded) { g.Trial.Candidates[0].Arm = shadow.Arm(odd) }, shadow.Arm(odd), "/v1/chat/completions"},
		{"long", "a route of a megabyte", func(g *judge.Graded) { g.Trial.Sample.Route = strings.Repeat("r", 1<<20) }, "terra", strings.Repeat("r", 1<<20)},
		{"no rate", "NaN comes back", func(g *judge.Graded) { g.Trial.Sample.Rate = math.NaN() }, "terra", "/v1/chat/completions"},
		{"huge times", "more microseconds than a double holds", func(g *judge.Graded) { g.Trial.Sample.Live.Took = math.MaxInt64 }, "terra", "/v1/chat/completions"},
		{"year 1", "no arrival time", func(g *judge.Graded) { g.Trial.Sample.Seen = time.Time{} }, "terra", "/v1/chat/completions"},
		{"before 1970", "negative microseconds", func(g *judge.Graded) {
			g.Trial.Sample.Seen = time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
		}, "terra", "/v1/chat/completions"},
		{"status out of range", "clamped, not wrapped", func(g *judge.Graded) { g.Trial.Sample.Live.Status = math.MaxInt64 }, "terra", "/v1/chat/completions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			g := graded(1, monday)
			c.change(&g)
			write(t, dir, []judge.Graded{g})
			got := collect(t, sinks.Scan(os.DirFS(dir)))
			if diff := cmp.Diff(sinks.Rows(g), got, cmpopts.EquateNaNs()); diff != "" {
				t.Fatalf("%s\n%s", c.why, diff)
			}
			if got[1].Arm != c.wantArm || got[1].Route != c.wantRoute {
				t.Errorf("%s: arm %q, route of %d bytes", c.why, got[1].Arm, len(got[1].Route))
			}
		})
	}
}
