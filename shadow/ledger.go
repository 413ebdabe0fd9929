package shadow

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// MaxEndpoints is how many different endpoints a ledger keeps apart. Paths come
	// from clients: without a limit anybody could fill the memory by inventing some.
	MaxEndpoints = 100
	// OtherEndpoint is the name under which all further endpoints are counted.
	OtherEndpoint = "other"
	// MaxLines is the largest number of lines of one entry, about 300 KiB of JSON,
	// unless a single day of a single endpoint has more; what is left follows in the next entry.
	MaxLines = 2000

	maxEndpointBytes = 200
	secondsPerDay    = 24 * 60 * 60
	// retireDays is after how many days an empty counter is given up.
	retireDays = 2
)

// Ledger counts what becomes of requests, and gives the counts out as numbered
// entries of the books. It is safe for concurrent use; [Ledger.Count] takes no lock
// but for the first count of a line, and for endpoints that it does not keep apart.
//
// The number of requests seen is not counted by itself: every request is counted
// once, when it is known whether it is sampled, and Take writes Seen as the sum of
// Sampled and NotSampled. So seen = sampled + Σ not_sampled holds in every entry,
// for each day and endpoint, however many requests are on their way meanwhile.
type Ledger struct {
	experiment string
	source     string

	counters atomic.Pointer[map[lineKey]*counter]

	mu        sync.Mutex        // guards all below, and replacing counters
	endpoints map[string]string // each to itself: the copy that lines share
	tallies   []*Tally
	number    uint64
	from      time.Time
	pending   *Books
}

type lineKey struct {
	day      int64 // days since 1970-01-01 UTC
	endpoint string
	entry    Entry
	reason   string
}

// counter is an increment since the last entry; retired marks one that is no longer
// in the map, so that a late count goes to its successor and is not lost.
type counter struct{ n atomic.Int64 }

const retired = math.MinInt64 / 2

// NewLedger starts the books of one process. Source must differ from that of any
// other process and of any earlier start: entries are told apart by source and number.
func NewLedger(experiment, source string) *Ledger {
	l := &Ledger{experiment: experiment, source: source, endpoints: map[string]string{}}
	l.counters.Store(&map[lineKey]*counter{})
	return l
}

// Count adds one to a line. At is when the request arrived. Reason belongs to the
// closed list of the entry and is empty where it has none. Seen needs no call and
// is ignored, see [Ledger].
//
// After MaxEndpoints different endpoints further ones are counted as OtherEndpoint,
// and so is a path of more than 200 bytes.
func (l *Ledger) Count(at time.Time, endpoint string, entry Entry, reason string) {
	if entry == Seen {
		return
	}
	key := lineKey{dayOf(at), endpoint, entry, reason}
	for {
		c := (*l.counters.Load())[key]
		if c == nil {
			c = l.open(at, key)
		}
		if c.n.Add(1) > 0 {
			return
		}
	}
}

// open finds or makes the counter of a key, under the name that its endpoint has in the books.
func (l *Ledger) open(at time.Time, key lineKey) *counter {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin(at)
	return l.counter(key)
}

// begin starts the time of the first entry, once.
func (l *Ledger) begin(at time.Time) {
	if l.from.IsZero() {
		l.from = at.UTC()
	}
}

// counter finds or makes a counter under the lock, with which none is given up meanwhile.
func (l *Ledger) counter(key lineKey) *counter {
	key.endpoint = l.name(key.endpoint)
	all := *l.counters.Load()
	if c := all[key]; c != nil {
		return c
	}
	c := new(counter)
	more := maps.Clone(all)
	more[key] = c
	l.counters.Store(&more)
	return c
}

func (l *Ledger) name(endpoint string) string {
	endpoint = strings.ToValidUTF8(endpoint, "\uFFFD")
	if known, ok := l.endpoints[endpoint]; ok {
		return known
	}
	if len(endpoint) > maxEndpointBytes || len(l.endpoints) >= MaxEndpoints {
		return OtherEndpoint
	}
	own := strings.Clone(endpoint)
	l.endpoints[own] = own
	return own
}

