package reports

import (
	"fmt"
	"iter"
	"runtime"
	"sync"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// Build makes a report from the rows and the books of a window. Rows of other
// experiments, other digests or other judge snapshots are left out and counted,
// never mixed in; so are duplicates. A nil sequence is an empty one, an experiment
// without candidates gives a report on live alone.
//
// A window that leaves out the experiment's first days describes them alone; what is
// decided rests on Report.Whole.
//
// The order of rows and books does not matter, with one exception: of two rows for
// one sample, arm, judge snapshot and rubric that differ, the first counts.
//
// A window that is one ISO week, or whose rows span several, gets a trend by week.
//
// Errors: ErrWindow, ErrExperiment, and the first error of either sequence.
func Build(rows iter.Seq2[sinks.Row, error], books iter.Seq2[shadow.Books, error], e Experiment, w Window, options ...Option) (Report, error) {
	return report(books, e, w, givenBy(options), func(c *collection) error { return c.addRows(rows) })
}

// report makes a report from the rows that fill puts into a collection.
func report(books iter.Seq2[shadow.Books, error], e Experiment, w Window, g given, fill func(*collection) error) (Report, error) {
	if err := w.check(); err != nil {
		return Report{}, fmt.Errorf("report window: %w", err)
	}
	e, err := e.checked()
	if err != nil {
		return Report{}, fmt.Errorf("report on experiment %s: %w", e.Name, err)
	}
	inside, whole, err := readBooks(books, e, w)
	if err != nil {
		return Report{}, fmt.Errorf("read books: %w", err)
	}
	c := newCollection(whole.reach, e, w, g)
	if err := fill(c); err != nil {
		return Report{}, fmt.Errorf("read rows: %w", err)
	}
	all := c.all()
	v := all.since(c.rules.from)
	r := c.report(v, c.inside, inside, e, w, func(r *Report) { r.Slices = slicesOf(v, e) },
		func(r *Report) { r.People = v.peopleOf(g.labels, e) })
	if !w.From.IsZero() {
		r.restOn(c.report(all, c.before.and(c.inside), whole, e, w.whole()))
	}
	if !g.decision {
		r.follow(all, e, g)
	}
	return r, nil
}

// report makes a report from a view, what was counted there, and its books. more is
// made too unless only a decision is wanted.
func (c *collection) report(v view, p period, l ledger, e Experiment, w Window, more ...func(*Report)) Report {
	r := Report{
		Format: Format, Window: w, Experiment: e, Rows: p.counts, Slices: []Slice{}, Marks: []Mark{},
		Arms: make([]ArmReport, 1+len(e.Candidates)), Comparisons: make([]Comparison, len(e.Candidates)),
	}
	if p.counts.Used > 0 {
		r.First, r.Last = timeOf(p.first), timeOf(p.last)
	}
	if c.wants.decision {
		r.DecisionOnly = true
		inParallel(r.parts(v, decisiveArm, decisiveComparison))
	} else {
		parts := append(r.parts(v, armReport, comparisonOf), func() { r.Judge = v.judgeHealth(e) })
		for _, f := range more {
			parts = append(parts, func() { f(&r) })
		}
		inParallel(parts)
		r.LiveChanges = liveChanges(v)
		for i := range r.Comparisons {
			r.Comparisons[i].JudgeNoise = noiseOf(r.Comparisons[i], r.Judge.Repeats, r.Arms[0], r.Arms[i+1])
		}
	}
	adjustCandidates(r.Comparisons)
	for i, n := range c.leftOut(microsSince(w.From)) {
		r.Arms[i].LeftOut = n
	}
	r.Books = l.balance(r.Arms, p.unbooked)
	return r
}

// parts fill in arms and comparisons.
func (r *Report) parts(
	v view, arm func(a Arm, v view, arm int, e Experiment) ArmReport, comparison func(i int, v view, e Experiment) Comparison,
) []func() {
	e := r.Experiment
	parts := []func(){func() { r.Arms[0] = arm(Arm{Name: shadow.Live, Model: e.Live}, v, 0, e) }}
	for i, a := range e.Candidates {
		parts = append(parts,
			func() { r.Comparisons[i] = comparison(i, v, e) },
			func() { r.Arms[i+1] = arm(a, v, i+1, e) })
	}
	return parts
}

// inParallel runs parts that share nothing they write, GOMAXPROCS at a time.
func inParallel(parts []func()) {
	todo := make(chan func(), len(parts))
	for _, part := range parts {
		todo <- part
	}
	close(todo)
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		running.Go(func() {
			for part := range todo {
				part()
			}
		})
	}
	running.Wait()
}
