package stats

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// WholePairs adds up pairs of whole numbers that lie in 0..2^32−1, exactly, so that
// the result does not depend on their order. The zero value holds none.
type WholePairs struct {
	n, x, y    uint64
	xx, xy, yy wide
	out        bool // a number was out of range
}

// wide is a whole number of 128 bits.
type wide struct{ high, low uint64 }

func (w *wide) add(a, b uint64) {
	high, low := bits.Mul64(a, b)
	var carry uint64
	w.low, carry = bits.Add64(w.low, low, 0)
	w.high += high + carry
}

func (w wide) big() *big.Int {
	b := new(big.Int).SetUint64(w.high)
	return b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(w.low))
}

// Add takes a pair in.
func (p *WholePairs) Add(x, y int64) {
	p.out = p.out || uint64(x) > math.MaxUint32 || uint64(y) > math.MaxUint32
	a, b := uint64(x), uint64(y)
	p.n++
	p.x += a
	p.y += b
	p.xx.add(a, a)
	p.xy.add(a, b)
	p.yy.add(b, b)
}

// Correlation is Pearson's correlation, as the function Correlation over the values.
//
//	r = (n Σxy − Σx Σy) / sqrt((n Σx² − (Σx)²) (n Σy² − (Σy)²))
//
// Errors: ErrTooFew with fewer than two pairs, ErrUndefined if a side does not vary,
// ErrRange if a number was out of range.
func (p *WholePairs) Correlation() (float64, error) {
	switch {
	case p.out:
		return 0, fmt.Errorf("correlation of numbers that are not in 0..2^32−1: %w", ErrRange)
	case p.n < 2:
		return 0, fmt.Errorf("correlation of %d pairs: %w", p.n, ErrTooFew)
	}
	n, x, y := new(big.Int).SetUint64(p.n), new(big.Int).SetUint64(p.x), new(big.Int).SetUint64(p.y)
	spread := func(sum wide, a, b *big.Int) *big.Float {
		s := sum.big()
		return new(big.Float).SetInt(s.Mul(s, n).Sub(s, new(big.Int).Mul(a, b)))
	}
	xx, yy := spread(p.xx, x, x), spread(p.yy, y, y)
	if xx.Sign() == 0 || yy.Sign() == 0 {
		return 0, fmt.Errorf("correlation with a side that does not vary: %w", ErrUndefined)
	}
	size := new(big.Float).Sqrt(xx.Mul(xx, yy))
	r, _ := new(big.Float).Quo(spread(p.xy, x, y), size).Float64()
	return r, nil
}
