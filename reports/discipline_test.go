package reports_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
	"github.com/understudy-eval/understudy/stats"
)

// bound is a row of an answer that keeps or breaks its request's contract.
func bound(i int, arm shadow.Arm, kept bool) sinks.Row {
	r := answered(i, arm, time.Second)
	r.Conforms = &kept
	return r
}

func interval(lower, upper float64) *reports.Interval {
	return &reports.Interval{Lower: &lower, Upper: &upper, Level: 0.95}
}

var near = cmpopts.EquateApprox(0, 5e-5)

// TestFoundingDiscipline has the founding case's figures: 294 of 57,043 answers
// without a schema at the model and 1 of 30,679 with one were outside, which is 0.51
// points fewer, 95 % interval 0.45 to 0.57.
func TestFoundingDiscipline(t *testing.T) {
	share := func(outside, of int) reports.Share {
		var rows []sinks.Row
		for i := range of {
			rows = append(rows, bound(i, shadow.Live, i >= outside))
		}
		return build(t, liveOnly(), rows, nil).Arms[0].Discipline
	}
	without, with := share(294, 57043), share(1, 30679)
	want := reports.Share{X: 294, N: 57043, Share: new(0.00515), Interval: interval(0.00460, 0.00578)}
	if diff := cmp.Diff(want, without, near); diff != "" {
		t.Error(diff)
	}
	delta, iv, err := stats.NewcombeIndependent(without.X, without.N, with.X, with.N, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{-0.0051, -0.0057, -0.0045}, []float64{delta, iv.Lower, iv.Upper}, near); diff != "" {
		t.Errorf("0.51 points fewer (0.45 to 0.57)\n%s", diff)
	}
}

func TestDiscipline(t *testing.T) {
	// Of 100 samples both arms are known for 90. Live breaks 4 of them, the candidate
	// 10, of which 2 are the same ones.
	var rows []sinks.Row
	for i := range 100 {
		live, cand := bound(i, shadow.Live, i >= 4), bound(i, "cand-a", i < 2 || i >= 12)
		switch {
		case i >= 98: // an arm that gave no answer has nothing to show
			cand = failed(i, "cand-a", llm.Timeout, time.Minute)
		case i >= 95: // a contract that cannot be checked
			cand.Conforms = nil
		case i >= 90:
			live.Conforms = nil
		}
		rows = append(rows, live, cand)
	}
	r := build(t, experiment(), rows, booksFor(100))
	arms := []reports.Share{r.Arms[0].Discipline, r.Arms[1].Discipline}
	want := []reports.Share{
		{X: 4, N: 95, Share: new(4.0 / 95), Interval: interval(0.01649, 0.10331)},
		{X: 10, N: 95, Share: new(10.0 / 95), Interval: interval(0.05823, 0.18302)},
	}
	if diff := cmp.Diff(want, arms, near); diff != "" {
		t.Errorf("Wilson, per arm over its own answers\n%s", diff)
	}
	delta := reports.ShareDelta{Pairs: 90, Both: 2, OtherOnly: 2, CandOnly: 8, Delta: new(6.0 / 90), P: new(67.0 / 1024)}
	if diff := cmp.Diff(delta, r.Comparisons[0].Discipline, near, cmpopts.IgnoreFields(reports.ShareDelta{}, "Interval")); diff != "" {
		t.Errorf("over the pairs of which both are known\n%s", diff)
	}
	_, iv, err := stats.NewcombePaired(2, 2, 8, 78, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(interval(iv.Lower, iv.Upper), r.Comparisons[0].Discipline.Interval); diff != "" {
		t.Errorf("Newcombe for pairs\n%s", diff)
	}
}

// Answers of one session that stand or fall together tell less than as many others.
func TestDisciplineIsClustered(t *testing.T) {
	rows := func(session string) []sinks.Row {
		var out []sinks.Row
		for i := range 200 {
			r := bound(i, shadow.Live, i/10%5 > 0)
			if session != "" {
				r.Session = session + string(rune('a'+i/10))
			}
			out = append(out, r)
		}
		return out
	}
	width := func(d reports.Share) float64 { return *d.Interval.Upper - *d.Interval.Lower }
	apart, together := build(t, liveOnly(), rows(""), nil).Arms[0].Discipline, build(t, liveOnly(), rows("s"), nil).Arms[0].Discipline
	if apart.Clustered || !together.Clustered || together.X != 40 || together.N != 200 {
		t.Errorf("apart %+v, together %+v", apart, together)
	}
	// Ten answers that agree tell as much as one: √10 times as wide, about.
	if ratio := width(together) / width(apart); math.Abs(ratio-math.Sqrt(10)) > 0.4 {
		t.Errorf("%.2f times as wide", ratio)
	}
}

func TestDisciplineSection(t *testing.T) {
	const title = "Answers outside the request's own schema or list"
	rows := foundingRows(t)
	plain := build(t, experiment(), rows, booksFor(600))
	if text := everyForm(t, plain); strings.Contains(text, title) {
		t.Error("a section although no request set a contract")
	}
	for i := range rows {
		n := int(rows[i].Sample[15])
		rows[i].Conforms = new(n%50 > 0 && (rows[i].Arm == shadow.Live || n%10 > 0))
	}
	var b bytes.Buffer
	if err := build(t, experiment(), rows, booksFor(600)).Text(&b, 100, nil); err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(b.String(), title)
	if !found {
		t.Fatal("no section")
	}
	section, _, _ = strings.Cut(title+section, "\n\n")
	golden(t, "discipline.txt.golden", []byte(section+"\n"))

	control := experiment()
	control.Candidates = append(control.Candidates, reports.Arm{Name: "again", Model: "live", Control: true, Timeout: time.Minute})
	for _, r := range slices.Clone(rows) {
		if r.Arm == shadow.Live {
			r.Arm = "again"
			rows = append(rows, r)
		}
	}
	r := build(t, control, rows, booksFor(600))
	if c := r.Comparisons[0]; c.Against != "again" || c.Discipline.Pairs != 600 {
		t.Errorf("against %s over %d pairs, want the control arm", c.Against, c.Discipline.Pairs)
	}
}
