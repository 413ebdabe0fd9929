package reports

import (
	"math"
	"slices"
	"sort"
	"time"
)

// whole is a list of whole numbers from 0 on, to be sorted.
type whole struct {
	small []uint32
	large []int64 // those of 2³² and more
}

func (w *whole) add(v int64) {
	if v <= math.MaxUint32 {
		w.small = append(w.small, uint32(v))
	} else {
		w.large = append(w.large, v)
	}
}

func (w *whole) len() int { return len(w.small) + len(w.large) }

func (w *whole) at(i int) int64 {
	if i < len(w.small) {
		return int64(w.small[i])
	}
	return w.large[i-len(w.small)]
}

// upTo counts the numbers that are at most v.
func (w *whole) upTo(v int64) int {
	return sort.Search(w.len(), func(i int) bool { return w.at(i) > v })
}

// over counts the times of more than a limit.
func (w *whole) over(limit time.Duration) int { return w.len() - w.upTo(limit.Microseconds()) }

// sort puts the numbers in ascending order.
func (w *whole) sort() {
	slices.Sort(w.large)
	w.small = sorted(w.small)
}

// sorted puts numbers in ascending order, digit by digit where there are many; the
// list given is not to be used any more.
func sorted[N uint32 | uint64](from []N) []N {
	if len(from) < 1<<12 {
		slices.Sort(from)
		return from
	}
	const digit = 11
	largest, to := slices.Max(from), make([]N, len(from))
	for shift := 0; largest>>shift > 0; shift += digit {
		var start [1 << digit]int
		for _, v := range from {
			start[v>>shift&(1<<digit-1)]++
		}
		at := 0
		for i, n := range start {
			start[i], at = at, at+n
		}
		for _, v := range from {
			d := v >> shift & (1<<digit - 1)
			to[start[d]] = v
			start[d]++
		}
		from, to = to, from
	}
	return from
}

// all are the numbers by themselves, once they are sorted.
func (w *whole) all() ascending { return ascending{[]*whole{w}, 0} }

// room makes room for n numbers.
func (w *whole) room(n int) { w.small = slices.Grow(w.small, n) }

// times are the times of calls by what they mean, each list in ascending order.
type times struct {
	exact, cut, left whole
	failed           int // their time says nothing
}

func (t *times) add(x timing) {
	switch x.kind {
	case exact:
		t.exact.add(x.us)
	case cut:
		t.cut.add(x.us)
	case left:
		t.left.add(x.us)
	case failed:
		t.failed++
	}
}

func (t *times) sort() *times {
	t.exact.sort()
	t.cut.sort()
	t.left.sort()
	return t
}

func (t *times) len() int { return t.exact.len() + t.cut.len() + t.left.len() + t.failed }

// over counts the calls of more than a limit among those of which it is known; see
// timing.over.
func (t *times) over(limit time.Duration) (late, known int) {
	failures, left := t.cut.len()+t.failed, t.left.over(limit)
	return t.exact.over(limit) + failures + left, t.exact.len() + failures + left
}

// ascending is some lists as one, and how many numbers are beyond any of them.
type ascending struct {
	lists  []*whole
	beyond int
}

// ranked has every failure beyond the others, slower than any limit. A call that the
// user left counts at the time of leaving.
func (t *times) ranked() ascending {
	return ascending{[]*whole{&t.exact, &t.left}, t.cut.len() + t.failed}
}

// atMost has every call that the user left beyond the others, too: it might have taken
// any time. Quantiles of it are upper bounds.
func (t *times) atMost() ascending {
	return ascending{[]*whole{&t.exact}, t.cut.len() + t.left.len() + t.failed}
}

// atLeast has lower bounds of the times: as ranked, but a time-out counts at its own time.
func (t *times) atLeast() ascending {
	return ascending{[]*whole{&t.exact, &t.left, &t.cut}, t.failed}
}

// answers has the times of answered calls alone.
func (t *times) answers() ascending { return t.exact.all() }

// Len implements stats.Ascending.
func (a ascending) Len() int { return a.Finite() + a.beyond }

// Finite implements stats.Ascending.
func (a ascending) Finite() int {
	n := 0
	for _, w := range a.lists {
		n += w.len()
	}
	return n
}

// At implements stats.Ascending: the smallest number that i others do not exceed.
func (a ascending) At(i int) float64 {
	if len(a.lists) == 1 {
		return float64(a.lists[0].at(i))
	}
	low, high := int64(math.MaxInt64), int64(0)
	for _, w := range a.lists {
		if n := w.len(); n > 0 {
			low, high = min(low, w.at(0)), max(high, w.at(n-1))
		}
	}
	for low < high {
		mid := low + (high-low)/2
		upTo := 0
		for _, w := range a.lists {
			upTo += w.upTo(mid)
		}
		if upTo > i {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return float64(low)
}
