package shadow

import (
	"sync/atomic"
	"time"
)

// Tally counts one line of a [Ledger] that asks for no clock: what it counts belongs
// to the day of the next [Ledger.Take], published or not. It is for what happens at
// every request; with an entry every few seconds, those of the last seconds before
// midnight (UTC) may stand on the next day.
//
// It is safe for concurrent use and takes no lock.
type Tally struct {
	n   atomic.Int64
	key lineKey // without a day
}

// Tally starts a tally of a line, as [Ledger.Count] names it, at a time. A ledger keeps
// all its tallies; several of the same line add up.
func (l *Ledger) Tally(at time.Time, endpoint string, entry Entry, reason string) *Tally {
	t := &Tally{key: lineKey{endpoint: endpoint, entry: entry, reason: reason}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin(at)
	if entry != Seen { // which is a sum, see Ledger
		l.tallies = append(l.tallies, t)
	}
	return t
}

// Add counts one.
func (t *Tally) Add() { t.n.Add(1) }

// settle moves what tallies counted to a day. It is called under the lock.
func (l *Ledger) settle(day int64) {
	for _, t := range l.tallies {
		if n := t.n.Swap(0); n > 0 {
			key := t.key
			key.day = day
			l.counter(key).n.Add(n)
		}
	}
}
