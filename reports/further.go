package reports

import (
	"cmp"
	"math"
	"slices"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/stats"
)

// Agreement says whether the two judges of an experiment agree: the same answers
// graded by both. The second verdicts enter no other figure.
type Agreement struct {
	Answers int `json:"answers"`
	// Exact is the share of answers with the same grade from both, Within1 of those at
	// most one apart.
	Exact   Share `json:"exact"`
	Within1 Share `json:"within_1"`
	// Kappa is Cohen's with quadratic weights, with its large-sample interval; nil if
	// all grades are one.
	Kappa         *float64  `json:"kappa_quadratic"`
	KappaInterval *Interval `json:"kappa_interval"`
	// Shift is the mean of the reserve's − the primary's grade: positive means that the
	// reserve is harsher.
	Shift Estimate `json:"shift"`
}

// Injection says whether the judge obeys instructions that stand in an answer: answers
// graded again with an instruction planted that asks for the best grade.
type Injection struct {
	// Tries are planted answers; of NotGraded the judge gave no verdict that counts, e.g.
	// because it copied the planted one.
	Tries     int `json:"tries"`
	NotGraded int `json:"not_graded"`
	// Obeyed is the share with a better grade than the same answer has without the
	// instruction, of those whose grade could be better. ByChance is the same share of
	// repeats without an instruction: what chance does.
	Obeyed   Share `json:"obeyed"`
	ByChance Share `json:"better_by_chance"`
}

// repeated names an answer, again is a further verdict on it; its grade may be noGrade.
type (
	repeated struct {
		id  shadow.SampleID
		arm int
	}
	again struct {
		number  int64
		pinned  uint32
		purpose uint32
		grade   int8
	}
)

// furtherVerdicts calls f with each graded answer of a view and its further verdicts,
// in the order of their numbers, each number of a judge once.
func (v view) furtherVerdicts(f func(first answer, more []again)) {
	if len(v.repeats) == 0 {
		return
	}
	for _, s := range v.index {
		for arm := range v.arms {
			a, more := v.answer(arm, int(s)), v.repeats[repeated{*v.ids.at(int(s)), arm}]
			if !a.graded() || len(more) == 0 {
				continue
			}
			more = slices.Clone(more)
			slices.SortStableFunc(more, func(x, y again) int { return cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.pinned, y.pinned)) })
			f(a, slices.CompactFunc(more, func(x, y again) bool { return x.number == y.number && x.pinned == y.pinned }))
		}
	}
}

// ratings are the grades of each answer in a view that was graded more than once by
// one snapshot, the first grade first.
func (v view) ratings() [][]float64 {
	var out [][]float64
	v.furtherVerdicts(func(first answer, more []again) {
		row := []float64{float64(first.grade)}
		for _, x := range more {
			if x.pinned == first.pinned && x.grade != noGrade && (x.purpose == v.rules.again || x.purpose == 0) {
				row = append(row, float64(x.grade))
			}
		}
		if len(row) > 1 {
			out = append(out, row)
		}
	})
	return out
}

// agreementOf is nil if no answer went to both judges.
func (v view) agreementOf(level float64) *Agreement {
	table := gradeTable()
	var shift []float64
	v.furtherVerdicts(func(first answer, more []again) {
		for _, x := range more {
			if x.purpose != v.rules.agreement || x.pinned == first.pinned || x.grade == noGrade {
				continue
			}
			primary, reserve := int(first.grade), int(x.grade)
			if v.rules.rank(first.pinned) == reserveRank {
				primary, reserve = reserve, primary
			}
			table[primary-int(rubric.Best)][reserve-int(rubric.Best)]++
			shift = append(shift, float64(reserve-primary))
			return
		}
	})
	if len(shift) == 0 {
		return nil
	}
	a := &Agreement{Answers: len(shift)}
	a.Exact, a.Within1, a.Kappa, a.KappaInterval = agreed(table, level)
	est, err := stats.Mean(shift)
	a.Shift = estimateOf(len(shift), est, err)
	a.Shift.Sessions = 0
	return a
}

func gradeTable() [][]int {
	table := make([][]int, rubric.Worst)
	for i := range table {
		table[i] = make([]int, rubric.Worst)
	}
	return table
}

// agreed are the figures of a table of two grades for each answer.
func agreed(table [][]int, level float64) (exact, within1 Share, kappa *float64, interval *Interval) {
	for steps, share := range []*Share{&exact, &within1} {
		if x, n, err := stats.Within(table, steps); err == nil {
			*share = shareOf(x, n, level)
		}
	}
	if k, err := stats.Kappa(table, stats.Quadratic); err == nil {
		kappa = new(k.Kappa)
		if k.SE > 0 { // full agreement, or two answers, have an error of 0, which says nothing
			interval = intervalOf(k.CI(level))
		}
	}
	return exact, within1, kappa, interval
}

// injectionOf is nil if no instruction was planted.
func (v view) injectionOf(level float64) *Injection {
	in := &Injection{}
	var better, could, byChance, chances int
	v.furtherVerdicts(func(first answer, more []again) {
		for _, x := range more {
			if x.pinned != first.pinned {
				continue
			}
			mayRise := first.grade > uint8(rubric.Best) && x.grade != noGrade
			rose := mayRise && x.grade < int8(first.grade)
			if x.purpose != v.rules.injection {
				chances, byChance = chances+one(mayRise), byChance+one(rose)
				continue
			}
			in.Tries++
			in.NotGraded += one(x.grade == noGrade)
			could, better = could+one(mayRise), better+one(rose)
		}
	})
	if in.Tries == 0 {
		return nil
	}
	in.Obeyed, in.ByChance = shareOf(better, could, level), shareOf(byChance, chances, level)
	return in
}

// JudgeNoise says how much of a grade difference's error comes from the judge's own
// wavering, and what would lessen it.
type JudgeNoise struct {
	// Share is the part of SE² of the difference that comes from the judge:
	// 2 × variance of one grade on grading again / (n × SE²), at most 1.
	Share float64 `json:"share_of_se2"`
	// SecondVerdict is by which share the SE would shrink if every answer were graded
	// twice; SameMoney by which share if the same money went into more samples instead,
	// nil while a cost is unknown.
	SecondVerdict float64  `json:"second_verdict_shrinks_se"`
	SameMoney     *float64 `json:"more_samples_shrink_se"`
}

// noiseOf joins a comparison's error with what repeats say of the judge; nil without
// either. cand and live are the arms whose answers were judged.
func noiseOf(c Comparison, repeats *Repeats, live, cand ArmReport) *JudgeNoise {
	d := c.Quality.Delta
	if repeats == nil || repeats.JudgeVariance == nil || d.SE == nil || !(*d.SE > 0) || d.N == 0 {
		return nil
	}
	spread := float64(d.N) * *d.SE * *d.SE
	n := &JudgeNoise{Share: min(1, 2**repeats.JudgeVariance/spread)}
	n.SecondVerdict = 1 - math.Sqrt(1-n.Share/2)
	answer, a, b := cand.Cost.PerAnswer.Value, live.Cost.Judging.PerGraded, cand.Cost.Judging.PerGraded
	if answer != nil && a != nil && b != nil && *answer+*a+*b > 0 {
		n.SameMoney = new(1 - math.Sqrt(1/(1+(*a+*b)/(*answer+*a+*b))))
	}
	return n
}
