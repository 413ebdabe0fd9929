package reports_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// ruled are ten samples: of twenty rulings two are not graded, four come from the
// reserve judge, five were hedged; one conversation was shortened.
func ruled() []sinks.Row {
	var rows []sinks.Row
	for i := range 10 {
		live, cand := graded(i, shadow.Live, 2, time.Second), graded(i, "cand-a", 3, time.Second)
		switch i {
		case 0:
			cand = notGraded(i, "cand-a", judge.NoSnapshotMismatch)
			cand.JudgeEcho = "judge-mini-2026-09-01"
		case 1:
			live = notGraded(i, shadow.Live, judge.NoTransport)
		case 2, 3:
			for _, r := range []*sinks.Row{&live, &cand} {
				r.Judge, r.JudgePinned, r.JudgeEcho = "judge-b", "judge-b-2026-02-02", "judge-b-2026-02-02"
			}
		}
		for k, r := range []*sinks.Row{&live, &cand} {
			n := 2*i + k
			r.JudgeTook, r.JudgeCalls = new(time.Duration(n+1)*100*time.Millisecond), new(int32(1+n%2))
			r.Hedged, r.ContextCut = n < 5, n == 19
		}
		rows = append(rows, live, cand)
	}
	return append(rows, failed(10, shadow.Live, llm.Timeout, time.Second)) // no answer, no ruling
}

// TestJudgeHealth: counted by hand.
func TestJudgeHealth(t *testing.T) {
	h := build(t, experiment(), ruled(), nil).Judge
	type counts struct{ rulings, graded, notGraded, unproven, reserve, of, hedged, cut int }
	got := counts{h.Rulings, h.Graded, h.NotGraded.X, h.Unproven.X, h.Reserve.X, h.Reserve.N, h.Hedged.X, h.ContextCut.X}
	if diff := cmp.Diff(counts{20, 18, 2, 1, 4, 18, 5, 1}, got, cmp.AllowUnexported(counts{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]reports.Count{{Name: "transport", N: 1}, {Name: "snapshot_mismatch", N: 1}}, h.NotGradedBy); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]reports.Count{{N: 1}, {Name: "judge-b-2026-02-02", N: 4}, {Name: pinned, N: 14}, {Name: "judge-mini-2026-09-01", N: 1}}, h.Echoes); diff != "" {
		t.Error(diff)
	}
	if *h.Calls != 1.5 || *h.Took[0].Value != 1050*time.Millisecond || *h.Took[1].Value != 1905*time.Millisecond || h.Repeats != nil {
		t.Errorf("%v calls, p50 %v, p95 %v, repeats %v", *h.Calls, h.Took[0].Value, h.Took[1].Value, h.Repeats)
	}
	if empty := build(t, experiment(), nil, nil).Judge; empty.Rulings != 0 || empty.NotGraded.Share != nil || empty.Calls != nil {
		t.Errorf("no rulings: %+v", empty)
	}
}

// regraded adds second grades, and says by how much they differ from the first.
func regraded(rows []sinks.Row, differ func(i int) int) []sinks.Row {
	out := slices.Clone(rows)
	for i, row := range rows {
		if row.Grade == nil {
			continue
		}
		row.Repeat = 1
		row.Grade = new(min(max(*row.Grade+rubric.Grade(differ(i)), rubric.Best), rubric.Worst))
		out = append(out, row)
	}
	return out
}

