package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// collection holds the used rows: samples in one list, and for each arm (0 for live)
// a list aligned with it. A pair is one index in two lists.
type collection struct {
	codes
	rules    rules
	ids      chunks[shadow.SampleID]
	samples  chunks[sample]
	arms     []armRows
	at       map[shadow.SampleID]int
	counts   RowCounts
	unbooked []int // per arm: samples that their tap's books do not reach yet
	// first and last are the times of the used rows, in microseconds.
	first, last int64
}

// collect reads the rows of a window. The order of rows matters only between rows
// of one sample, arm and judge snapshot that differ: the first one counts. reach is
// how far the books of each tap go.
func collect(rows iter.Seq2[sinks.Row, error], reach map[string]int64, e Experiment, w Window) (*collection, error) {
	arms := 1 + len(e.Candidates)
	c := &collection{
		codes: newCodes(), arms: make([]armRows, arms), unbooked: make([]int, arms), at: map[shadow.SampleID]int{},
	}
	c.rules = rulesOf(e, w, reach, &c.codes)
	if rows != nil {
		for row, err := range rows {
			if err != nil {
				return nil, err
			}
			f := c.factOf(&row, &c.rules)
			c.add(&f)
		}
	}
	if !c.words.fits() || !c.rates.fits() {
		return nil, fmt.Errorf("%d names and %d rates: %w", len(c.words.values), len(c.rates.values), ErrTooMany)
	}
	return c, nil
}

// add takes a row in, or counts why not.
func (c *collection) add(f *fact) {
	if !c.rules.inWindow(f) {
		return
	}
	c.counts.Read++
	arm, known := c.rules.arms[f.arm]
	counter := c.counts.reject(f, &c.rules, known)
	if counter != nil {
		*counter++
	}
	if !c.rules.ours(f, known) {
		return
	}
	sample := c.place(f.id)
	o := c.arms[arm].obs.at(sample)
	if !o.there() && o.flags&flagRejected == 0 && !c.rules.booked(f) {
		c.unbooked[arm]++
	}
	if counter != nil {
		o.flags |= flagRejected
		return
	}
	c.use(arm, sample, o, f)
}

// place finds a sample or makes room for it in every arm.
func (c *collection) place(id shadow.SampleID) int {
	i, ok := c.at[id]
	if ok {
		return i
	}
	i = c.ids.grow()
	*c.ids.at(i) = id
	c.samples.grow()
	for a := range c.arms {
		c.arms[a].obs.grow()
	}
	c.at[id] = i
	return i
}

// use keeps the row unless its sample and arm are there. Of two judges the
// primary's row counts, so that the arms of a trial agree in any order of rows.
func (c *collection) use(arm, sample int, old *obs, f *fact) {
	c.span(f.seen)
	o := c.observe(f)
	o.flags |= old.flags & flagRejected
	if old.there() {
		c.counts.Duplicates++
		if !old.sameSaying(&o) {
			c.counts.Conflicts++
		}
		if c.rules.rank(f.pinned) >= c.rules.rank(uint32(old.pinned)) {
			return
		}
	} else {
		c.counts.Used++
	}
	*old = o
	for q := range c.arms[arm].numbers {
		c.arms[arm].numbers[q].set(sample, f.numbers[q])
	}
	if s := c.samples.at(sample); s.from == 0 || arm < int(s.from) {
		s.seen, s.session, s.route, s.tags, s.from = f.seen, f.session, f.route, f.tags, uint32(arm+1)
	}
}

// span widens the time of the used rows.
func (c *collection) span(seen int64) {
	if c.counts.Used == 0 {
		c.first, c.last = seen, seen
	}
	c.first, c.last = min(c.first, seen), max(c.last, seen)
}

// leftOut counts the samples of an arm of which every row was left out.
func (c *collection) leftOut(arm int) int {
	n := 0
	for i := range c.samples.n {
		if o := c.arms[arm].obs.at(i); !o.there() && o.flags&flagRejected != 0 {
			n++
		}
	}
	return n
}

// earlier orders samples by time, then by id.
func (c *collection) earlier(a, b uint32) int {
	return cmp.Or(cmp.Compare(c.samples.at(int(a)).seen, c.samples.at(int(b)).seen),
		bytes.Compare(c.ids.at(int(a))[:], c.ids.at(int(b))[:]))
}

// all is the view of every sample of which a row is used, in order of time.
func (c *collection) all() view {
	v := view{c, make([]uint32, 0, c.samples.n)}
	for i := range c.samples.n {
		if c.samples.at(i).from != 0 {
			v.index = append(v.index, uint32(i))
		}
	}
	if !slices.IsSortedFunc(v.index, c.earlier) {
		slices.SortFunc(v.index, c.earlier)
	}
	return v
}
