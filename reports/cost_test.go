package reports_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
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

// paid gives a row its costs in 1e-9 USD; a negative one is unknown.
func paid(r sinks.Row, answer, judging int64) sinks.Row {
	if answer >= 0 {
		r.Cost = new(answer)
	}
	if judging >= 0 {
		r.JudgeCost = new(judging)
	}
	return r
}

// pricedRows are n samples, three to a session, of live, cand-a and a control arm;
// an answer of cand-a costs about ratio times one of the others.
func pricedRows(n int, ratio float64) []sinks.Row {
	r := rand.New(rand.NewPCG(8, uint64(n)))
	var rows []sinks.Row
	for i := range n {
		for _, arm := range []shadow.Arm{shadow.Live, "cand-a", "control"} {
			nano := 1_200_000 + 400_000*r.Float64()
			if arm == "cand-a" {
				nano *= ratio
			}
			row := paid(graded(i, arm, 2+i%2, time.Second), int64(nano), 2_600_000)
			row.Session = fmt.Sprintf("s-%d", i/3)
			row.TokensIn, row.TokensReasoning = new(int64(180)), new(int64(i%2*40))
			rows = append(rows, row)
		}
	}
	return rows
}

func withControl() reports.Experiment {
	e := experiment()
	e.Candidates = append(e.Candidates, reports.Arm{Name: "control", Model: "gpt-5.6-luna", Control: true, Timeout: time.Minute})
	e.Gate.CostIncrease = new(0.5)
	return e
}

