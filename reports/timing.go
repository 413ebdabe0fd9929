package reports

import "time"

// kind says how a time is to be read.
type kind uint8

const (
	untimed kind = iota // there is none: not asked, or a stream without content
	exact               // it took that long
	cut                 // a time-out: slower than any limit, and longer than its time
	failed              // slower than any limit; its time says nothing
	left                // the user left: longer than its time, not slower than any limit
)

// timing is one call's time in microseconds.
type timing struct {
	us   int64
	kind kind
}

// over says whether the call took longer than the limit, and whether that is known.
// A call that the user left before the limit is not known.
func (t timing) over(limit time.Duration) (over, known bool) {
	late := time.Duration(t.us) > limit/time.Microsecond // whole microseconds: as exact as t.us > limit
	switch t.kind {
	case exact:
		return late, true
	case cut, failed:
		return true, true
	case left:
		return late, late
	}
	return false, false
}
