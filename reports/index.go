package reports

import (
	"hash/maphash"

	"github.com/understudy-eval/understudy/shadow"
)

// idIndex finds the places of sample ids. It is 256 hash tables by the first bits
// of an id's hash, so that growing one copies little. A slot holds 32 bits of the
// hash and 1 + the place.
type idIndex struct {
	seed  maphash.Seed
	parts [256]idPart
}

type idPart struct {
	slots []uint64
	n     int
}

func newIDIndex() *idIndex { return &idIndex{seed: maphash.MakeSeed()} }

// place gives the place of an id, which is next if it was not there.
func (x *idIndex) place(id *shadow.SampleID, next int, ids *chunks[shadow.SampleID]) (place int, added bool) {
	hash := maphash.Bytes(x.seed, id[:])
	p := &x.parts[hash>>56]
	if 4*p.n >= 3*len(p.slots) {
		p.widen(x.seed, ids)
	}
	print, mask := hash<<32, uint64(len(p.slots)-1)
	for i := hash >> 32 & mask; ; i = (i + 1) & mask {
		switch s := p.slots[i]; {
		case s == 0:
			p.slots[i] = print | uint64(next+1)
			p.n++
			return next, true
		case s&^0xffffffff == print:
			if place := int(uint32(s)) - 1; *ids.at(place) == *id {
				return place, false
			}
		}
	}
}

// widen doubles the room of a part.
func (p *idPart) widen(seed maphash.Seed, ids *chunks[shadow.SampleID]) {
	old := p.slots
	p.slots = make([]uint64, max(16, 2*len(old)))
	mask := uint64(len(p.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		hash := maphash.Bytes(seed, ids.at(int(uint32(s)) - 1)[:])
		i := hash >> 32 & mask
		for p.slots[i] != 0 {
			i = (i + 1) & mask
		}
		p.slots[i] = s
	}
}
