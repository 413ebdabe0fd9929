package stats

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// ClusterSizes counts clusters by their number of rows. With the ClusterTotals of a
// column of whole numbers over the same clusters it gives the estimates of
// ClusteredMean and ClusteredShare, in a pass that keeps nothing per row.
//
// Everything is a whole number until the end, and sizes are then gone through in
// rising order, so that the result does not depend on the order of clusters or rows.
// The zero value holds no cluster.
type ClusterSizes struct {
	small [smallSizes]int64
	large map[int]int64
}

// ClusterTotals adds up a column of whole numbers over clusters, by the clusters' size.
// The zero value holds none.
type ClusterTotals struct {
	small [smallSizes]sizeSums
	large map[int]*sizeSums
	over  bool // a sum left the range of int64
}

// smallSizes is up to where sizes are counted in an array.
const smallSizes = 64

// sizeSums is Σ S_g and Σ S_g² over the clusters of one size; the squares have 128 bits.
type sizeSums struct {
	sum               int64
	squares, squaresL uint64
}

// Add counts a cluster of n ≥ 1 rows.
func (c *ClusterSizes) Add(n int) {
	if n < smallSizes {
		c.small[n]++
		return
	}
	if c.large == nil {
		c.large = map[int]int64{}
	}
	c.large[n]++
}

// Add takes in the sum of a column over a cluster of n rows. A cluster whose sum is
// 0 need not be added.
func (s *ClusterTotals) Add(n int, sum int64) {
	at := s.place(n)
	total := at.sum + sum
	s.over = s.over || (total > at.sum) != (sum > 0) && sum != 0
	at.sum = total
	size := uint64(max(sum, -sum))
	high, low := bits.Mul64(size, size)
	var carry uint64
	at.squaresL, carry = bits.Add64(at.squaresL, low, 0)
	at.squares, carry = bits.Add64(at.squares, high, carry)
	s.over = s.over || carry > 0
}

func (s *ClusterTotals) place(n int) *sizeSums {
	if n < smallSizes {
		return &s.small[n]
	}
	if s.large == nil {
		s.large = map[int]*sizeSums{}
	}
	if s.large[n] == nil {
		s.large[n] = &sizeSums{}
	}
	return s.large[n]
}

// Mean is ClusteredMean of the column. Errors: ErrNotFinite if a sum left the range
// of whole numbers; ErrTooFew (no rows: nothing is defined; one cluster: N, Clusters
// and Value are). That no key is empty is the caller's to see, see ErrNoCluster.
func (c *ClusterSizes) Mean(s *ClusterTotals) (Estimate, error) {
	t := c.totals(s)
	est, err := t.estimate()
	if err != nil {
		return est, err
	}
	est.DF = c.df(t.rows)
	n, sum := float64(t.rows), 0.0
	for _, size := range t.sizes {
		k := float64(size)
		sum += ratio(t.residuals(c, s, size), t.rows) * (n / (n - k))
	}
	est.SE = math.Sqrt(sum) / n
	return est, nil
}

// Share is ClusteredShare of a column of 0 and 1. Errors: as Mean, but with one
// cluster the interval is plain; ErrRange for the level.
func (c *ClusterSizes) Share(s *ClusterTotals, level float64) (Share, error) {
	if err := checkOpenUnit("level", level); err != nil {
		return Share{}, err
	}
	t := c.totals(s)
	est, err := t.estimate()
	if err != nil && est.N == 0 {
		return Share{}, err
	}
	residuals := new(big.Int)
	for _, size := range t.sizes {
		residuals.Add(residuals, t.residuals(c, s, size))
	}
	return clusteredShare(est, float64(t.sum), ratio(residuals, t.rows), level), nil
}

