package reports

import (
	"fmt"
	"iter"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// Build makes a report from the rows and the books of a window. Rows of other
// experiments, other digests or other judge snapshots are left out and counted,
// never mixed in; so are duplicates. A nil sequence is an empty one, an experiment
// without candidates gives a report on live alone.
//
// The order of rows and books does not matter, with one exception: of two rows for
// one sample, arm, judge snapshot and rubric that differ, the first counts.
//
// Errors: ErrWindow, ErrExperiment, and the first error of either sequence.
func Build(rows iter.Seq2[sinks.Row, error], books iter.Seq2[shadow.Books, error], e Experiment, w Window) (Report, error) {
	return report(books, e, w, func(c *collection) error { return c.addRows(rows) })
}

// report makes a report from the rows that fill puts into a collection.
func report(books iter.Seq2[shadow.Books, error], e Experiment, w Window, fill func(*collection) error) (Report, error) {
	if err := w.check(); err != nil {
		return Report{}, fmt.Errorf("report window: %w", err)
	}
	e, err := e.checked()
	if err != nil {
		return Report{}, fmt.Errorf("report on experiment %s: %w", e.Name, err)
	}
	l, err := readBooks(books, e, w)
	if err != nil {
		return Report{}, fmt.Errorf("read books: %w", err)
	}
	c := newCollection(l.reach, e, w)
	if err := fill(c); err != nil {
		return Report{}, fmt.Errorf("read rows: %w", err)
	}
	c.places = nil
	return c.report(l, e, w), nil
}

func (c *collection) report(l ledger, e Experiment, w Window) Report {
	r := Report{
		Format: Format, Window: w, Experiment: e, Rows: c.counts, Comparisons: []Comparison{},
	}
	if c.counts.Used > 0 {
		r.First, r.Last = timeOf(c.from), timeOf(c.to)
	}
	all := c.all()
	r.Arms = append(r.Arms, armReport(Arm{Name: shadow.Live, Model: e.Live}, all, 0, e))
	for i, a := range e.Candidates {
		r.Arms = append(r.Arms, armReport(a, all, i+1, e))
		r.Comparisons = append(r.Comparisons, comparisonOf(i, all, e))
	}
	adjustCandidates(r.Comparisons)
	r.Slices, r.LiveChanges = slicesOf(all, e), liveChanges(all)
	for i := range r.Arms {
		r.Arms[i].LeftOut = c.leftOut(i)
	}
	r.Books = l.balance(r.Arms, c.unbooked)
	return r
}
