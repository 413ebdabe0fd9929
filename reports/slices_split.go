package reports

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// dimension gives each sample a value, empty if it is not known.
type dimension struct {
	name string
	of   func(sample int) string
	// graded: only graded answers tell a value, so that one without pairs is none.
	graded bool
}

func (v view) dimensions() []dimension {
	out := []dimension{
		{name: "route", of: v.route}, {name: liveDimension, of: v.live, graded: true},
		{name: "week", of: v.weeks()},
	}
	for _, key := range v.tagKeys() {
		values := v.tagValues(key)
		out = append(out, dimension{name: "tag " + key, of: func(s int) string { return values[v.listOfTags(s)] }})
	}
	return out
}

// weeks gives each sample its week.
func (v view) weeks() func(sample int) string {
	named := map[int64]string{}
	return func(sample int) string {
		day := v.samples.at(sample).day()
		if named[day] == "" {
			named[day] = weekOf(day)
		}
		return named[day]
	}
}

// weekOf is the ISO week of a day since 1970-01-01, as 2026-W41.
func weekOf(day int64) string {
	return WeekOf(time.Unix(day*24*60*60, 0)).String()
}

// listOfTags is the number of the list of tags that a sample has.
func (c *collection) listOfTags(sample int) uint32 { return c.originOf(sample).tags }

// tagKeys are the keys of the tags that occur in a view, sorted.
func (v view) tagKeys() []string {
	lists, keys := map[uint32]bool{}, map[string]bool{}
	for _, s := range v.index {
		list := v.listOfTags(int(s))
		if lists[list] {
			continue
		}
		lists[list] = true
		for _, tag := range v.tagsIn(list) {
			key, _, _ := strings.Cut(v.codes.tags.values[tag], "=")
			keys[key] = true
		}
	}
	out := make([]string, 0, len(keys))
	for key := range keys {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// tagValues are the values of a key by the number of the list of tags. Of two tags
// with one key, which no tap writes, the first counts.
func (v view) tagValues(key string) []string {
	out := make([]string, len(v.tagLists.values))
	for list := range out {
		for _, tag := range v.tagsIn(uint32(list)) {
			if k, value, _ := strings.Cut(v.codes.tags.values[tag], "="); k == key {
				out[list] = value
				break
			}
		}
	}
	return out
}

// part is the samples with one value, or those of others values together.
type part struct {
	view
	value  string
	others int
	pairs  int // graded, over all candidates
}

// split makes a part for every value that samples have, the largest first; nothing
// if there are not two that say something.
func (v view) split(d dimension, e Experiment) []part {
	parts := v.sizes(d.of, e)
	saying := len(parts)
	if d.graded {
		saying -= countFunc(parts, func(p part) bool { return p.pairs == 0 })
	}
	if saying < 2 {
		return nil
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(b.pairs, a.pairs), cmp.Compare(a.value, b.value))
	})
	at := make(map[string]int, len(parts))
	for i, p := range parts {
		at[p.value] = min(i, maxSlices)
	}
	if rest := len(parts) - maxSlices; rest > 0 {
		parts = append(parts[:maxSlices], part{view: view{collection: v.collection}, value: otherSlices, others: rest})
	}
	for _, s := range v.index {
		p := &parts[at[orUnknown(d.of(int(s)))]]
		p.index = append(p.index, s)
	}
	return parts
}

func countFunc[T any](list []T, f func(T) bool) int {
	n := 0
	for _, x := range list {
		if f(x) {
			n++
		}
	}
	return n
}

func orUnknown(value string) string {
	if value == "" {
		return unknownSlice
	}
	return value
}

// sizes counts the graded pairs of every value. Where all samples have the same one
// there is nothing to count.
func (v view) sizes(of func(sample int) string, e Experiment) []part {
	if !slices.ContainsFunc(v.index, func(s uint32) bool { return of(int(s)) != of(int(v.index[0])) }) {
		return nil
	}
	counts := map[string]int{}
	for _, s := range v.index {
		counts[orUnknown(of(int(s)))] += 0
	}
	for i, a := range e.Candidates {
		if a.Control {
			continue
		}
		for _, p := range v.pairs(0, i+1).all() {
			if p.comparable() {
				counts[orUnknown(of(p.base.sample))]++
			}
		}
	}
	var parts []part
	for value, n := range counts {
		parts = append(parts, part{view: view{collection: v.collection}, value: value, pairs: n})
	}
	return parts
}
