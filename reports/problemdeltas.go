package reports

import (
	"slices"

	"github.com/understudy-eval/understudy/rubric"
)

// ProblemDelta is the difference of a problem's share over graded pairs.
type ProblemDelta struct {
	Problem rubric.Problem `json:"problem"`
	Delta   ShareDelta     `json:"delta"`
	// PHolm is Delta.P adjusted over all problems of the closed list, with none.
	PHolm *float64 `json:"p_holm"`
}

// problemDeltas compares all problems in one pass: a pair moves at most two of them.
func problemDeltas(graded pairs, e Experiment) []ProblemDelta {
	codes, column := graded.problemColumns()
	deltas := make([]ShareDelta, len(codes))
	sums := graded.sums(len(codes), func(p pair, n int, to []int64) {
		base, cand := column[p.base.problem], column[p.cand.problem]
		deltas[base].count(true, base == cand, n)
		if base != cand {
			deltas[cand].count(false, true, n)
			to[base]--
			to[cand]++
		}
	})
	seen := map[string]int64{}
	for i, d := range deltas {
		if n := d.Both + d.OtherOnly + d.CandOnly; n > 0 {
			seen[graded.word(codes[i])] = int64(n)
		}
	}
	out := []ProblemDelta{}
	for _, problem := range problemList(e, seen) {
		d := ShareDelta{}
		at := slices.IndexFunc(codes, func(code uint32) bool { return graded.word(code) == string(problem) })
		if at >= 0 {
			d = deltas[at]
		}
		out = append(out, ProblemDelta{Problem: problem, Delta: d.estimated(sums, at, e.Level)})
	}
	adjustProblems(out)
	return out
}

// problemColumns numbers the problems of all graded answers, in the list or not;
// column is by the code of a problem.
func (c *collection) problemColumns() (codes []uint32, column []int) {
	column = make([]int, len(c.words.values))
	known := map[uint32]bool{}
	for i := range c.shapes.list {
		if o := &c.shapes.list[i]; o.graded() && !known[o.problem] {
			known[o.problem] = true
			column[o.problem] = len(codes)
			codes = append(codes, o.problem)
		}
	}
	return codes, column
}
