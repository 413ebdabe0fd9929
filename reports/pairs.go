package reports

import (
	"iter"
	"slices"

	"github.com/understudy-eval/understudy/stats"
)

// pair is one sample that both arms were asked; base is live or the control arm.
type pair struct {
	base, cand answer
	kind       uint32
}

// pairs are the samples of a view that two arms were asked, session after session. What
// does not depend on an answer's numbers is asked once for all pairs of a kind.
type pairs struct {
	*collection
	base, cand int
	index      []uint32   // samples, also those of kinds without a pair
	kinds      []uint32   // of each sample
	of         []pairKind // by kind
}

// pairKind is two shapes, and how many pairs have them; no pair of a kind without any is
// among the pairs.
type pairKind struct {
	base, cand *obs
	n          int
}

// pairs joins two arms by sample.
func (v view) pairs(base, cand int) pairs {
	p := pairs{collection: v.collection, base: base, cand: cand, index: make([]uint32, 0, len(v.index)), kinds: make([]uint32, 0, len(v.index))}
	asked := make([]bool, len(v.shapes.list))
	for i := range asked {
		asked[i] = v.shapes.list[i].asked()
	}
	var numbered keyTable
	var keys [rowBlock]uint64
	shapes, n := uint64(len(asked)), 0
	flush := func() {
		p.kinds = p.kinds[:len(p.index)]
		now := p.kinds[len(p.kinds)-n:]
		numbered.number(keys[:n], now)
		for i, kind := range now {
			if int(kind) == len(p.of) {
				p.of = append(p.of, pairKind{base: &v.shapes.list[keys[i]/shapes], cand: &v.shapes.list[keys[i]%shapes]})
			}
			p.of[kind].n++
		}
		n = 0
	}
	for _, s := range v.index {
		b, c := *v.arms[base].shape.at(int(s)), *v.arms[cand].shape.at(int(s))
		if !asked[b] || !asked[c] {
			continue
		}
		p.index = append(p.index, s)
		keys[n] = uint64(b)*shapes + uint64(c)
		if n++; n == len(keys) {
			flush()
		}
	}
	flush()
	return p
}

func (p pairs) len() int {
	n := 0
	for _, k := range p.of {
		n += k.n
	}
	return n
}

// all goes over the pairs, with their numbers in the order of sessions.
func (p pairs) all() iter.Seq2[int, pair] {
	return func(yield func(int, pair) bool) {
		n, base, cand := 0, &p.arms[p.base], &p.arms[p.cand]
		for k, kind := range p.kinds {
			of := &p.of[kind]
			if of.n == 0 {
				continue
			}
			s := int(p.index[k])
			if !yield(n, pair{answer{of.base, base, s}, answer{of.cand, cand, s}, kind}) {
				return
			}
			n++
		}
	}
}

// perKind is a pair of each kind, without its numbers, and how many there are.
func (p pairs) perKind() iter.Seq2[pair, int] {
	return func(yield func(pair, int) bool) {
		for kind, of := range p.of {
			if of.n > 0 && !yield(pair{answer{obs: of.base}, answer{obs: of.cand}, uint32(kind)}, of.n) {
				return
			}
		}
	}
}

// filter keeps pairs by what does not depend on their numbers.
func (p pairs) filter(keep func(pair) bool) pairs {
	part := p
	part.of = slices.Clone(p.of)
	for x := range p.perKind() {
		if !keep(x) {
			part.of[x.kind].n = 0
		}
	}
	return part
}

// where keeps pairs by their numbers, too.
func (p pairs) where(keep func(pair) bool) pairs {
	part := p.none()
	for _, x := range p.all() {
		if keep(x) {
			part.add(x)
		}
	}
	return part
}

// none is pairs of the same kinds, but without any; add takes one of p's in.
func (p pairs) none() pairs {
	part := pairs{collection: p.collection, base: p.base, cand: p.cand, of: slices.Clone(p.of)}
	for i := range part.of {
		part.of[i].n = 0
	}
	return part
}

func (p *pairs) add(x pair) {
	p.index, p.kinds = append(p.index, uint32(x.base.sample)), append(p.kinds, x.kind)
	p.of[x.kind].n++
}

// list is the samples of the pairs.
func (p pairs) list() []uint32 {
	out := make([]uint32, 0, p.len())
	for k, kind := range p.kinds {
		if p.of[kind].n > 0 {
			out = append(out, p.index[k])
		}
	}
	return out
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
		return p.sums(1, func(x pair, _ int, to []int64) { to[0] = x.difference() }).mean(0)
	}
	return columnsOf(p).delta()
}

// difference is in grades: negative favours the candidate.
func (p pair) difference() int64 { return int64(p.cand.grade) - int64(p.base.grade) }

// sums adds numbers of pairs up by session. add says for n pairs of a kind what each of
// them adds.
func (p pairs) sums(columns int, add func(x pair, n int, to []int64)) *bySession {
	addends := p.addends(columns, add)
	b := sums(columns)
	for k, kind := range p.kinds {
		if p.of[kind].n == 0 {
			continue
		}
		now := b.row(p.samples.at(int(p.index[k])).session)
		for _, c := range addends[kind] {
			now[c.column] += c.by
		}
	}
	return b.done()
}

// addend is what a pair adds to a column.
type addend struct {
	column int
	by     int64
}

// addends lists for each kind what a pair of it adds.
func (p pairs) addends(columns int, add func(x pair, n int, to []int64)) [][]addend {
	out, to := make([][]addend, len(p.of)), make([]int64, columns)
	for x, n := range p.perKind() {
		clear(to)
		add(x, n, to)
		for column, by := range to {
			if by != 0 {
				out[x.kind] = append(out[x.kind], addend{column, by})
			}
		}
	}
	return out
}

// equalChances says that every pair had the same chance to be there.
func (p pairs) equalChances() bool {
	first, equal := -1., true
	for x := range p.perKind() {
		c := p.chance(x)
		equal = equal && (first < 0 || c == first)
		first = c
	}
	return equal
}

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
	for i, s := range p.list() {
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
	for k, kind := range p.kinds {
		if p.of[kind].n == 0 {
			continue
		}
		if session := p.samples.at(int(p.index[k])).session; n == 0 || session != last {
			n, last = n+1, session
		}
	}
	return n
}
