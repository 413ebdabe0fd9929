package tap

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

//go:embed sample.schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of a document, see [ReadDocument].
func Schema() []byte { return append([]byte(nil), schema...) }

// Document is one request with its answer as somebody else recorded it: a service in
// another language, or a file of recorded traffic. [Tap.Offer] takes it like a request
// that passed through the tap. Its JSON form is read by [ReadDocument].
type Document struct {
	// ID names the request: the same id is the same sample. "" makes up a new one.
	ID string
	// Endpoint is the path that the request was posted to; it tells the dialect.
	Endpoint string
	// Seen is when the request arrived; zero is now.
	Seen time.Time
	// Session, Route and Tags are used as they are; without a session or route the
	// tap's keys that read bodies look for them.
	Session, Route string
	Tags           map[string]string
	// Rate says that the service has drawn already, each session or request with that
	// chance, and sends only what was drawn: such a document is not drawn again. 0 is
	// a document of all, which the tap draws.
	Rate float64
	// Header has the dialect's own headers; others are left out.
	Header map[string][]string
	// Request is the request's body, byte for byte.
	Request []byte
	// Response is the answer's body with its Status, or Answer what a decoder made of
	// it. Failure says why there is none, or no whole one.
	Response []byte
	Status   int
	Answer   *llm.Reply
	Failure  llm.Reason
	// Took is the time from the request to the answer's last byte or the failure, nil
	// if nobody measured it; FirstToken the time to the first content, 0 if unknown.
	Took       *time.Duration
	FirstToken time.Duration
	// Attempts counts the calls; 0 is one.
	Attempts int
	// Redacted says that texts were changed on the way here.
	Redacted bool
}

// SampleID is the sample's id: the document's own where that has the form of one (32
// hexadecimal digits, or a UUID), else the first 16 bytes of its SHA-256; zero without one.
func (d *Document) SampleID() shadow.SampleID {
	if d.ID == "" {
		return shadow.SampleID{}
	}
	if id, err := shadow.ParseSampleID(strings.ReplaceAll(d.ID, "-", "")); err == nil && id != (shadow.SampleID{}) {
		return id
	}
	sum := sha256.Sum256([]byte(d.ID))
	return shadow.SampleID(sum[:16])
}

func answerSize(r *llm.Reply) int {
	n := len(r.Text) + len(r.Refusal)
	for _, c := range r.ToolCalls {
		n += len(c.ID) + len(c.Name) + len(c.Arguments)
	}
	return n
}

// size is how many bytes of request and answer there are, as MaxBody counts them.
func (d *Document) size() int64 {
	n := len(d.Request) + len(d.Response)
	if d.Answer != nil {
		n += answerSize(d.Answer)
	}
	return int64(n)
}

// answer is the live answer that a document tells of. Its own word on how it failed
// counts more than what its bytes look like.
func (d *Document) answer(c *capture) (shadow.Answer, fate) {
	a := shadow.Answer{
		Arm: shadow.Live, Share: 1, Started: c.at.UTC().Round(0), Attempts: max(d.Attempts, 1), Status: d.Status,
		FirstToken: d.FirstToken, Untimed: d.Took == nil,
	}
	if d.Took != nil {
		a.Took = *d.Took
	}
	failure, err := d.reply(c, &a)
	if err != nil {
		return a, fateOf(err)
	}
	if d.Failure != "" {
		failure = &llm.Failure{Reason: d.Failure}
	}
	if failure != nil {
		a.Failure = failure.Reason
		a.Censored = failure.Reason == llm.Timeout || failure.Reason == llm.ClientAbort
	}
	return a, fate{}
}

// reply fills in what the answer said.
func (d *Document) reply(c *capture, a *shadow.Answer) (*llm.Failure, error) {
	var failure *llm.Failure
	switch {
	case d.Answer != nil:
		fill(a, *d.Answer)
		return llm.NoAnswer(*d.Answer), nil
	case len(d.Response) == 0 && d.Failure != "":
		return nil, nil
	case d.Status != 0 && (d.Status < 200 || d.Status > 299):
		return llm.FailureFromStatus(c.endpoint.dialect, d.Status, nil, d.Response, c.at), nil
	}
	stream := llm.NewStream(c.endpoint.dialect, int(c.unpackedLimit()))
	stream.Write(d.Response)
	reply, err := stream.Reply()
	fill(a, reply)
	switch {
	case err == nil, errors.As(err, &failure) && failure.Reason != llm.TooLarge:
		return failure, nil
	case failure != nil:
		return nil, shadow.ErrTooLarge
	}
	return nil, err
}

func fill(a *shadow.Answer, r llm.Reply) {
	a.Text, a.Refusal, a.ToolCalls, a.Finish = r.Text, r.Refusal, r.ToolCalls, r.Finish
	a.Snapshot, a.Usage = r.Model, r.Usage
}
