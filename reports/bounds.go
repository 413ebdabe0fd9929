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
	var m missing
	for i := range max(len(live), len(candidate)) {
		m.add(at(live, i), at(candidate, i), 1)
	}
	return m.bounds()
}

// at is a grade, 0 when it is missing.
func at(grades []*rubric.Grade, i int) rubric.Grade {
	if i >= len(grades) || grades[i] == nil {
		return 0
	}
	return *grades[i]
}

// missing adds bounds up.
type missing struct {
	Bounds
	low, high int
}

// add takes n pairs in; 0 is a missing grade.
func (m *missing) add(live, candidate rubric.Grade, n int) {
	m.Planned += n
	if live != 0 && candidate != 0 {
		m.Complete += n
	}
	lowest, highest := span(candidate, n, &m.MissingCandidate)
	best, worst := span(live, n, &m.MissingLive)
	m.low += n * (lowest - worst)
	m.high += n * (highest - best)
}

func (m *missing) bounds() Bounds {
	if m.Planned > 0 {
		m.Low = new(float64(m.low) / float64(m.Planned))
		m.High = new(float64(m.high) / float64(m.Planned))
	}
	return m.Bounds
}

// span is what a grade may have been: itself, or the whole scale when missing.
func span(g rubric.Grade, n int, missing *int) (low, high int) {
	if g == 0 {
		*missing += n
		return int(rubric.Best), int(rubric.Worst)
	}
	return int(g), int(g)
}

// bounds takes a pair graded by two judges as two missing grades.
func bounds(asked pairs) Bounds {
	var m missing
	for p, n := range asked.perKind() {
		if p.base.graded() && p.cand.graded() && !p.comparable() {
			m.add(0, 0, n)
		} else { // what is not graded has grade 0
			m.add(rubric.Grade(p.base.grade), rubric.Grade(p.cand.grade), n)
		}
	}
	return m.bounds()
}
