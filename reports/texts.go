package reports

import (
	"bytes"
	"hash/maphash"
)

// texts numbers texts of which there may be millions, in the order in which they
// come; the empty one is 0. They lie one after the other in blocks, without a pointer
// to each, so that growing copies nothing.
type texts struct {
	seed   maphash.Seed
	blocks [][]byte
	places chunks[place] // of text number i
	slots  []uint32      // 1 + number, by hash
}

// place is where a text lies.
type place struct{ block, from, to uint32 }

// textBlock is the size of a block; a longer text has a block for itself.
const textBlock = 1 << 20

func newTexts() texts {
	t := texts{seed: maphash.MakeSeed(), blocks: [][]byte{nil}, slots: make([]uint32, 64)}
	t.places.grow() // the empty text
	return t
}

func (t *texts) len() int { return t.places.n }

func (t *texts) at(code uint32) []byte {
	p := t.places.at(int(code))
	return t.blocks[p.block][p.from:p.to]
}

// add keeps a text and gives its number.
func (t *texts) add(text []byte) uint32 {
	last := len(t.blocks) - 1
	if cap(t.blocks[last])-len(t.blocks[last]) < len(text) {
		t.blocks = append(t.blocks, make([]byte, 0, max(textBlock, len(text))))
		last++
	}
	from := len(t.blocks[last])
	t.blocks[last] = append(t.blocks[last], text...)
	code := t.places.grow()
	*t.places.at(code) = place{uint32(last), uint32(from), uint32(from + len(text))}
	return uint32(code)
}

// code gives the number of a text.
func (t *texts) code(text []byte) uint32 {
	if len(text) == 0 {
		return 0
	}
	slot := t.find(text)
	if *slot == 0 {
		code := t.add(text)
		*slot = 1 + code
		if 4*t.len() > 3*len(t.slots) {
			t.widen()
		}
		return code
	}
	return *slot - 1
}

// find is the slot of a text: its own, or the free one where it belongs.
func (t *texts) find(text []byte) *uint32 {
	mask := uint64(len(t.slots) - 1)
	for i := maphash.Bytes(t.seed, text) & mask; ; i = (i + 1) & mask {
		if s := t.slots[i]; s == 0 || bytes.Equal(t.at(s-1), text) {
			return &t.slots[i]
		}
	}
}

func (t *texts) widen() {
	t.slots = make([]uint32, 2*len(t.slots))
	for code := uint32(1); code < uint32(t.len()); code++ {
		*t.find(t.at(code)) = 1 + code
	}
}