// Alike is the design effect of a column of which all rows of a cluster say the same,
// Σ n_g² / n: with clusters of one size, so many rows tell as much as there are
// clusters. It is 0 without a cluster. Source: Kish (1965).
func (c *ClusterSizes) Alike() float64 {
	t := c.totals(&ClusterTotals{})
	squares := 0.0
	for _, size := range t.sizes {
		squares += float64(c.of(size)) * float64(size) * float64(size)
	}
	if t.rows == 0 {
		return 0
	}
	return squares / float64(t.rows)
}

// totals are the sums over all clusters.
type totals struct {
	rows, clusters, sum int64
	sizes               []int // that occur, rising
	over                bool
}

func (c *ClusterSizes) totals(s *ClusterTotals) totals {
	t := totals{over: s.over}
	for size, n := range c.small {
		if n > 0 {
			t.sizes = append(t.sizes, size)
		}
	}
	for size := range c.large {
		t.sizes = append(t.sizes, size)
	}
	slices.Sort(t.sizes)
	for _, size := range t.sizes {
		n := c.of(size)
		t.clusters += n
		t.rows += n * int64(size)
		sum := t.sum + s.of(size).sum
		t.over = t.over || (sum > t.sum) != (s.of(size).sum > 0) && s.of(size).sum != 0
		t.sum = sum
	}
	return t
}

func (c *ClusterSizes) of(size int) int64 {
	if size < smallSizes {
		return c.small[size]
	}
	return c.large[size]
}

func (s *ClusterTotals) of(size int) sizeSums {
	if size < smallSizes {
		return s.small[size]
	}
	if at := s.large[size]; at != nil {
		return *at
	}
	return sizeSums{}
}

func (t *totals) estimate() (Estimate, error) {
	switch {
	case t.over:
		return Estimate{}, fmt.Errorf("sum over clusters: %w", ErrNotFinite)
	case t.rows == 0:
		return Estimate{}, fmt.Errorf("mean of no values: %w", ErrTooFew)
	}
	est := Estimate{N: int(t.rows), Clusters: int(t.clusters), Value: float64(t.sum) / float64(t.rows)}
	if t.clusters < 2 {
		return est, fmt.Errorf("standard error from one cluster: %w", ErrTooFew)
	}
	return est, nil
}

// residuals is n² Σ (S_g − k·mean)² over the G clusters of size k, exactly:
// n² Σ S_g² − 2 n k Σ S_g · Σ x + G k² (Σ x)².
func (t *totals) residuals(c *ClusterSizes, s *ClusterTotals, size int) *big.Int {
	at := s.of(size)
	n, k, sum := big.NewInt(t.rows), big.NewInt(int64(size)), big.NewInt(t.sum)
	squares := new(big.Int).Lsh(new(big.Int).SetUint64(at.squares), 64)
	squares.Add(squares, new(big.Int).SetUint64(at.squaresL))
	squares.Mul(squares, n).Mul(squares, n)
	cross := new(big.Int).Mul(n, k)
	cross.Mul(cross, big.NewInt(at.sum)).Mul(cross, sum).Lsh(cross, 1)
	means := new(big.Int).Mul(k, sum)
	means.Mul(means, means).Mul(means, big.NewInt(c.of(size)))
	return squares.Sub(squares, cross).Add(squares, means)
}

// ratio is x / n².
func ratio(x *big.Int, n int64) float64 {
	square := new(big.Int).Mul(big.NewInt(n), big.NewInt(n))
	f, _ := new(big.Rat).SetFrac(x, square).Float64()
	return f
}

// df is clusterDF by sizes.
func (c *ClusterSizes) df(rows int64) float64 {
	n := float64(rows)
	var squares, pairs, sum float64
	for _, size := range c.totals(&ClusterTotals{}).sizes {
		count, k := float64(c.of(size)), float64(size)
		p := k / n
		a := p * k / (n - k)
		squares += count * p * p
		pairs += count*a*sum + count*(count-1)/2*a*a
		sum += count * a
	}
	return 1 / (squares + 2*pairs)
}
