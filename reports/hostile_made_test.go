package reports_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// hostile is an input that nobody hopes for. says is what must stand in the text form.
type hostile struct {
	name, why string
	e         reports.Experiment
	rows      []sinks.Row
	w         reports.Window
	options   []reports.Option
	says      []string
}

// nasty is what a name may hold: markup, a table's and a terminal's own characters,
// wide and joined ones, both directions of writing, and no blank to break at.
const nasty = "a|b\n`c` <script>alert(1)</script> \x1b[31mred\x1b[0m 漢字漢字 👩‍👩‍👧 \u202eעברית\u202c *x* [l](http://e) $1$ &amp; -1 #"

var unbreakable = strings.Repeat("averylongname", 12)

// small are n samples, each in a session of its own, with both answers graded.
func small(n int, change func(i int, live, cand *sinks.Row)) []sinks.Row {
	var rows []sinks.Row
	for i := range n {
		live, cand := graded(i, shadow.Live, 1+i*5%6, liveTime(i)), graded(i, "cand-a", 1+i*7%6, candTime(i))
		if change != nil {
			change(i, &live, &cand)
		}
		rows = append(rows, live, cand)
	}
	return rows
}

func changed(change func(*reports.Experiment)) reports.Experiment {
	e := experiment()
	change(&e)
	return e
}

