package reports

import (
	"cmp"
	"hash/maphash"
	"runtime"
	"slices"

	"github.com/understudy-eval/understudy/shadow"
)

// join makes one sample of those that have one id, counts the rows, and turns the numbers
// of patterns into those of shapes. No row may come after that.
func (c *collection) join() {
	c.count()
	for _, t := range c.twins() {
		c.merge(int(t.first), int(t.later))
	}
	shapes := make([]uint32, len(c.patterns.list))
	for code, r := range c.patterns.list[1:] {
		shapes[code+1] = r.shape
	}
	var parts []func()
	for a := range c.arms {
		parts = append(parts, func() {
			for _, chunk := range c.arms[a].shape.list {
				for i, code := range chunk {
					chunk[i] = shapes[code]
				}
			}
		})
	}
	inParallel(parts)
}

// merge moves the rows of a later sample to the first one of its id. Of two rows of one
// arm the first counts, unless only the other does; of two judges the primary's row, so
// that the arms of a trial agree in any order of rows.
func (c *collection) merge(first, later int) {
	to, from := c.samples.at(first), c.samples.at(later)
	for a := range c.arms {
		old, now := c.arms[a].shape.at(first), c.arms[a].shape.at(later)
		if c.replaces(*old, *now) {
			*old = *now
			for _, q := range c.wants.kept {
				c.arms[a].numbers[q].move(first, later)
			}
			if c.patterns.list[*now].counts() {
				to.tellBy(a, from, &c.origins)
			}
		}
		*now = 0
	}
	from.origin = 0
}

// replaces says that a row takes the place of an earlier one of its sample and arm, if
// there is one, and corrects the counts. It is asked with the numbers of their patterns.
func (c *collection) replaces(old, now uint32) bool {
	o, n := &c.patterns.list[old], &c.patterns.list[now]
	if now == 0 || old == 0 {
		return now != 0
	}
	p := c.period(n.day)
	if !n.booked {
		p.unbooked[n.arm]--
	}
	if !n.counts() || !o.counts() {
		return n.counts()
	}
	p.counts.Used--
	p.counts.Duplicates++
	if !c.shapes.list[o.shape].sameSaying(&c.shapes.list[n.shape]) {
		p.counts.Conflicts++
	}
	return c.rules.rank(n.pinned) < c.rules.rank(o.pinned)
}

// tellBy takes over what another sample of the same id says, if its arm goes before the
// one that said it so far.
func (s *sample) tellBy(arm int, other *sample, origins *dictionary[origin]) {
	by := int32(arm) + 1
	if from := origins.values[s.origin].from; from != 0 && by > from {
		return
	}
	o := origins.values[other.origin]
	o.from = by
	s.seen, s.session, s.origin = other.seen, other.session, origins.code(o)
}

// twin is a sample whose id an earlier one has.
type twin struct{ first, later uint32 }

// idParts is how many hash tables find equal ids, one after the other: so many that one
// stays in the cache.
const idParts = 256

// twins finds samples of equal ids; they come in the order of the later ones.
func (c *collection) twins() []twin {
	n, workers := c.ids.n, runtime.GOMAXPROCS(0)
	seed, hashed := maphash.MakeSeed(), make([]uint64, n)
	starts := make([][idParts]int, workers) // where the ids of a worker go in each part
	eachRange(workers, n, func(w, from, to int) {
		for i := from; i < to; i++ {
			starts[w][maphash.Bytes(seed, c.ids.at(i)[:])%idParts]++
		}
	})
	at, bounds := 0, [idParts + 1]int{}
	for part := range idParts {
		bounds[part] = at
		for w := range starts {
			starts[w][part], at = at, at+starts[w][part]
		}
	}
	bounds[idParts] = n
	eachRange(workers, n, func(w, from, to int) {
		for i := from; i < to; i++ {
			hash := maphash.Bytes(seed, c.ids.at(i)[:])
			part := hash % idParts
			hashed[starts[w][part]] = hash&^0xffffffff | uint64(i)
			starts[w][part]++
		}
	})
	found := make([][]twin, workers)
	eachRange(workers, idParts, func(w, from, to int) {
		var slots []uint64
		for part := from; part < to; part++ {
			found[w], slots = idTwins(&c.ids, hashed[bounds[part]:bounds[part+1]], slots, found[w])
		}
	})
	all := slices.Concat(found...)
	slices.SortFunc(all, func(a, b twin) int { return cmp.Compare(a.later, b.later) })
	return all
}

// eachRange cuts n things into a range for each worker.
func eachRange(workers, n int, do func(worker, from, to int)) {
	var parts []func()
	for w := range workers {
		parts = append(parts, func() { do(w, n*w/workers, n*(w+1)/workers) })
	}
	inParallel(parts)
}

// idTwins finds equal ids among some. An entry of hashed is 32 bits of an id's hash, then
// the id's number; they are in the order of these. slots is room for a hash table.
func idTwins(ids *chunks[shadow.SampleID], hashed, slots []uint64, found []twin) ([]twin, []uint64) {
	size := 16
	for size < 2*len(hashed) {
		size *= 2
	}
	if slots = slots[:0]; cap(slots) < size {
		slots = make([]uint64, size)
	}
	slots = slots[:size]
	clear(slots)
	const number = 0xffffffff
	for _, h := range hashed {
		i := h >> 32 % uint64(size)
		for ; slots[i] != 0; i = (i + 1) % uint64(size) {
			other := slots[i] - 1
			if (other^h)&^number == 0 && *ids.at(int(other & number)) == *ids.at(int(h & number)) {
				found = append(found, twin{uint32(other & number), uint32(h & number)})
				break
			}
		}
		if slots[i] == 0 {
			slots[i] = h + 1
		}
	}
	return found, slots
}
