package stats_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/understudy-eval/understudy/stats"
)

// Grades of the same eight answers, 1 best, in four sessions.
func ExampleClusteredDelta() {
	live := []float64{3, 2, 4, 3, 5, 2, 3, 4}
	candidate := []float64{2, 2, 3, 3, 3, 2, 3, 3}
	session := []string{"a", "a", "b", "b", "b", "c", "d", "d"}

	delta, err := stats.ClusteredDelta(live, candidate, session)
	if err != nil {
		fmt.Println(err)
		return
	}
	inSE, err := delta.InSE()
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := delta.CI(0.95)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d pairs in %d sessions: %.2f (SE %.2f), %.1f SE\n", delta.N, delta.Clusters, delta.Value, delta.SE, inSE)
	fmt.Printf("95 %% interval %.2f to %.2f with %.1f degrees of freedom\n", iv.Lower, iv.Upper, delta.DF)
	// Output:
	// 8 pairs in 4 sessions: -0.62 (SE 0.20), -3.1 SE
	// 95 % interval -1.33 to 0.08 with 2.6 degrees of freedom
}

// One pair has a difference, but no standard error.
func ExamplePairedDelta_tooFew() {
	delta, err := stats.PairedDelta([]float64{3}, []float64{2})
	fmt.Println(delta.Value, errors.Is(err, stats.ErrTooFew))
	// Output: -1 true
}

// Three of forty calls failed: they are slower than any limit.
func ExampleQuantile() {
	var took []float64
	for i := range 37 {
		took = append(took, 0.1*float64(i+10))
	}
	took = append(took, math.Inf(1), math.Inf(1), math.Inf(1))

	p50, err := stats.Quantile(took, 0.5)
	fmt.Printf("p50 %.2f s, %v\n", p50, err)
	p95, err := stats.Quantile(took, 0.95)
	if errors.Is(err, stats.ErrBeyond) {
		fmt.Printf("p95 > %.2f s\n", p95)
	}
	iv, err := stats.QuantileCI(took, 0.5, 0.95)
	fmt.Printf("p50 from %.2f to %.2f s at %.1f %%, %v\n", iv.Lower, iv.Upper, 100*iv.Level, err)
	// Output:
	// p50 2.95 s, <nil>
	// p95 > 4.60 s
	// p50 from 2.30 to 3.60 s at 96.2 %, <nil>
}

// A sequence planned for 900 pairs may be looked at every day.
func ExampleSequence() {
	seq, err := stats.NewSequence(0.05, 900)
	if err != nil {
		fmt.Println(err)
		return
	}
	delta := stats.Estimate{N: 300, Value: -0.31, SE: 0.0775, DF: 299}
	iv, err := seq.CI(delta, 300)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := seq.Multiplier(300)
	fmt.Printf("%.2f to %.2f, %.2f SE on each side, %v\n", iv.Lower, iv.Upper, m, err)
	// Output: -0.55 to -0.07, 3.16 SE on each side, <nil>
}

// 900 pairs: in 8 both answers were over the limit, in 5 the live one only, in
// 289 the candidate's only.
func ExampleNewcombePaired() {
	delta, iv, err := stats.NewcombePaired(8, 5, 289, 598, 0.95)
	fmt.Printf("%+.1f points (%.1f to %.1f), %v\n", 100*delta, 100*iv.Lower, 100*iv.Upper, err)
	// Output: +31.6 points (28.5 to 34.7), <nil>
}

// Three of thirty calls over the limit.
func ExampleWilson() {
	iv, err := stats.Wilson(3, 30, 0.95)
	fmt.Printf("%.1f to %.1f %%, %v\n", 100*iv.Lower, 100*iv.Upper, err)
	// Output: 3.5 to 25.6 %, <nil>
}

// The same answers graded twice, 1 best to 6.
func ExampleKappa() {
	first := []int{1, 2, 2, 3, 4, 6, 2, 1}
	again := []int{1, 2, 3, 3, 4, 5, 2, 1}
	table, err := stats.CrossTable(first, again, []int{1, 2, 3, 4, 5, 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	equal, n, err := stats.Within(table, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := stats.Kappa(table, stats.Quadratic)
	fmt.Printf("%d of %d equal, quadratic kappa %.2f, %v\n", equal, n, a.Kappa, err)
	// Output: 6 of 8 equal, quadratic kappa 0.94, <nil>
}

// How many pairs show a difference of 0.2 grades?
func ExamplePairsNeeded() {
	n, err := stats.PairsNeeded(1.2, 0.2, 0.05, 0.8)
	fmt.Printf("%.0f, %v\n", math.Ceil(n), err)
	// Output: 283, <nil>
}
