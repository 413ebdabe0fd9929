package policy

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/shadow/contract"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// The defaults of [RaceOptions] are those of a service in production.
const (
	// DefaultMayWinAfter has to lie above the primary's usual time, or the reserve wins too often.
	DefaultMayWinAfter = 2500 * time.Millisecond
	DefaultAttempts    = 3
)

// RaceOptions of a race. The zero value has the defaults.
type RaceOptions struct {
	Name string
	// ReserveAfter is how long after the primary the reserve begins; 0 is at once.
	ReserveAfter time.Duration
	// MayWinAfter is when the reserve may win, from the request's start.
	MayWinAfter time.Duration
	// Attempts is how often the primary is called at most; further calls are taken from
	// Retries, where that is set.
	Attempts int
	Retries  *RetryBudget
	// Budget is for the whole race.
	Budget time.Duration
}

type race struct {
	RaceOptions
	primary, reserve llm.Model
}

// Race asks primary and reserve.
//
// The reserve wins only if the primary has no finished answer after MayWinAfter: a
// reserve that is ready earlier waits. A primary that has failed for good hands over at
// once. From MayWinAfter on the first finished answer counts. The winner is rated
// ([Rate]); only when it is plausible is the other call cancelled. Else the other is
// awaited within the budget, the better one goes out (the primary's, where they are
// alike), and carries [llm.Implausible] if even that one is not plausible.
//
// What is the caller's own fault at the primary ends the race. If both fail, the
// failure is the primary's.
//
// A stream is held back until the winner is known and whole, since what was shown
// cannot be taken back: FirstToken is then Took. Whoever wants the first word early
// chooses [Failover] with a limit for the first token.
func Race(primary, reserve llm.Model, o RaceOptions) llm.Model {
	o.MayWinAfter = cmp.Or(o.MayWinAfter, DefaultMayWinAfter)
	o.Attempts = cmp.Or(o.Attempts, DefaultAttempts)
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	r := race{RaceOptions: o, primary: primary, reserve: reserve}
	return llm.Model{Name: o.Name, Dialects: takes([]llm.Model{primary, reserve}), Complete: r.complete}
}

// side of a race.
type side uint8

const (
	primary side = iota
	reserve
)

// event is what a side sends: a call that has ended.
type event struct {
	side  side
	at    time.Duration
	reply llm.Reply
	err   error
	gone  bool // it was given up
	last  bool // the side makes no further call
}

// runner is one side's state.
type runner struct {
	run     run
	done    bool // it has ended, with an answer or for good
	answer  bool
	begun   bool
	at      time.Duration // when its call under way, or the one that answered, began
	index   int           // of its answer in the trace
	rating  Rating
	reply   llm.Reply
	failure error
}

// heat is one race under way.
type heat struct {
	race   *race
	start  time.Time
	asked  *contract.Contract
	sides  [2]runner
	events chan event
	calls  sync.WaitGroup
}

func (c *race) complete(parent context.Context, req llm.Request) (llm.Reply, error) {
	h := heat{race: c, start: time.Now(), asked: contractOf(req), events: make(chan event, c.Attempts+1)}
	h.sides[primary].run.start, h.sides[reserve].run.start = h.start, h.start
	c.Retries.request()
	tell := req.OnFirst
	req.OnFirst = nil
	if req.IdempotencyKey == "" {
		req.IdempotencyKey = rand.Text()
	}
	ctx, cancel := context.WithDeadlineCause(parent, h.start.Add(c.Budget), errBudget)
	reply, err := h.decide(parent, ctx, req)
	took := max(1, time.Since(h.start))
	cancel() // before the wait: it ends the call that lost
	h.calls.Wait()
	h.rest()
	both := run{trace: h.trace()}
	reply = both.finish(reply)
	reply.Took, reply.FirstToken = took, 0 // what a call that failed had said never went out
	if err == nil && req.Stream {
		reply.FirstToken = took
		if tell != nil {
			tell()
		}
	}
	return reply, err
}

// trace has the calls of both sides in the order in which they began.
func (h *heat) trace() []llm.Attempt {
	all := slices.Concat(h.sides[primary].run.trace, h.sides[reserve].run.trace)
	slices.SortStableFunc(all, func(a, b llm.Attempt) int { return cmp.Compare(a.At, b.At) })
	return all
}

// launch begins a side's calls.
func (h *heat) launch(ctx context.Context, s side, req llm.Request) {
	h.sides[s].begun = true
	h.calls.Go(func() {
		if s == reserve {
			h.once(ctx, s, h.race.reserve, req, true)
			return
		}
		for n := 1; ; n++ {
			if h.once(ctx, s, h.race.primary, req, n == h.race.Attempts) {
				return
			}
		}
	})
}

