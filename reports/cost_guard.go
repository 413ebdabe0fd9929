package reports

// leavesCostOut says whether cost is not guarded because it is not known.
func (g Gate) leavesCostOut(c Comparison) bool { return g.CostIfKnown && c.CostIncrease.Pairs == 0 }

// costCheck holds the relative increase of cost per answer to its limit, by the
// interval of the ratio. Where the other arm is free, only a free candidate passes.
func costCheck(d CostDelta, limit float64) Check {
	check := Check{
		Code: CodeCostIncrease, State: Unknown, Limit: limit, Unit: unitTimes, Against: d.Against, N: d.Pairs,
		what: "increase of cost per answer",
	}
	switch {
	case d.Pairs == 0:
		check.Code = CodeCostUnknown
	case *d.Other == 0 && *d.Candidate == 0:
		check.State, check.Value = Pass, new(0.0)
	case *d.Other == 0:
		check.State = Fail
	default:
		check.Value = new(*d.Ratio - 1)
		if iv := d.RatioInterval; iv != nil {
			check.Interval = &Interval{Lower: new(*iv.Lower - 1), Upper: new(*iv.Upper - 1), Level: iv.Level}
		}
		check.State, check.More = check.Interval.Against(limit), check.moreByWidth()
	}
	return check
}

// moreByWidth is how many more pairs part the value from the limit, if it stays and
// its interval shrinks with the square root of their number.
func (c Check) moreByWidth() *int {
	if c.Interval == nil || *c.Value == c.Limit {
		return nil
	}
	half := *c.Interval.Upper - *c.Value
	if *c.Value > c.Limit {
		half = *c.Value - *c.Interval.Lower
	}
	gap := half / (c.Limit - *c.Value)
	if more := float64(c.N) * (gap*gap - 1); more > 0 && more < maxProjection {
		return new(int(more) + 1)
	}
	return nil
}