func TestArmCost(t *testing.T) {
	rows := []sinks.Row{
		paid(graded(0, shadow.Live, 2, time.Second), 1_000_000, 500),
		paid(graded(1, shadow.Live, 2, time.Second), 3_000_000, 700),
		paid(failed(2, shadow.Live, llm.Truncated, time.Second), 5_000_000, -1), // a failed call costs
		paid(graded(3, shadow.Live, 2, time.Second), -1, -1),                    // unknown, not 0
		paid(notGraded(4, shadow.Live, "malformed"), 7_000_000, 600),            // judged and paid, without a grade
	}
	rows[0].TokensIn, rows[1].TokensIn = new(int64(10)), new(int64(21))
	got := build(t, experiment(), rows, booksFor(5)).Arms[0].Cost
	mean, err := stats.ClusteredMean([]float64{0.001, 0.003, 0.005, 0.007}, []string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	iv, err := mean.CI(0.95)
	if err != nil {
		t.Fatal(err)
	}
	inSE, err := mean.InSE()
	if err != nil {
		t.Fatal(err)
	}
	want := reports.ArmCost{
		Calls: 5, Known: 4, TotalNUSD: new(int64(16_000_000)),
		PerAnswer: reports.Estimate{N: 4, Sessions: 4, Value: new(0.004), SE: new(mean.SE), DF: new(3.0), InSE: new(inSE)},
		Interval:  &reports.Interval{Lower: new(iv.Lower), Upper: new(iv.Upper), Level: 0.95},
		Median:    new(0.004), P95: new(0.0067), // type 7
		TokensIn: reports.MeanCount{N: 2, Mean: new(15.5)}, TokensOut: reports.MeanCount{N: 4, Mean: new((100 + 101 + 103 + 104) / 4.0)},
		Judging: reports.JudgingCost{Judged: 4, Known: 3, TotalNUSD: new(int64(1800)), PerGraded: new(9e-7)},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Without a price nothing about money is a number, in any form.
func TestUnknownCost(t *testing.T) {
	e := experiment()
	e.Gate.CostIncrease = new(0.5)
	r := build(t, e, plain(100, 0), booksFor(100))
	for _, a := range r.Arms {
		c := a.Cost
		if c.Known != 0 || c.PerAnswer.Value != nil || c.Interval != nil || c.Median != nil || c.P95 != nil || c.TotalNUSD != nil || c.Judging.TotalNUSD != nil || c.Judging.PerGraded != nil {
			t.Errorf("%s: %+v", a.Name, c)
		}
	}
	if c := r.Comparisons[0].Cost; c.Pairs != 0 || c.Other != nil || c.Candidate != nil || c.Delta.Value != nil || c.Ratio != nil {
		t.Errorf("%+v", c)
	}
	decisions, err := e.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Text(&b, 0, decisions); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cost           unknown: no answer has both a price and token counts\n", "increase of cost per answer over live", "cost_unknown",
		"prices and token counts of cand-a and live, in rows to come\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Contains(b.String(), "$") {
		t.Error("the report prints a sum of money")
	}
}

func TestCostDelta(t *testing.T) {
	e := withControl()
	rows := pricedRows(300, 1.3)
	for i := range rows {
		switch {
		case rows[i].Arm == "cand-a" && i/3%10 == 0:
			rows[i].Cost = nil // 30 pairs have one side only
		case rows[i].Arm == shadow.Live:
			rows[i].Cost = new(2 * *rows[i].Cost) // live is dearer than its control
		}
	}
	c := build(t, e, rows, booksFor(300)).Comparisons[0]
	if c.Cost.Against != shadow.Live || c.Cost.Asked != 300 || c.Cost.Pairs != 270 {
		t.Errorf("to live: against %s, %d of %d pairs", c.Cost.Against, c.Cost.Pairs, c.Cost.Asked)
	}
	near := func(what string, got, want, by float64) {
		t.Helper()
		if math.Abs(got-want) > by {
			t.Errorf("%s %v, want about %v", what, got, want)
		}
	}
	near("ratio to live", *c.Cost.Ratio, 0.65, 0.02)
	near("delta", *c.Cost.Delta.Value, *c.Cost.Candidate-*c.Cost.Other, 1e-15)
	near("ratio of the means", *c.Cost.Ratio, *c.Cost.Candidate / *c.Cost.Other, 1e-12)
	if c.CostIncrease.Against != "control" {
		t.Errorf("the gate compares with %s", c.CostIncrease.Against)
	}
	near("ratio to control", *c.CostIncrease.Ratio, 1.3, 0.03)
	if iv := c.CostIncrease.RatioInterval; *iv.Lower > 1.3 || *iv.Upper < 1.3 || *iv.Upper-*iv.Lower > 0.1 {
		t.Errorf("interval %v to %v", *iv.Lower, *iv.Upper)
	}
}

// A sample that had half the chance counts twice, in every figure on cost.
func TestCostIsWeightedByChance(t *testing.T) {
	var rows, twice []sinks.Row
	for i := range 40 {
		for _, arm := range []shadow.Arm{shadow.Live, "cand-a"} {
			row := paid(graded(i, arm, 2, time.Second), int64(1000+100*(i%7)+i%2*5000), -1)
			twice = append(twice, row)
			if i%2 == 1 {
				again := row
				again.Sample = sampleID(1000 + i) // in the same session: another pair like it
				twice = append(twice, again)
				row.Rate, row.JudgeRate = row.Rate/2, row.JudgeRate/2
			}
			if arm == "cand-a" {
				row.Cost = new(*row.Cost * int64(2+i%3))
				twice[len(twice)-1].Cost = row.Cost
				twice[len(twice)-1-i%2].Cost = row.Cost
			}
			rows = append(rows, row)
		}
	}
	weighted, plain := build(t, experiment(), rows, booksFor(40)), build(t, experiment(), twice, booksFor(60))
	a, b := weighted.Comparisons[0].Cost, plain.Comparisons[0].Cost
	got := []float64{*weighted.Arms[0].Cost.PerAnswer.Value, *a.Other, *a.Candidate, *a.Delta.Value, *a.Ratio}
	want := []float64{*plain.Arms[0].Cost.PerAnswer.Value, *b.Other, *b.Candidate, *b.Delta.Value, *b.Ratio}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-each pair twice +half the chance:\n%s", diff)
	}
}

// Costs are whole numbers, so their sums do not depend on the order of rows.
func TestCostInAnyOrder(t *testing.T) {
	rows := pricedRows(200, 1.1)
	var want bytes.Buffer
	if err := build(t, withControl(), rows, booksFor(200)).JSON(&want, nil); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		var got bytes.Buffer
		if err := build(t, withControl(), rows, booksFor(200)).JSON(&got, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Fatalf("another order, another report:\n%s", diff)
		}
	}
}