// Take gives what was counted since the last entry as the next one, and false if
// nothing was. An entry stays the same, number and lines, until [Ledger.Taken] says
// that it is published: offering it again loses nothing and counts nothing twice.
//
// Lines are sorted by day, endpoint, entry (seen, not_sampled, sampled, published,
// dropped, dead) and reason. In the sum of all entries sampled ≥ published + Σ dropped
// for each day and endpoint, if the former is counted before the latter.
func (l *Ledger) Take(now time.Time) (Books, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle(dayOf(now))
	if l.pending != nil {
		return l.pending.clone(), true
	}
	lines := l.drain()
	l.retire(dayOf(now))
	if len(lines) == 0 {
		return Books{}, false
	}
	l.number++
	l.pending = &Books{
		Experiment: l.experiment, Source: l.source, Number: l.number,
		From: l.from, To: now.UTC(), Lines: lines,
	}
	l.from = now.UTC()
	return l.pending.clone(), true
}

func (b Books) clone() Books {
	b.Lines = slices.Clone(b.Lines)
	return b
}

// Taken says that entry number is published, so that the next Take gives a new one.
// Any number but the one that waits has no effect.
func (l *Ledger) Taken(number uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil && l.pending.Number == number {
		l.pending = nil
	}
}

// drain empties the counters, group by group. Within a day and an endpoint the
// later facts are read first: what is counted between two reads can make the sum of
// outcomes too small for now, never too large.
func (l *Ledger) drain() []Line {
	all := *l.counters.Load()
	keys := slices.SortedFunc(maps.Keys(all), compareLines)
	var lines []Line
	for len(keys) > 0 && len(lines) < MaxLines {
		n := 1
		for n < len(keys) && keys[n].day == keys[0].day && keys[n].endpoint == keys[0].endpoint {
			n++
		}
		lines = appendGroup(lines, all, keys[:n])
		keys = keys[n:]
	}
	return lines
}

func appendGroup(lines []Line, all map[lineKey]*counter, keys []lineKey) []Line {
	counts := make([]int64, len(keys))
	var seen int64
	for i, key := range slices.Backward(keys) {
		counts[i] = all[key].n.Swap(0)
		if key.entry == EntrySampled || key.entry == EntryNotSampled {
			seen += counts[i]
		}
	}
	if seen > 0 {
		lines = append(lines, keys[0].line(Seen, "", seen))
	}
	for i, key := range keys {
		if counts[i] > 0 {
			lines = append(lines, key.line(key.entry, key.reason, counts[i]))
		}
	}
	return lines
}

func (k lineKey) line(e Entry, reason string, count int64) Line {
	day := time.Unix(k.day*secondsPerDay, 0).UTC().Format(time.DateOnly)
	return Line{Day: day, Endpoint: k.endpoint, Entry: e, Reason: reason, Count: count}
}

// retire gives up the empty counters of past days.
func (l *Ledger) retire(today int64) {
	all := *l.counters.Load()
	old := func(key lineKey, c *counter) bool {
		return key.day < today-retireDays && c.n.CompareAndSwap(0, retired)
	}
	var kept map[lineKey]*counter
	for key, c := range all {
		if !old(key, c) {
			continue
		}
		if kept == nil {
			kept = maps.Clone(all)
		}
		delete(kept, key)
	}
	if kept != nil {
		l.counters.Store(&kept)
	}
}

func compareLines(a, b lineKey) int {
	return cmp.Or(
		cmp.Compare(a.day, b.day),
		cmp.Compare(a.endpoint, b.endpoint),
		cmp.Compare(entryOrder(a.entry), entryOrder(b.entry)),
		cmp.Compare(a.entry, b.entry),
		cmp.Compare(a.reason, b.reason),
	)
}

func entryOrder(e Entry) int {
	order := [...]Entry{Seen, EntryNotSampled, EntrySampled, EntryPublished, EntryDropped}
	if i := slices.Index(order[:], e); i >= 0 {
		return i
	}
	return len(order)
}

// dayOf counts days since 1970-01-01, in UTC, rounding down before it.
func dayOf(t time.Time) int64 {
	s := t.Unix()
	day := s / secondsPerDay
	if s%secondsPerDay < 0 {
		day--
	}
	return day
}
