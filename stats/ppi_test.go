package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// ppiFields compares both forms: ours (ppi_plus_t) and ppi_py's, whose variances
// divide by the count; it is built here from the parts.
func ppiFields(t *testing.T, in input, label, predicted, unlabelled []float64) fields {
	t.Helper()
	alpha := in.num("alpha")
	p, err := stats.PPI(label, predicted, unlabelled)
	ok(t, p, err)
	delta, err := stats.PPIDelta(fromZero(label), fromZero(predicted), fromZero(unlabelled))
	if ok(t, delta, err); delta != p {
		t.Errorf("PPIDelta from 0 is %+v, PPI %+v", delta, p)
	}
	lower, upper := ci(t, p.Estimate, 1-alpha)
	parity := parityOf(t, p, label, predicted, unlabelled)
	parityLower, parityUpper := ci(t, parity, 1-alpha)
	u, err := stats.Mean(unlabelled)
	ok(t, u, err)
	n := float64(len(label))
	return fields{
		"n": p.N, "N": len(unlabelled), "classical_mean": p.Labels.Value,
		"judge_mean_unlabelled": u.Value, "judge_bias_labelled": p.Bias.Value,
		"ppi":        skipped("lambda 1 is worse than PPI++ and not shipped"),
		"ppi_plus":   fields{"lambda": p.Lambda, "mean": p.Value, "se": parity.SE, "lower": parityLower, "upper": parityUpper},
		"ppi_plus_t": fields{"se": p.SE, "lower": lower, "upper": upper},
		"classical":  fields{"mean": p.Labels.Value, "se": p.Labels.SE * math.Sqrt((n-1)/n)},
	}
}

func fromZero(x []float64) stats.Pairs {
	return stats.Pairs{Live: make([]float64, len(x)), Candidate: x}
}

// parityOf is ppi_py's estimate: variances by the count, normal quantiles.
func parityOf(t *testing.T, p stats.Powered, label, predicted, unlabelled []float64) stats.Estimate {
	t.Helper()
	rest := make([]float64, len(label))
	for i := range rest {
		rest[i] = label[i] - p.Lambda*predicted[i]
	}
	u, err := stats.Mean(unlabelled)
	ok(t, u, err)
	r, err := stats.Mean(rest)
	ok(t, r, err)
	scale := func(e stats.Estimate) float64 { return e.SE * math.Sqrt(1-1/float64(e.N)) }
	return stats.Estimate{N: p.N, Value: p.Value, SE: math.Hypot(p.Lambda*scale(u), scale(r)), DF: 1e15}
}

func TestPPIGolden(t *testing.T) {
	for _, file := range []string{"ppi_mean", "ppi_paired_delta"} {
		golden(t, file, func(t *testing.T, in input) fields {
			return ppiFields(t, in, in.floats("human"), in.floats("judge_on_human_labelled"), in.floats("judge_unlabelled"))
		})
	}
}

func TestStratifiedPPIGolden(t *testing.T) {
	golden(t, "ppi_stratified", func(t *testing.T, in input) fields {
		var raw []struct {
			Weight     float64
			Human      []float64
			Labelled   []float64 `json:"judge_on_human_labelled"`
			Unlabelled []float64 `json:"judge_unlabelled"`
		}
		in.into("strata", &raw)
		var strata []stats.PPIStratum
		for _, r := range raw {
			strata = append(strata, stats.PPIStratum{Weight: 10 * r.Weight, Label: r.Human, Predicted: r.Labelled, Unlabelled: r.Unlabelled})
		}
		e, parts, err := stats.StratifiedPPI(strata)
		ok(t, e, err)
		var got []any
		variance := 0.0
		for h, p := range parts {
			q := parityOf(t, p, strata[h].Label, strata[h].Predicted, strata[h].Unlabelled)
			got = append(got, fields{"lambda": p.Lambda, "mean": p.Value, "se": q.SE})
			variance += raw[h].Weight * raw[h].Weight * q.SE * q.SE
		}
		parity := stats.Estimate{N: e.N, Value: e.Value, SE: math.Sqrt(variance), DF: 1e15}
		lower, upper := ci(t, parity, 1-in.num("alpha"))
		if e.SE <= parity.SE || e.DF <= 0 {
			t.Errorf("ours divides by n−1 and must be wider: %+v against %v", e, parity.SE)
		}
		return fields{"mean": e.Value, "se": parity.SE, "lower": lower, "upper": upper, "strata": got}
	})
}

