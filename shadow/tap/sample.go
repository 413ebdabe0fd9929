package tap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// unpackedFactor bounds what an answer may unpack to, in multiples of MaxBody. JSON
// and event streams shrink 4 to 20 times, a whole answer of MaxBody compressed hardly occurs.
const unpackedFactor = 8

// fate says why a capture became no sample; the zero fate is a sample.
type fate struct {
	notSampled shadow.NotSampled
	dropped    shadow.Dropped
}

// sample decodes a capture. It touches nothing but c.
func (t *Tap) sample(c *capture) (shadow.Sample, fate) {
	if f := c.usable(); f != (fate{}) {
		return shadow.Sample{}, f
	}
	request := c.body()
	if turns, err := llm.Conversation(c.endpoint.dialect, request); err != nil || len(turns) == 0 {
		return shadow.Sample{}, fate{dropped: shadow.DroppedMalformed}
	}
	live, f := c.answer()
	if f != (fate{}) {
		return shadow.Sample{}, f
	}
	s := shadow.Sample{
		ID: c.id, Experiment: t.o.Experiment, Tap: t.o.Source,
		Seen: c.at.UTC().Round(0), Session: c.session, Route: t.routeOf(c, request), Tags: t.tagsOf(c, request),
		Rate: c.rate, Draw: c.draw, Redacted: c.document != nil && c.document.Redacted,
		Dialect: c.endpoint.dialect, Request: request, Header: c.header,
		Stream: c.asksForStream(request), Live: live,
	}
	if s.Session == "" {
		s.Session = c.id.String()
	}
	return s, fate{}
}

// usable says whether the request is here as it was sent, and the answer as it came.
func (c *capture) usable() fate {
	switch {
	case c.hidden:
		return fate{dropped: shadow.DroppedIncompleteResponse}
	case !c.requestEnd:
		return fate{dropped: shadow.DroppedIncompleteRequest}
	case c.packed:
		return fate{notSampled: shadow.NotSampledEncoding}
	}
	return fate{}
}

func (t *Tap) routeOf(c *capture, request []byte) string {
	switch {
	case c.route != "":
		return c.route
	case t.o.Route.kind == keyPath:
		return strings.ToValidUTF8(c.endpoint.name, "\uFFFD")
	case t.o.Route.kind == keyBody:
		return tidyKey(textAt(request, t.o.Route.path))
	}
	return ""
}

func (t *Tap) tagsOf(c *capture, request []byte) map[string]string {
	return t.tags(c.tags, func(k Key) string {
		if k.kind != keyBody {
			return ""
		}
		return textAt(request, k.path)
	})
}

// tags adds what find finds; nil stays nil without any.
func (t *Tap) tags(tags map[string]string, find func(Key) string) map[string]string {
	for name, k := range t.o.Tags {
		found := find(k)
		if found == "" {
			continue
		}
		if tags == nil {
			tags = make(map[string]string, len(t.o.Tags))
		}
		tags[name] = tidyKey(found)
	}
	return tags
}

// asksForStream says whether the client asked for a stream, in the path or the body.
func (c *capture) asksForStream(request []byte) bool {
	info, err := llm.RequestInfo(c.endpoint.dialect, request)
	return err == nil && info.Stream || c.endpoint.stream
}

// answer decodes what the live service said, or says how it failed.
func (c *capture) answer() (shadow.Answer, fate) {
	if c.document != nil {
		return c.document.answer(c)
	}
	a := shadow.Answer{Arm: shadow.Live, Share: 1, Started: c.at.UTC().Round(0), Attempts: 1, Status: c.status, Took: c.took}
	var failure *llm.Failure
	switch {
	case c.status == 0 && c.failure != nil, c.unanswered():
		failure = c.failure
	case c.status != 0 && (c.status < 200 || c.status > 299):
		f, err := c.refusal()
		if err != nil {
			return a, fateOf(err)
		}
		failure, c.wait = f, f.RetryAfter
	default:
		f, err := c.reply(&a)
		if err != nil {
			return a, fateOf(err)
		}
		failure = f
	}
	if failure == nil {
		a.Took = c.last
		return a, fate{}
	}
	a.Failure = failure.Reason
	a.Censored = failure.Reason == llm.Timeout || failure.Reason == llm.ClientAbort
	return a, fate{}
}

