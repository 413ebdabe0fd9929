package reports

import (
	"iter"

	"github.com/understudy-eval/understudy/stats"
)

// pair is one sample that both arms were asked; base is live or the control arm.
type pair struct{ base, cand answer }

// pairs are the samples of a view that two arms were asked, in order of time.
type pairs struct {
	*collection
	base, cand int
	index      []uint32
}

// pairs joins two arms by sample.
func (v view) pairs(base, cand int) pairs {
	both := func(p pair) bool { return p.base.asked() && p.cand.asked() }
	return pairs{v.collection, base, cand, v.index}.filter(both)
}

func (p pairs) len() int { return len(p.index) }

func (p pairs) all() iter.Seq2[int, pair] {
	return func(yield func(int, pair) bool) {
		for k, s := range p.index {
			if !yield(k, pair{p.answer(p.base, int(s)), p.answer(p.cand, int(s))}) {
				return
			}
		}
	}
}

func (p pairs) filter(keep func(pair) bool) pairs {
	part := pairs{collection: p.collection, base: p.base, cand: p.cand}
	for k, x := range p.all() {
		if keep(x) {
			part.index = append(part.index, p.index[k])
		}
	}
	return part
}

// drawn says that neither answer was outside the judge's share or still waits.
func (p pair) drawn() bool { return drawn(p.base) && drawn(p.cand) }

func drawn(a answer) bool { return a.failed() || a.graded() || a.judged == judgedNotGraded }

// comparable says that one judge graded both answers.
func (p pair) comparable() bool {
	return p.base.graded() && p.cand.graded() && p.base.judge == p.cand.judge && p.base.pinned == p.cand.pinned
}

// userLeft says that the user left one of the two calls: no failure of a model.
func (c *collection) userLeft(p pair) bool {
	abort := c.rules.clientAbort
	return p.base.reason == abort || p.cand.reason == abort
}

// columns are pairs as the estimators want them. weight is nil if all pairs had
// the same chance to be there.
type columns struct {
	base, cand, weight []float64
	session, route     []string
}

func columnsOf(pairs pairs) columns {
	n := pairs.len()
	c := columns{
		base: make([]float64, n), cand: make([]float64, n), session: pairs.sessions(), route: make([]string, n),
	}
	chance := make([]float64, n)
	for i, p := range pairs.all() {
		c.base[i], c.cand[i] = float64(p.base.grade), float64(p.cand.grade)
		c.route[i] = pairs.route(p.base.sample)
		// Shares nest: the rarer arm decides.
		chance[i] = min(pairs.rate(p.base), pairs.rate(p.cand))
	}
	c.weight = weights(chance)
	return c
}

// rate is the chance that an answer was asked for and judged.
func (c *collection) rate(a answer) float64 { return c.rates.values[a.obs.rate] }

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

func (p pairs) sessions() []string {
	out := make([]string, p.len())
	for i, s := range p.index {
		out[i] = p.session(int(s))
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
