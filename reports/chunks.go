package reports

import (
	"math"

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

func (n *numbers) set(i int, v int64) {
	at := i >> chunkBits
	if v < 0 {
		if at < len(n.list) && n.list[at] != nil {
			n.list[at][i&chunkMask] = 0
		}
		return
	}
	for at >= len(n.list) {
		n.list = append(n.list, nil)
	}
	if n.list[at] == nil {
		n.list[at] = new([chunkSize]uint32)
	}
	if v < isBig-1 {
		n.list[at][i&chunkMask] = uint32(v) + 1
		return
	}
	n.list[at][i&chunkMask] = isBig
	n.setBig(i, v)
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
