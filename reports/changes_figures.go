package reports

import (
	"errors"
	"math"

	"github.com/understudy-eval/understudy/stats"
)

// gradeMean is an arm's mean grade in a view.
func (v view) gradeMean(arm int) Estimate {
	var r ArmReport
	r.countGrades(v, arm, Experiment{})
	r.estimateMean(v, arm)
	return r.Mean
}

// estimate is e as the estimators have it; without a standard error it has no DF.
func (e Estimate) estimate() stats.Estimate {
	out := stats.Estimate{N: e.N, Clusters: e.Sessions}
	if e.Value != nil {
		out.Value = *e.Value
	}
	if e.SE != nil && e.DF != nil {
		out.SE, out.DF = *e.SE, *e.DF
	}
	return out
}

// meanChange needs a mean in both weeks.
func meanChange(before, after Estimate, level float64) (Change, bool) {
	if before.Value == nil || after.Value == nil {
		return Change{}, false
	}
	c := Change{Figure: FigureMean, Unit: unitGrades, Before: *before.Value, After: *after.Value, Delta: *after.Value - *before.Value}
	if d, err := stats.Difference(before.estimate(), after.estimate()); err == nil {
		c.setSE(d)
		c.Interval = intervalOf(d.CI(level))
	}
	return c, true
}

// setSE fills the standard error and what follows from it.
func (c *Change) setSE(d stats.Estimate) {
	t, err := d.InSE()
	if err != nil {
		return
	}
	c.SE, c.InSE, c.Beyond = new(d.SE), new(t), math.Abs(t) > standsOut
}

// shareChange needs calls in both weeks.
func shareChange(before, after share01, level float64) (Change, bool) {
	nBefore, nAfter := before.calls.rows, after.calls.rows
	delta, iv, err := stats.NewcombeIndependent(before.x, nBefore, after.x, nAfter, level)
	if err != nil {
		return Change{}, false
	}
	c := Change{Unit: unitShare, Before: ratio(before.x, nBefore), After: ratio(after.x, nAfter), Delta: delta}
	first, errFirst := before.calls.mean(before.column)
	second, errSecond := after.calls.mean(after.column)
	clustered := before.calls.clustered() || after.calls.clustered() || before.calls.keyless || after.calls.keyless
	d, err := stats.Difference(first, second)
	switch {
	case errFirst != nil || errSecond != nil:
		if clustered { // its error is not known
			return c, true
		}
	case err == nil:
		if own, err := d.CI(level); err == nil && clustered {
			iv.Lower, iv.Upper = max(-1, min(iv.Lower, own.Lower)), min(1, max(iv.Upper, own.Upper))
		}
		p, _ := d.PValue(0)
		if delta != 0 && (before.same() || after.same()) {
			d.SE = max(d.SE, towardsNone(delta, iv, level))
			p = max(p, math.Erfc(math.Abs(delta)/d.SE/math.Sqrt2))
		}
		if c.setSE(d); c.InSE != nil {
			c.P = new(p)
		}
	}
	c.Interval = intervalOf(iv, nil)
	return c, true
}

// same says that the event happened to all calls or to none: their own standard error
// is 0, which they do not deserve.
func (f share01) same() bool { return f.x == 0 || f.x == f.calls.rows }

// towardsNone is the standard error that the end of an interval on the side of no
// change stands for, by the normal distribution.
func towardsNone(delta float64, iv stats.Interval, level float64) float64 {
	reach := delta - iv.Lower
	if delta < 0 {
		reach = iv.Upper - delta
	}
	return reach / (math.Sqrt2 * math.Erfinv(level))
}

// p95Change needs a p95 in both weeks that does not lie among failed calls.
func p95Change(before, after *times, level float64) (Change, bool) {
	first, second := before.ranked(), after.ranked()
	a, errA := stats.QuantileOf(first, 0.95)
	b, errB := stats.QuantileOf(second, 0.95)
	delta, iv, err := stats.QuantileDeltaOf(first, second, 0.95, level)
	if err := errors.Join(errA, errB, err); err != nil {
		return Change{}, false
	}
	seconds := func(us float64) float64 { return micros(us).Seconds() }
	c := Change{Figure: FigureP95, Unit: unitSeconds, Before: seconds(a), After: seconds(b), Delta: seconds(delta)}
	iv.Lower, iv.Upper = seconds(iv.Lower), seconds(iv.Upper)
	if c.Interval = intervalOf(iv, nil); c.Interval != nil {
		c.Beyond = c.Interval.Against(0) != Unknown
	}
	return c, true
}
