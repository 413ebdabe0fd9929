package demo

import (
	"math"
	"time"
)

// lognormal is a component of a latency mixture.
type lognormal struct {
	weight float64
	median float64 // seconds
	sigma  float64
}

// mixture is a latency distribution. The shares of the founding case fit no single
// lognormal, so the candidate has two components.
type mixture []lognormal

// candidateLatency has a median of 2.30 s, 33.0 % over 3 s and 13.5 % over 6 s: the
// founding case's candidate. liveLatency has 1.5 % over 3 s, as its live models did.
// judgeLatency has a median of 0.7 s and a 90th percentile of 1.6 s.
func candidateLatency() mixture { return mixture{{0.7, 1.97, 0.28}, {0.3, 5.7, 0.4}} }
func liveLatency() mixture      { return mixture{{1, 1.15, 0.442}} }
func judgeLatency() mixture     { return mixture{{1, 0.7, 0.645}} }

// over is the share that takes longer than x seconds.
func (m mixture) over(x float64) float64 {
	share := 0.0
	for _, c := range m {
		share += c.weight * 0.5 * math.Erfc(math.Log(x/c.median)/c.sigma/math.Sqrt2)
	}
	return share
}

// quantile finds by bisection the time that a share p of the calls stays below.
func (m mixture) quantile(p float64) time.Duration {
	low, high := 1e-3, 1e3
	for range 60 {
		middle := math.Sqrt(low * high)
		if 1-m.over(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return time.Duration(low * float64(time.Second))
}

// deck is n latencies at the evenly spaced quantiles (i + ½)/n, rising: a sample of
// n without chance in it.
func (m mixture) deck(n int) []time.Duration {
	deck := make([]time.Duration, n)
	for i := range deck {
		deck[i] = m.quantile((float64(i) + 0.5) / float64(n))
	}
	return deck
}
