package reports

import (
	"iter"
	"math"
	"sync"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// collection holds the used rows: samples in one list, and for each arm (0 for live)
// a list aligned with it. A pair is one index in two lists.
type collection struct {
	codes
	numbering sync.Mutex // of codes but sessions, patterns and shapes, while pieces are made
	rules     rules
	wants     wants
	shapes    shapes
	patterns  patterns
	pieces    pieces
	ids       chunks[shadow.SampleID]
	samples   chunks[sample]
	arms      []armRows
	before    period // the rows before the window
	inside    period
	repeats   map[repeated][]again
	newest    int64 // when the experiment's last row came, also after the window
}

// newCollection is an empty collection; reach is how far the books of each tap go.
func newCollection(reach map[string]int64, e Experiment, w Window, g given) *collection {
	arms := 1 + len(e.Candidates)
	c := &collection{
		codes: newCodes(), shapes: newShapes(), patterns: newPatterns(), arms: make([]armRows, arms), repeats: map[repeated][]again{},
		wants: wantsOf(e, g), before: newPeriod(arms), inside: newPeriod(arms), newest: math.MinInt64,
	}
	c.rules = rulesOf(e, w, reach, &c.codes)
	return c
}

// rowsAtOnce is how many rows of a sequence are taken in together.
const rowsAtOnce = 1 << 12

// addRows takes rows in. Their order matters only between rows of one sample, arm
// and judge snapshot that differ: the first one counts.
func (c *collection) addRows(rows iter.Seq2[sinks.Row, error]) error {
	if rows == nil {
		return nil
	}
	var some []sinks.Row
	for row, err := range rows {
		if err != nil {
			return err
		}
		if some = append(some, row); len(some) == rowsAtOnce {
			if err := c.addSome(some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	return c.addSome(some)
}

func (c *collection) addSome(rows []sinks.Row) error {
	p := c.newPiece(len(rows))
	if err := c.add(p, sinks.BatchOf(rows, c.wants.columns())); err != nil {
		return err
	}
	return c.take(p)
}

// count fills the periods from the rows of each pattern, as if none came twice.
func (c *collection) count() {
	for i := range c.patterns.list {
		r := &c.patterns.list[i]
		if r.rows == 0 {
			continue
		}
		if r.experiment == c.rules.experiment {
			c.newest = max(c.newest, r.latest)
		}
		if r.day >= c.rules.toDay {
			continue
		}
		p := c.period(r.day)
		p.counts.Read += r.rows
		_, known := c.rules.arm(&r.pattern)
		if counter := p.counts.reject(&r.pattern, &c.rules, known); counter != nil {
			*counter += r.rows
		} else {
			p.counts.Used += r.rows
			p.span(r.earliest)
			p.span(r.latest)
		}
		if c.rules.ours(&r.pattern, known) && !r.booked {
			p.unbooked[r.arm] += r.rows
		}
	}
}

// leftOut counts, for every arm, the samples from a time on of which every row was
// left out.
func (c *collection) leftOut(from int64) []int {
	out := make([]int, len(c.arms))
	for a := range c.arms {
		for i := range c.samples.n {
			if *c.arms[a].shape.at(i) == shapeRejected && c.samples.at(i).seen >= from {
				out[a]++
			}
		}
	}
	return out
}
