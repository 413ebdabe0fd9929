package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrSnapshot is what [Seat.Verify] finds when other weights stand behind a model's
// name than the pinned ones.
var ErrSnapshot = errors.New("another snapshot than the pinned one")

// verifyEvery is how often the weights behind a name are compared while answers are
// graded. A tag can be pulled again at any time, and its replies do not tell.
const verifyEvery = time.Minute

// verifier remembers when a seat's weights were last compared.
type verifier struct {
	mu   sync.Mutex
	last time.Time // the first comparison was made by whoever opened the seat
}

// verify compares the weights of each seat that can be compared, at most once a
// minute, and pauses grading if they are others. A comparison that fails in any other
// way is made again a minute later: a server that is down shows itself in the calls.
func (j *Judge) verify(ctx context.Context) {
	for i, s := range j.seats {
		if s.Verify == nil {
			continue
		}
		v := &j.verifiers[i]
		if !v.mu.TryLock() {
			continue // another trial is at it
		}
		since := v.last
		if time.Since(since) < verifyEvery {
			v.mu.Unlock()
			continue
		}
		limit, cancel := context.WithTimeoutCause(ctx, j.o.Budget, errBudget)
		err := s.Verify(limit)
		cancel()
		if ctx.Err() == nil {
			v.last = time.Now()
		}
		v.mu.Unlock()
		switch {
		case errors.Is(err, ErrSnapshot):
			j.pause(ctx, CauseSnapshot, i, fmt.Sprintf("%v; verdicts since %s may be of these", err, since.UTC().Format(time.RFC3339)))
		case err != nil && ctx.Err() == nil:
			j.o.Log.WarnContext(ctx, "judge's weights not compared", "judge", s.Model.Name, "error", err)
		}
	}
}
