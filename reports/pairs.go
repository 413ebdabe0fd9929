package reports

import (
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
	"github.com/understudy-eval/understudy/stats"
)

// pair is one sample that both arms were asked; base is live or the control arm.
type pair struct{ base, cand *obs }

// pairsOf joins two arms by sample, in the candidate's order of time.
func pairsOf(base, cand []obs) []pair {
	at := make(map[shadow.SampleID]int, len(base))
	for i := range base {
		if base[i].asked() {
			at[base[i].id] = i
		}
	}
	var out []pair
	for i := range cand {
		if j, ok := at[cand[i].id]; ok && cand[i].asked() {
			out = append(out, pair{&base[j], &cand[i]})
		}
	}
	return out
}

// drawn says that neither answer was outside the judge's share or still waits.
func (p pair) drawn() bool { return drawn(p.base) && drawn(p.cand) }

func drawn(o *obs) bool {
	return o.state == sinks.Failed || o.judged == judge.StateGraded || o.judged == judge.StateNotGraded
}

// comparable says that one judge graded both answers.
func (p pair) comparable() bool {
	return p.base.graded() && p.cand.graded() && p.base.judge == p.cand.judge && p.base.pinned == p.cand.pinned
}

// left says that the user left one of the two calls: no failure of a model.
func (p pair) left() bool {
	return p.base.reason == string(llm.ClientAbort) || p.cand.reason == string(llm.ClientAbort)
}

func filter(pairs []pair, keep func(pair) bool) []pair {
	var out []pair
	for _, p := range pairs {
		if keep(p) {
			out = append(out, p)
		}
	}
	return out
}

// columns are pairs as the estimators want them. weight is nil if all pairs had
// the same chance to be there.
type columns struct {
	base, cand, weight []float64
	session, route     []string
}

func columnsOf(pairs []pair) columns {
	n := len(pairs)
	c := columns{
		base: make([]float64, n), cand: make([]float64, n), session: make([]string, n), route: make([]string, n),
	}
	chance := make([]*obs, n)
	for i, p := range pairs {
		c.base[i], c.cand[i] = float64(p.base.grade), float64(p.cand.grade)
		c.session[i], c.route[i] = p.base.session, p.base.route
		chance[i] = p.cand
		if p.base.rate < p.cand.rate {
			chance[i] = p.base // shares nest: the rarer arm decides
		}
	}
	c.weight = weights(chance)
	return c
}

// delta is candidate − base: plain when every pair had the same chance, else
// weighted by 1/chance within routes. Routes with a single session have no
// variance of their own; then all routes are taken as one.
func (c columns) delta() (stats.Estimate, error) {
	if c.weight == nil {
		return stats.ClusteredDelta(c.base, c.cand, c.session)
	}
	est, err := stats.WeightedDelta(c.base, c.cand, c.weight, c.session, c.route)
	if err != nil {
		return stats.WeightedDelta(c.base, c.cand, c.weight, c.session, nil)
	}
	return est, nil
}

// mean is the mean of one column over the pairs.
func (c columns) mean(x []float64) (stats.Estimate, error) {
	if c.weight == nil {
		return stats.ClusteredMean(x, c.session)
	}
	return stats.WeightedMean(x, c.weight, c.session, nil)
}

func sessions(pairs []pair) []string {
	out := make([]string, len(pairs))
	for i, p := range pairs {
		out[i] = p.base.session
	}
	return out
}

// distinct counts the different keys.
func distinct(keys []string) int {
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		seen[k] = true
	}
	return len(seen)
}
