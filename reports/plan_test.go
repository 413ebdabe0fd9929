package reports_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
	"github.com/understudy-eval/understudy/stats"
)

// toPlan is the experiment of the tests without dates.
func toPlan() reports.Experiment {
	e := experiment()
	e.Start, e.Stop = time.Time{}, time.Time{}
	e.Gate.P95Increase = new(500 * time.Millisecond)
	e.Gate.FirstTokenOver = []reports.ShareLimit{{Limit: time.Second, Share: 0.1}}
	return e
}

func perDay(pairs float64) reports.Volume {
	return reports.Volume{PairsPerDay: pairs, SD: reports.DefaultSD, PairsPerSession: 1, ICC: reports.DefaultICC}
}

func plan(t *testing.T, e reports.Experiment, v reports.Volume) reports.Plan {
	t.Helper()
	p, err := reports.NewPlan(e, v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlanFigures holds the plan to the published figures of METHODS, section 8:
// a week and a month of the founding case, and the pairs for its margin.
func TestPlanFigures(t *testing.T) {
	e := toPlan()
	e.Gate.PlannedPairs = 894
	p := plan(t, e, perDay(209.0/7))
	for _, c := range []struct {
		name        string
		week, pairs int
		once, daily string
	}{{"a week", 1, 209, "0.23", "0.32"}, {"a month", 0, 894, "0.11", "0.16"}} {
		for _, v := range p.Visible {
			if v.Week != c.week {
				continue
			}
			if once, daily := fmt.Sprintf("%.2f", *v.Once), fmt.Sprintf("%.2f", *v.Daily); v.Pairs != c.pairs || once != c.once || daily != c.daily {
				t.Errorf("%s: %d pairs show %s, daily %s; want %d, %s, %s", c.name, v.Pairs, once, daily, c.pairs, c.once, c.daily)
			}
		}
	}
	n := p.Needed[0]
	if n.Shows != reports.CodeNoWorse || math.Abs(float64(*n.Once.N)-1130) > 1 || math.Abs(float64(*n.Daily.N)-2164) > 1 {
		t.Errorf("%s takes %d pairs, daily %d; want 1130 and 2164", n.Shows, *n.Once.N, *n.Daily.N)
	}
}

// TestPlanSeveral: the first of two candidates must hold at half of alpha.
func TestPlanSeveral(t *testing.T) {
	one, two, half := toPlan(), toPlan(), toPlan()
	two.Candidates = append(two.Candidates, reports.Arm{Name: "again", Control: true}, reports.Arm{Name: "cand-b"})
	half.Gate.Alpha /= 2
	want, got := plan(t, half, perDay(30)), plan(t, two, perDay(30))
	if alone := plan(t, one, perDay(30)); alone.Candidates != 1 || *alone.Needed[0].Daily.N >= *got.Needed[0].Daily.N {
		t.Errorf("alone %v pairs, of two %v", *alone.Needed[0].Daily.N, *got.Needed[0].Daily.N)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(reports.Plan{}, "Gate", "Candidates")); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	if err := got.Text(&b, 0); err != nil {
		t.Fatal(err)
	}
	if s := "two-sided alpha 5 % (2.5 % for the first of 2 candidates, by Holm)"; !strings.Contains(b.String(), s) {
		t.Errorf("the plan does not say %q:\n%s", s, b.String())
	}
}

// TestPlanAgreesWithStats: what a number of pairs shows is what stats says of it, and
// the anytime figures use the sequence's own multiplier in the place of 1.96.
func TestPlanAgreesWithStats(t *testing.T) {
	e := toPlan()
	v := reports.Volume{PairsPerDay: 30, SD: 1.1, PairsPerSession: 3, ICC: 0.2}
	p := plan(t, e, v)
	sd := 1.1 * math.Sqrt(1.4)
	fixed, _ := stats.MDE(1, 1, e.Gate.Alpha, 0.5) // z of the level: at power 0.5 the other z is 0
	both, _ := stats.MDE(1, 1, e.Gate.Alpha, 0.8)
	half := func(n, planned float64) float64 {
		seq, err := stats.NewSequence(e.Gate.Alpha, planned)
		if err != nil {
			t.Fatal(err)
		}
		m, err := seq.Multiplier(n)
		if err != nil {
			t.Fatal(err)
		}
		return (m + both - fixed) * sd / math.Sqrt(n)
	}
	for _, row := range p.Visible {
		n := float64(row.Pairs)
		if power, err := stats.Power(sd, n, *row.Once, e.Gate.Alpha); err != nil || math.Abs(power-0.8) > 1e-9 {
			t.Errorf("week %d: power %v, %v", row.Week, power, err)
		}
		if want := half(n, n); math.Abs(*row.Daily-want) > 1e-6 {
			t.Errorf("week %d: daily %v, want %v", row.Week, *row.Daily, want)
		}
		if want := half(n, 900); math.Abs(*row.Gate-want) > 1e-6 {
			t.Errorf("week %d: this gate %v, want %v", row.Week, *row.Gate, want)
		}
	}
	for _, n := range p.Needed {
		gap := -n.Difference
		if n.Shows == reports.CodeNoWorse {
			gap = e.Gate.Margin
		}
		once, err := stats.PairsNeeded(sd, gap, e.Gate.Alpha, 0.8)
		if err != nil || *n.Once.N != int(math.Ceil(once)) || *n.Once.Day != int(math.Ceil(math.Ceil(once)/30)) {
			t.Errorf("%s by %v: %d pairs on day %d, want %v (%v)", n.Shows, n.Difference, *n.Once.N, *n.Once.Day, once, err)
		}
		if daily := float64(*n.Daily.N); half(daily, daily) > gap*(1+1e-9) || half(daily-1, daily-1) <= gap && daily > 90 {
			t.Errorf("%s by %v: %v pairs show %v daily", n.Shows, n.Difference, daily, half(daily, daily))
		}
	}
}

// TestPlanSteps: a limit can pass from the number of calls on that the interval
// needs, and not one call earlier.
func TestPlanSteps(t *testing.T) {
	p := plan(t, toPlan(), perDay(30))
	got := map[reports.Code][]int{}
	for _, s := range p.Steps {
		got[s.Code] = []int{*s.First.N, *s.First.Day}
		if s.Half != nil {
			got[s.Code] = append(got[s.Code], *s.Half.N)
		}
	}
	want := map[reports.Code][]int{
		reports.CodeBurnIn: {50, 2}, "tail_over_3s": {73, 3, 320}, "tail_over_10s": {381, 13, 1600}, "first_token_over_1s": {35, 2, 140},
		reports.CodeFailures: {189, 7, 800}, "problem_unsafe": {189, 7, 800}, reports.CodeP95Increase: {72, 3}, "p99": {368, 13},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	upper := func(x, n int) float64 {
		iv, err := stats.Wilson(x, n, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		return iv.Upper
	}
	if upper(0, 73) >= 0.05 || upper(0, 72) < 0.05 || upper(8, 320) >= 0.05 || upper(7, 280) < 0.05 {
		t.Error("the share over 3 s passes elsewhere")
	}
}

// TestLeast: 0 says that a limit can never pass.
func TestLeast(t *testing.T) {
	for _, c := range []struct {
		limit        float64
		calls, pairs int
	}{{0.05, 73, 73}, {0.01, 381, 381}, {0.999, 1, 1}, {0, 0, 0}, {-1, 0, 0}, {1e-12, 0, 0}} {
		if calls, pairs := reports.LeastCalls(c.limit, 0.95), reports.LeastPairs(c.limit, 0.95); calls != c.calls || pairs != c.pairs {
			t.Errorf("limit %v: %d calls, %d pairs; want %d, %d", c.limit, calls, pairs, c.calls, c.pairs)
		}
	}
}

// TestPlanEdges: what does not exist is not a number, and is called by its name.
func TestPlanEdges(t *testing.T) {
	day := func(n int) time.Time { return monday.AddDate(0, 0, n) }
	for _, c := range []struct {
		name, why  string
		volume     reports.Volume
		change     func(*reports.Experiment)
		has, lacks []string
	}{
		{"before the burn-in", "the anytime interval does not exist, one look does", perDay(5), nil,
			[]string{"week 1     7     35            0.57              burn-in                 burn-in"}, nil},
		{"hardly any pairs", "0 pairs show nothing", perDay(1e-7), nil, []string{"undefined", "over a hundred years", "(day out of reach)"}, []string{"NaN", "Inf"}},
		{"sessions", "30 sessions of 10 pairs are more than 50 pairs", reports.Volume{PairsPerDay: 30, SD: 1, PairsPerSession: 10, ICC: 1}, nil,
			[]string{"  300   10\n", "sessions of 10 pairs that correlate by 1 "}, nil},
		{"nothing beyond the scale", "grades differ by 5 at most", reports.Volume{PairsPerDay: 0.5, SD: 5, PairsPerSession: 1}, nil, []string{"none"}, nil},
		{"tiny margin", "a number that nobody reaches", perDay(30), func(e *reports.Experiment) { e.Gate.Margin = 1e-6 }, []string{"more than a billion pairs", "over a billion"}, nil},
		{"no guards", "grades and quantiles only", perDay(30), func(e *reports.Experiment) { e.Gate = reports.Gate{Margin: 0.1, Alpha: 0.05, PlannedPairs: 900} },
			[]string{"p95 has an upper bound  ", "burn-in ends"}, []string{"limit 5 %"}},
		{"time enough", "80 days are enough for the margin, and for all guards", perDay(30), func(e *reports.Experiment) { e.Start, e.Stop = day(0), day(80) },
			[]string{"from 2026-10-05 to 2026-12-23 (UTC), 80 days", "week 1, to 2026-10-11", "84, after the stop"}, []string{"warning"}},
		{"too early", "28 days are not", perDay(30), func(e *reports.Experiment) { e.Start, e.Stop = day(0), day(28) },
			[]string{"by the stop, on day 28 with 840 pairs, the gate finds", "warning: the last day, 2026-11-01, comes too early",
				"warning: the 900 planned pairs are not reached", "warning: share of answers over 10 s, limit 1 %: at half the limit it would"}, nil},
		{"burn-in too late", "a day is not even that", perDay(30), func(e *reports.Experiment) { e.Start, e.Stop = day(0), day(1) },
			[]string{"on day 1 with 30 pairs, the burn-in has not ended", "warning: the burn-in ends after the last day", "cannot pass by the last day, 2026-10-05; it takes 73 calls (day 3, after the stop)"}, nil},
		{"open end", "nothing is late", perDay(1), func(e *reports.Experiment) { e.Start = day(0) }, []string{"from 2026-10-05 (UTC), no stop date", "with the 900 planned pairs (day 900)",
			"warning: with the 900 planned pairs a candidate as good as live passes with a chance of about 30 % only", "; 2,165 planned pairs give 80 %"}, []string{"after the stop"}},
		{"pairs enough", "these pass nearly always", perDay(1), func(e *reports.Experiment) { e.Gate.PlannedPairs = 3000 }, nil, []string{"warning"}},
		{"hardly a burn-in", "the plan ends before it", perDay(1), func(e *reports.Experiment) { e.Gate.PlannedPairs = 40 }, []string{"warning: the burn-in does not end within the 40 planned pairs"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := toPlan()
			if c.change != nil {
				c.change(&e)
			}
			p := plan(t, e, c.volume)
			var text, md, js bytes.Buffer
			if err := errors.Join(p.Text(&text, 0), p.Markdown(&md), p.JSON(&js)); err != nil {
				t.Fatal(c.why, err)
			}
			says(t, text.String(), c.has, c.lacks)
			checkMarkdown(t, md.String())
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	good := perDay(30)
	for _, c := range []struct {
		name   string
		change func(*reports.Experiment, *reports.Volume)
		want   error
	}{
		{"no pairs", func(_ *reports.Experiment, v *reports.Volume) { v.PairsPerDay = 0 }, reports.ErrVolume},
		{"pairs that are no number", func(_ *reports.Experiment, v *reports.Volume) { v.PairsPerDay = math.NaN() }, reports.ErrVolume},
		{"endless pairs", func(_ *reports.Experiment, v *reports.Volume) { v.PairsPerDay = math.Inf(1) }, reports.ErrVolume},
		{"no spread", func(_ *reports.Experiment, v *reports.Volume) { v.SD = 0 }, reports.ErrVolume},
		{"more spread than grades have", func(_ *reports.Experiment, v *reports.Volume) { v.SD = 5.1 }, reports.ErrVolume},
		{"less than a pair a session", func(_ *reports.Experiment, v *reports.Volume) { v.PairsPerSession = 0.9 }, reports.ErrVolume},
		{"correlation over 1", func(_ *reports.Experiment, v *reports.Volume) { v.ICC = 1.1 }, reports.ErrVolume},
		{"no margin", func(e *reports.Experiment, _ *reports.Volume) { e.Gate.Margin = 0 }, stats.ErrRange},
		{"no alpha", func(e *reports.Experiment, _ *reports.Volume) { e.Gate.Alpha = 0 }, stats.ErrRange},
		{"nothing planned", func(e *reports.Experiment, _ *reports.Volume) { e.Gate.PlannedPairs = 0 }, stats.ErrRange},
		{"over before it starts", func(e *reports.Experiment, _ *reports.Volume) { e.Start, e.Stop = monday, monday }, reports.ErrWindow},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, v := toPlan(), good
			c.change(&e, &v)
			if _, err := reports.NewPlan(e, v); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// TestMeasure: a plan from rows takes the standard error that they have, so that what
// their number of pairs shows is what their interval shows.
func TestMeasure(t *testing.T) {
	pairsOf := func(rows []sinks.Row, session int) reports.Report {
		for i := range rows {
			rows[i].Session = fmt.Sprintf("s-%d", i/2/session)
		}
		return build(t, experiment(), spread(rows, 30), byDay(len(rows)/2, 30))
	}
	for _, c := range []struct {
		name    string
		report  reports.Report
		perPair float64 // pairs a session
		sd      float64
	}{
		{"one pair a session", pairsOf(noisy(300), 1), 1, math.Sqrt(2.0 / 3 * 300 / 299)},
		{"three pairs, whose differences cancel out", pairsOf(noisy(300), 3), 3, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := reports.Measure(c.report, "cand-a")
			if err != nil {
				t.Fatal(err)
			}
			rate := 300 / (299.0 / 30)
			want := reports.Volume{PairsPerDay: rate, SD: c.sd, PairsPerSession: c.perPair, Measured: 300}
			if diff := cmp.Diff(want, v, cmpopts.EquateApprox(1e-9, 1e-9)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	p := plan(t, toPlan(), func() reports.Volume { v, _ := reports.Measure(pairsOf(noisy(300), 1), "cand-a"); return v }())
	var b bytes.Buffer
	if err := p.Text(&b, 0); err != nil {
		t.Fatal(err)
	}
	says(t, b.String(), []string{"30.1 graded pairs a day, whose differences have a standard deviation of 0.818 (in grades), in sessions of one pair", " (measured on 300 pairs)\n"}, []string{"assumed"})
	if _, err := reports.Measure(build(t, experiment(), plain(1, 1), booksFor(1)), "cand-a"); !errors.Is(err, reports.ErrVolume) {
		t.Errorf("one pair: %v", err)
	}
	if _, err := reports.Measure(build(t, experiment(), plain(1, 1), booksFor(1)), "nobody"); !errors.Is(err, reports.ErrArm) {
		t.Errorf("an arm that is not there: %v", err)
	}
}
