package reports_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// named lists slices as "dimension=value: pairs".
func named(list []reports.Slice) []string {
	out := []string{}
	for _, s := range list {
		value := s.Value
		if s.Others > 0 {
			value = fmt.Sprintf("%s of %d", value, s.Others)
		}
		out = append(out, fmt.Sprintf("%s=%s: %d", s.Dimension, value, s.Candidates[0].Delta.N))
	}
	return out
}

// TestSlices: which slices there are, and in which order.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		name, why string
		n         int
		change    func(i int, r *sinks.Row)
		want      []string
	}{
		{"one of everything", "a single value is no slice", 6, func(int, *sinks.Row) {}, []string{}},
		{"routes", "the larger first, then by name", 7, func(i int, r *sinks.Row) { r.Route = []string{"/c", "/a", "/b"}[i%3] },
			[]string{"route=/c: 3", "route=/a: 2", "route=/b: 2"}},
		{"no route", "what is not known is a value of its own", 3, func(i int, r *sinks.Row) { r.Route = []string{"/a", ""}[i%2] },
			[]string{"route=/a: 2", "route=unknown: 1"}},
		{"a route called so", "is not told from it", 3, func(i int, r *sinks.Row) { r.Route = []string{"/a", "", "unknown"}[i] },
			[]string{"route=unknown: 2", "route=/a: 1"}},
		{"tags", "by key; a sample may lack one, a key may have one value only", 4, func(i int, r *sinks.Row) {
			if i > 0 {
				r.Tags = []string{"app=shop", "lang=" + []string{"", "ja", "de"}[i%3]}
			}
		}, []string{"tag app=shop: 3", "tag app=unknown: 1", "tag lang=unknown: 2", "tag lang=de: 1", "tag lang=ja: 1"}},
		{"tag without a value", "the key alone says nothing", 2, func(i int, r *sinks.Row) { r.Tags = [][]string{{"beta"}, {"beta=on"}}[i] },
			[]string{"tag beta=on: 1", "tag beta=unknown: 1"}},
		{"weeks", "ISO weeks, in UTC, over the end of a year", 3, func(i int, r *sinks.Row) {
			r.Seen = time.Date(2027, 1, 3+i, 23, 59, 59, 0, time.UTC)
		}, []string{"week=2027-W01: 2", "week=2026-W53: 1"}},
		{"live snapshot", "of the live answer, not of the candidate's", 3, func(i int, r *sinks.Row) {
			r.Model = llm.Snapshot(fmt.Sprint(r.Arm, "-", i%2))
		}, []string{"live snapshot=live-0: 2", "live snapshot=live-1: 1"}},
		{"live failed once", "a failed call names no snapshot, and is no second one", 3, func(i int, r *sinks.Row) {
			if i == 0 && r.Arm == shadow.Live {
				*r = failed(0, shadow.Live, llm.Timeout, time.Second)
			}
		}, []string{}},
		{"grades in one route only", "the tails of the other are worth a slice", 3, func(i int, r *sinks.Row) {
			if r.Route = []string{"/a", "/b"}[i%2]; i%2 == 1 {
				r.JudgeState, r.Grade, r.Problem = "", nil, ""
			}
		}, []string{"route=/a: 2", "route=/b: 0"}},
		{"many", "no table of more than twenty", 46, func(i int, r *sinks.Row) { r.Route = fmt.Sprintf("/%02d", i/2%23) },
			slices.Concat(numbered("route=/%02d: 2", 20), []string{"route=others of 3: 6"})},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := gradePairs("cand-a", winsAndLosses(c.n, 1, 1)...)
			for i := range rows {
				c.change(i/2, &rows[i])
			}
			r := build(t, experiment(), rows, nil)
			if diff := cmp.Diff(c.want, named(r.Slices)); diff != "" {
				t.Errorf("%s: %s", c.why, diff)
			}
			everyForm(t, r)
		})
	}
}

func numbered(format string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, i)
	}
	return out
}

