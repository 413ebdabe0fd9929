package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// project fills in how much longer it takes until what is open is settled. Before
// the grades have a standard error only the end of the burn-in can be foreseen: what
// a guard needs says nothing of the grades.
func (d *Decision) project(r Report, c Comparison) {
	d.MorePairs, d.Settles = d.more(c.Quality)
	if d.MorePairs == nil {
		return
	}
	days := math.Ceil(float64(*d.MorePairs)/pairsPerDay(r, c) - 1e-9)
	if !(days <= longest) {
		return
	}
	d.MoreDays = new(int(days))
	end, stop := r.Last.AddDate(0, 0, *d.MoreDays), r.Experiment.Stop
	d.AfterStop = !stop.IsZero() && !end.Before(stop)
}

// more is how many pairs settle which checks: all that are open, if each has a
// number; else, or where a guard needs most before the burn-in has ended, the one
// that needs most.
func (d *Decision) more(q Quality) (*int, []Code) {
	open := d.open()
	if d.Quality.State == Unknown && q.Delta.SE == nil {
		if d.Quality.Code != CodeBurnIn {
			return nil, []Code{}
		}
		return d.Quality.More, []Code{CodeBurnIn}
	}
	var most Check
	all, codes := true, []Code{}
	for _, check := range open {
		codes = append(codes, check.Code)
		all = all && check.More != nil
		if check.More != nil && (most.More == nil || *check.More > *most.More) {
			most = check
		}
	}
	switch {
	case most.More == nil:
		return nil, []Code{}
	case !all || (d.Quality.Code == CodeBurnIn && most.Code != CodeBurnIn):
		return most.More, []Code{most.Code}
	}
	return most.More, codes
}

// open are the checks that are neither passed nor failed.
func (d *Decision) open() []Check {
	return slices.DeleteFunc(append([]Check{d.Quality}, d.Guards...), func(c Check) bool { return c.State != Unknown })
}

// pairsPerDay is the rate of graded pairs between the first and the last sample, or 0
// if these lie less than a day apart.
func pairsPerDay(r Report, c Comparison) float64 {
	days := r.Last.Sub(r.First).Hours() / 24
	if days < 1 {
		return 0
	}
	return float64(c.Quality.Delta.N) / days
}

// morePairs prints MorePairs, with the days that they take and the plan where that
// goes beyond them: about 1,200 more pairs (about 40 more days at the rate so far).
func (d Decision) morePairs(r Report, c Comparison) string {
	more := about(*d.MorePairs)
	var notes []string
	if d.MoreDays != nil {
		days := about(*d.MoreDays)
		note := fmt.Sprintf("about %s more day%s at the rate so far", number(days), ending(days == 1))
		if d.AfterStop {
			note += ", which is after the stop date " + r.Experiment.Stop.UTC().Format(dayFormat)
		}
		notes = append(notes, note)
	}
	if plan := r.Experiment.Gate.PlannedPairs; plan > 0 && c.Quality.Delta.N+more > plan {
		notes = append(notes, "planned: "+number(plan))
	}
	text := fmt.Sprintf("about %s more pair%s", number(more), ending(more == 1))
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	return text
}

// moreShort prints MorePairs and MoreDays, and what comes of it if the stop is earlier.
func (d Decision) moreShort() string {
	more := about(*d.MorePairs)
	text := fmt.Sprintf("about %s more pair%s", number(more), ending(more == 1))
	if d.MoreDays != nil {
		days := about(*d.MoreDays)
		text += fmt.Sprintf(" in about %s more day%s", number(days), ending(days == 1))
	}
	if what := d.settled(); what != "it" {
		text += " for " + what
	}
	text += ", if the figures stay"
	if d.AfterStop {
		text += "; before that, the stop date makes it a no-go, as undecided"
	}
	return text
}

// settled names what MorePairs belongs to: "it" if that is all that is open.
func (d Decision) settled() string {
	open := d.open()
	if len(d.Settles) == len(open) {
		return "it"
	}
	for _, check := range open {
		if check.Code == d.Settles[0] {
			return check.what
		}
	}
	return ""
}

// endsBurnIn reports whether MorePairs is only what the burn-in still needs.
func (d Decision) endsBurnIn(q Quality) bool {
	return d.MorePairs != nil && q.Delta.SE == nil && d.Quality.Code == CodeBurnIn
}
