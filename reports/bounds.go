package reports

import "github.com/understudy-eval/understudy/rubric"

// Bounds are the mean grade difference over all planned pairs if every missing
// grade were as good or as bad as it can be: in Low a missing candidate grade is
// the best and a missing live grade the worst, in High the other way round.
//
//	Low  = Σ (c_i − l_i) / Planned     with c_i missing → 1, l_i missing → 6
//	High = Σ (c_i − l_i) / Planned     with c_i missing → 6, l_i missing → 1
//
// Pairs are not weighted. Nil without pairs.
type Bounds struct {
	Planned          int      `json:"planned"`
	Complete         int      `json:"complete"`
	MissingLive      int      `json:"missing_live"`
	MissingCandidate int      `json:"missing_candidate"`
	Low              *float64 `json:"low"`
	High             *float64 `json:"high"`
}

// MissingPairs computes the bounds. Index i is the same sample in both slices; nil
// is a missing grade. Entries beyond the shorter slice are missing. Checked in
// testdata/missing_pairs.json.
func MissingPairs(live, candidate []*rubric.Grade) Bounds {
	b := Bounds{Planned: max(len(live), len(candidate))}
	low, high := 0, 0
	for i := range b.Planned {
		l, c := at(live, i), at(candidate, i)
		if l != nil && c != nil {
			b.Complete++
		}
		lowest, highest := span(c, &b.MissingCandidate)
		best, worst := span(l, &b.MissingLive)
		low += lowest - worst
		high += highest - best
	}
	if b.Planned > 0 {
		b.Low = new(float64(low) / float64(b.Planned))
		b.High = new(float64(high) / float64(b.Planned))
	}
	return b
}

func at(grades []*rubric.Grade, i int) *rubric.Grade {
	if i >= len(grades) {
		return nil
	}
	return grades[i]
}

// span is what a grade may have been: itself, or the whole scale when missing.
func span(g *rubric.Grade, missing *int) (low, high int) {
	if g == nil {
		*missing++
		return int(rubric.Best), int(rubric.Worst)
	}
	return int(*g), int(*g)
}

// bounds takes a pair graded by two judges as two missing grades.
func bounds(asked pairs) Bounds {
	live, cand := make([]*rubric.Grade, asked.len()), make([]*rubric.Grade, asked.len())
	for i, p := range asked.all() {
		if p.base.graded() && p.cand.graded() && !p.comparable() {
			continue
		}
		if p.base.graded() {
			live[i] = new(rubric.Grade(p.base.grade))
		}
		if p.cand.graded() {
			cand[i] = new(rubric.Grade(p.cand.grade))
		}
	}
	return MissingPairs(live, cand)
}
