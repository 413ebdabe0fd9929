package tap

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// Publisher takes what a tap has to say. Both methods may be called from several
// goroutines at once, give up when ctx ends, and keep nothing of their arguments.
type Publisher interface {
	// PublishSample stores a sample. [shadow.ErrTooLarge] counts the request as
	// not_sampled[too_large], [shadow.ErrDuplicate] as not_sampled[duplicate], any other
	// error as dropped.
	PublishSample(ctx context.Context, s shadow.Sample) error
	// PublishBooks stores an entry of the books. After an error the same entry is
	// offered again.
	PublishBooks(ctx context.Context, b shadow.Books) error
}

// Tap samples requests. It is safe for concurrent use; Run must run for anything to
// be published, and until then captures wait in the queue as far as they fit.
type Tap struct {
	o         Options
	publisher Publisher
	endpoints *endpoints
	ledger    *shadow.Ledger
	drawing   atomic.Pointer[drawing]
	budget    *budget
	captures  sync.Pool // of *capture
	queue     chan *capture
	turns     turns
	recent    recent
	seq       atomic.Uint64
	started   atomic.Bool
	stopped   atomic.Bool // nothing new is taken
	drained   atomic.Bool // nobody reads the queue any more
}

// New makes a tap that publishes through p. It fails if an option is out of range.
func New(o Options, p Publisher) (*Tap, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	ledger := shadow.NewLedger(o.Experiment, o.Source)
	t := &Tap{
		o:         o,
		publisher: p,
		endpoints: newEndpoints(o.Endpoints, ledger),
		ledger:    ledger,
		budget:    &budget{limit: o.Queue.Bytes},
		queue:     make(chan *capture, o.Queue.Items),
	}
	t.drawing.Store(&drawing{o.Rate, shadow.NewLot(o.Salt)})
	t.captures.New = func() any { return newCapture(t.budget) }
	return t, nil
}

// drawing is how requests are drawn at a time.
type drawing struct {
	rate float64
	lot  shadow.Lot
}

// Redraw changes rate and salt for requests that arrive from now on. Each sample keeps
// the rate under which it was drawn.
func (t *Tap) Redraw(rate float64, salt string) error {
	if err := checkRate(rate); err != nil {
		return err
	}
	t.drawing.Store(&drawing{rate, shadow.NewLot(salt)})
	return nil
}

// Middleware taps what next serves. A request outside the sample reaches next with
// the caller's own writer and request. For one inside it the writer is a copy that
// offers the same optional interfaces, and r.Body reads through a copy; everything
// else of r is the caller's own.
func (t *Tap) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := t.decide(r, &r.Body)
		if c == nil {
			next.ServeHTTP(w, r)
			return
		}
		t.serve(next, w, r, c)
	})
}

func (t *Tap) serve(next http.Handler, w http.ResponseWriter, r *http.Request, c *capture) {
	x := newExchange(t, c)
	x.out = writer{x: x, under: w}
	under, returned := r.Body, false
	if under != nil && under != http.NoBody && !c.requestEnd {
		x.body = teeBody{x: x, under: under}
		r.Body = &x.body
	}
	defer func() { // without recover: a panic goes on as it came
		r.Body = under
		x.end(r.Context(), !returned, nil)
	}()
	next.ServeHTTP(x.out.wrap(), r)
	returned = true
}

// decide counts a request and draws. It gives a capture for a sampled request, and
// nil for any other, for which it reads no clock and allocates nothing. *body is
// replaced where it had to be read for the session's key.
func (t *Tap) decide(r *http.Request, body *io.ReadCloser) *capture {
	e := t.endpoints.of(r.URL.Path)
	if e.dialect == "" || r.Method != http.MethodPost {
		e.unsupported.Add()
		return nil
	}
	var at time.Time
	var start []byte
	session, unread := t.session(e.dialect, r.Header, nil, false)
	if unread {
		at = time.Now() // the request arrived before its body
		start, *body = t.begin(*body, r.ContentLength)
		session, _ = t.session(e.dialect, r.Header, start, true)
	}
	number := repeats(r.Header)
	further := t.turns.open.Load() > 0 && (number > 0 || len(r.Header[idempotency]) > 0)
	if number > 0 && !further {
		e.retry.Add()
		return nil
	}
	now := t.drawing.Load()
	id, draw := t.draw(now.lot, session)
	drawn := draw < now.rate
	if !drawn && !further {
		e.rate.Add()
		return nil
	}
	a := arrival{id: id, at: at, endpoint: e, session: session, draw: draw, rate: now.rate, length: r.ContentLength, number: number, further: further}
	if !t.belongs(&a, r, drawn) {
		return nil
	}
	return t.capture(a, r, start)
}

