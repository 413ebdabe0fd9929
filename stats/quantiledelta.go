package stats

import (
	"fmt"
	"math"
)

// QuantileDelta is the difference of the quantile p, candidate − live, of two
// independent sets of ascending values, with its interval by MOVER from the two
// order-statistic intervals (l, u).
//
//	lower = delta − sqrt((q_c−l_c)² + (u_l−q_l)²)
//	upper = delta + sqrt((u_c−q_c)² + (q_l−l_l)²)
//
// A side that needs an open bound is open. On pairs that correlate positively the
// interval is conservative. If a quantile is beyond every finite value (see
// Quantile) delta does not exist: it is 0 with ErrBeyond, and the interval keeps
// the one bound that the formula tends to as that quantile grows without limit,
// lower = l_c − q_l for the candidate, upper = q_c − l_l for live.
//
// Errors: as QuantileCI, for either set, ErrBeyond, and ErrNotFinite on overflow.
//
// Source: Zou & Donner (2008); checked in testdata/quantile_difference.json.
func QuantileDelta(live, candidate []float64, p, level float64) (delta float64, iv Interval, err error) {
	for _, arm := range []struct {
		name   string
		values []float64
	}{{"live", live}, {"candidate", candidate}} {
		if _, err := checkSorted(arm.values); err != nil {
			return 0, Interval{}, fmt.Errorf("%s: %w", arm.name, err)
		}
	}
	return QuantileDeltaOf(values(live), values(candidate), p, level)
}

// QuantileDeltaOf is QuantileDelta of numbers whose order is not checked.
func QuantileDeltaOf(live, candidate Ascending, p, level float64) (delta float64, iv Interval, err error) {
	l, err := quantileReach(live, p, level)
	if err != nil {
		return 0, Interval{}, fmt.Errorf("live: %w", err)
	}
	c, err := quantileReach(candidate, p, level)
	if err != nil {
		return 0, Interval{}, fmt.Errorf("candidate: %w", err)
	}
	iv = Interval{LowerOpen: true, UpperOpen: true, Level: level}
	if !l.beyond && !c.ci.LowerOpen && (c.beyond || !l.ci.UpperOpen) {
		iv.LowerOpen = false
		iv.Lower = c.ci.Lower - l.q
		if !c.beyond {
			iv.Lower = c.q - l.q - math.Hypot(c.q-c.ci.Lower, l.ci.Upper-l.q)
		}
	}
	if !c.beyond && !l.ci.LowerOpen && (l.beyond || !c.ci.UpperOpen) {
		iv.UpperOpen = false
		iv.Upper = c.q - l.ci.Lower
		if !l.beyond {
			iv.Upper = c.q - l.q + math.Hypot(c.ci.Upper-c.q, l.q-l.ci.Lower)
		}
	}
	if !isFinite(c.q-l.q) || !isFinite(iv.Lower) || !isFinite(iv.Upper) {
		return 0, Interval{}, fmt.Errorf("difference of the quantile %v: %w", p, ErrNotFinite)
	}
	if l.beyond || c.beyond {
		return 0, iv, fmt.Errorf("difference of the quantile %v: %w", p, ErrBeyond)
	}
	return c.q - l.q, iv, nil
}

// quantiles is one arm of QuantileDelta; beyond means that q does not exist.
type quantiles struct {
	q      float64
	ci     Interval
	beyond bool
}

func quantileReach(x Ascending, p, level float64) (quantiles, error) {
	ci, err := QuantileCIOf(x, p, level)
	if err != nil {
		return quantiles{}, err
	}
	q, err := quantile(x, x.Finite(), p)
	return quantiles{q: q, ci: ci, beyond: err != nil}, nil
}
