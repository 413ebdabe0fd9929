package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

const (
	// maxErrorBody bounds what is read of an error's body, in bytes.
	maxErrorBody = 64 << 10
	// drain is how long a connection may take to end its body after the answer's end
	// sign, so that it can be used again. It is no part of the answer's time.
	drain = 250 * time.Millisecond
)

// Complete asks the model once. A failed call returns what is known of it, at least
// [llm.Reply.Took], beside a [*llm.Failure]; a ctx that the caller cancelled, its
// error; a request that cannot be put to the model faithfully, [llm.ErrUnsupported].
//
// Took and FirstToken start when the call does: waiting for one of Concurrency's
// slots is our own time, and no part of them. If ctx ends while waiting, the failure
// is timeout, Took is the time waited and Attempts is 0.
func (c *Client) Complete(ctx context.Context, req llm.Request) (llm.Reply, error) {
	out, err := c.encode(req)
	if err != nil {
		return llm.Reply{}, fmt.Errorf("ask model %s: %w", c.end.Name, err)
	}
	waiting := time.Now()
	if c.slots != nil {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return llm.Reply{Took: time.Since(waiting)}, c.failed(ctx, ctx.Err())
		}
	}
	key, err := c.key()
	if err != nil {
		return llm.Reply{}, &llm.Failure{Class: llm.Denied, Reason: llm.DeniedReason, Code: "no_key", Err: err}
	}
	a := attempt{client: c, call: out, start: time.Now(), onFirst: req.OnFirst, once: req.IdempotencyKey}
	reply, err := a.run(ctx, key)
	reply.Attempts, reply.Lost, reply.Notes = 1, out.Lost, out.Notes
	var f *llm.Failure
	if errors.As(err, &f) {
		return reply, c.scrub(f, key)
	}
	return reply, err
}

// attempt is one call on its way.
type attempt struct {
	client  *Client
	call    call
	start   time.Time
	onFirst func()
	once    string // the idempotency key
}

func (a *attempt) run(ctx context.Context, key string) (llm.Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := a.client.request(ctx, http.MethodPost, a.call.path, bytes.NewReader(a.call.body), key)
	if err != nil {
		return llm.Reply{}, err
	}
	for name, values := range a.call.header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	if a.once != "" {
		req.Header.Set("Idempotency-Key", a.once)
	}
	resp, err := a.client.transport.RoundTrip(req)
	if err != nil {
		return llm.Reply{Took: a.took()}, a.client.failed(ctx, err)
	}
	defer resp.Body.Close()
	a.client.end.Quota.saw(resp.Header, time.Now())
	var reply llm.Reply
	contentType := resp.Header.Get("Content-Type")
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		err = a.refusal(resp)
	case a.call.stream || strings.HasPrefix(contentType, "text/event-stream") || strings.HasPrefix(contentType, "application/x-ndjson"):
		reply, err = a.stream(ctx, cancel, resp.Body)
	default:
		reply, err = a.whole(ctx, resp.Body)
	}
	reply.Status = resp.StatusCode
	if reply.Took == 0 {
		reply.Took = a.took()
	}
	return reply, err
}

// took is the time since the start, at least one nanosecond: 0 is unknown.
func (a *attempt) took() time.Duration { return max(1, time.Since(a.start)) }

func (a *attempt) refusal(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // the status is enough
	now := time.Now()
	f := llm.FailureFromStatus(a.call.dialect, resp.StatusCode, resp.Header, body, now)
	a.client.end.Quota.refused(f, now)
	return f
}

func (a *attempt) whole(ctx context.Context, r io.Reader) (llm.Reply, error) {
	limit := a.client.end.MaxReply
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	took := a.took()
	if err == nil && int64(len(body)) > limit {
		err = &http.MaxBytesError{Limit: limit}
	}
	if err != nil {
		return llm.Reply{Took: took}, a.client.failed(ctx, err)
	}
	reply, err := llm.DecodeReply(a.call.dialect, body)
	reply.Took = took
	return reply, err
}

// stream reads a stream to its end. The answer's time ends with its last byte; after
// the end sign the rest of the body gets a moment, so that the connection can be kept.
func (a *attempt) stream(ctx context.Context, cancel context.CancelFunc, r io.Reader) (llm.Reply, error) {
	limit := a.client.end.MaxReply
	s := llm.NewStream(a.call.dialect, int(limit))
	var first, last, end time.Duration
	var size int64
	var readErr error
	buf := make([]byte, 16<<10)
	for readErr == nil && size <= limit {
		var n int
		n, readErr = r.Read(buf)
		if n == 0 {
			continue
		}
		size += int64(n)
		_, _ = s.Write(buf[:n]) // never fails
		last = a.took()
		if _, ok := s.FirstContent(); ok && first == 0 {
			first = last
			if a.onFirst != nil {
				a.onFirst()
			}
		}
		if s.Ended() && end == 0 {
			end = last
			defer time.AfterFunc(drain, cancel).Stop()
		}
	}
	reply, err := s.Reply()
	reply.FirstToken = first
	switch {
	case end > 0:
		reply.Took = end
	case err == nil:
		reply.Took = last
	default:
		reply.Took = a.took()
	}
	if readErr != nil && readErr != io.EOF && end == 0 && !said(err) {
		err = a.client.failed(ctx, readErr)
	}
	return reply, err
}

// said says that a stream's outcome stands although its connection was lost: it is
// an answer, or a failure that the bytes themselves tell.
func said(err error) bool {
	var f *llm.Failure
	if !errors.As(err, &f) {
		return err == nil
	}
	return f.Reason == llm.ErrorIn200 || f.Reason == llm.TooLarge
}

// failed is the error for a call that broke off.
func (c *Client) failed(ctx context.Context, err error) error {
	f := llm.FailureFromError(ctx, err)
	if f.Reason == llm.ClientAbort {
		return fmt.Errorf("ask model %s: %w", c.end.Name, context.Canceled)
	}
	return f
}
