package judge

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// prove says why an echo does not prove that the pinned snapshot answered; empty if
// it does. Names are compared exactly.
//
// No proof is an empty echo, or an alias that today may mean the pinned snapshot and
// tomorrow another: the beginning of its name before '-', '@' or ':', or that with
// -latest. Any other name is another snapshot.
func (s Seat) prove(echo llm.Snapshot) NotGraded {
	switch {
	case echo == "":
		return NoSnapshotUnproven
	case echo == s.Pinned, echo == s.Model.Snapshot, slices.Contains(s.Echo, echo):
		return ""
	case aliasOf(string(echo), string(s.Pinned)):
		return NoSnapshotUnproven
	default:
		return NoSnapshotMismatch
	}
}

func aliasOf(echo, pinned string) bool {
	stem, latest := strings.CutSuffix(echo, "-latest")
	if !latest {
		stem, latest = strings.CutSuffix(echo, ":latest")
	}
	rest, ok := strings.CutPrefix(pinned, stem)
	if !ok || stem == "" {
		return false
	}
	return latest && rest == "" || rest != "" && strings.ContainsRune("-@:", rune(rest[0]))
}

// reportEcho logs a reply that does not prove its snapshot: once a run for each
// judge and reason, or every answer would repeat it.
func (j *Judge) reportEcho(ctx context.Context, seat int, why NotGraded, echo llm.Snapshot) {
	s := j.seats[seat]
	if j.once.first(s.Model.Name + "\x00" + string(why)) {
		j.o.Log.WarnContext(ctx, "judge's snapshot not confirmed, its verdicts are not counted",
			"judge", s.Model.Name, "reason", string(why), "pinned", string(s.Pinned), "echo", string(echo))
	}
}

// once remembers what was said.
type once struct {
	mu   sync.Mutex
	said map[string]bool
}

func (o *once) first(what string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.said[what] {
		return false
	}
	if o.said == nil {
		o.said = map[string]bool{}
	}
	o.said[what] = true
	return true
}
