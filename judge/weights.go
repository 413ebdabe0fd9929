package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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
	mu    sync.Mutex
	last  time.Time
	begun atomic.Bool // a comparison was made
}

// verify compares the weights of each seat that can be compared, at most once a
// minute, and pauses grading if they are others. Nothing is graded before the first
// comparison. One that fails in any other way is made again a minute later: a server that
// is down shows itself in the calls.
func (j *Judge) verify(ctx context.Context) {
	for i, s := range j.seats {
		v := &j.verifiers[i]
		switch {
		case s.Verify == nil:
			continue
		case !v.begun.Load():
			v.mu.Lock()
		case !v.mu.TryLock():
			continue // another trial is at it
		}
		j.compare(ctx, i, v)
		v.mu.Unlock()
	}
}

func (j *Judge) compare(ctx context.Context, seat int, v *verifier) {
	s, since := j.seats[seat], v.last
	if time.Since(since) < verifyEvery {
		return
	}
	limit, cancel := context.WithTimeoutCause(ctx, j.o.Budget, errBudget)
	err := s.Verify(limit)
	cancel()
	if ctx.Err() == nil {
		v.last = time.Now()
		v.begun.Store(true)
	}
	switch {
	case errors.Is(err, ErrSnapshot):
		j.pause(ctx, CauseSnapshot, seat, err.Error()+gradedSince(since))
	case err != nil && ctx.Err() == nil:
		j.o.Log.WarnContext(ctx, "judge's weights not compared", "judge", s.Model.Name, "error", err)
	}
}

// gradedSince says whose verdicts are in doubt when other weights are found.
func gradedSince(compared time.Time) string {
	if compared.IsZero() {
		return ""
	}
	return fmt.Sprintf("; verdicts since %s may be of these", compared.UTC().Format(time.RFC3339))
}
