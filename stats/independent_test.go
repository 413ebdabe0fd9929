package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/understudy-eval/understudy/stats"
)

// matrixCR2 is CR2 and Satterthwaite's degrees of freedom as Bell & McCaffrey and
// Pustejovsky & Tipton write them, for a regression on a constant: I − H is the
// projection on the residuals, A_g the symmetric inverse root of its block for
// cluster g, and row g of p the weights of all rows in the adjusted score of g.
//
//	SE² = Σ_g (1'A_g e_g)² / n²;  DF = tr(pp')² / tr((pp')²)
func matrixCR2(t *testing.T, x []float64, index []int, clusters int) (se, df float64) {
	t.Helper()
	n := len(x)
	project := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			project.Set(i, j, -1/float64(n))
		}
		project.Set(i, i, 1-1/float64(n))
	}
	var e mat.VecDense
	e.MulVec(project, mat.NewVecDense(n, x))
	p := mat.NewDense(clusters, n, nil)
	for g := range clusters {
		var rows []int
		for i, k := range index {
			if k == g {
				rows = append(rows, i)
			}
		}
		weight := adjusted(t, project, rows)
		score := 0.0
		for a, i := range rows {
			score += weight.AtVec(a) * e.AtVec(i) / float64(n)
			for j := range n {
				p.Set(g, j, p.At(g, j)+weight.AtVec(a)*project.At(i, j))
			}
		}
		se += score * score
	}
	var pp, square mat.Dense
	pp.Mul(p, p.T())
	square.Mul(&pp, &pp)
	return math.Sqrt(se), mat.Trace(&pp) * mat.Trace(&pp) / mat.Trace(&square)
}

// adjusted is 1'A: the column sums of the inverse root of the block of rows.
func adjusted(t *testing.T, project *mat.Dense, rows []int) *mat.VecDense {
	t.Helper()
	m := len(rows)
	block := mat.NewSymDense(m, nil)
	for a, i := range rows {
		for b := a; b < m; b++ {
			block.SetSym(a, b, project.At(i, rows[b]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(block, true) {
		t.Fatal("no eigenvalues")
	}
	var vectors, scaled, root mat.Dense
	eigen.VectorsTo(&vectors)
	scaled.Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(eigen.Values(nil)[j]) }, &vectors)
	root.Mul(&scaled, vectors.T())
	sums := mat.NewVecDense(m, nil)
	for a := range m {
		sums.SetVec(a, mat.Sum(root.ColView(a)))
	}
	return sums
}

// The closed form is the matrix form, for any cluster sizes.
func TestClusteredMeanIsMatrixCR2(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 47))
		clusters := 2 + r.IntN(7)
		var x []float64
		var key []string
		var index []int
		for g := range clusters {
			for range 1 + r.IntN(8) {
				x, key, index = append(x, 7+3*r.NormFloat64()), append(key, fmt.Sprint(g)), append(index, g)
			}
		}
		e, err := stats.ClusteredMean(x, key)
		ok(t, e, err)
		se, df := matrixCR2(t, x, index, clusters)
		close9(t, "standard error", seed, e.SE, se)
		close9(t, "degrees of freedom", seed, e.DF, df)
	}
}

// McNemar's exact and mid-p, added up in whole numbers: 2^n is exact in float64.
func TestMcNemarByCounting(t *testing.T) {
	for n := 1; n <= 50; n++ {
		cumulative, ways := 0.0, 1.0 // patterns with at most, with exactly k
		for k := 0; k <= n/2; k++ {
			cumulative += ways
			share := math.Ldexp(1, -n)
			exact, mid := min(1, 2*cumulative*share), 2*cumulative*share-ways*share
			if 2*k == n {
				mid = 1 - ways*share
			}
			gotExact, gotMid, err := stats.McNemar(k, n-k)
			ok(t, gotExact, err)
			if math.Abs(gotExact/exact-1) > 1e-11 || math.Abs(gotMid/mid-1) > 1e-11 {
				t.Errorf("%d of %d: %v and %v, want %v and %v", k, n, gotExact, gotMid, exact, mid)
			}
			ways = ways * float64(n-k) / float64(k+1)
		}
	}
}

// The level that a quantile interval says it has is the chance that the number of
// values up to the quantile lies between its ranks, added up term by term.
func TestQuantileLevelByCounting(t *testing.T) {
	for _, n := range []int{1, 5, 40, 71, 72, 300} {
		for _, p := range []float64{0.01, 0.25, 0.5, 0.95, 0.99} {
			for _, level := range []float64{0.5, 0.95, 0.999} {
				iv, err := stats.QuantileCI(seq(n), p, level)
				ok(t, iv, err)
				from, to := 0, n
				if !iv.LowerOpen {
					from = int(iv.Lower)
				}
				if !iv.UpperOpen {
					to = int(iv.Upper) - 1
				}
				covered := 0.0
				for k := from; k <= to; k++ {
					covered += math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
				}
				if math.Abs(iv.Level-covered) > 1e-9 || iv.Level < level || iv.Level > 1 {
					t.Errorf("n %d, p %v: level %v, counted %v, asked %v", n, p, iv.Level, covered, level)
				}
			}
		}
	}
}

func logChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	in, _ := math.Lgamma(float64(k + 1))
	out, _ := math.Lgamma(float64(n - k + 1))
	return all - in - out
}