// TestRepeats: four answers graded 1, 2, 3, 4 and then 1, 2, 3, 6.
func TestRepeats(t *testing.T) {
	var rows []sinks.Row
	for i, grade := range []int{1, 2, 3, 4} {
		rows = append(rows, graded(i, shadow.Live, grade, time.Second))
	}
	again := regraded(rows, func(i int) int { return 2 * (i / 3) })
	want := build(t, experiment(), again, nil).Judge.Repeats
	if want == nil || want.Answers != 4 || want.Grades != 8 || want.Exact.X != 3 || want.Within1.X != 3 || *want.Shift.Value != 0.5 {
		t.Fatalf("%+v", want)
	}
	// mean squares by hand: item means 1, 2, 3, 5, so Between = 2·35/12 = 35/6 and
	// Within = (0+0+0+2)/4 = 1/2; Item = (35/6 − 1/2)/2 = 8/3; 1/2 of 8/3 + 1/2 is 3/19.
	if diff := cmp.Diff(3./19, *want.JudgeShare, near); diff != "" {
		t.Error(diff)
	}
	// kappa by hand: Σ d² = 4 of 4 pairs; expected mean square of independent grades
	// 1, 2, 3, 4 and 1, 2, 3, 6 is 80/16 = 5: 1 − 1/5.
	if diff := cmp.Diff(0.8, *want.Kappa, near); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		name, why string
		change    func(*sinks.Row)
	}{
		{"twice", "delivered again", func(*sinks.Row) {}},
		{"another judge", "no repeat of this grade", func(r *sinks.Row) { r.JudgePinned, r.Repeat = "judge-b-2026-02-02", 2 }},
		{"unknown judge", "none of the experiment", func(r *sinks.Row) { r.JudgePinned, r.Repeat = "x", 2 }},
		{"another digest", "another experiment", func(r *sinks.Row) { r.Digest, r.Repeat = "x", 2 }},
		{"another arm", "it is gone", func(r *sinks.Row) { r.Arm, r.Repeat = "gone", 2 }},
		{"grade 7", "no grade", func(r *sinks.Row) { r.Grade, r.Repeat = new(rubric.Grade(7)), 2 }},
		{"no first", "it repeats nothing", func(r *sinks.Row) { r.Sample, r.Repeat = sampleID(77), 2 }},
	} {
		more := again[4]
		c.change(&more)
		if diff := cmp.Diff(want, build(t, experiment(), append(slices.Clone(again), more), nil).Judge.Repeats); diff != "" {
			t.Errorf("%s: %s: %s", c.name, c.why, diff)
		}
	}
	third := again[4]
	third.Repeat, third.Grade = 2, new(rubric.Grade(2))
	if got := build(t, experiment(), append(again, third), nil).Judge.Repeats; got.Grades != 9 || got.Exact.X != 3 || *got.Alpha >= *want.Alpha {
		t.Errorf("a third grade: %+v", got)
	}
	same := build(t, experiment(), regraded(plain(4, 0), func(int) int { return 0 }), nil).Judge.Repeats
	if same.Exact.X != same.Answers || same.Shift.InSE != nil {
		t.Errorf("always the same: %+v", same)
	}
}

// TestJudgeDrifts: a judge that turns harsher sets off the chart, one that only
// wavers does not.
func TestJudgeDrifts(t *testing.T) {
	rows := hourly(t)
	for name, c := range map[string]struct {
		differ func(i int) int
		want   bool
	}{
		"wavers": {func(i int) int { return []int{1, 0, 0, -1}[i%4] }, false},
		"harsher from W43 on": {func(i int) int {
			if rows[i].Seen.Before(monday.AddDate(0, 0, 14)) {
				return []int{1, 0, 0, -1}[i%4]
			}
			return []int{1, 0, 0, 0}[i%4]
		}, true},
	} {
		var b bytes.Buffer
		r := inWindow(t, experiment(), regraded(rows, c.differ), week(t, "2026-W44"))
		if err := r.Text(&b, 0, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "the judge drifts: by 2026-W43 "); got != c.want {
			var path []string
			for _, w := range r.Trend {
				path = append(path, fmt.Sprintf("%s %.1f %.1f", w.Week, *w.Judge.Repeats.High, *w.Judge.Repeats.Low))
			}
			t.Errorf("%s: alarm %v, want %v; %v", name, got, c.want, path)
		}
		if !strings.Contains(b.String(), "would make the standard error of a mean grade") {
			t.Errorf("%s: the judge's noise is not named", name)
		}
	}
}
