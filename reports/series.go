package reports

import (
	"cmp"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Series are the rulings of one judge snapshot under one rubric. Figures are of the
// experiment's own series only: rulings of any other are left out, and Series says
// where the seam is.
type Series struct {
	Judge  llm.Snapshot  `json:"judge"`
	Rubric rubric.Digest `json:"rubric_digest"`
	// First is when the first request came whose answer was ruled on in this series,
	// LastDay the UTC day of the last one.
	First   time.Time `json:"first"`
	LastDay time.Time `json:"last_day"`
}

// otherSeries lists the series of an experiment's rows beside its own, by their first time.
func (c *collection) otherSeries() []Series {
	type key struct{ pinned, rubric uint32 }
	found := map[key]*Series{}
	for t, at := range c.traits() {
		if t.pinned == 0 || t.pinned == c.rules.pinned && t.rubric == c.rules.rubric {
			continue
		}
		k := key{t.pinned, t.rubric}
		first, day := timeOf(at), time.Unix(t.day*24*60*60, 0).UTC()
		s := found[k]
		if s == nil {
			s = &Series{Judge: llm.Snapshot(c.word(t.pinned)), Rubric: rubric.Digest(c.word(t.rubric)), First: first, LastDay: day}
			found[k] = s
		}
		if first.Before(s.First) {
			s.First = first
		}
		if day.After(s.LastDay) {
			s.LastDay = day
		}
	}
	var out []Series
	for _, s := range found {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Series) int {
		return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Rubric, b.Rubric))
	})
	return out
}
