package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestMcNemarGolden(t *testing.T) {
	const other = skipped("the chi-squared forms are worse than mid-p for few discordant pairs")
	golden(t, "mcnemar", func(t *testing.T, in input) fields {
		b, c := in.count("only_first"), in.count("only_second")
		exact, mid, err := stats.McNemar(b, c)
		ok(t, mid, err)
		if e2, m2, _ := stats.McNemar(c, b); e2 != exact || m2 != mid {
			t.Errorf("swapped: %v, %v; want %v, %v", e2, m2, exact, mid)
		}
		return fields{"discordant": b + c, "p_exact": exact, "p_mid": mid, "chi2": other, "p_asymptotic": other, "chi2_cc": other}
	})
	_, _, err := stats.McNemar(-1, 3)
	wantErr(t, err, stats.ErrRange)
}

func TestHolmGolden(t *testing.T) {
	const other = skipped("Holm is never worse than Bonferroni; BH controls another error")
	golden(t, "holm", func(t *testing.T, in input) fields {
		p := in.floats("p")
		before := slices.Clone(p)
		adjusted, err := stats.Holm(p, len(p))
		ok(t, adjusted, err)
		if !slices.Equal(p, before) {
			t.Error("input was changed")
		}
		return fields{"holm": list(adjusted), "bonferroni": other, "bh": other}
	})
}

func TestHolmEdges(t *testing.T) {
	for _, c := range []struct {
		name, why string
		p         []float64
		planned   int
		want      []float64
		err       error
	}{
		{"planned more", "a comparison without data still counts", []float64{0.01, 0.04}, 4, []float64{0.04, 0.12}, nil},
		{"planned less", "a comparison was forgotten", []float64{0.01, 0.04}, 1, nil, stats.ErrRange},
		{"none", "nothing to adjust", nil, 3, nil, nil},
		{"negative", "no p-value", []float64{-0.1}, 1, nil, stats.ErrRange},
		{"above one", "no p-value", []float64{1.1}, 1, nil, stats.ErrRange},
		{"nan", "an undefined p must be left out by the caller and counted in planned", []float64{math.NaN()}, 1, nil, stats.ErrNotFinite},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := stats.Holm(c.p, c.planned)
			wantErr(t, err, c.err)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v: %s", got, c.want, c.why)
			}
		})
	}
}

func TestSignFlipGolden(t *testing.T) {
	golden(t, "sign_flip", func(t *testing.T, in input) fields {
		sums := in.floats("cluster_sums")
		p, err := stats.SignFlip(sums)
		ok(t, p, err)
		all := math.Pow(2, float64(len(sums)))
		total := 0.0
		for _, s := range sums {
			total += s
		}
		return fields{"clusters": len(sums), "sum": total, "arrangements": all, "at_least_as_extreme": p * all, "p_two_sided": p}
	})
}

func TestSignFlipEdges(t *testing.T) {
	_, err := stats.SignFlip(nil)
	wantErr(t, err, stats.ErrTooFew)
	_, err = stats.SignFlip(seq(stats.MaxSignFlip + 1))
	wantErr(t, err, stats.ErrRange)
	_, err = stats.SignFlip([]float64{1, math.NaN()})
	wantErr(t, err, stats.ErrNotFinite)
	_, err = stats.SignFlip([]float64{math.MaxFloat64, math.MaxFloat64})
	wantErr(t, err, stats.ErrNotFinite)
	p, err := stats.SignFlip(repeat(-1, stats.MaxSignFlip))
	if ok(t, p, err) != 2./65536 {
		t.Errorf("all one way: %v", p)
	}
	p, err = stats.SignFlip([]float64{0.1, 0.2, -0.3}) // the sum is 0 but for rounding
	if ok(t, p, err) != 1 {
		t.Errorf("sum 0: %v", p)
	}
	sums, err := stats.ClusterSums([]float64{1, 2, 3, 4}, []string{"b", "a", "b", "a"})
	if ok(t, sums, err); !slices.Equal(sums, []float64{4, 6}) {
		t.Errorf("cluster sums %v", sums)
	}
	_, err = stats.ClusterSums([]float64{1}, []string{""})
	wantErr(t, err, stats.ErrNoCluster)
	_, err = stats.ClusterSums([]float64{1}, nil)
	wantErr(t, err, stats.ErrMismatch)
}

func TestBrunnerMunzelGolden(t *testing.T) {
	const other = skipped("Mann-Whitney assumes equal distributions; Brunner-Munzel is shipped")
	golden(t, "unpaired_ordinal", func(t *testing.T, in input) fields {
		live, cand := in.floats("live"), in.floats("cand")
		e, err := stats.BrunnerMunzel(live, cand)
		p, pErr := e.PValue(0.5)
		minus := e
		minus.Value = 0.5 - e.Value // the file's t is of 0.5 − probability
		return fields{
			"prob_cand_better": e.Value, "cliffs_delta": 2*e.Value - 1, "se": se(t, e, err), "df": df(t, e, err),
			"bm_t": inSE(t, minus), "bm_p": val(t, p, pErr),
			"mw_U_cand": other, "mw_p": other, "mw_p_cc": other,
		}
	})
	e, err := stats.BrunnerMunzel([]float64{4, 5, 6}, []float64{1, 2, 3})
	wantErr(t, err, stats.ErrUndefined)
	if e.Value != 1 || e.N != 6 {
		t.Errorf("arms apart: %+v", e)
	}
	e, err = stats.BrunnerMunzel([]float64{4}, []float64{4, 3})
	wantErr(t, err, stats.ErrTooFew)
	if e.Value != 0.75 || e.N != 3 {
		t.Errorf("arm of one: %+v", e)
	}
	_, err = stats.BrunnerMunzel(nil, []float64{1})
	wantErr(t, err, stats.ErrTooFew)
	_, err = stats.BrunnerMunzel([]float64{1, 2}, []float64{1, math.Inf(1)})
	wantErr(t, err, stats.ErrNotFinite)
}

