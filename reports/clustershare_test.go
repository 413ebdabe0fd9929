package reports_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
	"github.com/understudy-eval/understudy/stats"
)

// inSessions puts every size samples that follow each other into a session.
func inSessions(rows []sinks.Row, size int) []sinks.Row {
	for i := range rows {
		n := (int(rows[i].Sample[14])<<8 + int(rows[i].Sample[15]) - 1) / size
		rows[i].Session = fmt.Sprintf("s-%d", n)
	}
	return rows
}

// lateRows are streamed calls of live and a candidate; the candidate's first ten take
// 4 s, their first tokens 2 s, and they have the worst grade.
func lateRows(n int) []sinks.Row {
	var rows []sinks.Row
	for i := range n {
		live, cand := graded(i, shadow.Live, 2, time.Second), graded(i, "cand-a", 2, time.Second)
		if i < 10 {
			cand = graded(i, "cand-a", 6, 4*time.Second)
		}
		for _, r := range []*sinks.Row{&live, &cand} {
			r.Stream, r.FirstToken, r.TokensReasoning = true, new(*r.Took/2), new(int64(r.Took.Seconds())-1)
			rows = append(rows, *r)
		}
	}
	return rows
}

// lateShares are the candidate's shares that have ten cases in [lateRows].
func lateShares(r reports.Report) map[string]reports.Share {
	a := r.Arms[1]
	out := map[string]reports.Share{
		"over": a.Latency.Over[0].Share, "answers over": a.Latency.Over[0].Answers, "first token": a.FirstToken.Over[0].Share,
		"grades 5-6": a.Poor, "reasoning": a.Reasoning.Any,
	}
	for _, p := range a.Problems {
		if p.Problem == "factual_error" {
			out["problem"] = p.Share
		}
	}
	return out
}

func lateExperiment() reports.Experiment {
	e := experiment()
	e.Gate.FirstTokenOver = []reports.ShareLimit{{Limit: time.Second, Share: 0.05}}
	return e
}

