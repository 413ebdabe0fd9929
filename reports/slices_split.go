package reports

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// dimension gives each sample a value by its code; the value is empty if it is not
// known, and several codes may have the same one.
type dimension struct {
	name  string
	code  func(sample int) uint32
	value func(code uint32) string
	// graded: only graded answers tell a value, so that one without pairs is none.
	graded bool
}

func (v view) dimensions() []dimension {
	live := func(s int) uint32 {
		if a := v.answer(0, s); a.answered() {
			return a.model
		}
		return 0
	}
	out := []dimension{
		{name: "route", code: func(s int) uint32 { return v.originOf(s).route }, value: v.word},
		{name: liveDimension, code: live, value: v.word, graded: true},
		v.weeks(),
	}
	for _, key := range v.tagKeys() {
		values := v.tagValues(key)
		out = append(out, dimension{name: "tag " + key, code: v.listOfTags, value: func(list uint32) string { return values[list] }})
	}
	return out
}

// weeks gives each sample its week; a code is a day, counted from the view's first.
func (v view) weeks() dimension {
	first := int64(math.MaxInt64)
	for _, s := range v.index {
		first = min(first, v.samples.at(int(s)).day())
	}
	return dimension{
		name: "week", code: func(s int) uint32 { return uint32(v.samples.at(s).day() - first) },
		value: func(code uint32) string { return weekOf(first + int64(code)) },
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
	found, of := v.sizes(d, e)
	saying := len(found)
	if d.graded {
		saying -= countFunc(found, func(p part) bool { return p.pairs == 0 })
	}
	if saying < 2 {
		return nil
	}
	parts := slices.SortedFunc(slices.Values(found), func(a, b part) int {
		return cmp.Or(cmp.Compare(b.pairs, a.pairs), cmp.Compare(a.value, b.value))
	})
	at := make(map[string]int, len(parts))
	for i, p := range parts {
		at[p.value] = min(i, maxSlices)
	}
	if rest := len(parts) - maxSlices; rest > 0 {
		parts = append(parts[:maxSlices], part{view: view{collection: v.collection}, value: otherSlices, others: rest})
	}
	for code, i := range of {
		of[code] = at[found[i-1].value]
	}
	for _, s := range v.index {
		p := &parts[of[d.code(int(s))]]
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

// sizes counts the graded pairs of every value; of says which part a code belongs to,
// from 1 on. Where all samples have the same code there is nothing to count.
func (v view) sizes(d dimension, e Experiment) (parts []part, of map[uint32]int) {
	if !slices.ContainsFunc(v.index, func(s uint32) bool { return d.code(int(s)) != d.code(int(v.index[0])) }) {
		return nil, nil
	}
	known := map[string]int{}
	of = map[uint32]int{}
	for _, s := range v.index {
		code := d.code(int(s))
		if of[code] > 0 {
			continue
		}
		value := orUnknown(d.value(code))
		if known[value] == 0 {
			parts = append(parts, part{view: view{collection: v.collection}, value: value})
			known[value] = len(parts)
		}
		of[code] = known[value]
	}
	for i, a := range e.Candidates {
		if a.Control {
			continue
		}
		for _, p := range v.pairs(0, i+1).all() {
			if p.comparable() {
				parts[of[d.code(p.base.sample)]-1].pairs++
			}
		}
	}
	return parts, of
}