func hostiles() []hostile {
	e := experiment()
	regrade := func(r *sinks.Row, grade int) { r.Grade, r.Problem = new(rubric.Grade(grade)), problemOf(grade) }
	fail := func(r *sinks.Row, i int, why llm.Reason, took time.Duration) { *r = failed(i, r.Arm, why, took) }
	return []hostile{
		{name: "nothing", why: "no row at all", says: []string{"no pair of answers with both grades: there are no rows of the two"}, e: e},
		{name: "one pair", why: "no error of anything", says: []string{"SE undefined, no anytime interval before the burn-in ends, 1 pair in 1 session", "cand-a: few clusters"}, e: e, rows: small(1, nil)},
		{name: "one session", why: "all pairs are alike for all we know", e: e, rows: small(60, func(i int, l, c *sinks.Row) { l.Session, c.Session = "s", "s" })},
		{name: "two sessions", why: "one degree of freedom", e: e, rows: small(60, func(i int, l, c *sinks.Row) {
			l.Session = fmt.Sprint(i % 2)
			c.Session = l.Session
		})},
		{name: "equal grades", why: "SE 0", says: []string{"SE 0.00 since no session differs from another, so chance does not show and intervals are points"}, e: e, rows: small(60, func(_ int, l, c *sinks.Row) { regrade(l, 2); regrade(c, 2) })},
		{name: "equally worse", why: "SE 0 beyond the margin", e: e, rows: small(60, func(_ int, l, c *sinks.Row) { regrade(l, 2); regrade(c, 3) })},
		{name: "equally better", why: "SE 0 below 0", e: e, rows: small(60, func(_ int, l, c *sinks.Row) { regrade(l, 3); regrade(c, 2) })},
		{name: "candidate fails", why: "every call", says: []string{"no pair of answers with both grades: all 60 calls of cand-a failed (status_5xx 60)"}, e: e, rows: small(60, func(i int, _, c *sinks.Row) { fail(c, i, llm.Status5xx, 20*time.Millisecond) })},
		{name: "live fails", why: "every call", says: []string{"no pair of answers with both grades: all 60 calls of live failed (connect 60)"}, e: e, rows: small(60, func(i int, l, _ *sinks.Row) { fail(l, i, llm.Connect, 20*time.Millisecond) })},
		{name: "all time out", why: "censored at the limit", says: []string{"all 60 calls of cand-a failed (timeout 60); all 60 calls of live failed (timeout 60)", "≥ 20.0 s"}, e: e, rows: small(60, func(i int, l, c *sinks.Row) {
			fail(l, i, llm.Timeout, 20*time.Second)
			fail(c, i, llm.Timeout, 20*time.Second)
		})},
		{name: "users leave", why: "all live calls are left", says: []string{"all 60 calls of live failed (client_abort 60)", "p50 ≥ 1.00 s 1.49 s", "p50, interval 1.00 s to > 1.00 s", "p50 +0.49 s (open to +0.51)"}, e: e, rows: small(60, func(i int, l, _ *sinks.Row) { fail(l, i, llm.ClientAbort, time.Second) })},
		{name: "equal times", why: "no spread", e: e, rows: small(400, func(_ int, l, c *sinks.Row) { l.Took, c.Took = new(time.Second), new(time.Second) })},
		{name: "no times", why: "recorded without", e: e, rows: small(60, func(_ int, l, c *sinks.Row) { l.Took, c.Took = nil, nil })},
		{name: "zero times", why: "a clock that stands", e: e, rows: small(60, func(_ int, l, c *sinks.Row) { l.Took, c.Took = new(time.Duration(0)), new(time.Duration(0)) })},
		{name: "no tokens", why: "empty answers, free", e: changed(func(e *reports.Experiment) { e.Gate.CostIncrease = new(0.5) }), rows: small(60, func(_ int, l, c *sinks.Row) {
			for _, r := range []*sinks.Row{l, c} {
				r.TokensOut, r.TokensIn, r.Cost = new(int64(0)), new(int64(0)), new(int64(0))
			}
		})},
		{name: "from nothing", why: "live is free, the candidate is not", says: []string{"in all $0.00 $0.0000720", "to set a schema or list, so whether answers keep to theirs is undefined"}, e: changed(func(e *reports.Experiment) { e.Gate.CostIncrease = new(0.5) }), rows: small(60, func(_ int, l, c *sinks.Row) {
			l.Cost, c.Cost = new(int64(0)), new(int64(1200))
		})},
		{name: "unequal chances", why: "one pair weighs as much as all others", says: []string{"they tell as much as 2.5 equally weighted ones (Kish)"}, e: e, rows: small(60, func(i int, l, c *sinks.Row) {
			if i == 7 {
				l.Rate, c.Rate, l.JudgeRate, c.JudgeRate = 0.0001, 0.0001, 0.0001, 0.0001
			}
		})},
		{name: "one problem", why: "the list is none alone", e: changed(func(e *reports.Experiment) {
			e.Problems, e.Gate.ProblemIncrease = []rubric.Problem{rubric.None}, nil
		}), rows: small(60, func(_ int, l, c *sinks.Row) { l.Problem, c.Problem = rubric.None, rubric.None })},
		{name: "missing on one side", why: "the worst may be among them", says: []string{"if the figures stay; shares of answers without a grade at most 1 point apart"}, e: e, rows: small(400, func(i int, _, c *sinks.Row) {
			if i%20 == 3 {
				*c = notGraded(i, c.Arm, judge.NoRefusal)
			}
		})},
		{name: "no event in sessions", why: "0 and 1 with sessions that repeat", e: e, rows: small(300, func(i int, l, c *sinks.Row) {
			l.Session = fmt.Sprint(i % 6)
			c.Session = l.Session
			l.Took, c.Took = new(time.Second), new(30*time.Second)
			regrade(l, 1)
			regrade(c, 6)
		})},
		{name: "no candidate", why: "live alone", e: changed(func(e *reports.Experiment) { e.Candidates = nil }), rows: small(60, nil)},
		{name: "control alone", why: "nothing to decide", e: changed(func(e *reports.Experiment) { e.Candidates[0].Control = true }), rows: small(60, nil)},
		manyArms(), names("nasty names", nasty), names("list names", "1. - x"), names("long names", unbreakable),
		{name: "empty window", why: "after the last row", says: []string{"incomplete: no days: none lies between", "seen so far, 2026-10-05 to 2026-10-05 (UTC)"}, e: e, rows: small(60, nil), w: reports.Window{From: monday.AddDate(0, 0, 14), To: monday.AddDate(0, 0, 21)}},
		emptyWeek(), incompleteWeek(),
		{name: "another judge", why: "a seam: no decision over both", e: e, rows: small(120, func(i int, l, c *sinks.Row) {
			if i >= 60 {
				l.JudgePinned, l.JudgeEcho, c.JudgePinned, c.JudgeEcho = "judge-mini-2026-09-09", "judge-mini-2026-09-09", "judge-mini-2026-09-09", "judge-mini-2026-09-09"
			}
		})},
		{name: "two experiments", why: "one folder", e: e, rows: small(120, func(i int, l, c *sinks.Row) {
			if i%2 == 1 {
				l.Experiment, c.Experiment = "other", "other"
			}
		})},
		{name: "no sessions", why: "no cluster key", says: []string{"answers without a session, so the standard error is not known"}, e: e, rows: small(60, func(_ int, l, c *sinks.Row) { l.Session, c.Session = "", "" })},
	}
}

