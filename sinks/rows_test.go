package sinks_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

func TestRows(t *testing.T) {
	rows := sinks.Rows(graded(1, monday))
	if len(rows) != 4 {
		t.Fatalf("%d rows, want one per arm: 4", len(rows))
	}
	live, terra, slow, poor := rows[0], rows[1], rows[2], rows[3]
	for _, c := range []struct {
		name, why string
		got, want any
	}{
		{"order", "live first, then the configuration's order", []shadow.Arm{live.Arm, terra.Arm, slow.Arm, poor.Arm}, []shadow.Arm{"live", "terra", "slow", "poor"}},
		{"states", "an arm that failed or was not asked has a row", []sinks.State{live.State, terra.State, slow.State, poor.State}, []sinks.State{"answered", "answered", "failed", "not_asked"}},
		{"reasons", "each from its own closed list", []string{live.Reason, slow.Reason, poor.Reason}, []string{"", "timeout", "budget"}},
		{"seen", "UTC and whole microseconds", live.Seen, time.Date(2026, 10, 5, 9, 15, 30, 123456000, time.UTC)},
		{"first token", "cut to microseconds", *live.FirstToken, 300 * time.Millisecond},
		{"grade", "a ruling's verdict", *live.Grade, rubric.Grade(2)},
		{"rates", "tap rate times share", []float64{live.Rate, terra.Rate}, []float64{0.01, 0.005}},
		{"judge rates", "shares nest: the smaller one counts", []float64{live.JudgeRate, terra.JudgeRate}, []float64{0.01 * 0.8, 0.005}},
		{"not graded", "no number for a malformed reply", []any{terra.Grade, terra.JudgeReason}, []any{(*rubric.Grade)(nil), judge.NoMalformed}},
		{"queued", "live waits for nobody; a candidate does", []any{live.Queued, *terra.Queued}, []any{(*time.Duration)(nil), time.Millisecond}},
		{"censored", "time-outs are data", []any{slow.Censored, *slow.Took, slow.AnswerChars}, []any{true, 20 * time.Second, (*int64)(nil)}},
		{"no time", "unknown is null, never 0", []any{poor.Took, poor.Status, poor.Attempts}, []any{(*time.Duration)(nil), (*int32)(nil), (*int32)(nil)}},
		{"tools", "none called, two called, no answer", [][]string{live.ToolNames, terra.ToolNames, slow.ToolNames}, [][]string{{}, {"find_order", "refund"}, nil}},
		{"chars", "characters, not bytes", *live.AnswerChars, int64(9)},
		{"no tokens", "a provider that does not say", terra.TokensOut, (*int64)(nil)},
		{"zero tokens", "one that says 0", *live.TokensReasoning, int64(0)},
		{"cached", "tokens that the provider had in its cache", *live.TokensCached, int64(16)},
		{"lost in translation", "as the arm says it; null where nothing was", [][]string{live.NotCarried, terra.NotCarried}, [][]string{nil, {"seed", "top_k"}}},
		{"suspect", "of the ruling; null without one", []any{*live.Suspect, *terra.Suspect, slow.Suspect}, []any{false, true, (*bool)(nil)}},
		{"tags", "by key, the same for every arm", [][]string{live.Tags, poor.Tags}, [][]string{{"app=shop", "lang=ja"}, {"app=shop", "lang=ja"}}},
		{"judge tokens", "of the ruling", []int64{*live.JudgeTokensIn, *live.JudgeTokensOut}, []int64{900, 40}},
		{"no judge tokens", "a judge that does not say", terra.JudgeTokensIn, (*int64)(nil)},
		{"pending", "no ruling on an arm without answer", []judge.State{slow.JudgeState, poor.JudgeState}, []judge.State{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.got); diff != "" {
				t.Errorf("%s\n%s", c.why, diff)
			}
		})
	}
}