// unanswered says that a status which is no success is not the model's: a proxy says
// 502 for an upstream that it could not reach, and any handler says something of the
// kind to a user who has left.
func (c *capture) unanswered() bool {
	if c.failure == nil || c.status < 300 {
		return false
	}
	gone := c.failure.Reason == llm.ClientAbort || c.failure.Reason == llm.Timeout
	return c.told || gone && c.status >= 500
}

// refusal classifies a status that is no success.
func (c *capture) refusal() (*llm.Failure, error) {
	body, err := c.unpacked()
	if errors.Is(err, errEncoding) {
		return nil, err
	}
	return llm.FailureFromStatus(c.endpoint.dialect, c.status, c.refused, body, c.at.Add(c.took)), nil
}

// reply fills in a from an answer with a status of success.
func (c *capture) reply(a *shadow.Answer) (*llm.Failure, error) {
	limit := c.unpackedLimit()
	stream := llm.NewStream(c.endpoint.dialect, int(limit))
	first, unpackErr := c.feed(stream, limit)
	if errors.Is(unpackErr, errEncoding) {
		return nil, unpackErr
	}
	reply, err := stream.Reply()
	a.Text, a.Refusal, a.ToolCalls, a.Finish = reply.Text, reply.Refusal, reply.ToolCalls, reply.Finish
	a.Snapshot, a.Usage, a.FirstToken = reply.Model, reply.Usage, first
	var f *llm.Failure
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &f):
		return nil, err
	case f.Reason == llm.TooLarge:
		return nil, shadow.ErrTooLarge
	case c.failure != nil && missing(f.Reason):
		return c.failure, nil
	case unpackErr != nil && missing(f.Reason):
		return &llm.Failure{Class: llm.Malformed, Reason: llm.MalformedReason}, nil
	}
	return f, nil
}

// missing says whether a failure may come from bytes that did not come, so that what
// cut the answer is the better reason.
func missing(r llm.Reason) bool {
	return r == llm.Reset || r == llm.MalformedReason || r == llm.Empty
}

func fateOf(err error) fate {
	switch {
	case errors.Is(err, errEncoding):
		return fate{notSampled: shadow.NotSampledEncoding}
	case errors.Is(err, shadow.ErrTooLarge):
		return fate{notSampled: shadow.NotSampledTooLarge}
	}
	return fate{dropped: shadow.DroppedMalformed}
}

func (c *capture) unpackedLimit() int64 { return unpackedFactor * c.limit }

// feed writes the answer to a stream decoder and says when the first content was
// there; 0 if the answer is no stream or has none.
func (c *capture) feed(s *llm.Stream, limit int64) (time.Duration, error) {
	if len(encodings(c.encoding)) == 0 {
		r := c.response.reader()
		for p := r.next(); p != nil; p = r.next() {
			s.Write(p)
		}
		if offset, ok := s.FirstContent(); ok {
			return c.arrived(offset), nil
		}
		return 0, nil
	}
	src := c.response.reader()
	var first time.Duration
	_, err := c.unpackFrom(src, writerFunc(func(p []byte) {
		_, had := s.FirstContent()
		s.Write(p)
		if _, has := s.FirstContent(); has && !had {
			first = src.at
		}
	}), limit)
	return first, err
}

// writerFunc is a writer that always takes everything.
type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// unpacked gives the answer's content, what there is of it.
func (c *capture) unpacked() ([]byte, error) {
	if len(encodings(c.encoding)) == 0 {
		return c.response.bytes(c.responseSize), nil
	}
	var b bytes.Buffer
	_, err := c.unpackFrom(c.response.reader(), &b, c.unpackedLimit())
	return b.Bytes(), err
}

// unpackFrom unpacks at most one byte over limit. An answer without a byte has no encoding.
func (c *capture) unpackFrom(src io.Reader, dst io.Writer, limit int64) (int64, error) {
	if c.responseSize == 0 {
		return 0, nil
	}
	r, err := unpacker(src, c.encoding, limit)
	if err != nil {
		return 0, fmt.Errorf("unpack: %w", err)
	}
	n, err := io.Copy(dst, io.LimitReader(r, limit+1))
	return n, errors.Join(err, r.Close())
}
