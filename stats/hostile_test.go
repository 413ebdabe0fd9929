package stats_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

var sentinels = []error{
	stats.ErrTooFew, stats.ErrMismatch, stats.ErrUndefined, stats.ErrNotFinite,
	stats.ErrNoCluster, stats.ErrRange, stats.ErrUnsorted, stats.ErrBeyond,
}

// Whatever comes in, no result holds NaN or an infinity, every error is one that
// a caller can tell, and nothing panics.
func TestHostileInput(t *testing.T) {
	pool := []float64{
		0, 1, 2, 6, -1, 0.1, 1e-300, -1e-300, 5e-324, 1e17, 1e154, 1e300, -1e300, math.MaxFloat64, -math.MaxFloat64,
		math.NaN(), math.Inf(1), math.Inf(-1),
	}
	keys := []string{"a", "b", "c", "d", "e", ""}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 23))
		kinds := len(pool) - r.IntN(4) // often without NaN and infinities
		if r.IntN(2) == 0 {
			kinds = 12
		}
		numbers := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = pool[r.IntN(kinds)]
			}
			return x
		}
		n := r.IntN(7)
		m := n
		if r.IntN(5) == 0 {
			m = r.IntN(7)
		}
		key := make([]string, n)
		for i := range key {
			key[i] = keys[r.IntN(len(keys)-r.IntN(2))]
		}
		h := hostile{x: numbers(n), y: numbers(m), z: numbers(n), key: key, v: pool[r.IntN(len(pool))], level: []float64{0.95, 0.5, 1e-12, 1 - 1e-15, 2, math.NaN()}[r.IntN(6)]}
		for name, f := range h.calls() {
			results := f()
			if problem := wrong(results); problem != "" {
				t.Fatalf("seed %d, %s: %s: %+v of %+v", seed, name, problem, results, h)
			}
		}
	}
}

type hostile struct {
	x, y, z  []float64
	key      []string
	v, level float64
}

func all(v ...any) []any { return v }

