package reports_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

// TestSkippedColumns: a decision over files is that over rows, also where a file's own
// figures speak for a column that is then not read: whether the books reach every sample
// of a tap, and whether a time to a first token is negative, which makes a row invalid.
func TestSkippedColumns(t *testing.T) {
	oneTap := trials(300)
	for i := range oneTap {
		oneTap[i].Trial.Sample.Tap, oneTap[i].Trial.Sample.Seq = "tap-1", uint64(i+1)
	}
	negative := slices.Clone(oneTap)
	for i := range negative {
		if i%7 == 0 {
			negative[i].Trial.Sample.Live.FirstToken = -time.Second
		}
	}
	unknown := slices.Clone(oneTap)
	unknown[17].Trial.Sample.Tap = "tap-without-books"
	for _, c := range []struct {
		name     string
		gs       []judge.Graded
		books    int // samples that the books have
		unbooked bool
		invalid  int
	}{
		{"books reach all", oneTap, 300, false, 0},
		{"books reach some", oneTap, 150, true, 0},
		{"a tap without books", unknown, 300, true, 0},
		{"a negative time", negative, 300, false, 43},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			w, err := sinks.Open(folder, sinks.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for part := range slices.Chunk(c.gs, 111) {
				if err := w.Write(t.Context(), part); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.WriteBooks(t.Context(), booksFor(c.books)); err != nil {
				t.Fatal(err)
			}
			dir := os.DirFS(folder)
			want, err := reports.Build(sinks.Scan(dir), sinks.ScanBooks(dir), experiment(), reports.Window{}, reports.ForDecision())
			if err != nil {
				t.Fatal(err)
			}
			got, err := reports.Read(dir, experiment(), reports.Window{}, reports.ForDecision())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if got.Rows.Invalid != c.invalid || got.Books.Unbooked > 0 != c.unbooked {
				t.Errorf("%d rows are invalid, want %d; beyond the books: %d", got.Rows.Invalid, c.invalid, got.Books.Unbooked)
			}
		})
	}
}