func TestPPIDelta(t *testing.T) {
	live, cand := []float64{3, 2, 4, 5}, []float64{2, 2, 3, 3}
	pairs := stats.Pairs{Live: live, Candidate: cand}
	biased := stats.Pairs{Live: []float64{4, 3, 5, 6}, Candidate: []float64{3, 3, 4, 4}}
	p, err := stats.PPIDelta(pairs, biased, biased)
	if ok(t, p, err); p.Bias.Value != 0 || math.Abs(p.Value+1) > 1e-12 {
		t.Errorf("a bias common to both arms cancels: %+v", p)
	}
	for _, side := range [][3]stats.Pairs{
		{{Live: live}, pairs, pairs}, {pairs, {Live: live}, pairs}, {pairs, pairs, {Live: live}},
	} {
		_, err = stats.PPIDelta(side[0], side[1], side[2])
		wantErr(t, err, stats.ErrMismatch)
	}
}

func TestPPIEdges(t *testing.T) {
	y := []float64{1, 2, 3}
	for _, c := range []struct {
		name, why                    string
		label, predicted, unlabelled []float64
		err                          error
		labels                       int
	}{
		{"lengths", "a label without prediction", y, y[:2], y, stats.ErrMismatch, 0},
		{"nothing", "no label", nil, nil, y, stats.ErrTooFew, 0},
		{"one label", "no spread", y[:1], y[:1], y, stats.ErrTooFew, 1},
		{"one prediction", "the labels alone remain", y, y, y[:1], stats.ErrTooFew, 3},
		{"nan", "a missing grade", y, y, []float64{1, math.NaN()}, stats.ErrNotFinite, 0},
	} {
		p, err := stats.PPI(c.label, c.predicted, c.unlabelled)
		if wantErr(t, err, c.err); p.Labels.N != c.labels || p.N != 0 {
			t.Errorf("%s: %+v: %s", c.name, p, c.why)
		}
	}
	p, err := stats.PPI(y, []float64{2, 2, 2}, []float64{2, 2})
	if ok(t, p, err); p.Lambda != 0 || p.Estimate != p.Labels {
		t.Errorf("predictions that do not vary are not used: %+v", p)
	}
	_, _, err = stats.StratifiedPPI(nil)
	wantErr(t, err, stats.ErrTooFew)
	_, _, err = stats.StratifiedPPI([]stats.PPIStratum{{Weight: 0, Label: y, Predicted: y, Unlabelled: y}})
	wantErr(t, err, stats.ErrRange)
	_, _, err = stats.StratifiedPPI([]stats.PPIStratum{{Weight: 1, Label: y[:1], Predicted: y[:1], Unlabelled: y}})
	wantErr(t, err, stats.ErrTooFew)
}

func TestPPIBest(t *testing.T) {
	for _, c := range []struct {
		labels int
		why    string
		alone  bool
	}{
		{stats.FewLabels - 1, "too few to trust the interval", true},
		{stats.FewLabels, "enough", false},
	} {
		label, predicted := seq(c.labels), seq(c.labels)
		predicted[0] = 3 // they correlate, not fully
		p, err := stats.PPI(label, predicted, seq(50))
		ok(t, p, err)
		if got := p.Best(); got == p.Labels != c.alone || got == p.Estimate == c.alone {
			t.Errorf("%d labels: %+v of %+v: %s", c.labels, got, p, c.why)
		}
	}
	p, err := stats.PPI(seq(30), seq(30), nil)
	wantErr(t, err, stats.ErrTooFew)
	if p.Best() != p.Labels || p.Labels.N != 30 {
		t.Errorf("without further predictions the labels remain: %+v", p)
	}
}
