package policy

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// RoundRobin asks models by turns; when one fails, the others stand in, in order, as
// in [Failover] with o. weights, one for each model, give some more turns than others:
// 3 and 1 send three of four requests to the first, spread evenly; nil is all alike.
//
// It panics for a weight that is not positive, or for more or fewer than models.
func RoundRobin(models []llm.Model, weights []int, o FailoverOptions) llm.Model {
	t := newTurns(weights, len(models))
	m, f := Failover(models, o), newFailover(models, o)
	m.Complete = func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		return f.from(ctx, req, t.next())
	}
	return m
}

// newTurns gives n stages turns by their weights; nil is all alike. It panics on weights
// that are none, which is a bug of the caller's.
func newTurns(weights []int, n int) *turns {
	if weights == nil {
		weights = slices.Repeat([]int{1}, n)
	}
	if len(weights) != n {
		panic(fmt.Sprintf("policy: %d weights for %d models", len(weights), n))
	}
	t := &turns{weights: weights, credit: make([]int, n)}
	for _, w := range weights {
		if w <= 0 {
			panic(fmt.Sprintf("policy: weight %d", w))
		}
		t.sum += w
	}
	return t
}

// turns deals requests by weight: each model's credit grows by its weight, the one
// with most is next and pays the sum.
type turns struct {
	mu      sync.Mutex
	weights []int
	credit  []int
	sum     int
}

func (t *turns) next() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	best := 0
	for i, w := range t.weights {
		t.credit[i] += w
		if t.credit[i] > t.credit[best] {
			best = i
		}
	}
	t.credit[best] -= t.sum
	return best
}
