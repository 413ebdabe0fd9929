package judge

import (
	"sync"
	"time"
)

// order knows which judge is asked first. A judge with Failures transport failures
// in a row goes to second place for Cool; then it is first again, if that is its
// place, with a fresh count. It cuts nobody off.
type order struct {
	Breaker
	mu     sync.Mutex
	failed []int       // in a row
	until  []time.Time // second place until then
}

func newOrder(seats int, b Breaker) *order {
	return &order{Breaker: b, failed: make([]int, seats), until: make([]time.Time, seats)}
}

// seats lists the judges in the order in which they are asked now: as configured,
// but those in second place last. When all are there, the configured order holds.
func (o *order) seats(now time.Time) []int {
	o.mu.Lock()
	defer o.mu.Unlock()
	var first, second []int
	for s := range o.until {
		if now.Before(o.until[s]) {
			second = append(second, s)
		} else {
			first = append(first, s)
		}
	}
	return append(first, second...)
}

// failure counts a transport failure and says whether it sends the judge to second
// place. While a judge is there nothing is counted.
func (o *order) failure(seat int, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Before(o.until[seat]) {
		return false
	}
	if o.failed[seat]++; o.failed[seat] < o.Failures {
		return false
	}
	o.failed[seat] = 0
	o.until[seat] = now.Add(o.Cool)
	return true
}

// verdict ends a row of failures. A reply that is no verdict ends none.
func (o *order) verdict(seat int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed[seat] = 0
}
