package sinks_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/sinks"
)

// rowColumns are the names of all columns of the rows.
func rowColumns() []string {
	var names []string
	for _, c := range sinks.Columns() {
		if c.Set == sinks.SetRows {
			names = append(names, c.Name)
		}
	}
	return names
}

// byRow prints each row of a folder as Scan gives it: its columns in their order.
func byRow(fsys fs.FS) (rows []string, err error) {
	names, columns := namesOf(reflect.TypeFor[sinks.Row]()), rowColumns()
	for r, err := range sinks.Scan(fsys) {
		if err != nil {
			return rows, err
		}
		cells := map[string]string{}
		for i, name := range names {
			cells[name] = printed(reflect.ValueOf(r).Field(i))
		}
		var line []string
		for _, name := range columns {
			line = append(line, cells[name])
		}
		rows = append(rows, strings.Join(line, "|"))
	}
	return rows, nil
}

// byBatch prints the same rows from batches.
func byBatch(fsys fs.FS, workers int) (rows []string, err error) {
	begin := func(*sinks.Group) (*[]string, error) { return new([]string), nil }
	work := func(some *[]string, b *sinks.Batch) error { *some = append(*some, lines(b)...); return nil }
	err = sinks.EachGroup(fsys, rowColumns(), workers, begin, work, func(some *[]string) error {
		rows = append(rows, *some...)
		return nil
	})
	return rows, err
}

// lines prints the rows of a batch of all columns.
func lines(b *sinks.Batch) []string {
	rows, columns := make([]string, b.Rows), sinks.Columns()
	for i := range rows {
		var cells []string
		for n, name := range rowColumns() {
			cells = append(cells, cellOf(columns[n].Type, b.Column(name), i))
		}
		rows[i] = strings.Join(cells, "|")
	}
	return rows
}

func cellOf(kind string, v *sinks.Vector, i int) string {
	switch {
	case len(v.IDs) > 0:
		return v.IDs[i].String()
	case len(v.Floats) > 0:
		return fmt.Sprint(math.Float64bits(v.Floats[i]))
	case len(v.Flags) > 0:
		return fmt.Sprint(v.Flags[i])
	case len(v.Ints) > 0:
		if v.Ints[i] == sinks.Null {
			return ""
		}
		return fmt.Sprint(v.Ints[i])
	}
	if kind == "list<string>" {
		return strings.Join(v.List(v.Codes[i]), ",")
	}
	return string(v.Text(v.Codes[i]))
}

var humps = regexp.MustCompile("(.)([A-Z])")

// namesOf are the columns of a row's fields.
func namesOf(row reflect.Type) []string {
	var names []string
	for i := range row.NumField() {
		name := strings.ToLower(humps.ReplaceAllString(row.Field(i).Name, "${1}_$2"))
		if row.Field(i).Type == reflect.TypeFor[*time.Duration]() {
			name += "_us"
		}
		if strings.HasSuffix(name, "cost") {
			name += "_nusd"
		}
		names = append(names, name)
	}
	return names
}

func printed(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			if v.Type().Elem().Kind() == reflect.Bool {
				return fmt.Sprint(sinks.FlagUnknown)
			}
			return ""
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case time.Time:
		return fmt.Sprint(x.UnixMicro())
	case time.Duration:
		return fmt.Sprint(x.Microseconds())
	case float64:
		return fmt.Sprint(math.Float64bits(x))
	case bool:
		return fmt.Sprint(map[bool]sinks.Flag{false: sinks.FlagFalse, true: sinks.FlagTrue}[x])
	case []string:
		return strings.Join(x, ",")
	default:
		return fmt.Sprint(x)
	}
}

