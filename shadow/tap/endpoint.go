package tap

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

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
}

// endpoints knows the paths that were asked for. Looking one up takes no lock and
// allocates nothing once it is known.
type endpoints struct {
	kinds []llm.Surface
	other []endpoint // per kind, and last for what is not tapped
	known atomic.Pointer[map[string]*endpoint]

	mu       sync.Mutex // guards untapped and replacing known
	untapped int
}

func newEndpoints(kinds []llm.Surface) *endpoints {
	e := &endpoints{kinds: kinds}
	e.known.Store(&map[string]*endpoint{})
	for _, k := range kinds {
		e.other = append(e.other, endpoint{shadow.OtherEndpoint, k.Dialect, k.Stream})
	}
	e.other = append(e.other, endpoint{name: shadow.OtherEndpoint})
	return e
}

func (e *endpoints) of(path string) *endpoint {
	if found := (*e.known.Load())[path]; found != nil {
		return found
	}
	return e.add(path)
}

func (e *endpoints) add(path string) *endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := *e.known.Load()
	if found := known[path]; found != nil {
		return found
	}
	other := e.classify(path)
	tapped := other.dialect != ""
	if len(path) > maxPath || len(known) >= shadow.MaxEndpoints || !tapped && e.untapped >= maxUntapped {
		return other
	}
	if !tapped {
		e.untapped++
	}
	own := strings.Clone(path)
	more := maps.Clone(known)
	more[own] = &endpoint{own, other.dialect, other.stream}
	e.known.Store(&more)
	return more[own]
}

const maxPath = 200

func (e *endpoints) classify(path string) *endpoint {
	for i, k := range e.kinds {
		if k.Has(path) {
			return &e.other[i]
		}
	}
	return &e.other[len(e.kinds)]
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