// belongs says whether a request is captured, or counts why not: it is drawn, or it may
// be a further attempt of a turn that is. An attempt that says it is not the first is
// never drawn by itself, or a turn with three attempts would have three chances.
func (t *Tap) belongs(a *arrival, r *http.Request, drawn bool) bool {
	a.turn, a.marked = turnOf(a.endpoint, a.session, r)
	a.further = a.further && t.turns.expect(a.turn)
	switch {
	case a.number > 0 && !a.further:
		a.endpoint.retry.Add()
		return false
	case !drawn && !a.further:
		a.endpoint.rate.Add()
		return false
	}
	if a.at.IsZero() {
		a.at = time.Now()
	}
	if a.id == (shadow.SampleID{}) {
		a.id = newID()
	}
	switch {
	case a.number > 0:
		a.alone = fateRetried
	case !drawn:
		a.alone = fate{notSampled: shadow.NotSampledRate}
	}
	if a.length > t.o.MaxBody {
		t.gone(*a, fate{notSampled: shadow.NotSampledTooLarge})
		return false
	}
	return true
}

// draw places a request. What is drawn by itself gets its sample's id for that, whose
// 16 bytes are the key, so that anybody can repeat the draw from the sample.
func (t *Tap) draw(lot shadow.Lot, session string) (shadow.SampleID, float64) {
	if session != "" && t.o.SampleBy == BySession {
		return shadow.SampleID{}, lot.Draw(session)
	}
	id := newID()
	return id, lot.Draw(string(id[:]))
}

// begin reads a body for the session's key: as a whole, or not at all for the key.
func (t *Tap) begin(body io.ReadCloser, length int64) ([]byte, io.ReadCloser) {
	if body == nil || length == 0 {
		return nil, body
	}
	start, whole, same := buffer(body, t.o.MaxBody)
	if !whole {
		start = nil
	}
	return start, same
}

// capture begins one, unless there is no memory left for it.
func (t *Tap) capture(a arrival, r *http.Request, body []byte) *capture {
	if !t.budget.take(ownBytes) {
		t.gone(a, fate{dropped: shadow.DroppedQueueFull})
		return nil
	}
	a.route = tidyKey(t.o.Route.ofHeaders(r.Header))
	a.tags = t.tags(nil, func(k Key) string { return k.ofHeaders(r.Header) })
	a.header = dialectHeaders(a.endpoint.dialect, r.Header)
	a.packed = len(r.Header["Content-Encoding"]) > 0
	c := t.captures.Get().(*capture)
	c.start(a, t.o.MaxBody)
	if len(body) > 0 {
		c.addRequest(body, true)
	}
	return c
}

// accept takes a finished capture from the request's goroutine, and counts and says why
// if it does not. It never waits.
func (t *Tap) accept(c *capture) (f fate) {
	lost := c.lost.Load()
	switch {
	case lost == lostSize:
		f.notSampled = shadow.NotSampledTooLarge
	case lost == lostBudget:
		f.dropped = shadow.DroppedQueueFull
	case t.stopped.Load():
		f.dropped = shadow.DroppedStopped
	default:
		// Before the client can know that it failed.
		c.waits = !c.further && c.document == nil && c.mayRetry() && !t.budget.tight() && t.turns.announce(c.turn)
		select {
		case t.queue <- c:
			if t.drained.Load() { // Run may have looked for the last time before
				t.discard()
			}
			return fate{}
		default:
			f.dropped = shadow.DroppedQueueFull
		}
	}
	t.gone(c.arrival, f)
	t.release(c)
	return f
}

// gone counts a captured request of which nothing is kept.
func (t *Tap) gone(a arrival, f fate) {
	if a.waits {
		t.turns.gone(a.turn)
	}
	if a.further {
		t.turns.lost(a.turn, f)
		f = fateRetried
	}
	t.count(a, f)
}

// discard counts what waits in the queue as stopped.
func (t *Tap) discard() {
	for {
		select {
		case c := <-t.queue:
			t.gone(c.arrival, fate{dropped: shadow.DroppedStopped})
			t.release(c)
		default:
			return
		}
	}
}

func (t *Tap) release(c *capture) {
	c.clear()
	t.captures.Put(c)
}

// count counts what became of a request that was captured.
func (t *Tap) count(a arrival, f fate) {
	line := func(e shadow.Entry, why string) { t.ledger.Count(a.at, a.endpoint.name, e, why) }
	switch {
	case f.notSampled != "":
		line(shadow.EntryNotSampled, string(f.notSampled))
	case f.dropped != "":
		line(shadow.EntrySampled, "")
		line(shadow.EntryDropped, string(f.dropped))
	default:
		line(shadow.EntrySampled, "")
		line(shadow.EntryPublished, "")
	}
}
