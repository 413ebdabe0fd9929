package tap

import (
	"sync"

	"github.com/understudy-eval/understudy/shadow"
)

// recentIDs is how many ids of documents are known at least; twice as many at most, which
// take some 3 MB.
const recentIDs = 30_000

// recent knows the ids of the last documents that were taken, in two halves: when the
// newer is full, the older is forgotten.
type recent struct {
	mu           sync.Mutex
	newer, older map[shadow.SampleID]struct{}
}

// add takes an id, and says no if it is known.
func (r *recent) add(id shadow.SampleID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, new := r.newer[id]
	_, old := r.older[id]
	if new || old {
		return false
	}
	if r.newer == nil || len(r.newer) >= recentIDs {
		r.newer, r.older = map[shadow.SampleID]struct{}{}, r.newer
	}
	r.newer[id] = struct{}{}
	return true
}

func (r *recent) remove(id shadow.SampleID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.newer, id)
	delete(r.older, id)
}
