package tap

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// RoundTripper taps the calls that go through next, so that it fits into any client
// or SDK. A request outside the sample reaches next as it is. One inside it reaches
// next as a copy whose body is read through; it is finished when its answer's body
// is read to the end, fails or is closed: a body that is never closed is never a sample.
//
// With a session key in the body, every request of a tapped endpoint is a copy, but
// those whose session a header names that stands before it.
func (t *Tap) RoundTripper(next http.RoundTripper) http.RoundTripper {
	return roundTripper{t, next}
}

type roundTripper struct {
	tap  *Tap
	next http.RoundTripper
}

func (rt roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL == nil {
		return rt.next.RoundTrip(r) // which says what is wrong with it
	}
	body, hasBody := r.Body, r.Body != nil && r.Body != http.NoBody
	facts := r
	if hasBody && r.ContentLength == 0 { // in a client's request it means unknown
		facts = copyOf(r)
		facts.ContentLength = -1
	}
	c := rt.tap.decide(facts, &body)
	if body != r.Body {
		r = copyOf(r)
		r.Body = body
	}
	if c == nil {
		return rt.next.RoundTrip(r)
	}
	x := newExchange(rt.tap, c)
	if hasBody && !c.requestEnd {
		r = copyOf(r)
		r.Body = &teeBody{x: x, under: body}
		r.GetBody = x.again(r.GetBody)
	}
	return x.roundTrip(rt.next, r)
}

func copyOf(r *http.Request) *http.Request { return r.WithContext(r.Context()) }

func (x *exchange) roundTrip(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	returned := false
	defer func() {
		if !returned {
			x.end(ctx, true, nil)
		}
	}()
	resp, err := next.RoundTrip(r)
	returned = true
	if err != nil || resp == nil {
		x.fill(r.GetBody)
		x.end(ctx, true, err)
		return resp, err
	}
	x.note(func(c *capture) {
		c.head(resp.StatusCode, resp.Header)
		c.declared = resp.ContentLength
	})
	x.tapBody(ctx, r, resp)
	return resp, nil
}

// again lets a transport start the body anew, and the copy with it.
func (x *exchange) again(get func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	if get == nil {
		return nil
	}
	return func() (io.ReadCloser, error) {
		body, err := get()
		if err != nil {
			return body, err
		}
		return &teeBody{x: x, under: body, attempt: x.restart()}, nil
	}
}

// fill takes the whole request where no connection ever read it: a live service that
// cannot be reached is an outcome too. Without GetBody it stays incomplete.
func (x *exchange) fill(get func() (io.ReadCloser, error)) {
	if get == nil || !x.lacksRequest() {
		return
	}
	defer func() { _ = recover() }() // a panic of GetBody; the copy stays incomplete
	body, err := get()
	if err != nil {
		return
	}
	defer body.Close()
	_, _ = io.CopyN(io.Discard, body, x.tap.o.MaxBody+1) // the copy is a tee's
}

func (x *exchange) lacksRequest() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.c.Load()
	return c != nil && !c.requestEnd && c.lost.Load() == lostNothing
}

func (x *exchange) tapBody(ctx context.Context, r *http.Request, resp *http.Response) {
	if _, both := resp.Body.(io.Writer); both || resp.Body == nil {
		x.note(func(c *capture) { c.hidden = true }) // the protocol was switched
		x.end(ctx, false, nil)
		return
	}
	if resp.ContentLength == 0 || resp.Body == http.NoBody || r.Method == http.MethodHead {
		x.end(ctx, false, nil)
		return
	}
	resp.Body = &answerBody{x: x, ctx: ctx, under: resp.Body}
}

// answerBody reads an answer's body and copies what was read. A client may close it
// while it is read.
type answerBody struct {
	x     *exchange
	ctx   context.Context
	under io.ReadCloser
	mu    sync.Mutex // guards the copy
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.under.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > 0 {
		b.x.came(p[:min(n, len(p))])
	}
	switch err {
	case nil:
	case io.EOF:
		b.x.end(context.WithoutCancel(b.ctx), false, nil)
	default:
		b.x.end(b.ctx, true, err)
	}
	return n, err
}

// Close before the end is the caller's leave, unless the answer is whole already: a
// client of a stream stops at its end sign.
func (b *answerBody) Close() error {
	b.mu.Lock()
	b.x.note(func(c *capture) {
		if b.ctx.Err() == nil && (c.declared < 0 || c.responseSize < c.declared) {
			c.left(context.Canceled)
		}
	})
	b.x.end(b.ctx, false, nil)
	b.mu.Unlock()
	return b.under.Close()
}
