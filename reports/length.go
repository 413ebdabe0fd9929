package reports

import (
	"math"
	"slices"

	"github.com/understudy-eval/understudy/stats"
)

// Length asks whether a candidate is slower or better only because its answers are
// longer: time and grades follow the output tokens. It decides nothing, and knows
// only answers that tell their tokens.
type Length struct {
	// Equal is the grade difference over graded pairs of about equal length: output
	// tokens less than 20 % of the longer one apart.
	Equal Estimate `json:"equal"`
	// EqualTimes are the differences of p50, p95 and p99 of the time to the whole
	// answer over answered pairs of about equal length, graded or not.
	EqualTimes []QuantileDelta `json:"equal_times"`
	// Bands split the graded pairs by the length of live's answer, which the
	// candidate does not touch, into fifths; fewer where lengths are equal.
	Bands []LengthBand `json:"bands"`
}

// LengthBand is the grade difference over the pairs in which live's answer has From
// to To output tokens.
type LengthBand struct {
	From  int64    `json:"from"`
	To    int64    `json:"to"`
	Delta Estimate `json:"delta"`
}

func lengthOf(all pairs, e Experiment) Length {
	told := all.where(func(p pair) bool {
		_, base := p.base.number(tokensOut)
		_, cand := p.cand.number(tokensOut)
		return base && cand && p.base.answered() && p.cand.answered()
	})
	equal := told.where(pair.equallyLong)
	graded := told.filter(pair.comparable)
	return Length{
		Equal:      deltaOf(equal.filter(pair.comparable)),
		EqualTimes: quantileDeltas(equal, answer.latency, e.Level),
		Bands:      lengthBands(graded),
	}
}

// hides says that a grade difference stands out, that it would also do so over the
// pairs of equal length if it were the same there, and that it does not.
func (l Length) hides(all Estimate) bool {
	equal := l.Equal
	if all.InSE == nil || equal.InSE == nil {
		return false
	}
	stands, same := math.Abs(*all.InSE) > standsOut, math.Abs(*all.Value / *equal.SE) > standsOut
	return stands && same && !(math.Abs(*equal.InSE) > standsOut && *equal.Value**all.Value > 0)
}

// hidesTime is the quantile of times, p95 before p50, whose difference over all pairs
// is clear of 0 and is not so over those of equal length, where it would be if it were
// the same: its interval there is narrow enough.
func (l Length) hidesTime(all []QuantileDelta) (over, equal QuantileDelta, hides bool) {
	for _, i := range []int{1, 0} {
		if i >= len(all) || i >= len(l.EqualTimes) {
			continue
		}
		over, equal = all[i], l.EqualTimes[i]
		if over.Delta == nil || equal.Delta == nil || equal.Lower == nil || equal.Upper == nil || over.side() == 0 {
			continue
		}
		if half := (*equal.Upper - *equal.Lower) / 2; equal.side() != over.side() && half < max(*over.Delta, -*over.Delta) {
			return over, equal, true
		}
	}
	return over, equal, false
}

// side is +1 or -1 where the interval lies wholly above or below 0, else 0.
func (d QuantileDelta) side() int {
	switch {
	case d.Lower != nil && *d.Lower > 0:
		return 1
	case d.Upper != nil && *d.Upper < 0:
		return -1
	}
	return 0
}

// equallyLong says that two lengths are the same, or less than 20 % apart.
func (p pair) equallyLong() bool {
	base, _ := p.base.number(tokensOut)
	cand, _ := p.cand.number(tokensOut)
	return base == cand || 5*max(base-cand, cand-base) < max(base, cand)
}

func deltaOf(graded pairs) Estimate {
	est, err := graded.delta()
	return estimateOf(graded.len(), est, err)
}

// bandCount is into how many bands of length pairs are split.
const bandCount = 5

// lengthBands are in rising order; equal lengths share a band, empty bands are left out.
func lengthBands(graded pairs) []LengthBand {
	lengths := make([]int64, graded.len())
	var sorted whole
	sorted.room(len(lengths))
	for i, p := range graded.all() {
		lengths[i], _ = p.base.number(tokensOut)
		sorted.add(lengths[i])
	}
	sorted.sort()
	var edges []int64 // the longest of each band but the last
	for k := 1; k < bandCount; k++ {
		if at := (k*sorted.len() + bandCount - 1) / bandCount; at > 0 {
			edges = append(edges, sorted.at(at-1))
		}
	}
	parts := [bandCount]pairs{}
	bands := [bandCount]LengthBand{}
	for i, x := range graded.all() {
		length := lengths[i]
		at, _ := slices.BinarySearch(edges, length)
		b, p := &bands[at], &parts[at]
		if len(p.index) == 0 {
			*b, *p = LengthBand{From: length}, graded.none()
		}
		b.From, b.To = min(b.From, length), max(b.To, length)
		p.add(x)
	}
	out := []LengthBand{}
	for i, b := range bands {
		if parts[i].len() > 0 {
			b.Delta = deltaOf(parts[i])
			out = append(out, b)
		}
	}
	return out
}

// gradeLength is the correlation of grade and output tokens over an arm's graded
// answers that tell them; negative: its longer answers have better grades. Nil
// where one of the two does not vary.
func gradeLength(v view, arm int) *float64 {
	var pairs stats.WholePairs
	for a := range v.answers(arm) {
		if n, known := a.number(tokensOut); known && a.graded() {
			pairs.Add(n, int64(a.grade))
		}
	}
	r, err := pairs.Correlation()
	if err != nil {
		return nil
	}
	return &r
}