func TestRowsOddRulings(t *testing.T) {
	type want struct {
		State  judge.State
		Reason judge.NotGraded
		Grade  *rubric.Grade
	}
	two := rubric.Grade(2)
	for _, c := range []struct {
		name, why string
		rulings   []judge.Ruling
		want      []want // of live's rows
	}{
		{"none", "pending", nil, []want{{}}},
		{"no verdict", "graded without a verdict is no grade",
			[]judge.Ruling{{Arm: "live", State: judge.StateGraded}}, []want{{State: judge.StateNotGraded, Reason: judge.NoMalformed}}},
		{"grade 0", "0 is no grade",
			[]judge.Ruling{{Arm: "live", State: judge.StateGraded, Verdict: &rubric.Verdict{}}}, []want{{State: judge.StateNotGraded, Reason: judge.NoOutOfScale}}},
		{"grade 7", "one past worst does not clamp",
			[]judge.Ruling{{Arm: "live", State: judge.StateGraded, Verdict: &rubric.Verdict{Grade: 7}}}, []want{{State: judge.StateNotGraded, Reason: judge.NoOutOfScale}}},
		{"verdict of a ruling that is none", "a verdict counts only when the state says so",
			[]judge.Ruling{{Arm: "live", State: judge.StateNotDrawn, Verdict: &rubric.Verdict{Grade: 2}}}, []want{{State: judge.StateNotDrawn}}},
		{"repeats", "a row for each, for the judge's own measure",
			[]judge.Ruling{{Arm: "live", State: judge.StateNotDrawn}, {Arm: "live", State: judge.StateGraded, Repeat: 1, Verdict: &rubric.Verdict{Grade: 2}}},
			[]want{{State: judge.StateNotDrawn}, {State: judge.StateGraded, Grade: &two}}},
		{"failed arm", "an arm that failed has no grade whatever a ruling says",
			[]judge.Ruling{{Arm: "slow", State: judge.StateGraded, Verdict: &rubric.Verdict{Grade: 2}}}, []want{{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graded(1, monday)
			g.Rulings = c.rulings
			var got []want
			for _, r := range sinks.Rows(g) {
				if r.Arm == shadow.Live {
					got = append(got, want{r.JudgeState, r.JudgeReason, r.Grade})
				} else if r.Grade != nil {
					t.Errorf("arm %s has grade %d", r.Arm, *r.Grade)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%s", c.why, diff)
			}
		})
	}
}

// Further verdicts are rows of their own, and a file gives all of it back.
func TestFurtherVerdicts(t *testing.T) {
	g := graded(1, monday)
	again := g.Rulings[0]
	again.Repeat, again.Purpose, again.Form, again.Regraded = 1, judge.PurposeRepeat, judge.FormWrapped, true
	planted := again
	planted.Repeat, planted.Purpose, planted.Plant, planted.Series = 2, judge.PurposeInjection, "de-grade-1", "later"
	g.Rulings = append(g.Rulings, again, planted)
	rows := sinks.Rows(g)
	var got []any
	for _, r := range rows[:3] {
		got = append(got, r.Repeat, r.Purpose, r.Plant, r.Series, r.JudgeForm, *r.Regraded)
	}
	want := []any{
		int32(0), judge.Purpose(""), "", "", judge.FormBare, false,
		int32(1), judge.PurposeRepeat, "", "", judge.FormWrapped, true,
		int32(2), judge.PurposeInjection, "de-grade-1", "later", judge.FormWrapped, true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	dir := t.TempDir()
	if err := openIn(t, dir, sinks.Options{}).Write(t.Context(), []judge.Graded{g}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, collect(t, sinks.Scan(os.DirFS(dir)))); diff != "" {
		t.Error(diff)
	}
}

func TestRowsTouchNothing(t *testing.T) {
	g, before := graded(1, monday), graded(1, monday)
	rows := sinks.Rows(g)
	*rows[0].TokensIn, *rows[0].Grade, rows[1].ToolNames[0] = 99, 6, "changed"
	if diff := cmp.Diff(before, g); diff != "" {
		t.Errorf("rows share memory with the trial\n%s", diff)
	}
}
