package sinks_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/sinks"
)

// TestWindows: a row group of more rows than are decoded at a time is read as Scan reads
// it, with nulls, lists and texts without a dictionary on both sides of every border.
func TestWindows(t *testing.T) {
	gs := many(150) // 600 rows
	for i := range gs {
		s := &gs[i].Trial.Sample
		if i%3 == 0 {
			s.Tags = map[string]string{"lang": "de", "n": fmt.Sprint(i % 40)}
		}
		if i > 50 { // so long that a dictionary is given up
			s.Session = strings.Repeat(fmt.Sprintf("%010d", i), 5_000)
		}
		if i%5 == 1 {
			s.Live.Usage.Out = nil
		}
	}
	data, err := sinks.Encode(rowsOf(gs), 4*len(gs))
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{named(data): {Data: data}}
	want, err := byRow(fsys)
	if err != nil || len(want) != 4*len(gs) {
		t.Fatal(len(want), err)
	}
	for _, rows := range []int{1, 7, 64, 599, 600} {
		restore := sinks.DecodeAtOnce(rows)
		got, err := byBatch(fsys, 2)
		restore()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d rows at once: %d rows, %v, the same: %v", rows, len(got), err, slices.Equal(got, want))
		}
	}
}

// told is what a group says of itself before it is read.
type told struct {
	Rows      int
	Low, High int64
	Known     bool
	Tap       string
	One       bool
	Left      int // numbers of the skipped column
}

// TestGroupSpeaks: a row group tells the range of a column and a text that all rows have,
// and a skipped column is empty.
func TestGroupSpeaks(t *testing.T) {
	some := func(change func(i int, r *sinks.Row)) []byte {
		rows := rowsOf(many(25)) // 100 rows
		for i := range rows {
			rows[i].Tap, rows[i].TapSeq = "tap-1", new(int64(i+7))
			change(i, &rows[i])
		}
		data, err := sinks.Encode(rows, 50)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first, err := os.ReadFile("testdata/rows.1.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		column string
		data   []byte
		want   []told
	}{
		{"numbers", "tap_seq", some(func(int, *sinks.Row) {}), []told{{50, 7, 56, true, "tap-1", true, 0}, {50, 57, 106, true, "tap-1", true, 0}}},
		{"two texts, a null", "tap_seq", some(func(i int, r *sinks.Row) {
			if i == 0 {
				r.Tap, r.TapSeq = "tap-2", nil
			}
			if i == 99 {
				r.Tap = ""
			}
		}), []told{{50, 8, 56, true, "", false, 0}, {50, 57, 106, true, "", false, 0}}},
		{"only nulls, negative numbers", "first_token_us", some(func(i int, r *sinks.Row) {
			if r.FirstToken = nil; i >= 50 {
				r.FirstToken = new(time.Duration(i-75) * time.Microsecond)
			}
		}), []told{{50, math.MaxInt64, math.MinInt64, true, "tap-1", true, 0}, {50, -25, 24, true, "tap-1", true, 0}}},
		{"a column that the schema did not have", "cost_nusd", first, []told{{28, math.MaxInt64, math.MinInt64, true, "tap-1", true, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []told
			begin := func(g *sinks.Group) (*told, error) {
				x := &told{Rows: g.Rows}
				x.Low, x.High, x.Known = g.Range(c.column)
				x.Tap, x.One = g.Only("tap")
				g.Skip(c.column)
				return x, nil
			}
			work := func(x *told, b *sinks.Batch) error {
				x.Left += len(b.Column(c.column).Ints)
				if len(b.Column("tap").Codes) != b.Rows {
					t.Error("the other column is not there")
				}
				return nil
			}
			fsys := fstest.MapFS{named(c.data): {Data: c.data}}
			if err := sinks.EachGroup(fsys, []string{"tap", c.column}, 1, begin, work, func(x *told) error { got = append(got, *x); return nil }); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
