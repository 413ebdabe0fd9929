package reports

import "time"

// given is what a report is told beside rows, books and experiment.
type given struct {
	now   time.Time // zero: not told
	marks []Mark
}

// Option tells a report what the rows cannot.
type Option func(*given)

// AsOf is the time at which the report is made: a week that has not ended by then is
// marked as incomplete. Without it only the rows say what there was.
func AsOf(now time.Time) Option { return func(g *given) { g.now = now } }

func givenBy(options []Option) given {
	var g given
	for _, o := range options {
		o(&g)
	}
	return g
}
