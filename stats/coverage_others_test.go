package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// Newcombe's interval at the rates of rare problems.
func TestCoverageOfShares(t *testing.T) {
	runs := 2000 * *coverage
	r := rand.New(rand.NewPCG(19, 1))
	covered := 0
	for range runs {
		var both, live, cand, neither int
		for range 300 {
			switch u := r.Float64(); {
			case u < 0.005:
				both++
			case u < 0.025:
				live++
			case u < 0.040:
				cand++
			default:
				neither++
			}
		}
		_, iv, err := stats.NewcombePaired(both, live, cand, neither, 0.95)
		tally(&covered, ok(t, iv, err).Contains(0.015-0.020))
	}
	within3(t, "Newcombe, 300 pairs at 2 %", covered, runs, 0.96, 0.015)
}

// The p95 of a lognormal latency, and its difference between two arms of which one
// is half as slow again: 300 answers each.
func TestCoverageOfQuantiles(t *testing.T) {
	runs := 2000 * *coverage
	r := rand.New(rand.NewPCG(19, 2))
	arm := func(scale float64) []float64 {
		x := make([]float64, 300)
		for i := range x {
			x[i] = scale * math.Exp(r.NormFloat64())
		}
		return sortedCopy(x)
	}
	p95 := math.Exp(1.6448536269514722)
	var one, difference int
	for range runs {
		live, cand := arm(1), arm(1.5)
		iv, err := stats.QuantileCI(live, 0.95, 0.95)
		tally(&one, ok(t, iv, err).Contains(p95))
		_, iv, err = stats.QuantileDelta(live, cand, 0.95, 0.95)
		tally(&difference, ok(t, iv, err).Contains(0.5*p95))
	}
	within3(t, "order statistics of p95", one, runs, 0.965, 0.015)
	within3(t, "difference of p95 by MOVER", difference, runs, 0.97, 0.015)
}

// PPI++ with few labels, and the predictions 0.3 too high.
func TestCoverageOfPPI(t *testing.T) {
	runs := 2000 * *coverage
	for labels, want := range map[int]float64{20: 0.940, 50: 0.945} {
		t.Run(fmt.Sprint(labels), func(t *testing.T) {
			r := rand.New(rand.NewPCG(19, uint64(labels)))
			var powered, predictions int
			for range runs {
				var y, f, u []float64
				for range labels {
					v := r.NormFloat64()
					y, f = append(y, v), append(f, 0.8*v+0.5*r.NormFloat64()+0.3)
				}
				for range 400 {
					u = append(u, 0.8*r.NormFloat64()+0.5*r.NormFloat64()+0.3)
				}
				p, err := stats.PPI(y, f, u)
				ok(t, p, err)
				iv, err := p.CI(0.95)
				tally(&powered, ok(t, iv, err).Contains(0))
				alone, err := stats.Mean(u)
				ok(t, alone, err)
				tally(&predictions, ok2(t, alone, 0.95).Contains(0))
			}
			within3(t, "PPI++", powered, runs, want, 0.01)
			atMost(t, "predictions alone", predictions, runs, 0.01)
		})
	}
}
