package reports

import (
	"math/bits"

	"github.com/understudy-eval/understudy/sinks"
)

// classes numbers rows by what they have in common in some columns: two rows have the
// same number exactly if they agree in all of them. Numbers start with 0, in the order of
// the rows that have them first.
type classes struct {
	stages []stage
	keys   [rowBlock]uint64
}

// rowBlock is how many rows are numbered at a time: few enough to stay in the cache.
const rowBlock = 1 << 11

// digit is a column with values below n.
type digit struct {
	n   uint64
	mix func(keys []uint64, from int) // keys[i] = keys[i]·n + the value of row from + i
}

// stage is columns whose values fit into one key, after the number of the stage before.
type stage struct {
	digits []digit
	table  keyTable
}

// start begins with a batch of so many rows.
func (c *classes) start(rows int, digits []digit) {
	stages := c.stages
	c.stages = append(c.stages[:0], stage{table: c.table(stages, 0)})
	room := uint64(1)
	for _, d := range digits {
		if d.n < 2 {
			continue
		}
		high, product := bits.Mul64(room, d.n)
		if high > 0 {
			c.stages = append(c.stages, stage{table: c.table(stages, len(c.stages))})
			product = uint64(rows) * d.n // at most a number per row so far: far below 2⁶⁴
		}
		last := &c.stages[len(c.stages)-1]
		last.digits, room = append(last.digits, d), product
	}
}

// table is that of an earlier batch, emptied.
func (c *classes) table(old []stage, i int) keyTable {
	var t keyTable
	if i < len(old) {
		t = old[i].table
	}
	clear(t.slots)
	t.n = 0
	return t
}

// number gives the rows from one on their numbers, at most rowBlock.
func (c *classes) number(from int, out []uint32) {
	keys := c.keys[:len(out)]
	clear(keys)
	for i := range c.stages {
		if i > 0 {
			for k, code := range out {
				keys[k] = uint64(code)
			}
		}
		for _, d := range c.stages[i].digits {
			d.mix(keys, from)
		}
		c.stages[i].table.number(keys, out)
	}
}

// keyTable numbers keys in the order in which they come.
type keyTable struct {
	slots []keySlot
	n     uint32
}

type keySlot struct {
	key  uint64
	code uint32 // 1 + number; 0: empty
}

func (t *keyTable) number(keys []uint64, out []uint32) {
	for i, key := range keys {
		if 2*int(t.n) >= len(t.slots) {
			t.widen()
		}
		s := t.slot(key)
		if s.code == 0 {
			t.n++
			*s = keySlot{key, t.n}
		}
		out[i] = s.code - 1
	}
}

// slot is where a key is, or the empty one where it belongs.
func (t *keyTable) slot(key uint64) *keySlot {
	mask := uint64(len(t.slots) - 1)
	high, low := bits.Mul64(key, 0x9e3779b97f4a7c15)
	for i := (high ^ low ^ low>>32) & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.key == key || s.code == 0 {
			return s
		}
	}
}

func (t *keyTable) widen() {
	old := t.slots
	t.slots = make([]keySlot, max(1<<10, 2*len(old)))
	for _, s := range old {
		if s.code != 0 {
			*t.slot(s.key) = s
		}
	}
}

func textDigit(v *sinks.Vector) digit {
	n := uint64(v.Texts())
	return digit{n, func(keys []uint64, from int) {
		for i, code := range v.Codes[from : from+len(keys)] {
			keys[i] = keys[i]*n + uint64(code)
		}
	}}
}

func flagDigit(flags []sinks.Flag) digit {
	return digit{3, func(keys []uint64, from int) {
		for i, f := range flags[from : from+len(keys)] {
			keys[i] = keys[i]*3 + uint64(f-sinks.FlagUnknown)
		}
	}}
}

func presenceDigit(numbers []int64) digit {
	return digit{3, func(keys []uint64, from int) {
		for i, n := range numbers[from : from+len(keys)] {
			keys[i] = keys[i]*3 + uint64(presenceOf(n))
		}
	}}
}

func gradeDigit(grades []int64) digit {
	return digit{1 << 8, func(keys []uint64, from int) {
		for i, n := range grades[from : from+len(keys)] {
			keys[i] = keys[i]<<8 | uint64(uint8(gradeOf(n)))
		}
	}}
}

// valueDigit is of values of which there are few.
func valueDigit[V comparable](values []V) digit {
	first := 1
	for first < len(values) && values[first] == values[0] {
		first++
	}
	if first >= len(values) {
		return digit{n: 1}
	}
	number, codes := map[V]uint32{}, make([]uint32, len(values))
	for i, v := range values {
		if i > 0 && v == values[i-1] {
			codes[i] = codes[i-1]
			continue
		}
		code, ok := number[v]
		if !ok {
			code = uint32(len(number))
			number[v] = code
		}
		codes[i] = code
	}
	n := uint64(len(number))
	return digit{n, func(keys []uint64, from int) {
		for i, code := range codes[from : from+len(keys)] {
			keys[i] = keys[i]*n + uint64(code)
		}
	}}
}