func TestCostGuard(t *testing.T) {
	each := func(change func(i int, r *sinks.Row)) []sinks.Row {
		rows := pricedRows(150, 1)
		for i := range rows {
			change(i, &rows[i])
		}
		return rows
	}
	tests := []struct {
		name, why string
		rows      []sinks.Row
		limit     float64
		ifKnown   bool // the limit is the default
		state     reports.State
		code      reports.Code
		says      string // in the decision's table or sentence
	}{
		{name: "cheaper", why: "the whole interval lies below the limit", rows: pricedRows(150, 0.5), limit: 0.5, state: reports.Pass, code: "cost_increase", says: "-50"},
		{name: "dearer", why: "the whole interval lies above it", rows: pricedRows(150, 2), limit: 0.5, state: reports.Fail, code: "cost_increase", says: "increase of cost per answer over control: +100.6 %"},
		{name: "within", why: "dearer, but by less than the limit", rows: pricedRows(150, 1.3), limit: 0.5, state: reports.Pass, code: "cost_increase"},
		{name: "open", why: "the interval holds the limit", rows: pricedRows(150, 1), limit: 0.001, state: reports.Unknown, code: "cost_increase_open", says: "increase of cost per answer"},
		{name: "no price", why: "unknown is open, not free", limit: 0.5, state: reports.Unknown, code: "cost_unknown", says: "increase of cost per answer over control: not known, limit 50 %",
			rows: each(func(_ int, r *sinks.Row) {
				if r.Arm == "cand-a" {
					r.Cost = nil
				}
			})},
		{name: "no price for a control, by default", why: "one known cost is as good as none: the last guard is that of a problem", limit: 0.5, ifKnown: true, state: reports.Unknown, code: "problem_unsafe_open",
			says: "cost is not guarded: there is no pair of which both costs are known",
			rows: each(func(_ int, r *sinks.Row) {
				if r.Arm == "control" {
					r.Cost = nil
				}
			})},
		{name: "dearer, by default", why: "where costs are known the default guards", rows: pricedRows(150, 2), limit: 0.5, ifKnown: true, state: reports.Fail, code: "cost_increase"},
		{name: "live's price unknown", why: "the control arm is what counts", limit: 0.5, state: reports.Pass, code: "cost_increase",
			rows: each(func(_ int, r *sinks.Row) {
				if r.Arm == shadow.Live {
					r.Cost = nil
				}
			})},
		{name: "all free", why: "nothing is no more than nothing", limit: 0.5, state: reports.Pass, code: "cost_increase",
			rows: each(func(_ int, r *sinks.Row) { r.Cost = new(int64(0)) })},
		{name: "free control", why: "any cost is more than nothing", limit: 0.5, state: reports.Fail, code: "cost_increase", says: "over control: from nothing, limit 50 %",
			rows: each(func(_ int, r *sinks.Row) {
				if r.Arm != "cand-a" {
					r.Cost = new(int64(0))
				}
			})},
		{name: "free candidate", why: "the cheapest there is", limit: 0.5, state: reports.Pass, code: "cost_increase", says: "-100.0 %",
			rows: each(func(_ int, r *sinks.Row) {
				if r.Arm == "cand-a" {
					r.Cost = new(int64(0))
				}
			})},
		{name: "one session", why: "no standard error, no interval", limit: 0.5, state: reports.Unknown, code: "cost_increase_open",
			rows: each(func(_ int, r *sinks.Row) { r.Session = "s" })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := withControl()
			e.Gate.CostIncrease, e.Gate.CostIfKnown = &tt.limit, tt.ifKnown
			r := build(t, e, tt.rows, booksFor(150))
			d, err := e.Gate.Decide(r, "cand-a", time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			check := d.Guards[len(d.Guards)-1]
			if check.State != tt.state || check.Code != tt.code || check.Against != "control" {
				t.Errorf("%s: %s %s against %s, want %s %s against control", tt.why, check.State, check.Code, check.Against, tt.state, tt.code)
			}
			if tt.state == reports.Fail && d.Outcome != reports.NoGo || tt.state == reports.Unknown && d.Outcome == reports.Go {
				t.Errorf("%s: outcome %s", tt.why, d.Outcome)
			}
			var b bytes.Buffer
			if err := d.Text(&b, 0); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), tt.says) {
				t.Errorf("%s: %q is not said in\n%s", tt.why, tt.says, &b)
			}
		})
	}
}

// The sections on cost as a reader sees them: one arm's price is unknown.
func TestCostSections(t *testing.T) {
	rows := pricedRows(150, 1.3)
	for i := range rows {
		if rows[i].Arm == shadow.Live && i%2 == 0 {
			rows[i].Cost = nil
		}
	}
	e := withControl()
	r := build(t, e, rows, booksFor(150))
	decisions, err := e.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var text, markdown bytes.Buffer
	if err := r.Text(&text, 100, decisions); err != nil {
		t.Fatal(err)
	}
	if err := r.Markdown(&markdown, decisions); err != nil {
		t.Fatal(err)
	}
	var both bytes.Buffer
	for _, form := range []*bytes.Buffer{&text, &markdown} {
		_, after, found := strings.Cut(form.String(), "Cost, in USD")
		sections, _, ends := strings.Cut(after, "Judge: ")
		if !found || !ends {
			t.Fatal("there is no section on cost before the judge")
		}
		both.WriteString(sections)
	}
	golden(t, "cost.golden", both.Bytes())
}