// TestSharesAreClustered: 2.5 % of the calls are slow. If they all lie in one session of
// forty, little is known of how many sessions are; the same calls apart pass the gate.
func TestSharesAreClustered(t *testing.T) {
	e := lateExperiment()
	state := func(rows []sinks.Row) (reports.Report, reports.Check, reports.Check) {
		r := build(t, e, rows, booksFor(400))
		d, err := e.Gate.Decide(r, "cand-a", time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return r, d.Guards[0], d.Guards[2]
	}
	apart, whole, first := state(lateRows(400))
	if whole.State != reports.Pass || first.State != reports.Pass {
		t.Errorf("10 slow sessions of 400: whole answer %s, first token %s", whole.State, first.State)
	}
	together, whole, first := state(inSessions(lateRows(400), 10))
	for _, c := range []reports.Check{whole, first} {
		// Wilson's upper end for 1 of 40 is 12.9 %; its half-width has to shrink to 2.5 points.
		if c.State != reports.Unknown || c.N != 400 || *c.Interval.Upper < 0.12 || c.More == nil || *c.More < 4*400 || *c.More > 24*400 {
			t.Errorf("one slow session of 40: %+v", c)
		}
	}
	plain := lateShares(apart)
	for name, s := range lateShares(together) {
		p := plain[name]
		if !s.Clustered || p.Clustered || s.X != 10 || s.N != 400 || p.X != 10 || p.N != 400 || *s.Interval.Upper < 2.5**p.Interval.Upper {
			t.Errorf("%s: apart %+v, together %+v", name, p, s)
		}
	}
}

// TestClusteredSharesCountAsPlainOnes: with one call per session nothing is clustered,
// and the interval is Wilson's.
func TestClusteredSharesCountAsPlainOnes(t *testing.T) {
	iv, err := stats.Wilson(10, 400, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	want := reports.Share{X: 10, N: 400, Share: new(0.025), Interval: interval(iv.Lower, iv.Upper)}
	for name, s := range lateShares(build(t, lateExperiment(), lateRows(400), booksFor(400))) {
		if diff := cmp.Diff(want, s); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

// TestSharesWithoutSessions: calls of one session, or of which the sessions are not
// known, may all be alike, so a share of them has no error.
func TestSharesWithoutSessions(t *testing.T) {
	one, none := inSessions(lateRows(400), 400), lateRows(400)
	for i := range none {
		none[i].Session = ""
	}
	for name, rows := range map[string][]sinks.Row{"one session": one, "none known": none} {
		r := build(t, lateExperiment(), rows, booksFor(400))
		for what, s := range lateShares(r) {
			if s.X != 10 || s.N != 400 || s.Interval != nil {
				t.Errorf("%s, %s: %+v", name, what, s)
			}
		}
		d, err := r.Experiment.Gate.Decide(r, "cand-a", time.Time{})
		if err != nil || d.Outcome != reports.KeepRunning || d.Guards[0].State != reports.Unknown || d.Guards[0].More != nil {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// TestLeftCallsAreNotClustered: of a session only the calls count of which a share can
// be told, limit by limit.
func TestLeftCallsAreNotClustered(t *testing.T) {
	rows := inSessions(lateRows(40), 2)
	for i := range rows {
		if r := &rows[i]; r.Arm == "cand-a" && r.Sample[15]%2 == 0 { // left after 4 s: over 3 s, unknown for 6 s
			rows[i] = failed(int(r.Sample[15])-1, "cand-a", llm.ClientAbort, 4*time.Second)
			rows[i].Session = r.Session
		}
	}
	over := build(t, experiment(), rows, booksFor(40)).Arms[1].Latency.Over
	if s := over[0].Share; s.N != 40 || !s.Clustered {
		t.Errorf("over 3 s: %+v", s)
	}
	if s := over[1].Share; s.N != 20 || s.Clustered || s.Interval == nil {
		t.Errorf("over 6 s: %+v", s)
	}
}

// TestNoneOfManyInFewSessions: a share of 0 or 1 has as many independent answers as the
// times and grades of the arm leave: all of them if sessions are not alike, one a session
// if they wholly are, if nothing varies or if nothing tells.
func TestNoneOfManyInFewSessions(t *testing.T) {
	of := func(size int, change func(session, i int, r *sinks.Row)) reports.ArmReport {
		var rows []sinks.Row
		for i := range 400 {
			r := graded(i, shadow.Live, 2, time.Second)
			change(i/size, i, &r)
			r.Session = fmt.Sprint(i / size)
			rows = append(rows, r)
		}
		return build(t, liveOnly(), rows, booksFor(400)).Arms[0]
	}
	vary := func(by int, r *sinks.Row) {
		r.Took = new(time.Second + time.Duration(by%2)*100*time.Millisecond)
		r.Grade = new(rubric.Grade(2 + by%2))
		r.Problem = rubric.None
	}
	for _, c := range []struct {
		name, why string
		size      int
		change    func(session, i int, r *sinks.Row)
		low, high float64
	}{
		{"not alike", "every session has both", 10, func(_, i int, r *sinks.Row) { vary(i, r) }, 400, 400},
		{"alike", "every session has one kind", 10, func(s, _ int, r *sinks.Row) { vary(s, r) }, 40, 42},
		{"nothing varies", "so nothing tells", 10, func(int, int, *sinks.Row) {}, 40, 40},
		{"few sessions", "five cannot tell", 80, func(_, i int, r *sinks.Row) { vary(i, r) }, 5, 5},
	} {
		a := of(c.size, c.change)
		for what, s := range map[string]reports.Share{"over 10 s": a.Latency.Over[2].Share, "grades 5-6": a.Poor, "none": a.Problems[0].Share, "unsafe": a.Problems[4].Share} {
			if s.EffectiveN == nil || *s.EffectiveN < c.low-1e-9 || *s.EffectiveN > c.high+1e-9 {
				t.Errorf("%s (%s), %s: %+v", c.name, c.why, what, s)
				continue
			}
			if want, err := stats.Wilson(0, int(*s.EffectiveN), 0.95); err != nil || s.X == 0 && *s.Interval.Upper > want.Upper+1e-9 {
				t.Errorf("%s, %s: up to %v, want %v", c.name, what, *s.Interval.Upper, want.Upper)
			}
		}
	}
}
