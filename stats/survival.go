package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Survival is a Kaplan-Meier curve: the share of observations that take longer
// than t, when some of them were cut off before they were done.
type Survival struct {
	n, events int
	first     float64 // smallest time of all
	last      float64 // largest time of all
	time      []float64
	share     []float64 // S just after time[i]
	greenwood []float64 // Σ d/(n (n−d)) up to time[i]
}

// SurvivalPoint is the curve at one time: the share still open, its standard
// error (Greenwood) and interval. SE and CI belong to Share.
type SurvivalPoint struct {
	Share, SE float64
	CI        Interval
}

// KaplanMeier builds the curve. time[i] is when observation i ended, done[i]
// whether it was finished then (false: cut off, it took longer than that). Order
// does not matter and neither slice is changed. What is cut off at the time of an
// event counts as still open at it.
//
//	S(t) = Π over event times t_i ≤ t of (1 − d_i / n_i)
//
// With one fixed limit T and no other cut this says no more than counting the cut
// ones as "> T": use Quantile then. Errors: ErrMismatch, ErrNotFinite, ErrTooFew
// without observations.
//
// Source: Kaplan & Meier (1958); checked against R survival,
// testdata/kaplan_meier.json.
func KaplanMeier(time []float64, done []bool) (Survival, error) {
	if err := checkLen("done", len(done), len(time)); err != nil {
		return Survival{}, err
	}
	if err := checkFinite("time", time); err != nil {
		return Survival{}, err
	}
	if len(time) == 0 {
		return Survival{}, fmt.Errorf("curve of no observations: %w", ErrTooFew)
	}
	order := make([]int, len(time))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(time[a], time[b]) })
	s := Survival{n: len(time), first: time[order[0]], last: time[order[len(order)-1]]}
	for i := 0; i < len(order); {
		t, d, j := time[order[i]], 0, i
		for ; j < len(order) && time[order[j]] == t; j++ {
			if done[order[j]] {
				d++
			}
		}
		s.step(t, d, len(order)-i)
		i = j
	}
	return s, nil
}

// step records d events at time t among those still at risk.
func (s *Survival) step(t float64, d, atRisk int) {
	if d == 0 {
		return
	}
	share, greenwood := 1.0, 0.0
	if last := len(s.time) - 1; last >= 0 {
		share, greenwood = s.share[last], s.greenwood[last]
	}
	n, left := float64(atRisk), float64(atRisk-d)
	s.time = append(s.time, t)
	s.share = append(s.share, share*left/n)
	s.greenwood = append(s.greenwood, greenwood+float64(d)/n/left) // infinite once none is left: see At
	s.events += d
}

// Counts are the observations and how many of them were finished.
func (s Survival) Counts() (n, events int) { return s.n, s.events }

// At is the curve at time t, with its interval on the log-log scale,
// S^exp(∓ z sqrt(V) / log S).
//
// Before the first observation nothing can have ended: Share 1, SE 0, 1 to 1.
// With S = 1 after that the interval is open on both sides. After the last
// observation the last value is returned; the true share may be smaller. Errors:
// ErrRange for the level or a t that is NaN; ErrTooFew for the zero Survival;
// ErrUndefined once none is left, with Share 0 filled and CI open. Source: Greenwood
// (1926), Kalbfleisch & Prentice (1980); testdata/kaplan_meier.json.
func (s Survival) At(t, level float64) (SurvivalPoint, error) {
	if err := s.check(level); err != nil {
		return SurvivalPoint{}, err
	}
	if math.IsNaN(t) {
		return SurvivalPoint{}, fmt.Errorf("time %v: %w", t, ErrRange)
	}
	if t < s.first {
		return SurvivalPoint{Share: 1, CI: Interval{Lower: 1, Upper: 1, Level: level}}, nil
	}
	open := Interval{LowerOpen: true, UpperOpen: true, Level: level}
	i := sort.Search(len(s.time), func(i int) bool { return s.time[i] > t }) - 1
	if i < 0 {
		return SurvivalPoint{Share: 1, CI: open}, nil
	}
	if s.share[i] == 0 {
		return SurvivalPoint{CI: open}, fmt.Errorf("standard error with none left at %v: %w", t, ErrUndefined)
	}
	lower, upper := s.band(i, level)
	return SurvivalPoint{
		Share: s.share[i],
		SE:    s.share[i] * math.Sqrt(s.greenwood[i]),
		CI:    Interval{Lower: lower, Upper: upper, Level: level},
	}, nil
}

func (s Survival) check(level float64) error {
	if s.n == 0 {
		return fmt.Errorf("curve of no observations: %w", ErrTooFew)
	}
	return checkOpenUnit("level", level)
}

// band is the log-log interval at step i, where 0 < S < 1.
func (s Survival) band(i int, level float64) (lower, upper float64) {
	logS := math.Log(s.share[i])
	w := zQuantile(level) * math.Sqrt(s.greenwood[i]) / logS // negative
	return math.Exp(logS * math.Exp(-w)), math.Exp(logS * math.Exp(w))
}

// Quantile is the time within which a share p of all observations ends, and its
// interval: where the curve, its lower and its upper band come down to 1 − p. A
// curve that lies on 1 − p between two steps gives their midpoint (R's rule); its
// last level reaches to the last time observed.
//
// If the curve stays above 1 − p the quantile is unknown: the result is the last
// time observed and ErrBeyond; print "> last". A bound that its band does not
// reach is open. Errors: ErrBeyond; ErrRange unless p and level are between 0 and
// 1; ErrTooFew for the zero Survival. Source: Brookmeyer & Crowley (1982) on the
// log-log scale; testdata/kaplan_meier.json.
func (s Survival) Quantile(p, level float64) (float64, Interval, error) {
	if err := s.check(level); err != nil {
		return 0, Interval{}, err
	}
	if err := checkOpenUnit("p", p); err != nil {
		return 0, Interval{}, err
	}
	lower, upper := make([]float64, 0, len(s.time)), make([]float64, 0, len(s.time))
	for i, v := range s.share {
		if v > 0 {
			l, u := s.band(i, level)
			lower, upper = append(lower, l), append(upper, u)
		}
	}
	iv := Interval{Level: level}
	var ok bool
	if iv.Lower, ok = s.cross(lower, p); !ok {
		iv.Lower, iv.LowerOpen = 0, true
	}
	if iv.Upper, ok = s.cross(upper, p); !ok {
		iv.Upper, iv.UpperOpen = 0, true
	}
	q, ok := s.cross(s.share, p)
	if !ok {
		return s.last, iv, fmt.Errorf("quantile %v of a curve that stays above it: %w", p, ErrBeyond)
	}
	return q, iv, nil
}

// cross is the first time at which curve is at most 1 − p.
func (s Survival) cross(curve []float64, p float64) (float64, bool) {
	const tol = 0x1p-26 // sqrt(eps): products of fractions that equal 1 − p
	for i, v := range curve {
		if v > 1-p+tol {
			continue
		}
		if v < 1-p-tol {
			return s.time[i], true
		}
		next := s.last
		if i+1 < len(s.time) {
			next = s.time[i+1]
		}
		return s.time[i]/2 + next/2, true
	}
	return 0, false
}
