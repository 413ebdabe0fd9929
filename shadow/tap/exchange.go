package tap

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// exchange is one sampled request under way. The request may be read by other goroutines
// than the one that passes on the answer, and either side may go on after the end: then
// it only passes on, since its capture is gone to a decoder and may soon serve another
// request. The answer takes no lock: net/http forbids to use a writer while the handler
// returns, and two goroutines that write at once mix up what the user gets, too.
type exchange struct {
	tap  *Tap
	body teeBody
	out  writer
	c    atomic.Pointer[capture] // nil after the end

	mu      sync.Mutex // guards what is of the request
	attempt int        // how often the body was started anew
}

func newExchange(t *Tap, c *capture) *exchange {
	x := &exchange{tap: t}
	x.c.Store(c)
	return x
}

// readRequest takes what was read of the request's body. An attempt that was given
// up may still read.
func (x *exchange) readRequest(attempt int, p []byte, err error) {
	x.mu.Lock()
	if c := x.c.Load(); c != nil && attempt == x.attempt {
		c.addRequest(p, err == io.EOF)
	}
	x.mu.Unlock()
}

// came takes a piece of the answer that is there now.
func (x *exchange) came(p []byte) {
	if c := x.c.Load(); c != nil {
		c.addResponse(p, time.Since(c.at))
	}
}

// restart forgets the request's body, which will be read again, and numbers the attempt.
func (x *exchange) restart() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.attempt++
	if c := x.c.Load(); c != nil {
		c.request.clear(c.budget)
		c.requestSize.Store(0)
		c.requestEnd = false
	}
	return x.attempt
}

// note changes the facts of the answer, if the capture is still there.
func (x *exchange) note(f func(*capture)) {
	if c := x.c.Load(); c != nil {
		f(c)
	}
}

// fail notes why the live service failed where only the proxy knows it.
func (x *exchange) fail(ctx context.Context, err error) {
	f := llm.FailureFromError(ctx, err)
	x.note(func(c *capture) { c.failure, c.cut, c.told = f, true, true })
}

// end closes the exchange and hands its capture on, once.
func (x *exchange) end(ctx context.Context, cut bool, cause error) {
	x.mu.Lock()
	c := x.c.Swap(nil)
	x.mu.Unlock()
	if c != nil {
		c.end(ctx, cut, cause)
		x.tap.accept(c)
	}
}

// teeBody reads a request's body and copies what it read.
type teeBody struct {
	x       *exchange
	under   io.ReadCloser
	attempt int
	// reading keeps the order of the copy when two goroutines read: a transport that
	// was given up, and who drains the body after it.
	reading sync.Mutex
}

func (b *teeBody) Read(p []byte) (int, error) {
	b.reading.Lock()
	defer b.reading.Unlock()
	n, err := b.under.Read(p)
	b.x.readRequest(b.attempt, p[:min(max(n, 0), len(p))], err)
	return n, err
}

func (b *teeBody) Close() error { return b.under.Close() }
