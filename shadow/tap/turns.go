package tap

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxTurns bounds how many failed attempts wait at once; beyond it they are samples at once.
	maxTurns = 1000
	// turnWait is how long a failed attempt waits for the next: SDKs pause for at most
	// 8 s unless the answer names a time, of which they accept up to maxHint.
	turnWait  = 10 * time.Second
	turnGrace = 5 * time.Second
	maxHint   = time.Minute
	// maxUnderWay is how long an attempt that does not end keeps the one before it waiting.
	maxUnderWay = 10 * time.Minute
)

// turnKey is what the attempts of one turn have in common when they arrive.
type turnKey struct {
	endpoint    *endpoint
	session     string
	idempotency string
	length      int64
}

// turns holds failed attempts until the client tries again or does not. A request's
// goroutine only asks whether there is one like it; what belongs together is found by
// the decoders, by the bytes of the requests.
type turns struct {
	open atomic.Int64 // groups, so that nobody needs the lock while there are none

	mu     sync.Mutex
	groups map[turnKey]*group
	done   []settlement
}

// group are the attempts that look alike when they arrive.
type group struct {
	coming   int // failed attempts on their way to a decoder
	underWay int // further attempts that have not ended
	waiting  []*waiting
	further  []*further // decoded ones that may belong to one that is coming
}

// waiting is a failed attempt that may be tried again until a time.
type waiting struct {
	it    *item
	until time.Time
}

// further is an attempt after the first.
type further struct {
	it    *item
	until time.Time // when it failed, and may be tried again
	otherwise
}

// otherwise is what becomes of an attempt that belongs to no turn we know.
type otherwise struct{ fate fate }

// settlement is what became of an attempt: a sample if fate is zero.
type settlement struct {
	it   *item
	fate fate
}

// announce says that a failed attempt is on its way to a decoder. It says no when too
// many wait.
func (s *turns) announce(key turnKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[key]
	if g == nil {
		if len(s.groups) >= maxTurns {
			return false
		}
		if s.groups == nil {
			s.groups = map[turnKey]*group{}
		}
		g = &group{}
		s.groups[key] = g
		s.open.Add(1)
	}
	if g.coming+len(g.waiting) >= maxTurns {
		return false
	}
	g.coming++
	return true
}

// expect says that an attempt begins which looks like one of a turn that waits, and
// no if there is none.
func (s *turns) expect(key turnKey) bool {
	if s.open.Load() == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[key]
	if g == nil {
		return false
	}
	g.underWay++
	return true
}

// wait takes a failed attempt that was announced. It waits until a time.
func (s *turns) wait(key turnKey, it *item, until time.Time) {
	s.change(key, func(g *group) {
		if g == nil {
			s.done = append(s.done, settlement{it: it})
			return
		}
		g.coming--
		g.waiting = append(g.waiting, &waiting{it, until})
	})
}

// gone takes back what was announced.
func (s *turns) gone(key turnKey) {
	s.change(key, func(g *group) {
		if g != nil {
			g.coming--
		}
	})
}

// join takes an attempt after the first. Until is zero unless it failed and may be
// tried again. It is joined to the first one that waits with the same request, and
// else becomes what alone says.
func (s *turns) join(key turnKey, it *item, until time.Time, alone fate) {
	s.change(key, func(g *group) {
		if g == nil {
			s.done = append(s.done, settlement{it, alone})
			return
		}
		g.further = append(g.further, &further{it, until, otherwise{alone}})
	})
}

// lost takes the fate of an attempt after the first that we could not keep: it is that
// of the turn, if there is only one that it can belong to.
func (s *turns) lost(key turnKey, f fate) {
	s.change(key, func(g *group) {
		if g == nil {
			return
		}
		g.underWay = max(0, g.underWay-1)
		if g.coming == 0 && len(g.waiting) == 1 {
			s.done = append(s.done, settlement{g.waiting[0].it, f})
			g.waiting = nil
		}
	})
}

// change changes a group, joins what belongs together now, and forgets an empty group.
func (s *turns) change(key turnKey, f func(*group)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[key]
	f(g)
	if g == nil {
		return
	}
	g.further = slices.DeleteFunc(g.further, func(one *further) bool { return s.match(g, one) })
	s.tidy(key, g)
}

func (s *turns) tidy(key turnKey, g *group) {
	if g.coming == 0 && len(g.waiting) == 0 {
		delete(s.groups, key)
		s.open.Add(-1)
	}
}

// match joins an attempt to the one before it and says whether it is settled.
func (s *turns) match(g *group, one *further) bool {
	i := slices.IndexFunc(g.waiting, func(w *waiting) bool { return bytes.Equal(w.it.sample.Request, one.it.sample.Request) })
	if i < 0 && g.coming > 0 {
		return false
	}
	g.underWay = max(0, g.underWay-1)
	if i < 0 {
		s.done = append(s.done, settlement{one.it, one.fate})
		return true
	}
	first := g.waiting[i].it
	s.done = append(s.done, settlement{first, fateRetried})
	joined := first.tried(one.it)
	if !one.until.IsZero() {
		g.waiting[i] = &waiting{joined, one.until}
		return true
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	s.done = append(s.done, settlement{it: joined})
	return true
}

// due gives what is settled by now, and with all everything that waits.
func (s *turns) due(now time.Time, all bool) []settlement {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, g := range s.groups {
		g.waiting = slices.DeleteFunc(g.waiting, func(w *waiting) bool {
			late := now.After(w.until) && (g.underWay == 0 || now.After(w.until.Add(maxUnderWay)))
			if late || all {
				s.done = append(s.done, settlement{it: w.it})
			}
			return late || all
		})
		if all {
			for _, one := range g.further {
				s.done = append(s.done, settlement{one.it, one.fate})
			}
			g.further, g.coming = nil, 0
		}
		s.tidy(key, g)
	}
	done := s.done
	s.done = nil
	return done
}
