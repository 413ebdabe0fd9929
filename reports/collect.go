package reports

import (
	"iter"
	"math"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// collection holds the used rows: samples in one list, and for each arm (0 for live)
// a list aligned with it. A pair is one index in two lists.
type collection struct {
	codes
	rules   rules
	wants   wants
	shapes  shapes
	ids     chunks[shadow.SampleID]
	samples chunks[sample]
	arms    []armRows
	places  *idIndex // only while rows come
	last    int      // the place that was asked for last
	before  period   // the rows before the window
	inside  period
	repeats map[repeated][]again
	seams   seams
	newest  int64 // when the experiment's last row came, also after the window
}

// newCollection is an empty collection; reach is how far the books of each tap go.
func newCollection(reach map[string]int64, e Experiment, w Window, g given) *collection {
	arms := 1 + len(e.Candidates)
	c := &collection{
		codes: newCodes(), shapes: newShapes(), arms: make([]armRows, arms), places: newIDIndex(), repeats: map[repeated][]again{}, seams: newSeams(),
		wants: wantsOf(e, g), before: newPeriod(arms), inside: newPeriod(arms), newest: math.MinInt64,
	}
	c.rules = rulesOf(e, w, reach, &c.codes)
	return c
}

// addRows takes rows in. Their order matters only between rows of one sample, arm
// and judge snapshot that differ: the first one counts.
func (c *collection) addRows(rows iter.Seq2[sinks.Row, error]) error {
	if rows == nil {
		return nil
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		f := c.factOf(&row)
		c.add(&f)
	}
	return nil
}

// add takes a row in, or counts why not.
func (c *collection) add(f *fact) {
	if f.experiment == c.rules.experiment {
		c.newest = max(c.newest, f.seen)
	}
	if f.seen >= c.rules.to {
		return
	}
	if f.experiment == c.rules.experiment && !c.wants.decision {
		c.seams.see(f, &c.rules)
	}
	p := c.period(f.seen)
	p.counts.Read++
	arm, known := c.rules.arm(f)
	counter := p.counts.reject(f, &c.rules, known)
	if counter != nil {
		*counter++
	}
	if !c.rules.ours(f, known) {
		c.keepRepeat(arm, known, f)
		return
	}
	sample := c.place(f)
	shape := c.arms[arm].shape.at(sample)
	if *shape == shapeAbsent && !c.rules.booked(f) {
		p.unbooked[arm]++
	}
	switch {
	case counter == nil:
		c.use(arm, sample, shape, f, p)
	case *shape == shapeAbsent:
		*shape = shapeRejected
	}
}

// place finds a sample or makes room for it in every arm. The rows of a trial are
// written one after the other, so mostly it is the sample of the row before.
func (c *collection) place(f *fact) int {
	if c.last < c.ids.n && *c.ids.at(c.last) == f.id {
		return c.last
	}
	i, added := c.places.place(&f.id, f.hash, c.ids.n, &c.ids)
	if added {
		*c.ids.at(c.ids.grow()) = f.id
		c.samples.at(c.samples.grow()).seen = f.seen
		for a := range c.arms {
			c.arms[a].shape.grow()
		}
	}
	c.last = i
	return i
}

// use keeps the row unless its sample and arm are there. Of two judges the
// primary's row counts, so that the arms of a trial agree in any order of rows.
func (c *collection) use(arm, sample int, shape *uint32, f *fact, p *period) {
	p.span(f.seen)
	o := c.observe(f)
	if old := &c.shapes.list[*shape]; old.there() {
		p.counts.Duplicates++
		if !old.sameSaying(&o) {
			p.counts.Conflicts++
		}
		if c.rules.rank(f.pinned) >= c.rules.rank(old.pinned) {
			return
		}
	} else {
		p.counts.Used++
	}
	again := *shape > shapeRejected
	*shape = c.shapes.code(&o)
	for _, q := range c.wants.kept {
		if n := f.numbers[q]; n != unknown || again {
			c.arms[arm].numbers[q].set(sample, n)
		}
	}
	s := c.samples.at(sample)
	if from := c.origins.values[s.origin].from; from == 0 || int32(arm) < from {
		s.seen, s.session = f.seen, f.session
		s.origin = c.origins.code(origin{f.route, f.tags, int32(arm) + 1})
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
