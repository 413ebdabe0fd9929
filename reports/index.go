package reports

import (
	"hash/maphash"

	"github.com/understudy-eval/understudy/shadow"
)

// idIndex finds the places of sample ids. It is 256 hash tables by the first bits
// of an id's hash, so that growing one copies little. A slot holds the last 32 bits of
// the hash, which also say where it belongs, and 1 + the place.
type idIndex struct {
	seed  maphash.Seed
	parts [256]idPart
}

type idPart struct {
	slots []uint64
	n     int
}

func newIDIndex() *idIndex { return &idIndex{seed: maphash.MakeSeed()} }

func (x *idIndex) hash(id *shadow.SampleID) uint64 { return maphash.Bytes(x.seed, id[:]) }

// lookAhead is for how many rows idIndex.hashes is best called: enough to wait for many
// slots at the same time, and few enough that they stay in the cache.
const lookAhead = 1 << 10

// hashes fills in the hash of every id that is not like the one before, and touches its
// slot: place then finds it in the cache, and does not wait for the memory.
func (x *idIndex) hashes(ids []shadow.SampleID, out *[lookAhead]uint64) (touched uint64) {
	for i := range ids {
		if i > 0 && ids[i] == ids[i-1] {
			out[i] = out[i-1]
			continue
		}
		hash := x.hash(&ids[i])
		out[i] = hash
		if slots := x.parts[hash>>56].slots; len(slots) > 0 {
			touched += slots[hash&uint64(len(slots)-1)]
		}
	}
	return touched
}

// place gives the place of an id with a hash, which is next if it was not there.
func (x *idIndex) place(id *shadow.SampleID, hash uint64, next int, ids *chunks[shadow.SampleID]) (place int, added bool) {
	p := &x.parts[hash>>56]
	if 4*p.n >= 3*len(p.slots) {
		p.slots = wider(p.slots)
	}
	print, mask := hash<<32, uint64(len(p.slots)-1)
	for i := print >> 32 & mask; ; i = (i + 1) & mask {
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

// wider is a hash table of twice the room, and of some for none. A slot that is not
// empty begins with the 32 bits that say where it belongs.
func wider(old []uint64) []uint64 {
	slots := make([]uint64, max(16, 2*len(old)))
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
