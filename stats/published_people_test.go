package stats_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// PandaLM (WeOpenML/PandaLM 3871806e): Cohen's kappa between its three human
// annotators, 0.85, 0.88, 0.86 in the README; SE and PPI as recomputed by vcd and
// ppi_py.
func TestPublishedPandaLM(t *testing.T) {
	type agreement struct{ Agreement, Kappa, SE float64 }
	var r struct {
		Human12, Human13, Human23 agreement
		GPT                       agreement `json:"gpt35_vs_majority_parsable"`
		PandaLM                   agreement `json:"pandalm_vs_majority"`
		PPI                       struct {
			Lambda float64
			Mean   float64 `json:"ppi_mean"`
			SE     float64 `json:"ppi_se"`
			Alone  float64 `json:"human_only"`
		} `json:"ppi_share_first_wins"`
	}
	recomputed(t, "pandalm-human-vs-judge", &r)
	rows := table(t, "pandalm-human-vs-judge", "labels.csv")
	labels := []string{"0", "1", "2"}
	columns := map[string][]string{}
	majority := func(w row) string {
		if w["human_1"] == w["human_2"] || w["human_1"] == w["human_3"] {
			return w["human_1"]
		}
		return w["human_2"]
	}
	for _, w := range rows {
		w["majority"] = majority(w)
		for k, v := range w {
			columns[k] = append(columns[k], v)
		}
	}
	check := func(a, b []string, want agreement, published float64) {
		t.Helper()
		tab, err := stats.CrossTable(a, b, labels)
		ok(t, tab, err)
		k, err := stats.Kappa(tab, stats.Unweighted)
		ok(t, k, err)
		near(t, "agreement", k.Observed, want.Agreement, 1e-9)
		near(t, "kappa", k.Kappa, want.Kappa, 1e-9)
		near(t, "kappa SE", k.SE, want.SE, 1e-8)
		if published != 0 && math.Round(100*k.Kappa) != 100*published {
			t.Errorf("kappa %.4f, published %.2f", k.Kappa, published)
		}
	}
	check(columns["human_1"], columns["human_2"], r.Human12, 0.85)
	check(columns["human_1"], columns["human_3"], r.Human13, 0.88)
	check(columns["human_2"], columns["human_3"], r.Human23, 0.86)
	check(columns["majority"], columns["judge_pandalm7b"], r.PandaLM, 0)
	_, err := stats.CrossTable(columns["majority"], columns["judge_gpt35"], labels)
	wantErr(t, err, stats.ErrRange) // 25 answers of the judge are no label
	var left, right []string
	for i, v := range columns["judge_gpt35"] {
		if slices.Contains(labels, v) {
			left, right = append(left, columns["majority"][i]), append(right, v)
		}
	}
	check(left, right, r.GPT, 0)

	win := map[string]float64{"0": 0.5, "1": 1, "2": 0}
	var y, f, u []float64
	for i, w := range rows {
		judged := win[columns["judge_pandalm7b"][i]]
		if n, err := strconv.Atoi(w["item"]); err != nil || n%5 != 0 {
			u = append(u, judged)
			continue
		}
		y, f = append(y, win[w["majority"]]), append(f, judged)
	}
	p, err := stats.PPI(y, f, u)
	ok(t, p, err)
	near(t, "lambda", p.Lambda, r.PPI.Lambda, 1e-9)
	near(t, "PPI mean", p.Value, r.PPI.Mean, 1e-9)
	near(t, "PPI SE", parityOf(t, p, y, f, u).SE, r.PPI.SE, 1e-9)
	near(t, "labels alone", p.Labels.Value, r.PPI.Alone, 1e-9)
}

// Six ordinal alphas over 52 texts published by JUDGE-BENCH (dmg-illc 5a0bf500)
// for the recipe grades of Stein et al. 2023, 15 to 88 ratings a text, and the
// mean of a criterion clustered by 10 recipes by R clubSandwich.
func TestPublishedRecipeGrades(t *testing.T) {
	rows := table(t, "recipe-grades-1to6", "grades.csv")
	alphas := table(t, "recipe-grades-1to6", "published_alpha.csv")
	if len(alphas) != 6 {
		t.Errorf("%d alphas, want 6", len(alphas))
	}
	for _, p := range alphas {
		units := map[string][]float64{}
		for _, r := range rows {
			key := r["recipe"] + "/" + r["condition"]
			units[key] = append(units[key], r.num(t, p["criterion"]))
		}
		var list [][]float64
		for _, u := range units {
			list = append(list, u)
		}
		if want := p.num(t, "units"); len(list) != int(want) {
			t.Fatalf("%d units, want %v", len(list), want)
		}
		alpha, _, err := stats.KrippendorffAlpha(list, stats.Ordinal)
		near(t, p["criterion"], ok(t, alpha, err), p.num(t, "krippendorff_alpha_ordinal"), 1e-10)
	}
	var want struct {
		ByRecipe struct {
			Clusters int
			Mean     float64
			SE       float64 `json:"se_cr2"`
			DF       float64 `json:"df_cr2"`
		} `json:"overall_context_mean_clustered_by_recipe"`
	}
	recomputed(t, "recipe-grades-1to6", &want)
	var x []float64
	var recipe []string
	for _, r := range rows {
		if r["condition"] == "context" {
			x, recipe = append(x, r.num(t, "overall")), append(recipe, r["recipe"])
		}
	}
	e, err := stats.ClusteredMean(x, recipe)
	ok(t, e, err)
	if e.Clusters != want.ByRecipe.Clusters {
		t.Errorf("%d clusters, want %d", e.Clusters, want.ByRecipe.Clusters)
	}
	near(t, "mean", e.Value, want.ByRecipe.Mean, 1e-9)
	near(t, "CR2", e.SE, want.ByRecipe.SE, 1e-8)
	near(t, "DF", e.DF, want.ByRecipe.DF, 1e-6)
}
