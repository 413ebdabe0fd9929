package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// AlpacaEval 2 leaderboard (tatsu-lab/alpaca_eval cd543a14), columns win_rate and
// standard_error of eight models over 805 prompts, and the paired differences of
// two models on the same prompts by R t.test(paired=TRUE).
func TestPublishedAlpacaEval(t *testing.T) {
	rows := table(t, "alpacaeval2", "preferences.csv")
	column := func(model string) []float64 {
		var x []float64
		for _, r := range rows {
			x = append(x, 100*(r.num(t, "pref_"+model)-1))
		}
		return x
	}
	leaderboard := table(t, "alpacaeval2", "published.csv")
	if len(leaderboard) != 8 {
		t.Errorf("%d models, want 8", len(leaderboard))
	}
	for _, p := range leaderboard {
		e, err := stats.Mean(column(p["model"]))
		ok(t, e, err)
		near(t, p["model"]+" win rate", e.Value, p.num(t, "win_rate"), 1e-9)
		near(t, p["model"]+" standard error", e.SE, p.num(t, "standard_error"), 1e-9)
	}
	var r struct {
		Paired []struct {
			From, To                         string
			Delta, Lower, Upper, Correlation float64
			Paired                           float64 `json:"se_paired"`
			Unpaired                         float64 `json:"se_unpaired"`
			InSE                             float64 `json:"delta_in_se"`
		}
	}
	recomputed(t, "alpacaeval2", &r)
	for _, w := range r.Paired {
		live, cand := column(w.From), column(w.To)
		e, err := stats.PairedDelta(live, cand)
		ok(t, e, err)
		apart, err := stats.Welch(live, cand)
		ok(t, apart, err)
		c, err := stats.Correlation(live, cand)
		ok(t, c, err)
		inSE, err := e.InSE()
		ok(t, inSE, err)
		iv, err := e.CI(0.95)
		ok(t, iv, err)
		for what, v := range map[string][2]float64{
			"delta": {e.Value, w.Delta}, "paired": {e.SE, w.Paired}, "unpaired": {apart.SE, w.Unpaired}, "in SE": {inSE, w.InSE},
			"lower": {iv.Lower, w.Lower}, "upper": {iv.Upper, w.Upper}, "correlation": {c, w.Correlation},
		} {
			near(t, w.From+" to "+w.To+" "+what, v[0], v[1], 1e-9)
		}
	}
}

// LLMPerf leaderboard (ray-project/llmperf-leaderboard 27aa9b6a): p25 to p99 and
// mean of 19 endpoints as published, on successful requests only; order-statistic
// intervals, shares over 3 s and differences as recomputed in R.
func TestPublishedLLMPerf(t *testing.T) {
	success, failed := map[string][]float64{}, map[string]int{}
	firstToken := map[string][]float64{}
	for _, r := range table(t, "llmperf-latency", "requests.csv") {
		if r["error_code"] != "" {
			failed[r["endpoint"]]++
			continue
		}
		success[r["endpoint"]] = append(success[r["endpoint"]], r.num(t, "end_to_end_s"))
		firstToken[r["endpoint"]] = append(firstToken[r["endpoint"]], r.num(t, "ttft_s"))
	}
	endpoints := map[string]bool{}
	for _, p := range table(t, "llmperf-latency", "published.csv") {
		name := p["endpoint"]
		endpoints[name] = true
		x := success[name]
		if p["metric"] == "ttft_s" {
			x = firstToken[name]
		}
		slices.Sort(x)
		for col, share := range map[string]float64{"p25": 0.25, "p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99} {
			q, err := stats.Quantile(x, share)
			near(t, name+" "+p["metric"]+" "+col, ok(t, q, err), p.num(t, col), 1e-9)
		}
		e, err := stats.Mean(x)
		ok(t, e, err)
		near(t, name+" mean", e.Value, p.num(t, "mean"), 1e-9)
		near(t, name+" stddev", e.SE*math.Sqrt(float64(e.N)), p.num(t, "stddev"), 1e-9)
	}
	if len(endpoints) != 19 {
		t.Errorf("%d endpoints, want 19", len(endpoints))
	}
	var r struct {
		Endpoints   map[string]map[string]*float64
		Differences []struct{ P, Delta, Lower, Upper float64 } `json:"quantile_difference_anyscale70b_to_together70b"`
	}
	recomputed(t, "llmperf-latency", &r)
	for name, want := range r.Endpoints {
		checkEndpoint(t, name, success[name], failed[name], want)
	}
	for _, w := range r.Differences {
		d, iv, err := stats.QuantileDelta(success["anyscale_70b"], success["together_70b"], w.P, 0.95)
		ok(t, d, err)
		near(t, "difference", d, w.Delta, 1e-9)
		near(t, "difference, lower", iv.Lower, w.Lower, 1e-9)
		near(t, "difference, upper", iv.Upper, w.Upper, 1e-9)
	}
}

func checkEndpoint(t *testing.T, name string, x []float64, failures int, want map[string]*float64) {
	t.Helper()
	slices.Sort(x)
	iv, err := stats.QuantileCI(x, 0.95, 0.95)
	ok(t, iv, err)
	compareBound := func(what string, v float64, open bool, want *float64) {
		if open != (want == nil) {
			t.Errorf("%s %s: open %v, want %v", name, what, open, want == nil)
		} else if !open {
			near(t, name+" "+what, v, *want, 1e-9)
		}
	}
	compareBound("lower", iv.Lower, iv.LowerOpen, want["p95_success_lower"])
	compareBound("upper", iv.Upper, iv.UpperOpen, want["p95_success_upper"])

	all := append(slices.Clone(x), repeat(math.Inf(1), failures)...)
	_, err = stats.Quantile(all, 0.95)
	if want["p95_failures_as_infinite_type1"] == nil {
		wantErr(t, err, stats.ErrBeyond)
	} else if float64(failures) < 0.05*149 {
		wantErr(t, err, nil)
	}
	over := failures
	for _, v := range x {
		if v > 3 {
			over++
		}
	}
	share, err := stats.Wilson(over, len(all), 0.95)
	ok(t, share, err)
	near(t, name+" over 3 s", share.Lower, *want["share_over_3s_lower"], 1e-9)
	near(t, name+" over 3 s", share.Upper, *want["share_over_3s_upper"], 1e-9)
}
