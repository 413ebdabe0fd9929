package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// LLMBar (princeton-nlp/LLMBar 900616bf), statistics.json: how often each judge
// is right with the answers in either order, in both, says the same in both, and
// kappa between the orders. Its kappa against gold is wrong (a label "2" was read
// as 0); the right one for GPT-4 on the Natural subset is 0.898.
func TestPublishedLLMBar(t *testing.T) {
	cells := map[string][]row{}
	for _, r := range table(t, "llmbar-position", "verdicts.csv") {
		key := r["subset"] + " " + r["judge"]
		cells[key] = append(cells[key], r)
	}
	labels := []string{"1", "2"}
	kappa := func(a, b []string) float64 {
		tab, err := stats.CrossTable(a, b, labels)
		ok(t, tab, err)
		k, err := stats.Kappa(tab, stats.Unweighted)
		return ok(t, k, err).Kappa
	}
	for _, p := range table(t, "llmbar-position", "published.csv") {
		name := p["subset"] + " " + p["judge"]
		var ab, ba, gold []string
		counts := map[string]int{}
		for _, r := range cells[name] {
			g, a, b := r["gold"], r["winner_order_ab"], r["winner_order_ba"]
			count(counts, "correct_ab", a == g)
			count(counts, "correct_ba", b == g)
			count(counts, "correct_both", a == g && b == g)
			count(counts, "equal", a == b)
			ab, ba, gold = append(ab, a), append(ba, b), append(gold, g)
		}
		for what, n := range counts {
			if want := p.num(t, what); float64(n) != want {
				t.Errorf("%s %s: %d, want %v", name, what, n, want)
			}
		}
		if slices.Contains(ab, "") || slices.Contains(ba, "") {
			_, err := stats.CrossTable(ab, ba, labels)
			wantErr(t, err, stats.ErrRange) // an unparsed verdict is no label
			continue
		}
		near(t, name, kappa(ab, ba), p.num(t, "kappa_between_orders"), 1e-9)
		if name == "Natural GPT-4/Vanilla" {
			near(t, name+" against gold", kappa(ab, gold), 0.897708674304419, 1e-9)
		}
	}
}

func count(counts map[string]int, key string, yes bool) {
	counts[key] += 0
	if yes {
		counts[key]++
	}
}

// GPT-4 three times on 320 answers (prometheus-eval dcfb4427), as recomputed in R:
// agreement, quadratic kappa, alpha, variance of item and judge, and the mean
// clustered by prompt.
func TestPublishedJudgeRetest(t *testing.T) {
	var r struct {
		Bench struct {
			Item  float64 `json:"var_item"`
			Judge float64 `json:"var_judge"`
			ICC   float64 `json:"icc1"`
			SE3   float64 `json:"se_mean_3_runs"`
			SE1   float64 `json:"se_mean_if_1_run"`
			Alpha struct{ Nominal, Ordinal, Interval float64 }
			Pairs []struct {
				Runs                  []int
				Agreement, Kappa, QWK float64
				SE                    float64 `json:"qwk_se"`
			}
			Prompt struct {
				SE float64 `json:"se_cr2"`
				DF float64 `json:"df_cr2"`
			} `json:"mean_clustered_by_prompt"`
		} `json:"mt_bench"`
	}
	recomputed(t, "judge-retest-1to5", &r)
	runs := make([][]int, 3)
	var items [][]float64
	var means []float64
	var prompt []string
	for _, w := range table(t, "judge-retest-1to5", "mt_bench.csv") {
		var item []float64
		for i := range runs {
			v := w.num(t, fmt.Sprint("run_", i+1))
			runs[i], item = append(runs[i], int(v)), append(item, v)
		}
		items, prompt = append(items, item), append(prompt, w["prompt"])
		means = append(means, (item[0]+item[1]+item[2])/3)
	}
	v, err := stats.RepeatVariance(items)
	ok(t, v, err)
	icc, err := v.ICC()
	ok(t, icc, err)
	one, err := v.MeanSE(1)
	ok(t, one, err)
	clustered, err := stats.ClusteredMean(means, prompt)
	ok(t, clustered, err)
	share, err := v.RepeatShare()
	if ok(t, share, err); math.Round(100*share) != 15 {
		t.Errorf("the judge is %.3f of the variance, want 15 %%", share)
	}
	want := r.Bench
	for what, x := range map[string][2]float64{
		"item": {v.Item, want.Item}, "judge": {v.Repeat, want.Judge}, "icc": {icc, want.ICC}, "3 runs": {v.Mean.SE, want.SE3}, "1 run": {one, want.SE1},
		"by prompt": {clustered.SE, want.Prompt.SE}, "by prompt DF": {clustered.DF, want.Prompt.DF},
	} {
		near(t, what, x[0], x[1], 1e-9)
	}
	for m, w := range map[stats.Metric]float64{stats.Nominal: want.Alpha.Nominal, stats.Ordinal: want.Alpha.Ordinal, stats.IntervalScale: want.Alpha.Interval} {
		a, _, err := stats.KrippendorffAlpha(items, m)
		near(t, fmt.Sprint("alpha ", m), ok(t, a, err), w, 1e-9)
	}
	for _, p := range want.Pairs {
		tab, err := stats.CrossTable(runs[p.Runs[0]-1], runs[p.Runs[1]-1], []int{1, 2, 3, 4, 5})
		ok(t, tab, err)
		k, err := stats.Kappa(tab, stats.Unweighted)
		ok(t, k, err)
		q, err := stats.Kappa(tab, stats.Quadratic)
		ok(t, q, err)
		near(t, "agreement", k.Observed, p.Agreement, 1e-9)
		near(t, "kappa", k.Kappa, p.Kappa, 1e-9)
		near(t, "quadratic kappa", q.Kappa, p.QWK, 1e-9)
		near(t, "quadratic kappa SE", q.SE, p.SE, 1e-8)
	}
}
