package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// Counts, tables, plans and results that a caller fills in by hand: the same
// promise as TestHostileInput.
func TestHostileCountsAndPlans(t *testing.T) {
	counts := []int{0, 1, 2, 3, 7, 1000, 1 << 40, math.MaxInt, -1, math.MinInt}
	numbers := []float64{0, 0.025, 0.05, 0.5, 0.8, 0.975, 1, 2, 100, -0.5, 5e-324, 1e-300, 1 - 0x1p-53, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 29))
		h := plans{}
		tame := r.IntN(2) * 2 // often without negative counts
		for i := range h.n {
			h.n[i] = counts[r.IntN(len(counts)-tame)]
		}
		for i := range h.v {
			h.v[i] = numbers[r.IntN(len(numbers)-r.IntN(5))]
		}
		for name, f := range h.calls() {
			results := f()
			if problem := wrong(results); problem != "" {
				t.Fatalf("seed %d, %s: %s: %+v of %+v", seed, name, problem, results, h)
			}
		}
	}
}

type plans struct {
	n [4]int
	v [4]float64
}

func (h plans) calls() map[string]func() []any {
	n, v := h.n, h.v
	table := [][]int{{n[0], n[1]}, {n[2], n[3]}}
	e := stats.Estimate{N: n[0], Clusters: n[1], Value: v[0], SE: v[1], DF: v[2]}
	shares := stats.VarianceShares{Items: n[0], Runs: n[1], Between: v[0], Within: v[1], Item: v[2], Repeat: v[3]}
	return map[string]func() []any{
		"Wilson":              func() []any { return all(stats.Wilson(n[0], n[1], v[0])) },
		"NewcombePaired":      func() []any { return all(stats.NewcombePaired(n[0], n[1], n[2], n[3], v[0])) },
		"NewcombeIndependent": func() []any { return all(stats.NewcombeIndependent(n[0], n[1], n[2], n[3], v[0])) },
		"McNemar":             func() []any { return all(stats.McNemar(n[0], n[1])) },
		"BrunnerMunzelCounts": func() []any { return all(stats.BrunnerMunzelCounts(n[:2], n[2:])) },
		"Holm":                func() []any { return all(stats.Holm(v[:], n[0])) },
		"Within":              func() []any { return all(stats.Within(table, n[0])) },
		"Kappa": func() []any {
			a, err := stats.Kappa(table, stats.Weights(n[0]&3))
			if err != nil {
				return all(err)
			}
			return all(a, all(a.CI(v[0])))
		},
		"Agreement":         func() []any { return all(stats.Agreement{N: n[0], Kappa: v[0], SE: v[1]}.CI(v[2])) },
		"MDE":               func() []any { return all(stats.MDE(v[0], v[1], v[2], v[3])) },
		"PairsNeeded":       func() []any { return all(stats.PairsNeeded(v[0], v[1], v[2], v[3])) },
		"Power":             func() []any { return all(stats.Power(v[0], v[1], v[2], v[3])) },
		"SharePairsNeeded":  func() []any { return all(stats.SharePairsNeeded(v[0], v[1], v[2], v[3])) },
		"ShareTrialsNeeded": func() []any { return all(stats.ShareTrialsNeeded(v[0], v[1], v[2], v[3])) },
		"DesignEffect":      func() []any { return all(stats.DesignEffect(v[0], v[1])) },
		"MinNForUpper":      func() []any { return all(stats.MinNForUpper(v[0], v[1])) },
		"CusumRunLength":    func() []any { return all(stats.CusumRunLength(v[0], v[1], v[2])) },
		"Cusum":             func() []any { return all(stats.Cusum(v[:1], v[0], v[1], v[2], v[3])) },
		"Estimate":          func() []any { return all(all(e.CI(v[3])), all(e.InSE()), all(e.PValue(v[3])), all(e.LogitCI(v[3]))) },
		"Difference": func() []any {
			return all(stats.Difference(e, stats.Estimate{N: n[2], Value: v[3], SE: v[2], DF: v[1]}))
		},
		"Sequence": func() []any {
			s, err := stats.NewSequence(v[0], v[1])
			if err != nil {
				return all(err)
			}
			return all(all(s.Multiplier(v[2])), all(s.CI(e, v[3])), all(s.EValue(e, v[2], v[3])))
		},
		"VarianceShares": func() []any { return all(all(shares.ICC()), all(shares.RepeatShare()), all(shares.MeanSE(v[3]))) },
	}
}
