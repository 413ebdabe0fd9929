package stats_test

import (
	"fmt"

	"github.com/understudy-eval/understudy/stats"
)

// Three runs of the judge over the same answers; one verdict is missing.
func ExampleKrippendorffAlpha() {
	alpha, n, err := stats.KrippendorffAlpha([][]float64{{1, 1, 2}, {3, 3}, {4, 5, 4}, {6, 6, 6}}, stats.Ordinal)
	fmt.Printf("%.2f of %d grades, %v\n", alpha, n, err)
	// Output: 0.96 of 11 grades, <nil>
}

// Weekly means of the anchor set: the judge became harsher in the third week.
func ExampleCusum() {
	path, err := stats.Cusum([]float64{3.01, 2.98, 3.16, 3.13, 3.17, 3.15}, 3, 0.05, 0.5, 5)
	fmt.Printf("alarm at check %d, %v\n", path.FirstHigh, err)
	// Output: alarm at check 5, <nil>
}

// The judge grades 300 answers, people 30 of them: it is about 0.3 too harsh, and
// the corrected mean is known better than from the 30 labels alone.
func ExamplePPI() {
	var human, judged, others []float64
	for i := range 300 {
		grade := float64(1 + i*i%6)
		if i%3 == 0 {
			grade++ // too harsh
		}
		if i < 270 {
			others = append(others, grade)
			continue
		}
		human, judged = append(human, float64(1+i*i%6)), append(judged, grade)
	}
	p, err := stats.PPI(human, judged, others)
	if err != nil {
		fmt.Println(err)
		return
	}
	best := p.Best()
	fmt.Printf("%.2f (SE %.2f), the labels alone %.2f (SE %.2f)\n", best.Value, best.SE, p.Labels.Value, p.Labels.SE)
	fmt.Printf("the judge is %+.2f off\n", p.Bias.Value)
	// Output:
	// 3.17 (SE 0.12), the labels alone 3.17 (SE 0.29)
	// the judge is +0.33 off
}

// Three answers graded three times each: most of the variance is between answers.
func ExampleRepeatVariance() {
	v, err := stats.RepeatVariance([][]float64{{2, 2, 3}, {5, 5, 5}, {1, 2, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	share, err := v.RepeatShare()
	fmt.Printf("%.0f %% of a grade's variance is the judge's, %v\n", 100*share, err)
	// Output: 6 % of a grade's variance is the judge's, <nil>
}
