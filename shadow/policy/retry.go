package policy

import (
	"math"
	"sync"
)

// The retry budget's sizes are our judgement: 10 % is what keeps a provider in trouble
// from being called twice as often; the ten that are there at the start let a service
// with few requests retry at all.
const (
	retryShare = 0.1
	retryStart = 10
)

// RetryBudget bounds further calls of the same model to 10 % of the requests, over all
// requests of a process. A nil one has nothing to give.
type RetryBudget struct {
	mu   sync.Mutex
	left float64
}

// NewRetryBudget has ten retries to start with, and never saves more.
func NewRetryBudget() *RetryBudget { return &RetryBudget{left: retryStart} }

// request counts a request.
func (b *RetryBudget) request() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = math.Min(b.left+retryShare, retryStart)
}

// take takes one retry, if there is one.
func (b *RetryBudget) take() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
