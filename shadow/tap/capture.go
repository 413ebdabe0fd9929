package tap

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// arrival is what is known of a sampled request when it arrives.
type arrival struct {
	id       shadow.SampleID
	at       time.Time // with the monotonic clock
	endpoint *endpoint
	session  string // "" is the sample's own id
	draw     float64
	rate     float64
	route    string            // "" is decided from the body, or is the path
	tags     map[string]string // those from headers
	header   map[string][]string
	packed   bool  // the request's body is compressed
	length   int64 // Content-Length of the request, -1 if unknown

	turn    turnKey
	marked  bool // the client marks its attempts
	number  int  // that the client gives this one, from 0 on
	further bool // may be a further attempt of a turn that waits
	alone   fate // what becomes of such a one if it is not
	waits   bool // announced: it failed, and may be tried again
}

// capture is the copy of one request and its answer. One exchange writes it, and a
// decoder reads it afterwards; it is used again for others then. What is of the request
// is written under the exchange's lock, all else by whoever passes on the answer.
type capture struct {
	arrival
	budget *budget
	limit  int64        // of request and response together
	lost   atomic.Int32 // a loss

	request     tape
	requestSize atomic.Int64 // bytes that passed, kept or not
	requestEnd  bool         // the upstream read the request to its end

	response     tape
	responseSize int64
	status       int
	encoding     string      // Content-Encoding of the answer
	declared     int64       // its Content-Length, -1 if it said none
	refused      http.Header // the headers of an answer that is no success
	last         time.Duration
	took         time.Duration // until the end, where the last byte does not tell
	cut          bool          // it ended by a panic, an error or too few bytes
	failure      *llm.Failure  // why, as far as it is known
	told         bool          // the proxy said so, and made up the answer
	hidden       bool          // the connection was taken over: we did not see the answer
	wait         time.Duration // how long the answer asks to wait before the next attempt

	document *Document // what somebody else recorded, in place of the tapes; nil for what passed through
	weight   int64     // what the budget holds for it
}

// loss says why a capture is no longer complete.
type loss = int32

const (
	lostNothing loss = iota
	lostSize         // larger than the limit
	lostBudget       // no memory left for it
)

// ownBytes are the chunks that a capture keeps for the next request.
const ownBytes = 2 * chunkBytes

func newCapture(b *budget) *capture {
	return &capture{budget: b, request: newTape(), response: newTape()}
}

// start readies a capture, which may have served before and whose own chunks the budget
// has taken.
func (c *capture) start(a arrival, limit int64) {
	c.arrival, c.limit, c.declared = a, limit, -1
	c.requestEnd = a.length == 0
}

// clear gives back what the capture holds, but for a chunk for each direction.
func (c *capture) clear() {
	c.request.clear(c.budget)
	c.response.clear(c.budget)
	c.budget.give(ownBytes + c.weight)
	*c = capture{budget: c.budget, request: c.request, response: c.response}
}

// addRequest takes a piece of the request. It does not look at the answer, which
// somebody else writes: what is too large together is found at the end.
func (c *capture) addRequest(p []byte, end bool) {
	size := c.requestSize.Add(int64(len(p)))
	c.requestEnd = c.requestEnd || end || c.length >= 0 && size >= c.length
	c.add(&c.request, p, 0, size)
}

// body gives the request's body.
func (c *capture) body() []byte {
	if c.document != nil {
		return c.document.Request
	}
	return c.request.bytes(c.requestSize.Load())
}

func (c *capture) addResponse(p []byte, at time.Duration) {
	c.responseSize += int64(len(p))
	c.last = at
	size := c.responseSize + c.requestSize.Load()
	if size > c.limit || c.lost.Load() != lostNothing || !c.response.put(p, at) {
		c.add(&c.response, p, at, size)
	}
}

// add records a piece within the limit and the budget. Over one of them the capture is
// lost, and either direction gives up its bytes when it sees that; the facts stay.
func (c *capture) add(t *tape, p []byte, at time.Duration, size int64) {
	switch {
	case c.lost.Load() != lostNothing:
		t.clear(c.budget)
	case size > c.limit:
		c.lose(t, lostSize)
	case len(p) > 0 && !t.add(c.budget, p, at):
		c.lose(t, lostBudget)
	}
}

func (c *capture) lose(t *tape, why loss) {
	c.lost.CompareAndSwap(lostNothing, why)
	t.clear(c.budget)
}

// arrived says when the first n bytes of the answer were there: the time of the piece
// that brought the n-th.
func (c *capture) arrived(n int64) time.Duration {
	r := c.response.reader()
	for p := r.next(); p != nil; p = r.next() {
		if n -= int64(len(p)); n <= 0 {
			return r.at
		}
	}
	return c.last
}

// head takes the status and what decoding needs of the headers.
func (c *capture) head(status int, h http.Header) {
	c.status = status
	c.encoding = strings.Join(h["Content-Encoding"], ",")
	if values := h["Content-Length"]; len(values) == 1 {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil {
			c.declared = n
		}
	}
	if status < 200 || status > 299 {
		c.refused = h.Clone()
	}
}

// left takes an error of writing to the user.
func (c *capture) left(err error) {
	switch {
	case errors.Is(err, http.ErrContentLength), errors.Is(err, http.ErrBodyNotAllowed):
		return // the handler's own mistake: the user got what was announced
	case c.failure != nil:
	case errors.Is(err, http.ErrHandlerTimeout), errors.Is(err, os.ErrDeadlineExceeded): // the server's own limits
		c.failure = &llm.Failure{Class: llm.Unavailable, Reason: llm.Timeout}
	default:
		c.failure = &llm.Failure{Class: llm.Unavailable, Reason: llm.ClientAbort}
	}
	c.cut = true
}

// end takes how it ended: cut by a panic or an error, or by the end of ctx.
func (c *capture) end(ctx context.Context, cut bool, cause error) {
	if c.requestSize.Load()+c.responseSize > c.limit {
		c.lost.CompareAndSwap(lostNothing, lostSize)
	}
	short := c.declared > c.responseSize
	// Who has every byte that was announced may close the connection at once. Nothing at
	// all, though, is what a service may still say that saw the user leave.
	nothing := c.responseSize == 0 && c.status < 300
	gone := (c.declared < 0 || short || nothing) && ctx.Err() != nil
	c.cut = c.cut || cut || short || gone
	switch {
	case c.failure != nil:
	case cause != nil:
		c.failure = llm.FailureFromError(ctx, cause)
	case gone:
		c.failure = llm.FailureFromError(ctx, ctx.Err())
	case c.cut:
		c.failure = &llm.Failure{Class: llm.Unavailable, Reason: llm.Reset}
	}
	c.took = c.last
	if c.cut || c.responseSize == 0 {
		c.took = time.Since(c.at)
	}
}
