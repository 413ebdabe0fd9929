package stats_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/understudy-eval/understudy/stats"
)

// Two weeks with a sequence each: the logarithms of their e-values add up.
func ExampleSequence_EValue() {
	seq, err := stats.NewSequence(0.05, 200)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := 0.0
	for _, week := range []stats.Estimate{
		{N: 200, Value: -0.25, SE: 0.09, DF: 199},
		{N: 180, Value: -0.30, SE: 0.10, DF: 179},
	} {
		logE, p, err := seq.EValue(week, float64(week.N), 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		sum += logE
		fmt.Printf("this week p %.3f, so far %.4f\n", p, min(1, math.Exp(-sum)))
	}
	// Output:
	// this week p 0.097, so far 0.0974
	// this week p 0.055, so far 0.0054
}

// Routes were sampled at 1 % and 10 %: a rare route's pair stands for more.
func ExampleWeightedDelta() {
	live := []float64{3, 2, 4, 3, 2, 2}
	candidate := []float64{2, 2, 3, 3, 1, 3}
	weight := []float64{100, 100, 100, 10, 10, 10}
	route := []string{"chat", "chat", "chat", "search", "search", "search"}
	delta, err := stats.WeightedDelta(live, candidate, weight, nil, route)
	fmt.Printf("%.2f (SE %.2f, %.0f degrees of freedom), %v\n", delta.Value, delta.SE, delta.DF, err)
	n, err := stats.KishN(weight)
	fmt.Printf("as much as %.1f pairs with equal weights, %v\n", n, err)
	// Output:
	// -0.61 (SE 0.31, 4 degrees of freedom), <nil>
	// as much as 3.6 pairs with equal weights, <nil>
}

// Other users got the candidate: no pairs.
func ExampleWelch() {
	delta, err := stats.Welch([]float64{3, 2, 4, 3, 5}, []float64{2, 2, 3, 3})
	fmt.Printf("%.2f (SE %.2f), %v\n", delta.Value, delta.SE, err)
	// Output: -0.90 (SE 0.59), <nil>
}

func ExampleWinTieLoss() {
	wins, ties, losses, net, err := stats.WinTieLoss([]float64{3, 2, 4, 3}, []float64{2, 2, 3, 4}, nil)
	fmt.Printf("%d won, %d tied, %d lost, net %.2f (SE %.2f), %v\n", wins, ties, losses, net.Value, net.SE, err)
	// Output: 2 won, 1 tied, 1 lost, net 0.25 (SE 0.48), <nil>
}

// The chance that the candidate's answer has the better (smaller) grade.
func ExampleBrunnerMunzel() {
	better, err := stats.BrunnerMunzel([]float64{3, 2, 4, 3, 5, 2}, []float64{2, 1, 3, 3, 2, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := better.LogitCI(0.95)
	fmt.Printf("%.2f (%.2f to %.2f), %v\n", better.Value, iv.Lower, iv.Upper, err)

	apart, err := stats.BrunnerMunzel([]float64{5, 6}, []float64{1, 2})
	fmt.Println(apart.Value, errors.Is(err, stats.ErrUndefined))
	// Output:
	// 0.75 (0.36 to 0.94), <nil>
	// 1 true
}

// The problem was found in 31 live answers only and in 18 of the candidate only;
// five problems were planned, one of which never occurred.
func ExampleHolm() {
	_, midP, err := stats.McNemar(31, 18)
	if err != nil {
		fmt.Println(err)
		return
	}
	adjusted, err := stats.Holm([]float64{midP, 0.004, 0.2, 0.7}, 5)
	fmt.Printf("%.3f, %v\n", adjusted, err)
	// Output: [0.260 0.020 0.600 1.000], <nil>
}

// Five sessions cannot show a difference at 5 %, whatever they hold.
func ExampleSignFlip() {
	p, err := stats.SignFlip([]float64{-1, -2, -1, -3, -1})
	fmt.Println(p, err)
	// Output: 0.0625 <nil>
}

// The p95 of 100 answers each, in seconds: the interval is of the difference.
func ExampleQuantileDelta() {
	var live, candidate []float64
	for i := range 100 {
		live = append(live, 1+0.02*float64(i))
		candidate = append(candidate, 1+0.03*float64(i))
	}
	delta, iv, err := stats.QuantileDelta(live, candidate, 0.95, 0.95)
	fmt.Printf("%+.2f s (%.2f to %.2f), %v\n", delta, iv.Lower, iv.Upper, err)
	// Output: +0.94 s (0.76 to 1.12), <nil>
}

// Half of the calls were cut off by a shutdown, at different times.
func ExampleKaplanMeier() {
	took := []float64{0.8, 1.1, 1.2, 1.5, 2.0, 2.2}
	done := []bool{true, false, true, true, false, false}
	curve, err := stats.KaplanMeier(took, done)
	if err != nil {
		fmt.Println(err)
		return
	}
	median, iv, err := curve.Quantile(0.5, 0.95)
	fmt.Printf("median %.2f s from %.1f s, open above: %t, %v\n", median, iv.Lower, iv.UpperOpen, err)
	last, _, err := curve.Quantile(0.9, 0.95)
	fmt.Printf("p90 > %.1f s: %t\n", last, errors.Is(err, stats.ErrBeyond))
	// Output:
	// median 1.50 s from 0.8 s, open above: true, <nil>
	// p90 > 2.2 s: true
}