// once makes one call and reports it; true ends the side.
func (h *heat) once(ctx context.Context, s side, m llm.Model, req llm.Request, last bool) bool {
	at := time.Since(h.start)
	reply, err := m.Complete(ctx, req)
	if err != nil && !last {
		f := failure(err)
		again := f.Class == llm.Unavailable && ctx.Err() == nil && f.RetryAfter <= maxBackOff
		again = again && (h.race.Retries == nil || h.race.Retries.take()) && sleep(ctx, f.RetryAfter)
		last = !again
	}
	last = last || err == nil
	h.events <- event{s, at, reply, err, gaveUp(ctx), last}
	return last
}

// decide follows the race to its end.
func (h *heat) decide(parent, ctx context.Context, req llm.Request) (llm.Reply, error) {
	h.launch(ctx, primary, req)
	later := time.NewTimer(h.race.ReserveAfter)
	defer later.Stop()
	mayWin := time.NewTimer(h.race.MayWinAfter)
	defer mayWin.Stop()
	open := false // the reserve may win
	for {
		select {
		case <-later.C:
			h.begin(ctx, req)
		case <-mayWin.C:
			open = true
		case e := <-h.events:
			h.took(e)
			if p := &h.sides[primary]; p.lost() || p.answer {
				h.begin(ctx, req)
			}
		case <-ctx.Done():
			return h.over(ctx)
		}
		if parent.Err() != nil {
			return llm.Reply{}, over(parent)
		}
		if winner, ended, err := h.winner(open); ended {
			if err != nil {
				return h.sides[primary].reply, err
			}
			return h.serve(winner), nil
		}
	}
}

// begin starts the reserve, unless it has begun or the race is over.
func (h *heat) begin(ctx context.Context, req llm.Request) {
	p := &h.sides[primary]
	if over := p.answer && p.rating == IsPlausible || p.lost() && fatal(p.failure); !h.sides[reserve].begun && !over {
		h.launch(ctx, reserve, req)
	}
}

// took notes a call that has ended.
func (h *heat) took(e event) {
	s := &h.sides[e.side]
	m := h.race.primary
	if e.side == reserve {
		m = h.race.reserve
	}
	index := s.run.add(m, e.at, e.reply, e.err, e.gone)
	s.done, s.at, s.reply, s.failure = e.last, e.at, e.reply, e.err
	if e.err != nil {
		return
	}
	s.answer, s.index, s.rating = true, index, rate(h.asked, e.reply)
	if s.rating < IsPlausible && index != nobody {
		s.run.trace[index].Flaw = s.rating.String()
	}
}

// lost says that a side has failed for good.
func (s *runner) lost() bool { return s.done && !s.answer }

// fatal says that a failure is the caller's own fault, which no other model makes good.
func fatal(err error) bool {
	return err != nil && failure(err).Class == llm.Invalid
}

// winner says which side goes out, or that the race has failed, once that is known.
func (h *heat) winner(open bool) (w side, ended bool, err error) {
	p, r := &h.sides[primary], &h.sides[reserve]
	switch {
	case p.lost() && fatal(p.failure):
		return primary, true, p.failure
	case p.lost() && r.lost():
		return primary, true, allFailed(worse(r.failure, p.failure), h.trace())
	case p.answer && (p.rating == IsPlausible || r.lost()):
		return primary, true, nil
	case r.answer && p.lost():
		return reserve, true, nil
	case r.answer && r.rating == IsPlausible && (open || p.answer):
		return reserve, true, nil
	case p.answer && r.answer: // neither is plausible
		if r.rating > p.rating {
			return reserve, true, nil
		}
		return primary, true, nil
	}
	return 0, false, nil
}

// over ends a race whose time is used up: an answer that was held back goes out, if
// there is one.
func (h *heat) over(ctx context.Context) (llm.Reply, error) {
	if gaveUp(ctx) {
		return llm.Reply{}, over(ctx)
	}
	for _, s := range []side{primary, reserve} {
		if h.sides[s].answer {
			return h.serve(s), nil
		}
	}
	return llm.Reply{}, over(ctx)
}

// serve makes a side's answer the race's. It goes out now, which may be later than it
// was ready.
func (h *heat) serve(s side) llm.Reply {
	w := &h.sides[s]
	reply := w.run.serve(w.reply, w.at, w.index)
	if w.rating < IsPlausible && reply.Mark == llm.Plain {
		reply.Mark = llm.Implausible
	}
	return reply
}

// rest notes the calls that were given up: after the wait they have all reported.
func (h *heat) rest() {
	for len(h.events) > 0 {
		h.took(<-h.events)
	}
}
