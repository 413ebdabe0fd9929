package reports_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// TestLeftOut: what does not belong is counted, never mixed in.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func(*sinks.Row)
		want      reports.RowCounts
		inBooks   bool // the sample is accounted for as left out
	}{
		{"experiment", "another experiment's rows may lie in the folder", func(r *sinks.Row) { r.Experiment = "x" }, reports.RowCounts{OtherExperiment: 1}, false},
		{"arm", "an arm that was removed", func(r *sinks.Row) { r.Arm = "gone" }, reports.RowCounts{OtherArm: 1}, false},
		{"digest", "a change starts a new experiment", func(r *sinks.Row) { r.Digest = "x" }, reports.RowCounts{OtherDigest: 1}, true},
		{"rubric", "another yardstick", func(r *sinks.Row) { r.Rubric = "x" }, reports.RowCounts{OtherRubric: 1}, true},
		{"judge", "another snapshot", func(r *sinks.Row) { r.JudgePinned = "judge-mini-2026-09-01" }, reports.RowCounts{OtherJudge: 1}, true},
		{"grade 0", "0 is no grade", func(r *sinks.Row) { r.Grade = new(rubric.Grade(0)) }, reports.RowCounts{Invalid: 1}, true},
		{"grade 7", "one past worst", func(r *sinks.Row) { r.Grade = new(rubric.Grade(7)) }, reports.RowCounts{Invalid: 1}, true},
		{"no grade", "graded without a number", func(r *sinks.Row) { r.Grade = nil }, reports.RowCounts{Invalid: 1}, true},
		{"problem", "not on the closed list", func(r *sinks.Row) { r.Problem = "style" }, reports.RowCounts{Invalid: 1}, true},
		{"rate 0", "its weight would be infinite", func(r *sinks.Row) { r.Rate = 0 }, reports.RowCounts{Invalid: 1}, true},
		{"rate NaN", "compares with nothing", func(r *sinks.Row) { r.Rate = math.NaN() }, reports.RowCounts{Invalid: 1}, true},
		{"judge rate NaN", "compares with nothing", func(r *sinks.Row) { r.JudgeRate = math.NaN() }, reports.RowCounts{Invalid: 1}, true},
		{"no time", "an answer took some time", func(r *sinks.Row) { r.Took = nil }, reports.RowCounts{Invalid: 1}, true},
		{"negative time", "a clock that went back", func(r *sinks.Row) { r.Took = new(-time.Second) }, reports.RowCounts{Invalid: 1}, true},
		{"state", "none of the three", func(r *sinks.Row) { r.State = "lost" }, reports.RowCounts{Invalid: 1}, true},
		{"judge state", "none of the three", func(r *sinks.Row) { r.JudgeState = "maybe" }, reports.RowCounts{Invalid: 1}, true},
		{"failed without reason", "the books count by reason", func(r *sinks.Row) {
			*r = failed(0, "cand-a", "", time.Second)
		}, reports.RowCounts{Invalid: 1}, true},
		{"failed with a grade", "a failed answer has none", func(r *sinks.Row) { r.State, r.Reason = sinks.Failed, "timeout" }, reports.RowCounts{Invalid: 1}, true},
		{"live not asked", "live is always asked", func(r *sinks.Row) {
			r.Arm, r.State, r.JudgeState, r.Grade = shadow.Live, sinks.NotAsked, "", nil
		}, reports.RowCounts{Invalid: 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := graded(0, "cand-a", 6, time.Second)
			c.change(&bad)
			rows := []sinks.Row{bad, graded(1, "cand-a", 2, time.Second)}
			r := build(t, experiment(), rows, booksFor(2))
			c.want.Read, c.want.Used = 2, 1
			if diff := cmp.Diff(c.want, r.Rows); diff != "" {
				t.Errorf("%s: %s", c.why, diff)
			}
			if got := r.Arms[1].LeftOut == 1; got != c.inBooks {
				t.Errorf("left out: %d", r.Arms[1].LeftOut)
			}
			if *r.Arms[1].Mean.Value != 2 {
				t.Errorf("mean %v, want 2", *r.Arms[1].Mean.Value)
			}
			everyForm(t, r)
		})
	}
}
