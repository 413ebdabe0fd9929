package reports

import "fmt"

// missingWords says what the missing grades could do to quality: the difference with
// all of them at their worst, or at their best, held to the margin. That takes no
// account of chance; the interval does. could: they could turn what passed or failed.
func missingWords(check Check, q Quality) (text string, could bool) {
	b := q.Bounds
	n := b.Planned - b.Complete
	if n == 0 || b.Low == nil {
		return "", false
	}
	d := decimals(q.Delta.SE)
	f := func(v float64) string { return beside(v, check.Limit, d, signed) }
	pairs := fmt.Sprintf("%s without both grades", counted(n, "pair"))
	switch {
	case check.State == Unknown:
		return fmt.Sprintf("%s: at their best and worst the difference is %s to %s; the grades are open anyway", pairs, f(*b.Low), f(*b.High)), false
	case check.State == Pass && *b.High < check.Limit:
		return fmt.Sprintf("%s: at their worst for the candidate the difference is %s, still within the margin, so they cannot turn the grades", pairs, f(*b.High)), false
	case check.State == Pass:
		return fmt.Sprintf("%s: at their worst for the candidate the difference is %s, not within the margin %s, so they could turn the grades", pairs, f(*b.High), limitNumber(check.Limit)), true
	case *b.Low > check.Limit:
		return fmt.Sprintf("%s: at their best for the candidate the difference is %s, still beyond the margin, so they cannot turn the grades", pairs, f(*b.Low)), false
	}
	return fmt.Sprintf("%s: at their best for the candidate the difference is %s, not beyond the margin %s, so they could turn the grades", pairs, f(*b.Low), limitNumber(check.Limit)), true
}
