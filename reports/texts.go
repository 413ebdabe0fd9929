package reports

import (
	"bytes"
	"hash/maphash"
)

// texts numbers texts of which there may be millions, in the order in which they
// come; the empty one is 0. They lie one after the other, without a pointer to each.
type texts struct {
	seed  maphash.Seed
	bytes []byte
	ends  []uint64 // of text i in bytes
	slots []uint32 // 1 + number, by hash
}

func newTexts() texts {
	return texts{seed: maphash.MakeSeed(), ends: make([]uint64, 1), slots: make([]uint32, 64)}
}

func (t *texts) len() int { return len(t.ends) }

func (t *texts) at(code uint32) []byte {
	if code == 0 {
		return nil
	}
	return t.bytes[t.ends[code-1]:t.ends[code]]
}

// code gives the number of a text.
func (t *texts) code(text []byte) uint32 {
	if len(text) == 0 {
		return 0
	}
	slot := t.find(text)
	if *slot == 0 {
		t.bytes = append(t.bytes, text...)
		t.ends = append(t.ends, uint64(len(t.bytes)))
		code := uint32(len(t.ends) - 1)
		*slot = 1 + code
		if 4*len(t.ends) > 3*len(t.slots) {
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
	for code := uint32(1); code < uint32(len(t.ends)); code++ {
		*t.find(t.at(code)) = 1 + code
	}
}
