package reports_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
)

// TestTwoSeriesAreNeverOneDelta: rulings of another snapshot are in no figure, the
// report says where the seam is.
func TestTwoSeriesAreNeverOneDelta(t *testing.T) {
	own := build(t, experiment(), plain(100, -1), nil)
	if len(own.OtherSeries) > 0 {
		t.Fatalf("other series without a seam: %+v", own.OtherSeries)
	}
	rows := plain(100, -1)
	for i := range rows {
		rows[i].Seen = time.Date(2026, 10, 5, 12, 0, i, 0, time.UTC).AddDate(0, 0, i/40)
	}
	before := build(t, experiment(), rows[:120], nil)
	for i := range rows[120:] {
		r := &rows[120+i]
		r.JudgePinned, r.JudgeEcho = "judge-mini-2026-09-01", "judge-mini-2026-09-01"
	}
	r := build(t, experiment(), rows, nil)
	want := []reports.Series{{
		Judge: "judge-mini-2026-09-01", Rubric: experiment().Digests, First: rows[120].Seen, LastDay: rows[199].Seen.Truncate(24 * time.Hour),
	}}
	if diff := cmp.Diff(want, r.OtherSeries); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before.Comparisons[0].Quality.Delta, r.Comparisons[0].Quality.Delta); diff != "" {
		t.Errorf("the delta mixes two series:\n%s", diff)
	}
	var text bytes.Buffer
	if err := r.Text(&text, 200, nil); err != nil {
		t.Fatal(err)
	}
	if seam := "judge judge-mini-2026-09-01"; !strings.Contains(text.String(), seam) || !strings.Contains(text.String(), "requests from 2026-10-0") {
		t.Errorf("the report does not say where the seam is:\n%s", text.String())
	}
}
