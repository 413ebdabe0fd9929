package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestClusteredMeanGolden(t *testing.T) {
	const other = skipped("CR0 and CR1 are too narrow with few clusters; CR2 is shipped")
	golden(t, "cluster_mean", func(t *testing.T, in input) fields {
		x := in.floats("x")
		naive, naiveErr := stats.Mean(x)
		e, err := stats.ClusteredMean(x, in.keys("cluster"))
		lower, upper := ci(t, e, in.num("conf"))
		return fields{
			"n": e.N, "clusters": e.Clusters, "mean": e.Value, "se_naive": se(t, naive, naiveErr),
			"se_cr2": se(t, e, err), "df_cr2": df(t, e, err), "lower_cr2": lower, "upper_cr2": upper,
			"se_cr0": other, "se_cr1": other, "df_cr1": other, "lower_cr1": other, "upper_cr1": other, "design_effect_cr1": other,
		}
	})
}

// The difference of two columns must go the way of the mean of differences.
func TestClusteredDeltaGolden(t *testing.T) {
	golden(t, "cluster_mean", func(t *testing.T, in input) fields {
		x := in.floats("x")
		live, cand := make([]float64, len(x)), make([]float64, len(x))
		for i := range x {
			live[i] = float64(i % 6)
			cand[i] = live[i] + x[i]
		}
		e, err := stats.ClusteredDelta(live, cand, in.keys("cluster"))
		got := fields{"n": e.N, "clusters": e.Clusters, "mean": e.Value, "se_cr2": se(t, e, err), "df_cr2": df(t, e, err)}
		for _, k := range []string{"se_naive", "lower_cr2", "upper_cr2", "se_cr0", "se_cr1", "df_cr1", "lower_cr1", "upper_cr1", "design_effect_cr1"} {
			got[k] = skipped("in TestClusteredMeanGolden")
		}
		return got
	})
}

func TestWeightedMeanGolden(t *testing.T) {
	golden(t, "weighted_mean", func(t *testing.T, in input) fields {
		x, w := in.floats("x"), in.floats("weight")
		plain, _ := stats.Mean(x)
		e, err := stats.WeightedMean(x, w, in.keys("cluster"), in.keys("stratum"))
		zero := make([]float64, len(x))
		delta, deltaErr := stats.WeightedDelta(zero, x, w, in.keys("cluster"), in.keys("stratum"))
		if delta != e || (err == nil) != (deltaErr == nil) {
			t.Errorf("WeightedDelta from 0 is %+v, WeightedMean %+v", delta, e)
		}
		n, nErr := stats.KishN(w)
		lower, upper := ci(t, e, in.num("conf"))
		return fields{
			"n": e.N, "mean": e.Value, "se": se(t, e, err), "df": df(t, e, err),
			"lower": lower, "upper": upper, "n_eff_kish": val(t, n, nErr), "unweighted_mean": plain.Value,
		}
	})
}

func TestWinTieLossGolden(t *testing.T) {
	golden(t, "paired_ordinal", func(t *testing.T, in input) fields {
		live, cand := in.floats("live"), in.floats("cand")
		wins, ties, losses, net, err := stats.WinTieLoss(live, cand, nil)
		why := skipped("in TestSignedRankGolden")
		return fields{
			"wins": wins, "ties": ties, "losses": losses,
			"net_win_rate": net.Value, "net_win_se": se(t, net, err),
			"sign_p_exact": why, "signed_rank_V": why, "signed_rank_p": why, "signed_rank_p_cc": why, "pratt_z": why, "pratt_p": why,
		}
	})
}

// One cluster holds all rows but one: Satterthwaite's DF must not drown in
// rounding. With sizes n−1 and 1 it is exactly 1/(p²+q²+2·p²q²/(pq)) = 1.
func TestClusterDFWithOneGiant(t *testing.T) {
	const n = 200_000
	x, key := make([]float64, n), make([]string, n)
	for i := range x {
		x[i], key[i] = float64(i%5), "giant"
	}
	key[n-1] = "other"
	e, err := stats.ClusteredMean(x, key)
	if err != nil || math.Abs(e.DF-1) > 1e-9 {
		t.Errorf("DF %v, %v, want 1", e.DF, err)
	}
}
