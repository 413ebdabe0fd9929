package tap

import (
	"cmp"
	"maps"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Recorded requests that lie further from now than this are refused by [Tap.Offer]: a
// clock or a unit is wrong, and books keep a line for each day.
const (
	maxPast   = 31 * 24 * time.Hour
	maxFuture = time.Hour
)

// Fate says what became of an offered document; the zero Fate was taken.
type Fate struct {
	NotSampled shadow.NotSampled
	Dropped    shadow.Dropped
}

// Offer takes a document like a request that passed through the tap: it is drawn,
// counted in the same books, queued and published. It never waits, and
// says at once what it knows: the bus may still turn out to be down, which the books
// say. err is [Faults] for a document that is refused; it is counted, too, as
// dropped[malformed]. d's bytes are the tap's from then on.
//
// A document whose id a sample has already is not_sampled[duplicate]: the tap knows the
// last 30,000 ids that it took, and the bus those of two minutes from all processes.
// One that comes again later, or after a restart, is one sample, but is counted twice.
func (t *Tap) Offer(d Document) (Fate, error) {
	now := time.Now()
	if d.Seen.IsZero() {
		d.Seen = now
	}
	if faults := t.odd(&d, now); faults != nil {
		t.dropOther(shadow.DroppedMalformed)
		return Fate{}, faults
	}
	drawing := *t.drawing.Load()
	if d.Rate > 0 {
		drawing.rate = 1
	}
	a, f := t.drawn(&d, drawing, "service")
	if f != (fate{}) {
		t.count(a, f)
	} else {
		f = t.once(a, d)
	}
	return Fate{f.notSampled, f.dropped}, nil
}

// once hands a drawn document on, unless one of its id went this way before.
func (t *Tap) once(a arrival, d Document) (f fate) {
	named := d.ID != ""
	if named && !t.recent.add(a.id) {
		f.notSampled = shadow.NotSampledDuplicate
		t.count(a, f)
		return f
	}
	c, f := t.recorded(a, d)
	if c != nil {
		f = t.accept(c)
	} else {
		t.count(a, f)
	}
	if named && f != (fate{}) {
		t.recent.remove(a.id) // who sends it again may have better luck
	}
	return f
}

// odd says what can be said at once of a document that would never be a sample.
func (t *Tap) odd(d *Document, now time.Time) Faults {
	if d.Seen.Before(now.Add(-maxPast)) || d.Seen.After(now.Add(maxFuture)) {
		return Faults{{"/seen", "is too far from now", "the time of the request; files of the past are for understudy replay"}}
	}
	dialect := t.endpoints.of(d.Endpoint).dialect
	if dialect == "" {
		return nil
	}
	if turns, err := llm.Conversation(dialect, d.Request); err != nil || len(turns) == 0 {
		return Faults{{"/request", "holds no conversation", "a whole request of " + string(dialect)}}
	}
	return nil
}

// Lost counts n documents that were lost on the way here, for want of room.
func (t *Tap) Lost(n int) {
	for range n {
		t.dropOther(shadow.DroppedQueueFull)
	}
}

// Sample makes a sample of a document of any age, drawn at the tap's rate among those
// that it stands for. It counts and queues nothing; Seq is for the caller to set.
func (t *Tap) Sample(d Document) (shadow.Sample, Fate) {
	if d.Seen.IsZero() {
		d.Seen = time.Now()
	}
	a, f := t.drawn(&d, *t.drawing.Load(), "recorded")
	var c *capture
	if f == (fate{}) {
		c, f = t.recorded(a, d)
	}
	var s shadow.Sample
	if c != nil {
		defer t.release(c)
		f = t.contained(c, &s)
	}
	return s, Fate{f.notSampled, f.dropped}
}

// TagVantage is the tag that tells where the live answer's times were measured when it
// was not here: by the service that posted the sample, or by whoever recorded it.
const TagVantage = "vantage"

// drawn draws a document and gives the facts of its arrival, those of endpoint and time
// also of one that is no sample.
func (t *Tap) drawn(d *Document, now drawing, vantage string) (arrival, fate) {
	a := arrival{at: d.Seen, endpoint: t.endpoints.of(d.Endpoint)}
	if a.endpoint.dialect == "" {
		return a, fate{notSampled: shadow.NotSampledUnsupported}
	}
	a.session = tidyKey(d.Session)
	if blank(a.session) {
		a.session, _ = t.session(a.endpoint.dialect, d.Header, d.Request, true)
	}
	p := t.place(d, now.lot, a.session)
	switch {
	case !(p.draw < now.rate):
		return a, fate{notSampled: shadow.NotSampledRate}
	case d.size() > t.o.MaxBody:
		return a, fate{notSampled: shadow.NotSampledTooLarge}
	}
	own := cmp.Or(d.Rate, 1)
	a.id, a.rate, a.draw = p.id, own*now.rate, own*p.draw
	a.route, a.header = tidyKey(d.Route), dialectHeaders(a.endpoint.dialect, d.Header)
	a.tags = map[string]string{TagVantage: vantage}
	maps.Copy(a.tags, d.Tags)
	return a, fate{}
}

// recorded makes a finished capture of a document, nil if there is no memory for it.
func (t *Tap) recorded(a arrival, d Document) (*capture, fate) {
	weight := d.size()
	if !t.budget.take(ownBytes + weight) {
		return nil, fate{dropped: shadow.DroppedQueueFull}
	}
	c := t.captures.Get().(*capture)
	c.start(a, t.o.MaxBody)
	c.document, c.weight, c.requestEnd = &d, weight, true
	return c, fate{}
}

// place is where a document's draw puts it.
type place struct {
	id   shadow.SampleID
	draw float64
}

// place draws a document as a request is drawn, so that a session is kept in all
// processes and on all ways in, or in none. One that was drawn elsewhere is drawn in a
// lot of its own: whatever drew it, its place among those is uniform, as shares need it.
func (t *Tap) place(d *Document, lot shadow.Lot, session string) place {
	if d.Rate > 0 {
		lot = shadow.NewLot(t.o.Salt + "\x00drawn elsewhere")
	}
	id := d.SampleID()
	if id == (shadow.SampleID{}) {
		id = newID()
	}
	key := string(id[:])
	if session != "" && t.o.SampleBy == BySession {
		key = session
	}
	return place{id, lot.Draw(key)}
}