// TestSliceIsAReport: a slice's figures are those of a report on its rows alone.
func TestSliceIsAReport(t *testing.T) {
	all := foundingRows(t)
	for i := range all {
		n := int(all[i].Sample[15])
		all[i].Route = []string{"/a", "/b", "/b"}[n%3]
		all[i].Tags = []string{"lang=" + []string{"de", "en"}[n%2]}
		if n%16 == 0 && all[i].Arm != shadow.Live {
			all[i] = failed(i/2, "cand-a", llm.Timeout, 20*time.Second)
			all[i].Route, all[i].Tags = []string{"/a", "/b", "/b"}[n%3], []string{"lang=" + []string{"de", "en"}[n%2]}
		}
	}
	whole := build(t, experiment(), all, nil)
	if len(whole.Slices) != 4 {
		t.Fatalf("slices %v", named(whole.Slices))
	}
	for _, s := range whole.Slices {
		var rows []sinks.Row
		for _, r := range all {
			if r.Route == s.Value || slices.Contains(r.Tags, "lang="+s.Value) {
				rows = append(rows, r)
			}
		}
		r := build(t, experiment(), rows, nil)
		q, live, cand := r.Comparisons[0].Quality, r.Arms[0].Latency, r.Arms[1].Latency
		want := reports.SliceDelta{
			Arm: "cand-a", MeanLive: q.MeanLive, MeanCandidate: q.MeanCandidate, Delta: q.Delta, Fixed: q.Fixed, Anytime: q.Anytime,
			Wins: q.Wins, Ties: q.Ties, Losses: q.Losses, P: s.Candidates[0].P, PHolm: s.Candidates[0].PHolm,
			P95Live: live.Quantiles[1], P95Candidate: cand.Quantiles[1], Limit: new(3 * time.Second),
			OverLive: live.Over[0].Share, OverCandidate: cand.Over[0].Share,
			Better: q.Better, Poor: q.Poor, Disagree: q.Disagree,
		}
		want.GradesLive, want.GradesCandidate = gradesOfPairs(rows)
		if diff := cmp.Diff(want, s.Candidates[0]); diff != "" {
			t.Errorf("%s=%s: %s", s.Dimension, s.Value, diff)
		}
		if s.Samples != r.Arms[0].Samples {
			t.Errorf("%s=%s: %d samples, want %d", s.Dimension, s.Value, s.Samples, r.Arms[0].Samples)
		}
	}
	if text := everyForm(t, whole); !strings.Contains(text, "4 slices are shown, and among many some differ by chance") {
		t.Error("the report does not say that slices are many looks")
	}
}

// gradesOfPairs counts the grades of pairs that both have one.
func gradesOfPairs(rows []sinks.Row) (live, cand [6]int) {
	for i := 0; i < len(rows); i += 2 { // live's row, then the candidate's
		if a, b := rows[i].Grade, rows[i+1].Grade; a != nil && b != nil {
			live[*a-1]++
			cand[*b-1]++
		}
	}
	return live, cand
}