// names gives everything that has a name a hostile one.
func names(what, name string) hostile {
	e := changed(func(e *reports.Experiment) {
		e.Name, e.Live, e.Rubric = name, name, name
		e.Candidates = []reports.Arm{{Name: shadow.Arm(name), Model: name, Timeout: time.Minute}, {Name: shadow.Arm("control " + name), Model: name, Control: true}}
		e.Judge.Primary = name
		e.Problems = append(e.Problems, rubric.Problem(name))
		e.Gate.ProblemIncrease = []reports.ProblemLimit{{Problem: rubric.Problem(name), Increase: 0.02}}
		e.Gate.P95Increase = new(time.Second)
	})
	rows := small(90, func(i int, l, c *sinks.Row) {
		c.Arm = shadow.Arm(name)
		for _, r := range []*sinks.Row{l, c} {
			r.Experiment, r.Judge, r.Model = name, name, llm.Snapshot(name)
			r.Route, r.Tags = fmt.Sprint(name, i%3), []string{name + "=" + fmt.Sprint(name, i%2)}
			if i%5 == 0 {
				r.Problem = rubric.Problem(name)
			}
		}
		if i%9 == 1 {
			c.Grade, c.JudgeState, c.JudgeReason, c.Problem = nil, judge.StateNotGraded, judge.NotGraded(name), ""
		}
	})
	for i := range len(rows) / 2 {
		control := rows[2*i]
		control.Arm = shadow.Arm("control " + name)
		rows = append(rows, control)
	}
	return hostile{name: what, why: "names are data", e: e, rows: rows, w: reports.Window{From: monday, To: monday.AddDate(0, 0, 7)}}
}

func manyArms() hostile {
	e, rows := experiment(), small(90, nil)
	e.Candidates = nil
	n := len(rows) / 2
	for k := range 10 {
		arm := shadow.Arm(fmt.Sprintf("candidate-%d", k))
		e.Candidates = append(e.Candidates, reports.Arm{Name: arm, Model: "m", Timeout: time.Minute})
		for i := range n {
			rows = append(rows, graded(i, arm, 1+i*(k+5)%6, candTime(i*(k+1)%600)))
		}
	}
	rows = slices.DeleteFunc(rows, func(r sinks.Row) bool { return r.Arm == "cand-a" })
	return hostile{name: "ten candidates", why: "wide tables, Holm over ten", e: e, rows: rows}
}

// onDays moves sample i to the day that of says.
func onDays(rows []sinks.Row, of func(i int) int) []sinks.Row {
	for k := range rows {
		i := k / 2
		rows[k].Seen = monday.AddDate(0, 0, of(i)).Add(time.Duration(i) * time.Minute)
	}
	return rows
}

func emptyWeek() hostile {
	rows := onDays(small(140, nil), func(i int) int { return i%7 + 14*(i%2) })
	return hostile{name: "empty week", why: "between two full ones", says: []string{"nothing can be compared: 2026-W42 has no rows"}, e: experiment(), rows: rows,
		w: reports.Window{From: monday.AddDate(0, 0, 14), To: monday.AddDate(0, 0, 21)}}
}

func incompleteWeek() hostile {
	rows := onDays(small(140, nil), func(i int) int { return i % 10 })
	return hostile{name: "incomplete week", why: "of ten days", e: experiment(), rows: rows,
		w: reports.Window{From: monday.AddDate(0, 0, 7), To: monday.AddDate(0, 0, 14)}, options: []reports.Option{reports.AsOf(monday.AddDate(0, 0, 9).Add(time.Hour))}}
}
