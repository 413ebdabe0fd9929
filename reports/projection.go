package reports

import "fmt"

// projection says how many more pairs would settle what is open, or nothing if that
// cannot be said: before the burn-in or without a standard error, a number that
// rests on a guard alone says nothing of the grades.
type projection struct {
	// pairs is "about 1,200 more pairs", with the plan where that goes beyond it.
	pairs string
	// settles is "it", or the only check that the number belongs to.
	settles string
}

// project prints MorePairs. The check that needs most is named unless every open
// check has a number.
func project(d Decision, r Report, c Comparison) (projection, bool) {
	early := d.Quality.State == Unknown && !c.Quality.Burn.Reached
	if d.MorePairs == nil || (d.Quality.State == Unknown && c.Quality.Delta.SE == nil) {
		return projection{}, false
	}
	p, all := projection{settles: "it"}, true
	var most Check
	for _, check := range append([]Check{d.Quality}, d.Guards...) {
		if check.State != Unknown {
			continue
		}
		all = all && check.More != nil
		if check.More != nil && (most.More == nil || *check.More > *most.More) {
			most = check
		}
	}
	byGuard := most.Code != d.Quality.Code
	if !all || (early && byGuard) {
		p.settles = most.what
	}
	more := about(*d.MorePairs)
	p.pairs = fmt.Sprintf("about %s more pair%s", number(more), ending(more == 1))
	if plan := r.Experiment.Gate.PlannedPairs; plan > 0 && c.Quality.Delta.N+more > plan {
		p.pairs += fmt.Sprintf(" (planned: %s)", number(plan))
	}
	return p, true
}
