package reports_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// again is a further verdict on a row's answer; grade 0 is one that gave none.
func again(row sinks.Row, number int32, purpose judge.Purpose, grade int) sinks.Row {
	row.Repeat, row.Purpose = number, purpose
	row.Grade = new(rubric.Grade(grade))
	if grade == 0 {
		row.Grade, row.Problem, row.JudgeState, row.JudgeReason = nil, "", judge.StateNotGraded, judge.NoAmbiguous
	}
	if purpose == judge.PurposeAgreement {
		row.Judge, row.JudgePinned, row.JudgeEcho = "judge-b", "judge-b-2026-02-02", "judge-b-2026-02-02"
	}
	return row
}

// TestAgreement: as in the founding case, primary and reserve agree on 131 of 147
// answers; the interval is Wilson's, and no other figure moves.
func TestAgreement(t *testing.T) {
	rows := make([]sinks.Row, 0, 147)
	for i := range 147 {
		rows = append(rows, graded(i, shadow.Live, 1+i%6, time.Second))
	}
	before := build(t, experiment(), rows, nil)
	more := slices.Clone(rows)
	for i, row := range rows {
		grade := int(*row.Grade)
		if i < 16 {
			grade = 1 + (i+1)%6 // another grade
		}
		more = append(more, again(row, 1, judge.PurposeAgreement, grade))
	}
	r := build(t, experiment(), more, nil)
	a := r.Judge.Agreement
	if a == nil || a.Answers != 147 || a.Exact.X != 131 || a.Exact.N != 147 {
		t.Fatalf("%+v", a)
	}
	if math.Abs(*a.Exact.Interval.Lower-0.831) > 5e-4 || math.Abs(*a.Exact.Interval.Upper-0.932) > 5e-4 {
		t.Errorf("interval %+v, want 0.831 to 0.932", a.Exact.Interval)
	}
	if a.Kappa == nil || !(*a.Kappa > 0.7 && *a.Kappa < 1) || a.KappaInterval == nil {
		t.Errorf("kappa %v, %v", a.Kappa, a.KappaInterval)
	}
	if r.Judge.Repeats != nil || r.Judge.Injection != nil {
		t.Error("agreement is taken for something else")
	}
	if diff := cmp.Diff(before.Arms, r.Arms); diff != "" {
		t.Errorf("second verdicts enter a figure:\n%s", diff)
	}
	// What the reserve ruled first and the primary again is one table: the reserve stays the reserve.
	swapped := again(rows[0], 0, judge.PurposeAgreement, 3)
	swapped.Repeat, swapped.Purpose = 0, ""
	by := rows[0]
	by.Repeat, by.Purpose, by.Grade = 1, judge.PurposeAgreement, new(rubric.Grade(1))
	if shift := *build(t, experiment(), []sinks.Row{swapped, by}, nil).Judge.Agreement.Shift.Value; shift != 2 {
		t.Errorf("reserve 3 - primary 1 is %v", shift)
	}
}

// TestInjection: who obeyed, of those whose grade could be better, beside what chance does.
func TestInjection(t *testing.T) {
	var rows []sinks.Row
	add := func(i, grade int, planted, repeated int) {
		row := graded(i, shadow.Live, grade, time.Second)
		rows = append(rows, row, again(row, 1, judge.PurposeInjection, planted))
		if repeated > 0 {
			rows = append(rows, again(row, 2, judge.PurposeRepeat, repeated))
		}
	}
	add(0, 4, 1, 4) // obeyed
	add(1, 4, 4, 3) // not; better by chance when repeated
	add(2, 3, 5, 3) // worse
	add(3, 1, 1, 1) // could not be better
	add(4, 2, 0, 0) // copied, and caught
	in := build(t, experiment(), rows, nil).Judge.Injection
	if in == nil || in.Tries != 5 || in.NotGraded != 1 || in.Obeyed.X != 1 || in.Obeyed.N != 3 || in.ByChance.X != 1 || in.ByChance.N != 3 {
		t.Fatalf("%+v", in)
	}
	if rep := build(t, experiment(), rows, nil).Judge.Repeats; rep == nil || rep.Answers != 4 {
		t.Errorf("planted answers are taken for repeats: %+v", rep)
	}
}

// TestSuspectsAreSetApart: the delta is also shown without answers that look like an attack.
func TestSuspectsAreSetApart(t *testing.T) {
	rows := plain(60, -1)
	if r := build(t, experiment(), rows, nil); r.Comparisons[0].Unsuspected != nil || r.Judge.Suspect.X != 0 {
		t.Errorf("suspects without any: %+v", r.Comparisons[0].Unsuspected)
	}
	for i := range rows {
		rows[i].Suspect, rows[i].JudgeForm = new(i == 7), judge.FormBare
	}
	rows[9].JudgeForm = judge.FormWrapped
	r := build(t, experiment(), rows, nil)
	if u := r.Comparisons[0].Unsuspected; u == nil || u.N != r.Comparisons[0].Quality.Delta.N-1 || r.Judge.Suspect.X != 1 || r.Judge.Wrapped.X != 1 {
		t.Errorf("%+v, suspects %d, wrapped %d", u, r.Judge.Suspect.X, r.Judge.Wrapped.X)
	}
	if r.Judge.Suspect.N != len(rows) || r.Judge.Wrapped.N != r.Judge.Graded {
		t.Errorf("of %d and %d, want all %d rulings", r.Judge.Suspect.N, r.Judge.Wrapped.N, len(rows))
	}
}

// TestJudgeNoise: by hand, with a variance of one grade of 0.5 on grading again: of a
// difference with SE² = s²/n the judge has 2 × 0.5 / s².
func TestJudgeNoise(t *testing.T) {
	rows := plain(40, 0)
	for i := range rows {
		grade := 1 + (i*i)%6
		rows[i] = graded(i/2, rows[i].Arm, grade, time.Second)
	}
	noisy := slices.Clone(rows)
	for i, row := range rows {
		grade := int(*row.Grade)
		if i%2 == 0 { // two grades one apart have a variance of 1/2; the other half have none
			grade += 1 - 2*(grade/6)
		}
		noisy = append(noisy, again(row, 1, judge.PurposeRepeat, grade))
	}
	r := build(t, experiment(), noisy, nil)
	c := r.Comparisons[0]
	if v := *r.Judge.Repeats.JudgeVariance; math.Abs(v-0.25) > 1e-12 {
		t.Fatalf("variance %v, want half of 1/2", v)
	}
	n := c.JudgeNoise
	if n == nil {
		t.Fatal("no noise")
	}
	share := 2 * 0.25 / (float64(c.Quality.Delta.N) * *c.Quality.Delta.SE * *c.Quality.Delta.SE)
	if math.Abs(n.Share-min(1, share)) > 1e-12 || math.Abs(n.SecondVerdict-(1-math.Sqrt(1-n.Share/2))) > 1e-12 || n.SameMoney != nil {
		t.Errorf("%+v, want a share of %v", n, share)
	}
}
