package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func close9(t *testing.T, why string, seed uint64, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("seed %d, %s: got %.12g, want %.12g", seed, why, got, want)
	}
}

// mirrored: swapping the arms turns an interval around 0.
func mirrored(t *testing.T, why string, seed uint64, got, want stats.Interval) {
	t.Helper()
	if got.LowerOpen != want.UpperOpen || got.UpperOpen != want.LowerOpen {
		t.Errorf("seed %d, %s: %+v and %+v are not open on opposite sides", seed, why, got, want)
	}
	close9(t, why+", lower", seed, got.Lower, -want.Upper)
	close9(t, why+", upper", seed, got.Upper, -want.Lower)
}

// Shares of pairs: bounds that shares can have, around the difference, and turned
// around when the arms are swapped.
func TestShareSymmetry(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 31))
		a, b, c, d := r.IntN(20), r.IntN(9), r.IntN(9), 1+r.IntN(40)
		level := []float64{0.5, 0.95, 0.9999}[r.IntN(3)]
		delta, iv, err := stats.NewcombePaired(a, b, c, d, level)
		ok(t, iv, err)
		if iv.Lower < -1 || iv.Upper > 1 || !iv.Contains(delta) {
			t.Errorf("seed %d: %v in %+v", seed, delta, iv)
		}
		swapped, back, err := stats.NewcombePaired(a, c, b, d, level)
		ok(t, back, err)
		close9(t, "paired", seed, swapped, -delta)
		mirrored(t, "paired", seed, back, iv)

		n := a + b + c + d
		delta, iv, err = stats.NewcombeIndependent(b, n, c, n+3, level)
		ok(t, iv, err)
		swapped, back, err = stats.NewcombeIndependent(c, n+3, b, n, level)
		ok(t, back, err)
		close9(t, "independent", seed, swapped, -delta)
		mirrored(t, "independent", seed, back, iv)

		w, err := stats.Wilson(b, n, level)
		ok(t, w, err)
		rest, err := stats.Wilson(n-b, n, level)
		ok(t, rest, err)
		close9(t, "share and the rest", seed, w.Lower, 1-rest.Upper)
		if w.Lower < 0 || w.Upper > 1 || !w.Contains(float64(b)/float64(n)) {
			t.Errorf("seed %d: %d of %d in %+v", seed, b, n, w)
		}
	}
}

// Ranks see order only: swapping turns them around, and any growing function of
// the values leaves them as they are.
func TestRankSymmetry(t *testing.T) {
	for seed := range uint64(100) {
		d := randomDraw(rand.New(rand.NewPCG(seed, 37)))
		curved := func(x []float64) []float64 {
			out := make([]float64, len(x))
			for i, v := range x {
				out[i] = math.Exp(v)
			}
			return out
		}
		e, err := stats.BrunnerMunzel(d.live, d.cand)
		ok(t, e, err)
		s, err := stats.BrunnerMunzel(d.cand, d.live)
		s.Value = 1 - s.Value
		same(t, "Brunner-Munzel, swapped", ok(t, s, err), e)
		s, err = stats.BrunnerMunzel(curved(d.live), curved(d.cand))
		same(t, "Brunner-Munzel, another scale", ok(t, s, err), e)
		iv, err := e.LogitCI(0.95)
		if ok(t, iv, err); iv.Lower < 0 || iv.Upper > 1 || !iv.Contains(e.Value) {
			t.Errorf("seed %d: %v in %+v", seed, e.Value, iv)
		}
		for _, zeros := range []stats.Zeros{stats.DropZeros, stats.RankZeros} {
			w, err := stats.SignedRank(d.live, d.cand, zeros)
			ok(t, w, err)
			back, err := stats.SignedRank(d.cand, d.live, zeros)
			ok(t, back, err)
			close9(t, "signed rank", seed, back.Z, -w.Z)
			close9(t, "signed rank, p", seed, back.P, w.P)
		}
		units := [][]float64{d.live[:3], d.cand[:4], d.live[3:5]}
		alpha, n, err := stats.KrippendorffAlpha(units, stats.Ordinal)
		ok(t, alpha, err)
		again, m, err := stats.KrippendorffAlpha([][]float64{curved(units[2]), curved(units[0]), curved(units[1])}, stats.Ordinal)
		close9(t, "ordinal alpha, another scale and order", seed, ok(t, again, err), alpha)
		if n != m {
			t.Errorf("seed %d: %d and %d pairable", seed, n, m)
		}
	}
}

// Quantiles of negated values are the other side's; a common shift does not
// matter to a difference of quantiles, and swapping turns it around.
func TestQuantileSymmetry(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 41))
		arm := func(n int) (x, negated []float64) {
			for range n {
				v := math.Round(100*r.ExpFloat64()) / 100
				x, negated = append(x, v), append(negated, -v)
			}
			slices.Sort(x)
			slices.Sort(negated)
			return x, negated
		}
		live, minusLive := arm(1 + r.IntN(200))
		cand, _ := arm(1 + r.IntN(200))
		p := []float64{0.1, 0.5, 0.95}[r.IntN(3)]
		q, err := stats.Quantile(live, p)
		ok(t, q, err)
		other, err := stats.Quantile(minusLive, 1-p)
		close9(t, "negated", seed, -ok(t, other, err), q)
		iv, err := stats.QuantileCI(live, p, 0.95)
		ok(t, iv, err)
		back, err := stats.QuantileCI(minusLive, 1-p, 0.95)
		mirrored(t, "negated interval", seed, ok(t, back, err), iv)
		close9(t, "level", seed, back.Level, iv.Level)

		delta, iv, err := stats.QuantileDelta(live, cand, p, 0.95)
		ok(t, iv, err)
		swapped, back, err := stats.QuantileDelta(cand, live, p, 0.95)
		ok(t, back, err)
		close9(t, "difference", seed, swapped, -delta)
		mirrored(t, "difference", seed, back, iv)
	}
}

// The judge's side: raters can be swapped, the order of items does not matter,
// and PPI follows a change of the scale.
func TestJudgeSymmetry(t *testing.T) {
	grades := []float64{1, 2, 3, 4, 5, 6}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 43))
		d := randomDraw(r)
		ab, err := stats.CrossTable(d.live, d.cand, grades)
		ok(t, ab, err)
		ba, err := stats.CrossTable(d.cand, d.live, grades)
		ok(t, ba, err)
		for _, w := range []stats.Weights{stats.Unweighted, stats.Linear, stats.Quadratic} {
			k, err := stats.Kappa(ab, w)
			ok(t, k, err)
			swapped, err := stats.Kappa(ba, w)
			close9(t, "kappa", seed, ok(t, swapped, err).Kappa, k.Kappa)
			close9(t, "its standard error", seed, swapped.SE, k.SE)
		}
		n := len(d.live) / 2
		p, err := stats.PPI(d.live[:n], d.cand[:n], d.cand[n:])
		ok(t, p, err)
		scaled := func(x []float64) []float64 {
			out := slices.Clone(x)
			for i := range out {
				out[i] = 10 - 3*out[i]
			}
			return out
		}
		q, err := stats.PPI(scaled(d.live[:n]), scaled(d.cand[:n]), scaled(d.cand[n:]))
		ok(t, q, err)
		close9(t, "lambda", seed, q.Lambda, p.Lambda)
		close9(t, "value", seed, q.Value, 10-3*p.Value)
		close9(t, "standard error", seed, q.SE, 3*p.SE)
	}
}
