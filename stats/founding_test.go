package stats_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/understudy-eval/understudy/stats"
)

// The numbers of a published shadow test: grades 2.37 against 2.68, a third of the
// candidate's answers over 3 s.
func TestFoundingCaseGolden(t *testing.T) {
	golden(t, "founding_case", func(t *testing.T, in input) fields {
		switch {
		case in.has("live_counts_1_to_6"):
			return unpairedCase(t, in)
		case in.has("joint_counts_live_row_cand_col"):
			return pairedCase(t, in)
		case in.has("cand_over_3s"):
			return latencyCase(t, in)
		case in.has("sd"):
			return impliedPairs(t, in)
		case in.has("answers"):
			return impliedTraffic(t, in)
		}
		return impliedSigma(in)
	})
}

// inSEAlpha is the alpha at which k standard errors just reach the limit; with
// power ½ the planning formulas then turn a difference "of k SE" into pairs and back.
func inSEAlpha(t *testing.T, k float64) float64 {
	p, err := stats.Estimate{N: 9, Value: k, SE: 1, DF: 1e15}.PValue(0)
	return ok(t, p, err)
}

func impliedPairs(t *testing.T, in input) fields {
	delta := in.num("delta")
	var table []any
	for _, k := range in.floats("delta_in_se") {
		alpha := inSEAlpha(t, k)
		pairs := func(sd float64) float64 {
			n, err := stats.PairsNeeded(sd, delta, alpha, 0.5)
			return ok(t, n, err)
		}
		se, err := stats.MDE(delta/k, 1, alpha, 0.5)
		ok(t, se, err)
		paired, unpaired := fields{"2.0": pairs(2)}, fields{}
		for _, sd := range in.floats("sd") {
			name := map[float64]string{1: "1.0", 1.2: "1.2", 1.34: "1.34", 1.5: "1.5"}[sd]
			paired[name], unpaired[name] = pairs(sd), pairs(sd*math.Sqrt2)
		}
		table = append(table, fields{"delta_in_se": k, "implied_se": se / k, "n_pairs": paired, "n_per_arm_unpaired": unpaired})
	}
	return fields{"table": table}
}

// 0.31 grades at four SE, from the answers that a month in the shadow has.
func impliedTraffic(t *testing.T, in input) fields {
	daily := in.num("answers") / in.num("days")
	n := daily * in.num("shadow_days") * in.num("shadow_rate")
	unit, err := stats.MDE(1, n, inSEAlpha(t, 4), 0.5) // four SE at sd 1
	ok(t, unit, err)
	e := stats.Estimate{N: int(n), Value: 0.31, SE: 1.2 * unit / 4, DF: n - 1}
	return fields{
		"answers_per_day": daily, "shadow_answers": n, "live_graded_at_0_3_percent": 0.3 * n,
		"sd_delta_if_all_paired": 0.31 / unit, "sd_if_unpaired_equal_n": 0.31 / unit / math.Sqrt2,
		"se_if_sd_delta_1_2": e.SE, "delta_in_se_if_sd_delta_1_2": inSE(t, e),
	}
}

// One lognormal would have the same sigma at both limits.
func impliedSigma(in input) fields {
	sigma := func(limit float64, over string) float64 {
		return math.Log(limit/in.num("median")) / distuv.UnitNormal.Quantile(1-in.num(over))
	}
	return fields{"sigma_from_3s": sigma(3, "over_3"), "sigma_from_6s": sigma(6, "over_6")}
}

func spell(counts []float64) (x []float64) {
	for g, n := range counts {
		x = append(x, repeat(float64(g+1), int(n))...)
	}
	return x
}

func unpairedCase(t *testing.T, in input) fields {
	live, cand := spell(in.floats("live_counts_1_to_6")), spell(in.floats("cand_counts_1_to_6"))
	l, err := stats.Mean(live)
	ok(t, l, err)
	c, err := stats.Mean(cand)
	ok(t, c, err)
	e, err := stats.Welch(live, cand)
	ok(t, e, err)
	better, err := stats.BrunnerMunzel(live, cand)
	ok(t, better, err)
	lower, upper := ci(t, e, in.num("conf"))
	n := float64(l.N)
	return fields{
		"n": l.N, "mean_live": l.Value, "mean_cand": c.Value, "sd_live": l.SE * math.Sqrt(n), "sd_cand": c.SE * math.Sqrt(n),
		"delta": e.Value, "se": e.SE, "delta_in_se": inSE(t, e), "welch_df": e.DF, "lower": lower, "upper": upper,
		"prob_cand_better": better.Value,
	}
}

func pairedCase(t *testing.T, in input) fields {
	var live, cand []float64
	var session []string
	for i, row := range in.floatLists("joint_counts_live_row_cand_col") {
		for j, n := range row {
			for range int(n) {
				live, cand = append(live, float64(i+1)), append(cand, float64(j+1))
				session = append(session, fmt.Sprint(len(live)))
			}
		}
	}
	l, err := stats.Mean(live)
	ok(t, l, err)
	c, err := stats.Mean(cand)
	ok(t, c, err)
	e, err := stats.ClusteredDelta(live, cand, session) // one pair a session
	ok(t, e, err)
	wins, ties, losses, _, err := stats.WinTieLoss(live, cand, session)
	ok(t, wins, err)
	sign, _, err := stats.McNemar(wins, losses)
	ok(t, sign, err)
	lower, upper := ci(t, e, in.num("conf"))
	return fields{
		"n": e.N, "mean_live": l.Value, "mean_cand": c.Value, "delta": e.Value, "sd_delta": e.SE * math.Sqrt(float64(e.N)),
		"se": e.SE, "delta_in_se": inSE(t, e), "lower": lower, "upper": upper,
		"wins": wins, "ties": ties, "losses": losses, "sign_p_exact": sign,
	}
}

func latencyCase(t *testing.T, in input) fields {
	n, level := in.count("n"), in.num("conf")
	over3, err := stats.Wilson(in.count("cand_over_3s"), n, level)
	ok(t, over3, err)
	over6, err := stats.Wilson(in.count("cand_over_6s"), n, level)
	ok(t, over6, err)
	diff, iv, err := stats.NewcombeIndependent(in.count("live_over_3s"), n, in.count("cand_over_3s"), n, level)
	ok(t, diff, err)
	return fields{
		"over3_lower": over3.Lower, "over3_upper": over3.Upper, "over6_lower": over6.Lower, "over6_upper": over6.Upper,
		"diff": diff, "diff_lower_independent": iv.Lower, "diff_upper_independent": iv.Upper,
	}
}
