package reports

import (
	"math"
	"slices"
)

// period counts the rows before a report's window, or those inside it.
type period struct {
	counts   RowCounts
	unbooked []int // per arm: samples that their tap's books do not reach yet
	// first and last are when the first and the last used row came, in microseconds.
	first, last int64
}

func newPeriod(arms int) period {
	return period{unbooked: make([]int, arms), first: math.MaxInt64, last: math.MinInt64}
}

// period is where the rows of a day belong.
func (c *collection) period(day int64) *period {
	if day < c.rules.fromDay {
		return &c.before
	}
	return &c.inside
}

// span widens the time of the used rows.
func (p *period) span(seen int64) { p.first, p.last = min(p.first, seen), max(p.last, seen) }

// and is both periods together.
func (p period) and(q period) period {
	sum := period{counts: p.counts.plus(q.counts), unbooked: slices.Clone(p.unbooked)}
	for a, n := range q.unbooked {
		sum.unbooked[a] += n
	}
	sum.first, sum.last = min(p.first, q.first), max(p.last, q.last)
	return sum
}

func (n RowCounts) plus(m RowCounts) RowCounts {
	return RowCounts{
		Read: n.Read + m.Read, Used: n.Used + m.Used,
		OtherExperiment: n.OtherExperiment + m.OtherExperiment, OtherArm: n.OtherArm + m.OtherArm, Repeats: n.Repeats + m.Repeats,
		OtherDigest: n.OtherDigest + m.OtherDigest, OtherRubric: n.OtherRubric + m.OtherRubric, OtherJudge: n.OtherJudge + m.OtherJudge,
		Invalid: n.Invalid + m.Invalid, Duplicates: n.Duplicates + m.Duplicates, Conflicts: n.Conflicts + m.Conflicts,
	}
}