// TestSliceSpread: what a mean hides in a slice is said.
func TestSliceSpread(t *testing.T) {
	var rows []sinks.Row
	for i := range 80 { // in /a three of four get better by 1, the fourth is far worse
		live, cand := 3, 2
		if i%4 == 0 {
			live, cand = 1, 6
		}
		a, b := graded(i, shadow.Live, live, time.Second), graded(i, "cand-a", cand, time.Second)
		if i >= 40 {
			b.Grade = a.Grade
			a.Route, b.Route = "/b", "/b"
		}
		rows = append(rows, a, b)
	}
	r := build(t, experiment(), rows, booksFor(80))
	if a, b := r.Slices[0].Candidates[0], r.Slices[1].Candidates[0]; a.Disagree == b.Disagree {
		t.Errorf("disagree: %v and %v", a.Disagree, b.Disagree)
	}
	text := strings.Join(strings.Fields(everyForm(t, r)), " ")
	for _, want := range []string{
		"live 10/0/30/0/0/0 cand-a 0/30/0/0/0/10", "live 10/0/30/0/0/0 cand-a 10/0/30/0/0/0", "+25.0 (+", "mean and wins favour different arms in: /v1/chat/completions",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestSliceTests: p is a t test's, and Holm counts every slice of its dimension.
func TestSliceTests(t *testing.T) {
	e := experiment()
	e.Candidates = append(e.Candidates, reports.Arm{Name: "again", Control: true}, reports.Arm{Name: "cand-b"})
	rows := gradePairs("cand-a", winsAndLosses(12, 5, 2)...)
	for i := range rows { // /a has 5 wins and a loss, /b a loss and 4 ties, /c a tie
		rows[i].Route = []string{"/a", "/b", "/c"}[min(max(i/2-1, 0)/5, 2)]
	}
	r := build(t, e, rows, nil)
	if diff := cmp.Diff([]string{"route=/a: 6", "route=/b: 5", "route=/c: 1"}, named(r.Slices)); diff != "" {
		t.Fatal(diff)
	}
	a, b, c := r.Slices[0].Candidates, r.Slices[1].Candidates, r.Slices[2].Candidates
	if len(a) != 2 || a[1].Arm != "cand-b" || a[1].P != nil {
		t.Errorf("candidates %+v", a)
	}
	// /a: d is −1 five times and +1 once: mean −2/3, SE 1/3, t −2 with 5 degrees of freedom
	nearly(t, "in SE", a[0].Delta.InSE, -2)
	theta := math.Atan(2 / math.Sqrt(5))
	nearly(t, "p", a[0].P, 1-2/math.Pi*(theta+math.Sin(theta)*(math.Cos(theta)+2*math.Pow(math.Cos(theta), 3)/3)))
	nearly(t, "by Holm", a[0].PHolm, min(1, 3**a[0].P))
	if b[0].Losses != 1 || b[0].P == nil || c[0].P != nil || c[0].PHolm != nil {
		t.Errorf("/b %+v, /c %+v", b[0], c[0])
	}
}

func onDay(n int) time.Time { return monday.AddDate(0, 0, n) }

func TestLiveChanges(t *testing.T) {
	for _, c := range []struct {
		name, why string
		models    []llm.Snapshot // a day each
		want      []reports.LiveChange
		says      string
	}{
		{"none", "one model", []llm.Snapshot{"a", "a"}, nil, ""},
		{"unnamed", "an answer that names no version changes nothing", []llm.Snapshot{"a", "", "a"}, nil, ""},
		{"changed", "a release", []llm.Snapshot{"a", "a", "b"}, []reports.LiveChange{{From: "a", To: "b", At: onDay(2)}},
			"warning: live changed from a to b on 2026-10-07: each has its own figures in the slices"},
		{"mixed", "a slow roll-out", []llm.Snapshot{"a", "b", "a"}, []reports.LiveChange{{From: "a", To: "b", At: onDay(1), Mixed: true}},
			"live answered as a and, from 2026-10-06 on, also as b"},
		{"twice", "each change is named", []llm.Snapshot{"a", "b", "c"}, []reports.LiveChange{{From: "a", To: "b", At: onDay(1)}, {From: "b", To: "c", At: onDay(2)}},
			"live changed from a to b on 2026-10-06; live changed from b to c on 2026-10-07"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := gradePairs("cand-a", winsAndLosses(len(c.models), 1, 1)...)
			for i := range rows {
				if rows[i].Seen = onDay(i / 2); rows[i].Arm == shadow.Live {
					rows[i].Model = c.models[i/2]
				}
			}
			slices.Reverse(rows)
			r := build(t, experiment(), rows, nil)
			if diff := cmp.Diff(c.want, r.LiveChanges); diff != "" {
				t.Errorf("%s: %s", c.why, diff)
			}
			if text := strings.Join(strings.Fields(everyForm(t, r)), " "); !strings.Contains(text, c.says) {
				t.Errorf("the report does not say %q", c.says)
			}
		})
	}
}

// TestLiveChangedBefore: a decision rests on all pairs, so a change before the window
// is said too.
func TestLiveChangedBefore(t *testing.T) {
	rows := gradePairs("cand-a", winsAndLosses(4, 1, 1)...)
	for i := range rows {
		if rows[i].Seen = onDay(i / 2); rows[i].Arm == shadow.Live {
			rows[i].Model = []llm.Snapshot{"a", "b", "b", "b"}[i/2]
		}
	}
	r, err := reports.Build(seq(rows), nil, experiment(), reports.Window{From: onDay(2)})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.LiveChanges) != 0 || len(r.Whole.LiveChanges) != 1 {
		t.Errorf("in the window %+v, before %+v", r.LiveChanges, r.Whole.LiveChanges)
	}
	if text := everyForm(t, r); !strings.Contains(text, "warning: live changed from a to b on 2026-10-06") {
		t.Error("the report does not say it")
	}
}