func (h hostile) calls() map[string]func() []any {
	estimate := func(f func() (stats.Estimate, error)) func() []any {
		return func() []any {
			e, err := f()
			if err != nil {
				return all(e, err)
			}
			return all(e, err, all(e.CI(h.level)), all(e.InSE()), all(e.PValue(h.v)), all(e.LogitCI(h.level)))
		}
	}
	sx, sy := sortedCopy(h.x), sortedCopy(h.y)
	return map[string]func() []any{
		"Mean":           estimate(func() (stats.Estimate, error) { return stats.Mean(h.x) }),
		"PairedDelta":    estimate(func() (stats.Estimate, error) { return stats.PairedDelta(h.x, h.y) }),
		"Welch":          estimate(func() (stats.Estimate, error) { return stats.Welch(h.x, h.y) }),
		"ClusteredMean":  estimate(func() (stats.Estimate, error) { return stats.ClusteredMean(h.x, h.key) }),
		"ClusteredDelta": estimate(func() (stats.Estimate, error) { return stats.ClusteredDelta(h.x, h.y, h.key) }),
		"WeightedMean":   estimate(func() (stats.Estimate, error) { return stats.WeightedMean(h.x, h.y, h.key, h.key) }),
		"WeightedDelta":  estimate(func() (stats.Estimate, error) { return stats.WeightedDelta(h.x, h.y, h.z, h.key, nil) }),
		"BrunnerMunzel":  estimate(func() (stats.Estimate, error) { return stats.BrunnerMunzel(h.x, h.y) }),
		"ClusteredRatio": func() []any {
			r, err := stats.ClusteredRatio(h.x, h.y, h.key)
			return all(r, err, all(r.CI(h.level)))
		},
		"ClusteredShareDelta": estimate(func() (stats.Estimate, error) {
			return stats.ClusteredShareDelta(above(h.x, 1), above(h.y, 1), h.key)
		}),
		"Sum": estimate(func() (stats.Estimate, error) {
			return stats.Sum(stats.Estimate{N: 2, Value: h.v, SE: math.Abs(h.v), DF: 1}, stats.Estimate{N: 2, Value: 1, SE: 1e-300, DF: math.Abs(h.v)})
		}),
		"WinTieLoss":                func() []any { w, ti, l, e, err := stats.WinTieLoss(h.x, h.y, h.key); return all(w, ti, l, e, err) },
		"KishN":                     func() []any { return all(stats.KishN(h.x)) },
		"Correlation":               func() []any { return all(stats.Correlation(h.x, h.y)) },
		"Quantile":                  func() []any { return all(stats.Quantile(sx, h.level)) },
		"Quantile unsorted":         func() []any { return all(stats.Quantile(h.x, 0.5)) },
		"QuantileCI":                func() []any { return all(stats.QuantileCI(sx, 0.5, h.level)) },
		"QuantileDelta":             func() []any { return all(stats.QuantileDelta(sx, sy, 0.5, h.level)) },
		"Holm":                      func() []any { return all(stats.Holm(h.x, len(h.x))) },
		"SignFlip":                  func() []any { return all(stats.SignFlip(h.x)) },
		"ClusterSums":               func() []any { return all(stats.ClusterSums(h.x, h.key)) },
		"SignedRank, zeros dropped": func() []any { return all(stats.SignedRank(h.x, h.y, stats.DropZeros)) },
		"WinTieLoss, no clusters":   func() []any { w, ti, l, e, err := stats.WinTieLoss(h.x, h.y, nil); return all(w, ti, l, e, err) },
		"Krippendorff, grades":      func() []any { return all(stats.KrippendorffAlpha([][]float64{h.x, h.y}, stats.Ordinal)) },
		"CrossTable":                func() []any { return all(stats.CrossTable(h.x, h.y, h.z)) },
		"PPIDelta": func() []any {
			return all(stats.PPIDelta(stats.Pairs{Live: h.x, Candidate: h.z}, stats.Pairs{Live: h.z, Candidate: h.x}, stats.Pairs{Live: h.y, Candidate: h.y}))
		},
		"StratifiedPPI": func() []any {
			one := stats.PPIStratum{Weight: h.v, Label: h.x, Predicted: h.z, Unlabelled: h.y}
			return all(stats.StratifiedPPI([]stats.PPIStratum{one, {Weight: 1, Label: h.z, Predicted: h.x, Unlabelled: h.x}}))
		},
		"SignedRank":     func() []any { return all(stats.SignedRank(h.x, h.y, stats.RankZeros)) },
		"ClusteredShare": func() []any { return all(stats.ClusteredShare(above(h.x, 1), h.key, h.level)) },
		"Krippendorff":   func() []any { return all(stats.KrippendorffAlpha([][]float64{h.x, h.y}, stats.IntervalScale)) },
		"RepeatVariance": func() []any { return all(stats.RepeatVariance([][]float64{h.x, h.y, h.z})) },
		"Cusum":          func() []any { return all(stats.Cusum(h.x, h.v, 1, 0.5, 5)) },
		"CusumRunLength": func() []any { return all(stats.CusumRunLength(0.5, 5, h.v)) },
		"PPI":            func() []any { return all(stats.PPI(h.x, h.y, h.z)) },
		"MDE":            func() []any { return all(stats.MDE(h.v, 10, 0.05, h.level)) },
		"PairsNeeded":    func() []any { return all(stats.PairsNeeded(1, h.v, h.level, 0.8)) },
		"Power":          func() []any { return all(stats.Power(1, 10, h.v, h.level)) },
		"Sequence": func() []any {
			s, err := stats.NewSequence(0.05, 100)
			e := stats.Estimate{N: 5, Value: h.v, SE: 1, DF: 4}
			logE, p, evErr := s.EValue(e, math.Abs(h.v), 0)
			return all(err, all(s.Multiplier(h.v)), all(s.CI(e, 10)), logE, p, evErr)
		},
		"KaplanMeier": func() []any {
			s, err := stats.KaplanMeier(h.x, above(h.z, 0.5))
			if err != nil {
				return all(err)
			}
			return all(all(s.Quantile(0.5, h.level)), all(s.At(h.v, h.level)))
		},
	}
}

// wrong names what is not allowed in results, "" if nothing is.
func wrong(v any) string {
	if err, ok := v.(error); ok {
		for _, s := range sentinels {
			if errors.Is(err, s) {
				return ""
			}
		}
		return fmt.Sprintf("error without sentinel: %v", err)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Float64:
		if f := r.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return "not finite"
		}
	case reflect.Slice:
		for i := range r.Len() {
			if w := wrong(r.Index(i).Interface()); w != "" {
				return w
			}
		}
	case reflect.Struct:
		for i := range r.NumField() {
			if r.Type().Field(i).IsExported() {
				if w := wrong(r.Field(i).Interface()); w != "" {
					return w
				}
			}
		}
	}
	return ""
}
