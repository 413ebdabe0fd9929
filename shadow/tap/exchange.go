package tap

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// exchange is one sampled request under way. The live side may call it from several
// goroutines, and even after its end: then it only passes on, since its capture is
// gone to a decoder and may soon serve another request.
type exchange struct {
	tap   *Tap
	start time.Time
	body  teeBody
	out   writer

	mu      sync.Mutex
	c       *capture // nil after the end
	attempt int      // how often the body was started anew
}

// readRequest takes what was read of the request's body. An attempt that was given
// up may still read.
func (x *exchange) readRequest(attempt int, p []byte, err error) {
	x.mu.Lock()
	if x.c != nil && attempt == x.attempt {
		x.c.addRequest(p, err == io.EOF)
	}
	x.mu.Unlock()
}

// wrote takes a piece of the answer that was there at a time.
func (x *exchange) wrote(p []byte, at time.Duration) {
	x.mu.Lock()
	if x.c != nil {
		x.c.addResponse(p, at)
	}
	x.mu.Unlock()
}

// restart forgets the request's body, which will be read again, and numbers the attempt.
func (x *exchange) restart() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.attempt++
	if x.c != nil {
		x.c.request, x.c.requestSize, x.c.requestEnd = x.c.request[:0], 0, false
	}
	return x.attempt
}

// note changes the facts of the capture, if it is still there.
func (x *exchange) note(f func(*capture)) {
	x.mu.Lock()
	if x.c != nil {
		f(x.c)
	}
	x.mu.Unlock()
}

// fail notes why the live service failed where only the proxy knows it.
func (x *exchange) fail(ctx context.Context, err error) {
	f := llm.FailureFromError(ctx, err)
	x.note(func(c *capture) { c.failure, c.cut, c.told = f, true, true })
}

// end closes the exchange and hands its capture on, once.
func (x *exchange) end(ctx context.Context, cut bool, cause error) {
	at := time.Since(x.start)
	x.mu.Lock()
	c := x.c
	x.c = nil
	if c != nil {
		c.end(ctx, at, cut, cause)
	}
	x.mu.Unlock()
	if c != nil {
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
