package sinks_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/sinks"
)

// oneFile writes trials and gives the path and bytes of the one file of rows.
func oneFile(t testing.TB, n int) (dir, name string, data []byte) {
	t.Helper()
	dir = t.TempDir()
	w, err := sinks.Open(dir, sinks.Options{})
	if err == nil {
		err = w.Write(t.Context(), many(n))
	}
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "rows/*/*.parquet"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %v, %v", names, err)
	}
	data, err = os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(dir, names[0])
	if err != nil {
		t.Fatal(err)
	}
	return dir, filepath.ToSlash(rel), data
}

// scanError reads a folder to its end and gives the rows' number and the first error.
func scanError(fsys fstest.MapFS) (rows int, first error) {
	for _, err := range sinks.Scan(fsys) {
		if err == nil {
			rows++
		} else if first == nil {
			first = err
		}
	}
	return rows, first
}

func wantDamaged(t *testing.T, name string, data []byte, what string) {
	t.Helper()
	rows, err := scanError(fstest.MapFS{name: {Data: data}})
	if rows != 0 || !errors.Is(err, sinks.ErrDamaged) || !strings.Contains(err.Error(), name) {
		t.Errorf("%s: %d rows, error %v; want none and the file's name", what, rows, err)
	}
	lines, err := byBatch(fstest.MapFS{name: {Data: data}}, 2)
	if len(lines) != 0 || !errors.Is(err, sinks.ErrDamaged) || !strings.Contains(err.Error(), name) {
		t.Errorf("%s, in batches: %d rows, error %v; want none and the file's name", what, len(lines), err)
	}
}

// agree reports whether a file is taken, and fails if rows and batches both take it
// and differ. One of them may be stricter with a footer's claims.
func agree(t *testing.T, data []byte) (accepted bool) {
	t.Helper()
	name := named(data)
	fsys := fstest.MapFS{name: {Data: data}}
	want, scanning := byRow(fsys)
	got, batching := byBatch(fsys, 2)
	for _, err := range []error{scanning, batching} {
		if err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not name the file", err)
		}
	}
	if scanning == nil && batching == nil && !slices.Equal(want, got) {
		t.Errorf("rows and batches differ: %s", cmp.Diff(want, got))
	}
	return scanning == nil && batching == nil
}

func TestScanDamaged(t *testing.T) {
	_, name, data := oneFile(t, 500)
	for i := range 200 {
		bad := append([]byte(nil), data...)
		at := i * len(bad) / 200
		bad[at] ^= 1 << (i % 8)
		wantDamaged(t, name, bad, "bit flipped")
	}
	for _, size := range []int{0, 4, len(data) / 2, len(data) - 8, len(data) - 1} {
		wantDamaged(t, name, data[:size], "cut")
	}
	wantDamaged(t, name, append(data[:len(data):len(data)], 0), "a byte too many")
	wantDamaged(t, name, []byte("sample,arm,grade\n"), "text file")
}

// named gives bytes a name that fits them.
func named(data []byte) string {
	sum := sha256.Sum256(data)
	return "rows/date=2026-10-05/20261005T091530.000000Z-" + hex.EncodeToString(sum[:]) + ".parquet"
}

func TestScanForeign(t *testing.T) {
	dir, name, data := oneFile(t, 3)
	books, err := os.ReadFile(filesIn(t, dir, "books/*/*.parquet")[0])
	if err != nil {
		t.Fatal(err)
	}
	newer := []byte(strings.Replace(string(data), "rows.3", "rows.4", 1))
	text := []byte("grade\n2\n")
	for _, c := range []struct {
		name, why string
		fsys      fstest.MapFS
		want      error
		rows      int
	}{
		{"no hash", "somebody else's file", fstest.MapFS{"rows/date=2026-10-05/part-0.parquet": {Data: data}}, sinks.ErrForeign, 0},
		{"upper-case hash", "not a name of ours", fstest.MapFS{strings.ToUpper(name[:len(name)-8]) + ".parquet": {Data: data}, "rows/x-" + strings.ToUpper(name[len(name)-72:len(name)-8]) + ".parquet": {Data: data}}, sinks.ErrForeign, 0},
		{"text", "the hash fits, the content is no Parquet", fstest.MapFS{named(text): {Data: text}}, sinks.ErrForeign, 0},
		{"empty", "the hash fits nothing", fstest.MapFS{named(nil): {}}, sinks.ErrForeign, 0},
		{"books", "another data set", fstest.MapFS{named(books): {Data: books}}, sinks.ErrForeign, 0},
		{"newer", "a newer schema is refused by name", fstest.MapFS{named(newer): {Data: newer}}, sinks.ErrVersion, 0},
		{"no folder", "a wrong path must not look like an empty week", fstest.MapFS{}, os.ErrNotExist, 0},
		{"others beside", "what does not end in .parquet is passed over", fstest.MapFS{
			name: {Data: data}, "rows/date=2026-10-05/.x.tmp": {}, "rows/date=2026-10-05/.part.parquet": {}, "rows/README": {}, "rows/.hidden/x.parquet": {}, "experiment.json": {}}, nil, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := scanError(c.fsys)
			if !errors.Is(err, c.want) || rows != c.rows {
				t.Errorf("%s: %d rows, error %v; want %d, %v", c.why, rows, err, c.rows, c.want)
			}
		})
	}
}

// A reader that is told to go on after an error gets the files behind it.
func TestScanGoesOn(t *testing.T) {
	_, name, data := oneFile(t, 3)
	before := "rows/date=2026-10-04/" + filepath.Base(name)
	rows, err := scanError(fstest.MapFS{before: {Data: data[:40]}, name: {Data: data}})
	if rows != 12 || !errors.Is(err, sinks.ErrDamaged) || !strings.Contains(err.Error(), before) {
		t.Errorf("%d rows, error %v", rows, err)
	}
	n := 0
	for range sinks.Scan(fstest.MapFS{before: {Data: data[:40]}, name: {Data: data}}) {
		n++
		break
	}
	for range sinks.Scan(fstest.MapFS{name: {Data: data}}) {
		n++
		break
	}
	if n != 2 {
		t.Error("a reader may stop at any row or error")
	}
}

// A bit flipped in a file whose name fits the damaged bytes: hostile, not damaged.
// Whatever it says, the process lives.
func TestScanHostile(t *testing.T) {
	_, _, data := oneFile(t, 12)
	accepted := 0
	for i := 0; i < len(data); i += max(1, len(data)/400) {
		bad := append([]byte(nil), data...)
		bad[i] ^= 1 << (i % 8)
		if agree(t, bad) {
			accepted++
		}
	}
	t.Logf("%d flips give another valid file", accepted)
}

func FuzzScan(f *testing.F) {
	_, _, data := oneFile(f, 1)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		agree(t, data)
	})
}
