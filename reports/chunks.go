package reports

import (
	"math"
	"slices"

	"github.com/understudy-eval/understudy/sinks"
)

// Columns grow by chunks of 4,096 entries, so that growing never copies.
const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
	chunkMask = chunkSize - 1
)

// chunks is a list that grows without copying; its entries start as zero.
type chunks[T any] struct {
	list []*[chunkSize]T
	n    int
}

func (c *chunks[T]) at(i int) *T { return &c.list[i>>chunkBits][i&chunkMask] }

// grow adds an entry and gives its index.
func (c *chunks[T]) grow() int {
	if c.n&chunkMask == 0 {
		c.list = append(c.list, new([chunkSize]T))
	}
	c.n++
	return c.n - 1
}

// add adds entries.
func (c *chunks[T]) add(list []T) {
	for len(list) > 0 {
		if c.n&chunkMask == 0 {
			c.list = append(c.list, new([chunkSize]T))
		}
		n := copy(c.list[c.n>>chunkBits][c.n&chunkMask:], list)
		list, c.n = list[n:], c.n+n
	}
}

// numbers is a column of whole numbers from 0 on, of which any may be unknown. It
// takes 4 bytes an entry, and none where a chunk has no number; numbers of 2³²−2
// and more lie apart.
type numbers struct {
	list []*[chunkSize]uint32 // number + 1; 0: unknown; isBig: see big
	big  map[int]int64
}

const isBig = math.MaxUint32

// unknown stands for a number that is not there; negative ones are not believed.
const unknown = sinks.Null

// add puts entries as they are stored from place i on, where there are none yet.
func (n *numbers) add(i int, raw []uint32) {
	for len(raw) > 0 {
		part := raw[:min(len(raw), chunkSize-i&chunkMask)]
		for i>>chunkBits >= len(n.list) {
			n.list = append(n.list, nil)
		}
		to := &n.list[i>>chunkBits]
		if *to == nil && slices.ContainsFunc(part, func(x uint32) bool { return x != 0 }) {
			*to = new([chunkSize]uint32)
		}
		if *to != nil {
			copy((*to)[i&chunkMask:], part)
		}
		raw, i = raw[len(part):], i+len(part)
	}
}

// move puts the entry at from to i, also where there is none.
func (n *numbers) move(i, from int) {
	x := n.raw(uint32(from))
	if x == n.raw(uint32(i)) && x != isBig {
		return
	}
	if at := i >> chunkBits; n.list[at] == nil {
		n.list[at] = new([chunkSize]uint32)
	}
	n.list[i>>chunkBits][i&chunkMask] = x
	if x == isBig {
		n.setBig(i, n.big[from])
	}
}

func (n *numbers) setBig(i int, v int64) {
	if n.big == nil {
		n.big = map[int]int64{}
	}
	n.big[i] = v
}

// raw is an entry as it is stored.
func (n *numbers) raw(i uint32) uint32 {
	at := int(i >> chunkBits)
	if at >= len(n.list) || n.list[at] == nil {
		return 0
	}
	return n.list[at][i&chunkMask]
}

func (n *numbers) at(i int) (v int64, known bool) {
	switch x := n.raw(uint32(i)); x {
	case 0:
		return 0, false
	case isBig:
		return n.big[i], true
	default:
		return int64(x) - 1, true
	}
}
