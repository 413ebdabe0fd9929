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
	route    string            // "" is decided from the body, or is the path
	tags     map[string]string // those from headers
	header   map[string][]string
	packed   bool  // the request's body is compressed
	length   int64 // Content-Length of the request, -1 if unknown
}

// capture is the copy of one request and its answer. It is written by one exchange
// under its lock and read by a decoder afterwards; it is used again for others then.
type capture struct {
	arrival
	budget *budget
	limit  int64 // of request and response together

	request  []byte
	response []byte
	marks    []mark
	weight   int64 // what the budget holds for this capture
	lost     loss

	requestSize  int64 // bytes that passed, kept or not
	responseSize int64
	requestEnd   bool // the upstream read the request to its end

	status   int
	encoding string      // Content-Encoding of the answer
	declared int64       // its Content-Length, -1 if it said none
	refused  http.Header // the headers of an answer that is no success
	last     time.Duration
	took     time.Duration
	cut      bool         // it ended by a panic, an error or too few bytes
	failure  *llm.Failure // why, as far as it is known
	told     bool         // the proxy said so, and made up the answer
	hidden   bool         // the connection was taken over: we did not see the answer
}

// mark says when the bytes before end were there.
type mark struct {
	end int64
	at  time.Duration
}

// loss says why a capture is no longer complete.
type loss uint8

const (
	lostNothing loss = iota
	lostSize         // larger than the limit
	lostBudget       // no memory left for it
)

const (
	firstBytes = 4 << 10
	// exactMarks writes of a stream are timed one by one, further ones at most every
	// sparseGap and up to maxMarks: streams of an hour stay within 256 KiB of marks.
	exactMarks = 4 << 10
	maxMarks   = 16 << 10
	sparseGap  = 10 * time.Millisecond
	markBytes  = 16
	// pooledBytes is the largest buffer that is kept for the next capture.
	pooledBytes = 64 << 10
)

// budget bounds the memory that all captures of a tap hold together.
type budget struct {
	limit int64
	held  atomic.Int64
}

func (b *budget) take(n int64) bool {
	if b.held.Add(n) > b.limit {
		b.held.Add(-n)
		return false
	}
	return true
}

func (b *budget) give(n int64) { b.held.Add(-n) }

// start readies a capture, which may have served before.
func (c *capture) start(a arrival, limit int64) {
	c.arrival, c.limit, c.declared = a, limit, -1
	c.requestEnd = a.length == 0
	weight := int64(cap(c.request) + cap(c.response) + markBytes*cap(c.marks))
	if c.budget.take(weight) {
		c.weight = weight
		return
	}
	c.request, c.response, c.marks = nil, nil, nil
}

// clear gives back what the capture holds. It keeps its small buffers where keep says so.
func (c *capture) clear(keep bool) {
	c.budget.give(c.weight)
	next := capture{budget: c.budget}
	if keep {
		next.request, next.response = small(c.request), small(c.response)
		if cap(c.marks) <= exactMarks {
			next.marks = c.marks[:0]
		}
	}
	*c = next
}

func small(buffer []byte) []byte {
	if cap(buffer) > pooledBytes {
		return nil
	}
	return buffer[:0]
}

// lose gives up the bytes but not the facts.
func (c *capture) lose(why loss) {
	c.budget.give(c.weight)
	c.lost, c.weight = why, 0
	c.request, c.response, c.marks = nil, nil, nil
}

func (c *capture) addRequest(p []byte, end bool) {
	c.requestSize += int64(len(p))
	c.requestEnd = c.requestEnd || end || c.length >= 0 && c.requestSize >= c.length
	c.request = c.add(c.request, p)
}

func (c *capture) addResponse(p []byte, at time.Duration) {
	c.responseSize += int64(len(p))
	c.last = at
	c.response = c.add(c.response, p)
	if c.lost == lostNothing && len(p) > 0 {
		c.mark(at)
	}
}

// add appends within the limit and the budget; over one of them the capture is lost.
func (c *capture) add(buffer, p []byte) []byte {
	if c.lost != lostNothing {
		return nil
	}
	if c.requestSize+c.responseSize > c.limit {
		c.lose(lostSize)
		return nil
	}
	if need := len(buffer) + len(p); need > cap(buffer) {
		size := max(need, min(2*cap(buffer), int(c.limit)), min(firstBytes, int(c.limit)))
		if !c.grow(int64(size - cap(buffer))) {
			return nil
		}
		buffer = append(make([]byte, 0, size), buffer...)
	}
	return append(buffer, p...)
}

func (c *capture) grow(n int64) bool {
	if !c.budget.take(n) {
		c.lose(lostBudget)
		return false
	}
	c.weight += n
	return true
}

func (c *capture) mark(at time.Duration) {
	n := len(c.marks)
	if n >= maxMarks || n >= exactMarks && at-c.marks[n-1].at < sparseGap {
		return
	}
	if n == cap(c.marks) {
		size := max(2*n, 64)
		if !c.grow(int64(size-n) * markBytes) {
			return
		}
		c.marks = append(make([]mark, 0, size), c.marks...)
	}
	c.marks = append(c.marks, mark{c.responseSize, at})
}

// arrived says when the first n bytes of the answer were there: the time of the
// write that brought the n-th, or of the next that was timed.
func (c *capture) arrived(n int64) time.Duration {
	for _, m := range c.marks {
		if m.end >= n {
			return m.at
		}
	}
	return c.last
}

// head takes the status and what decoding needs of the headers, once.
func (c *capture) head(status int, h http.Header) {
	if c.status != 0 {
		return
	}
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
func (c *capture) end(ctx context.Context, at time.Duration, cut bool, cause error) {
	short := c.declared > c.responseSize
	// Who has every byte that was announced may close the connection at once.
	gone := ctx.Err() != nil && (c.declared < 0 || short)
	c.took, c.cut = at, c.cut || cut || short || gone
	switch {
	case c.failure != nil:
	case cause != nil:
		c.failure = llm.FailureFromError(ctx, cause)
	case gone:
		c.failure = llm.FailureFromError(ctx, ctx.Err())
	case c.cut:
		c.failure = &llm.Failure{Class: llm.Unavailable, Reason: llm.Reset}
	}
}
