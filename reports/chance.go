package reports

import (
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/stats"
)

// Chance is the probability that the candidate's grade is better than live's, ties
// counting half: above 0.5 favours the candidate. Interval stays inside 0..1; it is
// nil, as SE may be, where the data do not tell it.
type Chance struct {
	// N counts pairs, or the answers of both arms where they are not paired.
	N        int       `json:"n"`
	Value    *float64  `json:"value"`
	SE       *float64  `json:"se"`
	Interval *Interval `json:"interval"`
}

// chanceOf takes an estimate of a probability; an error leaves its value alone.
func chanceOf(n int, e stats.Estimate, err error, level float64) Chance {
	c := Chance{N: n}
	if e.N > 0 {
		c.Value = new(e.Value)
	}
	if err == nil {
		c.SE, c.Interval = new(e.SE), intervalOf(e.LogitCI(level))
	}
	return c
}

// pairedChance is (1 + net win rate)/2, with half the standard error.
func pairedChance(n int, net stats.Estimate, err error, level float64) Chance {
	net.Value, net.SE = (1+net.Value)/2, net.SE/2
	return chanceOf(n, net, err, level)
}

// unpairedChance compares all graded answers of live and an arm, whether or not the
// other one has a grade, as if all were independent of each other.
func unpairedChance(v view, arm int, level float64) Chance {
	live, cand := v.grades(0), v.grades(arm)
	e, err := stats.BrunnerMunzelCounts(live[:], cand[:])
	return chanceOf(e.N, e, err, level)
}

// grades counts an arm's grades 1..6.
func (v view) grades(arm int) (counts [rubric.Worst]int) {
	for o, n := range v.shapesOf(arm) {
		if o.graded() {
			counts[o.grade-uint8(rubric.Best)] += n
		}
	}
	return counts
}
