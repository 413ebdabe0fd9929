package reports

// arrange moves samples so that number order[i] becomes number i. What reads them in
// this order then reads memory in a row: a report does so dozens of times.
func (c *collection) arrange(order []uint32) {
	inParallel([]func(){
		func() {
			c.ids.arrange(order, nil) // not at the same time: each is there twice while it moves
			c.samples.arrange(order, nil)
		},
		func() {
			var spare []*[chunkSize]uint32
			for a := range c.arms {
				spare = c.arms[a].shape.arrange(order, spare)
				for q := range c.arms[a].numbers {
					spare = c.arms[a].numbers[q].arrange(order, spare)
				}
			}
		},
	})
}

// arrange puts entry order[i] at i. It uses spare chunks, and gives back those that are
// not needed any more.
func (c *chunks[T]) arrange(order []uint32, spare []*[chunkSize]T) []*[chunkSize]T {
	old := c.list
	c.list = make([]*[chunkSize]T, 0, len(old))
	for len(order) > 0 {
		n := min(chunkSize, len(order))
		var to *[chunkSize]T
		to, spare = taken(spare)
		for i, s := range order[:n] {
			to[i] = old[s>>chunkBits][s&chunkMask]
		}
		c.list, order = append(c.list, to), order[n:]
	}
	return append(spare, old...)
}

func (n *numbers) arrange(order []uint32, spare []*[chunkSize]uint32) []*[chunkSize]uint32 {
	if len(n.list) == 0 {
		return spare
	}
	old := numbers{n.list, n.big}
	*n = numbers{}
	for from := 0; from < len(order); from += chunkSize {
		var to *[chunkSize]uint32
		to, spare = taken(spare)
		any := uint32(0)
		for i, s := range order[from:min(from+chunkSize, len(order))] {
			x := old.raw(s)
			if to[i] = x; x == isBig {
				n.setBig(from+i, old.big[int(s)])
			}
			any |= x
		}
		if any == 0 { // no number here
			to, spare = nil, append(spare, to)
		}
		n.list = append(n.list, to)
	}
	for _, c := range old.list {
		if c != nil {
			spare = append(spare, c)
		}
	}
	return spare
}

// taken is a spare chunk, or a new one; what it holds is to be overwritten.
func taken[T any](spare []*[chunkSize]T) (*[chunkSize]T, []*[chunkSize]T) {
	if n := len(spare); n > 0 {
		return spare[n-1], spare[:n-1]
	}
	return new([chunkSize]T), spare
}
