package reports

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"

	"github.com/understudy-eval/understudy/shadow"
)

// earlier orders samples by time, then by id.
func (c *collection) earlier(a, b uint32) int {
	if order := c.compareTimes(a, b); order != 0 {
		return order
	}
	return bytes.Compare(c.ids.at(int(a))[:], c.ids.at(int(b))[:])
}

func (c *collection) compareTimes(a, b uint32) int {
	return cmp.Compare(c.samples.at(int(a)).seen, c.samples.at(int(b)).seen)
}

// all is the view of every sample of which a row is used. Sessions come in the order
// of their first sample, the samples of a session in order of time: an order that
// does not depend on the order of rows. For a whole report the samples are moved into it;
// no row may come after that.
func (c *collection) all() view {
	c.sessions.slots, c.pieces.free = nil, nil
	runtime.GC() // what follows takes the memory in which the files were read
	c.join()
	index := make([]uint32, 0, c.samples.n)
	var unused []uint32
	for i := range c.samples.n {
		if c.samples.at(i).origin != 0 {
			index = append(index, uint32(i))
		} else {
			unused = append(unused, uint32(i))
		}
	}
	c.inTime(index)
	grouped := c.groupedBySession(index)
	if c.wants.decision { // it names no sample, and goes over them a few times only
		c.ids = chunks[shadow.SampleID]{}
		return view{c, grouped}
	}
	c.arrange(append(grouped, unused...))
	for i := range index {
		index[i] = uint32(i)
	}
	return view{c, index}
}

// inTime sorts samples. Rows mostly come in order of time, but for ties.
func (c *collection) inTime(index []uint32) {
	if !slices.IsSortedFunc(index, c.compareTimes) {
		slices.SortFunc(index, c.earlier)
		return
	}
	for from := 0; from < len(index); {
		to := from + 1
		for to < len(index) && c.compareTimes(index[from], index[to]) == 0 {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(index[from:to], c.earlier)
		}
		from = to
	}
}

// groupedBySession moves the samples of a session to its first one.
func (c *collection) groupedBySession(index []uint32) []uint32 {
	rank := make([]uint32, c.sessions.len()) // 1 + the session's number by first sample
	var starts []uint32                      // by rank: its samples, then where they start
	for _, s := range index {
		session := c.samples.at(int(s)).session
		if rank[session] == 0 {
			starts = append(starts, 0)
			rank[session] = uint32(len(starts))
		}
		starts[rank[session]-1]++
	}
	at := uint32(0)
	for i, n := range starts {
		starts[i], at = at, at+n
	}
	out := make([]uint32, len(index))
	for _, s := range index {
		start := &starts[rank[c.samples.at(int(s)).session]-1]
		out[*start] = s
		*start++
	}
	return out
}

// first are the n first samples in order of time, or all if there are no more.
func (c *collection) first(index []uint32, n int) []uint32 {
	if n >= len(index) {
		out := slices.Clone(index)
		slices.SortFunc(out, c.earlier)
		return out
	}
	// A heap whose top is the latest sample of those kept.
	kept := slices.Clone(index[:n])
	for i := n/2 - 1; i >= 0; i-- {
		c.sink(kept, i)
	}
	for _, s := range index[n:] {
		if c.earlier(s, kept[0]) < 0 {
			kept[0] = s
			c.sink(kept, 0)
		}
	}
	slices.SortFunc(kept, c.earlier)
	return kept
}

func (c *collection) sink(heap []uint32, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && c.earlier(heap[child], heap[child+1]) < 0 {
			child++
		}
		if c.earlier(heap[i], heap[child]) >= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
