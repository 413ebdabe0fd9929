package reports

import (
	"github.com/understudy-eval/understudy/stats"
)

// AnytimeTests are p-values that hold however often one looks, 1/e of the confidence
// sequence. They are nil before the burn-in and where the standard error is 0 or
// undefined.
type AnytimeTests struct {
	// Equal tests that the grades are equal: at most alpha exactly when 0 lies outside
	// the anytime interval.
	Equal *float64 `json:"equal"`
	// Margin tests that the candidate is worse by at least the gate's margin; 1 when
	// it looks like that.
	Margin *float64 `json:"margin"`
	// EqualHolm and MarginHolm are adjusted by Holm over all candidates of the
	// experiment but control arms; one without a p-value counts as 1. Nil for control
	// arms, which claim nothing.
	EqualHolm  *float64 `json:"equal_holm"`
	MarginHolm *float64 `json:"margin_holm"`
}

// anytimeTests are the tests that belong to the anytime interval.
func anytimeTests(est stats.Estimate, b Burn, g Gate) AnytimeTests {
	var a AnytimeTests
	if !b.Reached {
		return a
	}
	seq, err := stats.NewSequence(g.Alpha, *b.Planned)
	if err != nil {
		return a
	}
	t := float64(est.Clusters)
	if _, p, err := seq.EValue(est, t, 0); err == nil {
		a.Equal = new(p)
	}
	if _, p, err := seq.EValue(est, t, g.Margin); err == nil {
		if est.Value >= g.Margin {
			p = 1
		}
		a.Margin = new(p)
	}
	return a
}

// adjustCandidates fills the p-values by Holm of every candidate.
func adjustCandidates(list []Comparison) {
	var equal, margin []*float64
	var candidates []*AnytimeTests
	for i := range list {
		if list[i].Control {
			continue
		}
		tests := &list[i].Quality.Tests
		candidates = append(candidates, tests)
		equal, margin = append(equal, tests.Equal), append(margin, tests.Margin)
	}
	equal, margin = holm(equal), holm(margin)
	for i, tests := range candidates {
		tests.EqualHolm, tests.MarginHolm = equal[i], margin[i]
	}
}

// adjustProblems fills the p-values by Holm within a list of problems.
func adjustProblems(list []ProblemDelta) {
	p := make([]*float64, len(list))
	for i, d := range list {
		p[i] = d.Delta.P
	}
	for i, adjusted := range holm(p) {
		list[i].PHolm = adjusted
	}
}

// holm adjusts for all entries of the list; what is nil counts as 1 and stays nil.
func holm(p []*float64) []*float64 {
	var known []float64
	for _, v := range p {
		if v != nil {
			known = append(known, *v)
		}
	}
	out := make([]*float64, len(p))
	adjusted, err := stats.Holm(known, len(p))
	if err != nil {
		return out
	}
	for i, v := range p {
		if v != nil {
			out[i], adjusted = new(adjusted[0]), adjusted[1:]
		}
	}
	return out
}

// candidates counts the arms that the gate decides on.
func candidates(list []Comparison) int {
	return countFunc(list, func(c Comparison) bool { return !c.Control })
}
