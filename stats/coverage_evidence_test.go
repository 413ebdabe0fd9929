package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// Eight weeks of 60 pairs, each week a sequence of its own: without a difference
// the product of the weekly e-values reaches 20 at any week in at most 5 % of all
// runs. Multiplying the weekly p-values instead would not hold.
func TestCoverageOfEvidenceOverWeeks(t *testing.T) {
	const weeks, pairs = 8, 60
	runs := 1000 * *coverage
	s, err := stats.NewSequence(0.05, pairs)
	ok(t, s, err)
	r := rand.New(rand.NewPCG(23, 1))
	var byE, byP int
	for range runs {
		sum, product := 0.0, 1.0
		var outE, outP bool
		for range weeks {
			x := make([]float64, pairs)
			for i := range x {
				x[i] = gradeDifference(r)
			}
			e, err := stats.Mean(x)
			ok(t, e, err)
			logE, _, err := s.EValue(e, pairs, 0)
			sum += ok(t, logE, err)
			p, err := e.PValue(0)
			product *= ok(t, p, err)
			outE = outE || sum >= math.Log(20)
			outP = outP || product <= 0.05
		}
		tally(&byE, outE)
		tally(&byP, outP)
	}
	atMost(t, "product of e-values", byE, runs, 0.05)
	if share := float64(byP) / float64(runs); share < 0.5 {
		t.Errorf("the product of p-values gives %.3f false alarms: the simulation tests nothing", share)
	}
}

// The same evidence in two weeks is twice the logarithm, and worth more than
// either week alone.
func TestEvidenceOfTwoWeeks(t *testing.T) {
	s, err := stats.NewSequence(0.05, 200)
	ok(t, s, err)
	week := stats.Estimate{N: 200, Value: -0.25, SE: 0.09, DF: 199}
	logE, p, err := s.EValue(week, 200, 0)
	ok(t, logE, err)
	both := min(1, math.Exp(-2*logE))
	if p <= 0.05 || both >= 0.05 {
		t.Errorf("p %.3f after a week, %.3f after two: want the second only below 0.05", p, both)
	}
}