// TestBatches: batches hold what Scan gives, in its order, whatever the number of
// workers, over files of this schema and of the first one.
func TestBatches(t *testing.T) {
	dir := t.TempDir()
	w, err := sinks.Open(dir, sinks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gs := many(600)
	for i := range gs {
		s := &gs[i].Trial.Sample
		s.Seen = monday.AddDate(0, 0, i%3)
		switch i % 5 {
		case 0:
			s.Tags = nil
		case 1:
			s.Tags = map[string]string{"lang": "de", "n": fmt.Sprint(i % 40)}
		case 2: // so many long ones that a dictionary is given up
			s.Session = strings.Repeat(fmt.Sprintf("%06d", i), 2000)
		}
	}
	for part := range slices.Chunk(gs, 500) {
		if err := w.Write(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	first, err := os.ReadFile("testdata/rows.1.parquet")
	if err != nil {
		t.Fatal(err)
	}
	old := fstest.MapFS{named(first): {Data: first}}
	for _, fsys := range []fs.FS{os.DirFS(dir), old} {
		want, err := byRow(fsys)
		if err != nil || len(want) == 0 {
			t.Fatal(len(want), err)
		}
		for _, workers := range []int{0, 1, 3, 7} {
			got, err := byBatch(fsys, workers)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d workers: %s", workers, diff)
			}
		}
	}
}

// TestGroups: a file of several row groups is read as one of a single group.
func TestGroups(t *testing.T) {
	rows := rowsOf(many(250)) // 1,000 rows
	var want []string
	for _, group := range []int{1000, 999, 334, 100} {
		data, err := sinks.Encode(rows, group)
		if err != nil {
			t.Fatal(err)
		}
		fsys := fstest.MapFS{named(data): {Data: data}}
		byRows, err := byRow(fsys)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = byRows
		}
		for _, workers := range []int{1, 4} {
			batches, err := byBatch(fsys, workers)
			if err != nil || len(batches) != 1000 || !slices.Equal(batches, want) || !slices.Equal(byRows, want) {
				t.Errorf("groups of %d, %d workers: %d rows, %v", group, workers, len(batches), err)
			}
		}
	}
}

// TestBatchesStop: an error of the reader or of a file ends the reading, in the order
// of files, and leaves no goroutine behind (TestMain looks).
func TestBatchesStop(t *testing.T) {
	data, err := sinks.Encode(rowsOf(many(50)), 10)
	if err != nil {
		t.Fatal(err)
	}
	good := named(data)
	bad := strings.Replace(good, "2026-10-05", "2026-10-06", 1)
	fsys := fstest.MapFS{good: {Data: data}, bad: {Data: data[:len(data)-1]}}
	for _, workers := range []int{1, 2, 5} {
		rows, err := byBatch(fsys, workers)
		if !errors.Is(err, sinks.ErrDamaged) || !strings.Contains(err.Error(), bad) || len(rows) != 200 {
			t.Errorf("%d workers: %d rows, %v; want 200 and the second file", workers, len(rows), err)
		}
		enough, n := errors.New("enough"), 0
		err = sinks.EachGroup(fsys, []string{"arm"}, workers, newCount, countRows, func(*int) error {
			if n++; n == 3 {
				return enough
			}
			return nil
		})
		if err != enough || n != 3 {
			t.Errorf("%d workers: stopped with %v after %d batches", workers, err, n)
		}
		sum, failing := 0, func(*int, *sinks.Batch) error { return enough }
		if err := sinks.EachGroup(fsys, []string{"arm"}, workers, newCount, failing, func(*int) error { sum++; return nil }); err != enough || sum != 0 {
			t.Errorf("%d workers: an error of the work is %v after %d batches", workers, err, sum)
		}
	}
	if err := sinks.EachGroup(fsys, []string{"score"}, 1, newCount, countRows, nil); err == nil {
		t.Error("a column that there is not is no error")
	}
}

func newCount(*sinks.Group) (*int, error) { return new(int), nil }

func countRows(n *int, b *sinks.Batch) error { *n += b.Rows; return nil }

// TestBatchOf: rows in memory make the batch that their file makes.
func TestBatchOf(t *testing.T) {
	gs := many(60)
	for i := range gs {
		gs[i].Trial.Sample.Tags = map[string]string{"lang": "de", "n": fmt.Sprint(i % 4)}
	}
	rows := rowsOf(gs)
	data, err := sinks.Encode(rows, len(rows))
	if err != nil {
		t.Fatal(err)
	}
	want, err := byBatch(fstest.MapFS{named(data): {Data: data}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, lines(sinks.BatchOf(rows, rowColumns()))); diff != "" {
		t.Error(diff)
	}
}
