package reports

// decisiveArm is what a decision needs of an arm's report.
func decisiveArm(a Arm, v view, arm int, e Experiment) ArmReport {
	r, _ := countedArm(a, v, arm, e)
	if len(e.Gate.FirstTokenOver) > 0 {
		r.FirstToken = firstTokenOf(v, arm, e)
	}
	return r
}

// decisiveComparison is what a decision needs of a comparison.
func decisiveComparison(i int, v view, e Experiment) Comparison {
	r, c := comparedOf(i, v, e)
	if e.Gate.CostIncrease != nil {
		r.CostIncrease = costDelta(c.against, r.Against, e.Level)
	}
	if e.Gate.P95Increase != nil {
		r.P95 = p95Of(c.against, e)
	}
	return r
}
