package reports_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// TestPart: the report on a part of the samples is the report on their rows.
func TestPart(t *testing.T) {
	all := foundingRows(t)
	for i := range all {
		n := int(all[i].Sample[15])
		all[i].Route = []string{"/a", "/b"}[n%2]
		all[i].Tags = []string{"language=" + []string{"de", "en", "fr"}[n%3], "plan=x"}
		if all[i].Arm == shadow.Live {
			all[i].Model = []llm.Snapshot{"live-1", "live-2"}[n/128]
		} else {
			all[i].Conforms = new(n%5 > 0)
		}
		all[i].Seen = all[i].Seen.AddDate(0, 0, -int(n%4))
	}
	day := monday.Unix() / 86400
	for _, c := range []struct {
		name string
		keep func(reports.Facts) bool
		row  func(r sinks.Row, n int) bool
	}{
		{"all", func(reports.Facts) bool { return true }, func(sinks.Row, int) bool { return true }},
		{"none", func(reports.Facts) bool { return false }, func(sinks.Row, int) bool { return false }},
		{"route", func(f reports.Facts) bool { return f.Route == "/b" }, func(_ sinks.Row, n int) bool { return n%2 == 1 }},
		{"tag", func(f reports.Facts) bool { return slices.Contains(f.Tags, "language=fr") }, func(_ sinks.Row, n int) bool { return n%3 == 2 }},
		{"live snapshot", func(f reports.Facts) bool { return f.Live == "live-2" }, func(_ sinks.Row, n int) bool { return n >= 128 }},
		{"day", func(f reports.Facts) bool { return f.Day == day-1 }, func(r sinks.Row, _ int) bool { return r.Seen.Unix()/86400 == day-1 }},
		{"session", func(f reports.Facts) bool { return f.Session == "s-7" }, func(r sinks.Row, _ int) bool { return r.Session == "s-7" }},
		{"broken", func(f reports.Facts) bool { return f.Broken }, func(_ sinks.Row, n int) bool { return n%5 == 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			arm, comparison, err := reports.Part(seq(all), experiment(), c.keep)
			if err != nil {
				t.Fatal(err)
			}
			var rows []sinks.Row
			for _, r := range all {
				if c.row(r, int(r.Sample[15])) {
					rows = append(rows, r)
				}
			}
			want := build(t, experiment(), rows, nil)
			// Sessions that began outside of the part lie in another order: sums of floats
			// may differ in their last digits.
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) })
			if diff := cmp.Diff(want.Arms[1], arm, near); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(want.Comparisons[0], comparison, near); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFactsOfLive: where arms contradict each other on their sample, live is believed.
func TestFactsOfLive(t *testing.T) {
	live, cand := graded(0, shadow.Live, 2, time.Second), graded(0, "cand-a", 3, time.Second)
	cand.Route, cand.Session = "/other", "other"
	for _, rows := range [][]sinks.Row{{live, cand}, {cand, live}} {
		arm, _, err := reports.Part(seq(rows), experiment(), func(f reports.Facts) bool {
			return f.Route == live.Route && f.Session == live.Session
		})
		if err != nil || arm.Samples != 1 {
			t.Errorf("%d samples, %v", arm.Samples, err)
		}
	}
}

// TestNumbers: a number comes back as it was, however large; a negative one is unknown.
func TestNumbers(t *testing.T) {
	values := []int64{0, 1, -1, math.MaxUint32 - 2, math.MaxUint32 - 1, math.MaxUint32, math.MaxInt64, -5, 7}
	want := slices.Clone(values)
	want[7] = -1
	for _, step := range []int{1, 3000, 9000} {
		if diff := cmp.Diff(want, reports.Numbers(values, step)); diff != "" {
			t.Errorf("step %d: %s", step, diff)
		}
	}
}

// TestManyShapes: as many different answers as there are rows are told apart.
func TestManyShapes(t *testing.T) {
	var rows []sinks.Row
	var want []reports.Count
	for i := range 2000 {
		r := answered(i, shadow.Live, time.Second)
		r.Model = llm.Snapshot(fmt.Sprintf("live-%04d", i))
		rows = append(rows, r, r)
		want = append(want, reports.Count{Name: string(r.Model), N: 1})
	}
	r := build(t, experiment(), rows, nil)
	if diff := cmp.Diff(want, r.Arms[0].Snapshots); diff != "" || r.Rows.Duplicates != 2000 || r.Rows.Conflicts != 0 {
		t.Errorf("%+v\n%s", r.Rows, diff)
	}
}
