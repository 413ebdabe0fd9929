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
	// touched is of no meaning: what is read ahead must be used.
	touched uint64
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
func (t *texts) code(text []byte) uint32 { return t.codeBy(text, maphash.Bytes(t.seed, text)) }

// codeBy gives the number of a text with a hash.
func (t *texts) codeBy(text []byte, hash uint64) uint32 {
	if len(text) == 0 {
		return 0
	}
	print, mask := hash<<32, uint64(len(t.slots)-1)
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

// lookAhead is how many slots are touched before the first one is read: enough to wait
// for many at the same time, and few enough that they stay in the cache.
const lookAhead = 1 << 10

// codesOf gives the numbers of the texts of a piece, in place of their hashes.
func (t *texts) codesOf(p *pieceTexts) []uint32 {
	p.codes = p.codes[:0]
	for from := 0; from < len(p.hashes); from += lookAhead {
		to := min(from+lookAhead, len(p.hashes))
		for _, hash := range p.hashes[from:to] {
			t.touched += t.slots[hash&uint64(len(t.slots)-1)]
		}
		for i := from; i < to; i++ {
			p.codes = append(p.codes, t.codeBy(p.at(i), p.hashes[i]))
		}
	}
	return p.codes
}

// wider is a hash table of twice the room. A slot that is not empty begins with the 32
// bits that say where it belongs.
func wider(old []uint64) []uint64 {
	slots := make([]uint64, 2*len(old))
	mask := uint64(len(slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := s >> 32 & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = s
	}
	return slots
}
