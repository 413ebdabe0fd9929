package stats

import (
	"fmt"
	"math"
)

// Wilson is the score interval of a share, x of n independent trials.
//
//	centre = (x + z²/2) / (n + z²)
//	half   = z / (n + z²) · sqrt(x (n−x) / n + z²/4)
//
// Bounds lie in 0..1; with x = 0 the lower one is exactly 0, with x = n the upper
// one exactly 1. Level is the level asked for. Errors: ErrTooFew for n = 0,
// ErrRange for x outside 0..n, n < 0, or a level not between 0 and 1.
//
// Source: Wilson (1927); checked against R prop.test(correct=FALSE),
// testdata/proportion.json.
func Wilson(x, n int, level float64) (Interval, error) {
	if err := checkOpenUnit("level", level); err != nil {
		return Interval{}, err
	}
	if err := checkCount(x, n); err != nil {
		return Interval{}, err
	}
	return wilson(float64(x), float64(n), level), nil
}

func checkCount(x, n int) error {
	if n < 0 || x < 0 || x > n {
		return fmt.Errorf("%d of %d: %w", x, n, ErrRange)
	}
	if n == 0 {
		return fmt.Errorf("share of no trials: %w", ErrTooFew)
	}
	return nil
}

// wilson allows counts that are not whole, for an effective n.
func wilson(x, n, level float64) Interval {
	z := zQuantile(level)
	zz := z * z
	centre := (x + zz/2) / (n + zz)
	half := z / (n + zz) * math.Sqrt(x*((n-x)/n)+zz/4)
	iv := Interval{Lower: max(0, centre-half), Upper: min(1, centre+half), Level: level}
	if x <= 0 {
		iv.Lower = 0
	}
	if x >= n {
		iv.Upper = 1
	}
	return iv
}

// NewcombePaired is the difference of two shares, candidate − live, over n
// independent pairs, with its interval. The four counts say in how many pairs the
// event happened in both, in live only, in the candidate only, in neither.
//
//	p_l = (both+liveOnly)/n, p_c = (both+candidateOnly)/n, delta = p_c − p_l
//	(l, u) Wilson interval of each; phi Newcombe's corrected correlation
//	lower = delta − sqrt((p_c−l_c)² − 2 phi (p_c−l_c)(u_l−p_l) + (u_l−p_l)²)
//	upper = delta + sqrt((p_l−l_l)² − 2 phi (p_l−l_l)(u_c−p_c) + (u_c−p_c)²)
//
// Values are in shares, bounds in −1..1. It is never a point, also with no
// discordant pair. If the pairs come in clusters use ClusteredShareDelta.
// Errors: ErrTooFew without pairs, ErrRange for a negative count or a level not
// between 0 and 1.
//
// Source: Newcombe (1998) Stat Med 17:2635, method 10; checked against R
// ratesci, testdata/newcombe_paired.json.
func NewcombePaired(both, liveOnly, candidateOnly, neither int, level float64) (delta float64, iv Interval, err error) {
	if min(both, liveOnly, candidateOnly, neither) < 0 {
		return 0, Interval{}, fmt.Errorf("negative count of pairs: %w", ErrRange)
	}
	if err := checkOpenUnit("level", level); err != nil {
		return 0, Interval{}, err
	}
	a, b, c, d := float64(both), float64(liveOnly), float64(candidateOnly), float64(neither)
	n := a + b + c + d
	if n == 0 {
		return 0, Interval{}, fmt.Errorf("difference of shares over no pairs: %w", ErrTooFew)
	}
	delta = (c - b) / n
	phi := correctedPhi(a, b, c, d)
	iv = squareAndAdd(delta, phi, arm(a+b, n, level), arm(a+c, n, level))
	iv.Level = level
	return delta, iv, nil
}

// correctedPhi is the correlation of the pairs with Newcombe's continuity
// correction: a positive one is shrunk, a table with an empty margin has 0.
func correctedPhi(a, b, c, d float64) float64 {
	margins := math.Sqrt(a+b) * math.Sqrt(c+d) * math.Sqrt(a+c) * math.Sqrt(b+d)
	if margins == 0 {
		return 0
	}
	top := a*d - b*c
	if top > 0 {
		top = max(top-(a+b+c+d)/2, 0)
	}
	return top / margins
}

// NewcombeIndependent is the difference of two shares, candidate − live, of two
// independent sets of trials, with its interval: Wilson intervals joined by
// square-and-add. Bounds lie in −1..1. Errors: ErrTooFew if a set is empty,
// ErrRange as for Wilson.
//
// Source: Newcombe (1998) Stat Med 17:873, method 10; checked against R ratesci
// and the paper's table II, testdata/newcombe_independent.json.
func NewcombeIndependent(xLive, nLive, xCand, nCand int, level float64) (delta float64, iv Interval, err error) {
	if err := checkOpenUnit("level", level); err != nil {
		return 0, Interval{}, err
	}
	if err := checkCount(xLive, nLive); err != nil {
		return 0, Interval{}, fmt.Errorf("live: %w", err)
	}
	if err := checkCount(xCand, nCand); err != nil {
		return 0, Interval{}, fmt.Errorf("candidate: %w", err)
	}
	live := arm(float64(xLive), float64(nLive), level)
	cand := arm(float64(xCand), float64(nCand), level)
	delta = cand.point - live.point
	iv = squareAndAdd(delta, 0, live, cand)
	iv.Level = level
	return delta, iv, nil
}

// reach is a point and how far its interval goes down and up from it.
type reach struct{ point, down, up float64 }

func arm(x, n, level float64) reach {
	p := x / n
	iv := wilson(x, n, level)
	return reach{point: p, down: max(0, p-iv.Lower), up: max(0, iv.Upper-p)}
}

// squareAndAdd joins two intervals of shares into one of their difference.
func squareAndAdd(delta, phi float64, live, cand reach) Interval {
	join := func(a, b float64) float64 {
		return math.Sqrt(max(0, a*a-2*phi*a*b+b*b))
	}
	return Interval{
		Lower: max(-1, delta-join(cand.down, live.up)),
		Upper: min(1, delta+join(live.down, cand.up)),
	}
}
