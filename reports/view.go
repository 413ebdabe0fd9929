package reports

import (
	"iter"
	"math"
)

// view is the samples that a part of a report is about, session after session: all
// of them, or those of a route, a tag, a live snapshot or a week.
type view struct {
	*collection
	index []uint32
}

// where is the part of a view whose samples keep says yes to.
func (v view) where(keep func(sample int) bool) view {
	part := view{collection: v.collection}
	for _, s := range v.index {
		if keep(int(s)) {
			part.index = append(part.index, s)
		}
	}
	return part
}

// since is the part of a view from a time on, in microseconds.
func (v view) since(from int64) view { return v.between(from, math.MaxInt64) }

// between is the part of a view from one time up to another, which is excluded.
func (v view) between(from, to int64) view {
	if from == math.MinInt64 && to == math.MaxInt64 {
		return v
	}
	return v.where(func(s int) bool { t := v.samples.at(s).seen; return t >= from && t < to })
}

// answers are the rows of an arm; samples without one are passed over.
func (v view) answers(arm int) iter.Seq[answer] {
	return func(yield func(answer) bool) {
		for _, s := range v.index {
			if a := v.answer(arm, int(s)); a.there() && !yield(a) {
				return
			}
		}
	}
}

// shapesOf counts the different rows of an arm.
func (v view) shapesOf(arm int) iter.Seq2[*obs, int] {
	return func(yield func(*obs, int) bool) {
		counts := make([]int, len(v.shapes.list))
		shape := &v.arms[arm].shape
		for _, s := range v.index {
			counts[*shape.at(int(s))]++
		}
		for code := shapeRejected + 1; code < uint32(len(counts)); code++ {
			if n := counts[code]; n > 0 && !yield(&v.shapes.list[code], n) {
				return
			}
		}
	}
}

// route, session, tagsOf and live say what a sample can be split by; live is the
// snapshot that answered it, empty when none did.
func (c *collection) route(sample int) string { return c.words.values[c.originOf(sample).route] }
func (c *collection) session(sample int) string {
	return string(c.sessions.at(c.samples.at(sample).session))
}

func (c *collection) tagsOf(sample int) []string {
	var out []string
	for _, code := range c.tagsIn(c.originOf(sample).tags) {
		out = append(out, c.codes.tags.values[code])
	}
	return out
}

func (c *collection) live(sample int) string {
	if a := c.answer(0, sample); a.answered() {
		return c.word(a.model)
	}
	return ""
}

func (c *collection) originOf(sample int) origin {
	return c.origins.values[c.samples.at(sample).origin]
}
