package reports

import (
	"iter"

	"github.com/understudy-eval/understudy/stats"
)

// pair is one sample that both arms were asked; base is live or the control arm.
type pair struct{ base, cand answer }

// pairs are the samples of a view that two arms were asked, session after session.
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
	part := pairs{collection: p.collection, base: p.base, cand: p.cand, index: make([]uint32, 0, p.len())}
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
		chance[i] = pairs.chance(p)
	}
	c.weight = weights(chance)
	return c
}

// rate is the chance that an answer was asked for and judged.
func (c *collection) rate(a answer) float64 { return c.rates.values[a.obs.rate] }

// delta is candidate − base in grades, see columns.delta.
func (p pairs) delta() (stats.Estimate, error) {
	if p.equalChances() {
		return p.sums(1, func(x pair, to []int64) { to[0] += x.difference() }).mean(0)
	}
	return columnsOf(p).delta()
}

// difference is in grades: negative favours the candidate.
func (p pair) difference() int64 { return int64(p.cand.grade) - int64(p.base.grade) }

// sums adds numbers of pairs up by session.
func (p pairs) sums(columns int, add func(x pair, to []int64)) *bySession {
	b := sums(columns)
	for _, x := range p.all() {
		add(x, b.row(p.samples.at(x.base.sample).session))
	}
	return b.done()
}

// equalChances says that every pair had the same chance to be there.
func (p pairs) equalChances() bool {
	if p.oneRate() {
		return true
	}
	var chance float64
	for k, x := range p.all() {
		c := p.chance(x)
		if k > 0 && c != chance {
			return false
		}
		chance = c
	}
	return true
}

// oneRate says that all rows had the same chance; rate number 0 is none.
func (c *collection) oneRate() bool { return len(c.rates.values) <= 2 }

// chance is that of the rarer arm: shares nest.
func (c *collection) chance(p pair) float64 { return min(c.rate(p.base), c.rate(p.cand)) }

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

// times are the times of both arms, sorted.
func (p pairs) times(of func(answer) timing) (base, cand *times) {
	base, cand = &times{}, &times{}
	base.exact.room(p.len())
	cand.exact.room(p.len())
	for _, x := range p.all() {
		base.add(of(x.base))
		cand.add(of(x.cand))
	}
	return base.sort(), cand.sort()
}

// distinctSessions counts the sessions.
func (p pairs) distinctSessions() int {
	n, last := 0, uint32(0)
	for i, s := range p.index {
		session := p.samples.at(int(s)).session
		if i == 0 || session != last {
			n++
		}
		last = session
	}
	return n
}
