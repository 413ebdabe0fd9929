package reports_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/stats"
)

// passes simulates runs with daily looks and returns how many of them show "no
// worse" at the last look, and at any look.
func passes(t *testing.T, g reports.Gate, difference, sd float64, perDay, days, runs int) (last, ever float64) {
	t.Helper()
	seq, err := stats.NewSequence(g.Alpha, float64(g.PlannedPairs))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range runs {
		var n, sum, squares float64
		atLast, atAny := false, false
		for range days {
			for range perDay {
				d := difference + sd*r.NormFloat64()
				n, sum, squares = n+1, sum+d, squares+d*d
			}
			if int(n) < g.BurnIn.Pairs {
				continue
			}
			mean := sum / n
			se := math.Sqrt((squares/n - mean*mean) / (n - 1))
			iv, err := seq.CI(stats.Estimate{Value: mean, SE: se, N: int(n), Clusters: int(n), DF: n - 1}, n)
			if err != nil {
				t.Fatal(err)
			}
			atLast = iv.Upper < g.Margin
			atAny = atAny || atLast
		}
		if atLast {
			last++
		}
		if atAny {
			ever++
		}
	}
	return last / float64(runs), ever / float64(runs)
}

// TestPlanSimulated: the chance that a plan gives for the look at its end is the
// share of seeded runs that pass there, within 3 Monte Carlo standard errors; runs
// that stop at the first pass do better.
func TestPlanSimulated(t *testing.T) {
	const runs = 4000
	for _, c := range []struct {
		name       string
		planned    int
		difference float64
		want       func(reports.Plan) float64
	}{
		{"as good", 900, 0, func(p reports.Plan) float64 { return *p.End.PassAsGood }},
		{"pairs for the margin", 2165, 0, func(reports.Plan) float64 { return 0.8 }},
		{"better by what the end shows", 900, -0.0551, func(reports.Plan) float64 { return 0.8 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := toPlan()
			e.Gate.PlannedPairs = c.planned
			p := plan(t, e, perDay(30))
			if c.difference < 0 && math.Abs(*p.End.PassFrom-c.difference) > 0.0001 {
				t.Fatalf("passes from %v on", *p.End.PassFrom)
			}
			last, ever := passes(t, e.Gate, c.difference, reports.DefaultSD, 30, *p.End.Day, runs)
			want := c.want(p)
			if se := math.Sqrt(want * (1 - want) / runs); math.Abs(last-want) > 3*se {
				t.Errorf("%.3f of the runs pass at the end, want %.3f ± %.3f", last, want, se)
			}
			if ever <= last {
				t.Errorf("%.3f pass ever, %.3f at the end", ever, last)
			}
		})
	}
}
