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
	slots  []uint64      // the last 32 bits of the hash, then 1 + number
}

// place is where a text lies.
type place struct{ block, from, to uint32 }

// textBlock is the size of a block; a longer text has a block for itself.
const textBlock = 1 << 20

func newTexts() texts {
	t := texts{seed: maphash.MakeSeed(), blocks: [][]byte{nil}, slots: make([]uint64, 64)}
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
	print, mask := maphash.Bytes(t.seed, text)<<32, uint64(len(t.slots)-1)
	for i := print >> 32 & mask; ; i = (i + 1) & mask {
		switch s := t.slots[i]; {
		case s == 0:
			code := t.add(text)
			t.slots[i] = print | uint64(code+1)
			if 4*t.len() > 3*len(t.slots) {
				t.slots = wider(t.slots)
			}
			return code
		case s&^0xffffffff == print:
			if code := uint32(s) - 1; bytes.Equal(t.at(code), text) {
				return code
			}
		}
	}
}
