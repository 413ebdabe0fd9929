package sinks_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

func someBooks() []shadow.Books {
	from := time.Date(2026, 10, 5, 23, 59, 0, 0, time.UTC)
	return []shadow.Books{
		{Experiment: "terra", Source: "tap-1", Number: 1, From: from, To: from.Add(30 * time.Second), Lines: []shadow.Line{
			{Day: "2026-10-05", Endpoint: "/v1/chat/completions", Entry: shadow.Seen, Count: 100},
			{Day: "2026-10-05", Endpoint: "/v1/chat/completions", Entry: shadow.EntryNotSampled, Reason: "rate", Count: 99},
			{Day: "2026-10-05", Endpoint: "", Entry: shadow.EntryDead, Reason: "judge: \x00 odd", Count: 0},
		}},
		{Experiment: "terra", Source: "tap-1", Number: 2, From: from.Add(30 * time.Second), To: from.Add(40 * time.Second)},
		{Experiment: "terra", Source: "tap-2", Number: 1<<64 - 1, From: from.Add(30 * time.Second), To: from.Add(2 * time.Minute), Lines: []shadow.Line{
			{Day: "2026-10-06", Endpoint: "other", Entry: shadow.Seen, Count: -1},
		}},
		{Source: "tap-3", Number: 7},
	}
}

func TestBooksRoundTrip(t *testing.T) {
	dir := t.TempDir()
	w := openIn(t, dir, sinks.Options{})
	if err := w.WriteBooks(context.Background(), someBooks()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(context.Background(), many(1)); err != nil {
		t.Fatal(err) // books a file between the entries
	}
	bs := someBooks()
	want := []shadow.Books{bs[3], bs[0], bs[1], bs[2]} // by day; no time at all comes first
	if diff := cmp.Diff(want, collect(t, sinks.ScanBooks(os.DirFS(dir)))); diff != "" {
		t.Error(diff)
	}
	if err := w.WriteBooks(context.Background(), bs); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, sinks.ScanBooks(os.DirFS(dir))); len(got) != len(want) {
		t.Errorf("%d entries after the same delivery again, want %d", len(got), len(want))
	}
}

func TestScanBooksWithoutFolder(t *testing.T) {
	fsys := os.DirFS(t.TempDir())
	if n := len(collect(t, sinks.ScanBooks(fsys))) + len(collect(t, sinks.ScanTexts(fsys))) + len(collect(t, sinks.ScanFiles(fsys))); n != 0 {
		t.Errorf("%d entries in an empty folder", n)
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	first, second := many(10), many(25)[10:]
	for i := range second {
		second[i].Trial.Sample.Seen = second[i].Trial.Sample.Seen.AddDate(0, 0, 1)
	}
	write(t, dir, first)
	write(t, dir, second)
	fsys := os.DirFS(dir)
	if diff := cmp.Diff([]int64{40, 60}, fileRows(t, dir)); diff != "" {
		t.Errorf("booked rows\n%s", diff)
	}
	if err := sinks.Verify(fsys); err != nil {
		t.Fatalf("all is there: %v", err)
	}
	names := filesIn(t, dir, "rows/*/*.parquet")
	data, err := os.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}

	if err := os.Remove(names[1]); err != nil {
		t.Fatal(err)
	}
	var missing *sinks.MissingError
	if err := sinks.Verify(fsys); !errors.As(err, &missing) || missing.Rows() != 60 || len(missing.Files) != 1 ||
		!strings.Contains(err.Error(), filepath.Base(names[1])) || !strings.Contains(err.Error(), "60 rows are missing") {
		t.Errorf("file lost: %v", err)
	}
	if err := os.WriteFile(names[1], data[:100], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sinks.Verify(fsys); !errors.Is(err, sinks.ErrDamaged) || !strings.Contains(err.Error(), filepath.Base(names[1])) {
		t.Errorf("file cut: %v", err)
	}

	write(t, dir, second) // redelivery: the bytes are known, the file is made whole again
	if err := sinks.Verify(fsys); err != nil {
		t.Errorf("after the redelivery: %v", err)
	}
	if diff := cmp.Diff(names, filesIn(t, dir, "rows/*/*.parquet")); diff != "" {
		t.Errorf("the file has its own name again\n%s", diff)
	}
}

func fileRows(t *testing.T, dir string) []int64 {
	t.Helper()
	var rows []int64
	for _, f := range collect(t, sinks.ScanFiles(os.DirFS(dir))) {
		rows = append(rows, f.Rows)
	}
	return rows
}

// Killed between the renaming of a file and its booking: nothing was acknowledged,
// so the messages come again, in another batch or in the same.
func TestCrashBeforeBooking(t *testing.T) {
	for _, c := range []struct {
		name    string
		again   int
		files   int
		doubles int64
	}{{"same batch", 10, 1, 0}, {"larger batch", 15, 2, 40}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, many(10))
			if err := os.RemoveAll(filepath.Join(dir, "books")); err != nil {
				t.Fatal(err)
			}
			if err := sinks.Verify(os.DirFS(dir)); err != nil {
				t.Errorf("an unbooked file is no error: %v", err)
			}
			write(t, dir, many(c.again))
			if err := sinks.Verify(os.DirFS(dir)); err != nil {
				t.Error(err)
			}
			if n := len(filesIn(t, dir, "rows/*/*.parquet")); n != c.files {
				t.Errorf("%d files, want %d", n, c.files)
			}
			rows, duplicates := sinks.Once(sinks.Scan(os.DirFS(dir)))
			if diff := cmp.Diff(rowsOf(many(c.again)), collect(t, rows)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(sinks.Duplicates{Rows: c.doubles}, *duplicates); diff != "" {
				t.Error(diff)
			}
		})
	}
}