func TestSignedRankGolden(t *testing.T) {
	golden(t, "paired_ordinal", func(t *testing.T, in input) fields {
		live, cand := in.floats("live"), in.floats("cand")
		wins, ties, losses, net, netErr := stats.WinTieLoss(live, cand, nil)
		exact, _, err := stats.McNemar(wins, losses)
		ok(t, exact, err)
		w, wErr := stats.SignedRank(live, cand, stats.DropZeros)
		p, pErr := stats.SignedRank(live, cand, stats.RankZeros)
		return fields{
			"wins": wins, "ties": ties, "losses": losses, "net_win_rate": net.Value, "net_win_se": se(t, net, netErr),
			"sign_p_exact":  exact,
			"signed_rank_V": val(t, w.Positive, wErr), "signed_rank_p": val(t, w.P, wErr), "signed_rank_p_cc": val(t, w.PCorrected, wErr),
			"pratt_z": val(t, p.Z, pErr), "pratt_p": val(t, p.P, pErr),
		}
	})
	_, err := stats.SignedRank(nil, nil, stats.DropZeros)
	wantErr(t, err, stats.ErrTooFew)
	_, err = stats.SignedRank([]float64{1}, []float64{2}, stats.Zeros(7))
	wantErr(t, err, stats.ErrRange)
	_, err = stats.SignedRank([]float64{1}, nil, stats.DropZeros)
	wantErr(t, err, stats.ErrMismatch)
}

func TestClusteredShareGolden(t *testing.T) {
	golden(t, "share_clustered", func(t *testing.T, in input) fields {
		s, err := stats.ClusteredShare(above(in.floats("x"), 0.5), in.keys("cluster"), in.num("conf"))
		ok(t, s, err)
		logit, logitErr := s.LogitCI(in.num("conf"))
		lower, upper := bounds(t, logit, logitErr)
		return fields{
			"n": s.N, "clusters": s.Clusters, "share": s.Value, "se_cr1": s.SE, "df": s.DF,
			"logit_lower": lower, "logit_upper": upper, "design_effect": s.DesignEffect, "n_eff": s.EffectiveN,
			"wilson_neff_lower": s.CI.Lower, "wilson_neff_upper": s.CI.Upper,
		}
	})
}

// TestWithDesignEffect: none of 300 rows in clusters of 50 tells as much as none of 6, if
// the rows of a cluster are all alike.
func TestWithDesignEffect(t *testing.T) {
	var sizes stats.ClusterSizes
	for range 6 {
		sizes.Add(50)
	}
	plain, err := sizes.Share(&stats.ClusterTotals{}, 0.95)
	if ok(t, plain, err); !plain.Plain || sizes.Alike() != 50 {
		t.Errorf("%+v, alike %v", plain, sizes.Alike())
	}
	for _, c := range []struct {
		effect float64
		n      int
	}{{50, 6}, {1, 300}, {0.2, 300}} {
		got, err := plain.WithDesignEffect(c.effect, 0.95)
		ok(t, got, err)
		want, err := stats.Wilson(0, c.n, 0.95)
		if ok(t, want, err); got.CI != want || got.Plain || got.EffectiveN != float64(c.n) {
			t.Errorf("effect %v: %+v, want %+v", c.effect, got, want)
		}
	}
	for _, effect := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := plain.WithDesignEffect(effect, 0.95)
		wantErr(t, err, stats.ErrRange)
	}
	_, err = plain.WithDesignEffect(2, 1)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.Share{}.WithDesignEffect(2, 0.95)
	wantErr(t, err, stats.ErrTooFew)
	if none := (&stats.ClusterSizes{}).Alike(); none != 0 {
		t.Errorf("without clusters %v", none)
	}
}

func TestClusteredShareEdges(t *testing.T) {
	wilson := func(x, n int) stats.Interval {
		iv, err := stats.Wilson(x, n, 0.95)
		return ok(t, iv, err)
	}
	for _, c := range []struct {
		name    string
		x       []bool
		cluster []string
		want    stats.Interval
	}{
		{"none", make([]bool, 4), []string{"a", "a", "b", "c"}, wilson(0, 4)},
		{"all", []bool{true, true}, []string{"a", "b"}, wilson(2, 2)},
		{"one cluster", []bool{true, false, false}, []string{"a", "a", "a"}, wilson(1, 3)},
	} {
		s, err := stats.ClusteredShare(c.x, c.cluster, 0.95)
		if ok(t, s, err); !s.Plain || s.CI != c.want || s.DF != 0 {
			t.Errorf("%s: %+v, want plain %+v", c.name, s, c.want)
		}
	}
	_, err := stats.ClusteredShare(nil, nil, 0.95)
	wantErr(t, err, stats.ErrTooFew)
	_, err = stats.ClusteredShare([]bool{true}, nil, 0.95)
	wantErr(t, err, stats.ErrMismatch)
	_, err = stats.ClusteredShare([]bool{true}, []string{""}, 0.95)
	wantErr(t, err, stats.ErrNoCluster)
	_, err = stats.ClusteredShare([]bool{true}, []string{"a"}, 1)
	wantErr(t, err, stats.ErrRange)
	_, err = stats.Estimate{N: 5, Value: 1, SE: 0.1, DF: 4}.LogitCI(0.95)
	wantErr(t, err, stats.ErrUndefined)
}
