package tap

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// maxUntapped leaves half of the names that books keep apart to endpoints that are
// tapped, however many other paths somebody tries.
const maxUntapped = shadow.MaxEndpoints / 2

// endpoint is a path as the books name it; an empty dialect is one that is not tapped.
type endpoint struct {
	name    string
	dialect llm.Dialect
	stream  bool // the path itself asks for a stream

	// what is counted at every request
	rate        *shadow.Tally
	retry       *shadow.Tally
	unsupported *shadow.Tally
}

// endpoints knows the paths that were asked for. Looking one up takes no lock and
// allocates nothing once it is known.
type endpoints struct {
	kinds  []llm.Surface
	ledger *shadow.Ledger
	other  []*endpoint // per kind, and last for what is not tapped
	known  atomic.Pointer[paths]

	mu       sync.Mutex // guards untapped and replacing known
	untapped int
}

// paths are those that are known. The first few that are tapped, which get nearly all
// requests, are compared one by one: that takes a third of what a map does.
type paths struct {
	first []*endpoint
	all   map[string]*endpoint
}

const maxFirst = 8

func newEndpoints(kinds []llm.Surface, ledger *shadow.Ledger) *endpoints {
	e := &endpoints{kinds: kinds, ledger: ledger}
	e.known.Store(&paths{})
	for _, k := range append(slices.Clone(kinds), llm.Surface{}) {
		e.other = append(e.other, e.named(shadow.OtherEndpoint, k.Dialect, k.Stream))
	}
	return e
}

func (e *endpoints) named(name string, d llm.Dialect, stream bool) *endpoint {
	tally := func(why shadow.NotSampled) *shadow.Tally {
		return e.ledger.Tally(time.Now(), name, shadow.EntryNotSampled, string(why))
	}
	return &endpoint{
		name: name, dialect: d, stream: stream,
		rate: tally(shadow.NotSampledRate), retry: tally(shadow.NotSampledRetry), unsupported: tally(shadow.NotSampledUnsupported),
	}
}

func (e *endpoints) of(path string) *endpoint {
	known := e.known.Load()
	for _, found := range known.first {
		if found.name == path {
			return found
		}
	}
	if found := known.all[path]; found != nil {
		return found
	}
	return e.add(path)
}

func (e *endpoints) add(path string) *endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.known.Load()
	if found := known.all[path]; found != nil {
		return found
	}
	other := e.classify(path)
	tapped := other.dialect != ""
	if len(path) > maxPath || len(known.all) >= shadow.MaxEndpoints || !tapped && e.untapped >= maxUntapped {
		return other
	}
	if !tapped {
		e.untapped++
	}
	own := e.named(strings.Clone(path), other.dialect, other.stream)
	more := paths{first: known.first, all: map[string]*endpoint{own.name: own}}
	maps.Copy(more.all, known.all)
	if tapped && len(known.first) < maxFirst {
		more.first = append(slices.Clone(known.first), own)
	}
	e.known.Store(&more)
	return own
}

const maxPath = 200

func (e *endpoints) classify(path string) *endpoint {
	for i, k := range e.kinds {
		if k.Has(path) {
			return e.other[i]
		}
	}
	return e.other[len(e.kinds)]
}

// Tapped names what is tapped, for a line at start-up, like "POST …/chat/completions".
// All other requests pass through and are counted as unsupported_endpoint.
func (t *Tap) Tapped() []string {
	var all []string
	for _, k := range t.o.Endpoints {
		all = append(all, http.MethodPost+" …"+k.Suffix)
	}
	return all
}
