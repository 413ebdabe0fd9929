package reports

import (
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/stats"
)

// Repeats say how steady the judge is: the same answer graded again by the same
// snapshot. All figures are over answers that have a first grade, too.
type Repeats struct {
	// Answers were graded twice or more; Grades counts all their grades.
	Answers int `json:"answers"`
	Grades  int `json:"grades"`
	// Exact is the share of answers whose first two grades are equal, Within1 of those
	// at most one apart.
	Exact   Share `json:"exact"`
	Within1 Share `json:"within_1"`
	// Kappa is Cohen's with quadratic weights over the first two grades, with its
	// large-sample interval; nil if they are all one grade.
	Kappa         *float64  `json:"kappa_quadratic"`
	KappaInterval *Interval `json:"kappa_interval"`
	// Alpha is Krippendorff's, ordinal, over all grades; nil as Kappa.
	Alpha *float64 `json:"alpha_ordinal"`
	// JudgeShare is the part of the variance of one grade that comes from grading the
	// same answer again, by the first two grades: Repeat / (Item + Repeat). SE² of a
	// mean has the same part. Nil if the grades do not vary.
	JudgeShare *float64 `json:"judge_share_of_variance"`
	// JudgeVariance is the variance of one grade on grading the same answer again, by
	// the first two grades, in grades squared.
	JudgeVariance *float64 `json:"judge_variance"`
	// Shift is the mean of second − first grade: positive means that the judge has
	// become harsher.
	Shift Estimate `json:"shift"`
	// High and Low are the sums of a two-sided CUSUM over the weeks of a trend so far
	// (of Shift in SE; k 0.5), Alarm that one of them is above 5. Nil outside a trend
	// and in weeks without a Shift in SE.
	High  *float64 `json:"cusum_high,omitempty"`
	Low   *float64 `json:"cusum_low,omitempty"`
	Alarm bool     `json:"cusum_alarm,omitempty"`
}

// repeatsOf is nil without repeats.
func repeatsOf(ratings [][]float64, level float64) *Repeats {
	if len(ratings) == 0 {
		return nil
	}
	r := &Repeats{Answers: len(ratings)}
	pairs, shift := make([][]float64, len(ratings)), make([]float64, len(ratings))
	table := gradeTable()
	for i, row := range ratings {
		r.Grades += len(row)
		pairs[i], shift[i] = row[:2], row[1]-row[0]
		table[int(row[0])-int(rubric.Best)][int(row[1])-int(rubric.Best)]++
	}
	r.Exact, r.Within1, r.Kappa, r.KappaInterval = agreed(table, level)
	if alpha, _, err := stats.KrippendorffAlpha(ratings, stats.Ordinal); err == nil {
		r.Alpha = new(alpha)
	}
	if v, err := stats.RepeatVariance(pairs); err == nil {
		r.JudgeVariance = new(v.Repeat)
		if share, err := v.RepeatShare(); err == nil {
			r.JudgeShare = new(share)
		}
	}
	est, err := stats.Mean(shift)
	r.Shift = estimateOf(len(shift), est, err)
	r.Shift.Sessions = 0
	return r
}

// The chart's slack and limit, in standard deviations: the usual ones, with a false
// alarm about every 465 weeks.
const (
	cusumSlack = 0.5
	cusumLimit = 5
)

// chart fills the CUSUM of the shifts, week by week.
func chart(weeks []TrendWeek) {
	var x []float64
	var at []*Repeats
	for i := range weeks {
		if r := weeks[i].Judge.Repeats; r != nil && r.Shift.InSE != nil {
			x, at = append(x, *r.Shift.InSE), append(at, r)
		}
	}
	path, err := stats.Cusum(x, 0, 1, cusumSlack, cusumLimit)
	if err != nil {
		return
	}
	for i, r := range at {
		r.High, r.Low = new(path.High[i]), new(path.Low[i])
		r.Alarm = max(path.High[i], path.Low[i]) > cusumLimit
	}
}
