package llm

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// blocks puts an answer together from numbered parts, whose pieces may come
// interleaved, in time linear in their size.
type blocks struct {
	at map[place]*block
}

// place numbers a part of an answer; parts are read in the order of their places.
type place struct{ item, part int64 }

type blockKind uint8

const (
	blockOther   blockKind = iota // reasoning, a tool of the provider: no part of the answer
	blockText                     // text of the answer
	blockRefusal                  // a marked refusal
	blockCall                     // the arguments of a tool call
)

type block struct {
	kind     blockKind
	id, name string // of a call
	text     []byte
}

// open starts the block at a place; one that is there already is forgotten.
func (b *blocks) open(p place, kind blockKind) *block {
	if b.at == nil {
		b.at = map[place]*block{}
	}
	b.at[p] = &block{kind: kind}
	return b.at[p]
}

// find gives the block at a place and opens it where there is none. Of another kind
// it is nil: the piece that it was wanted for does not belong to the answer.
func (b *blocks) find(p place, kind blockKind) *block {
	found, ok := b.at[p]
	switch {
	case !ok:
		return b.open(p, kind)
	case found.kind != kind:
		return nil
	}
	return found
}

// fill writes the blocks into r, in the order of their places.
func (b *blocks) fill(r *Reply) {
	var text, refusal strings.Builder
	for _, p := range slices.SortedFunc(maps.Keys(b.at), place.compare) {
		switch block := b.at[p]; block.kind {
		case blockText:
			text.Write(block.text)
		case blockRefusal:
			refusal.Write(block.text)
		case blockCall:
			r.ToolCalls = append(r.ToolCalls, ToolCall{ID: block.id, Name: block.name, Arguments: string(block.text)})
		}
	}
	r.Text, r.Refusal = text.String(), refusal.String()
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.item, q.item), cmp.Compare(p.part, q.part))
}
