package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"github.com/understudy-eval/understudy/shadow"
)

// sender publishes for callers that must not be held up by a connection which is stuck
// in a write: it alone writes, and they wait for the server's word or for the end of
// their time. What is on its way is bounded in bytes. The client library's asynchronous
// publisher knows no caller's deadline, and bounds by count.
type sender struct {
	queue  chan *outgoing
	window *semaphore.Weighted

	mu      sync.Mutex
	inbox   string // where answers come: it, and the publish's number
	last    uint64
	waiting map[uint64]*outgoing // for the server's word
}

// outgoing is one publish.
type outgoing struct {
	msg    *nats.Msg
	number uint64     // 0 until it is written
	done   chan error // one entry: what became of it
	gone   bool       // nobody waits for it any more
}

func newSender() *sender {
	return &sender{
		queue: make(chan *outgoing, sendQueue), window: semaphore.NewWeighted(publishBytes),
		waiting: make(map[uint64]*outgoing),
	}
}

// open subscribes to the answers.
func (s *sender) open(nc *nats.Conn) error {
	s.inbox = nc.NewInbox() + "."
	_, err := nc.Subscribe(s.inbox+"*", s.answer)
	return err
}

// run writes what is queued until the connection is closed.
func (s *sender) run(nc *nats.Conn, closed <-chan struct{}) {
	for {
		select {
		case out := <-s.queue:
			s.write(nc, out)
		case <-closed:
			return
		}
	}
}

func (s *sender) write(nc *nats.Conn, out *outgoing) {
	s.mu.Lock()
	if out.gone {
		s.mu.Unlock()
		return
	}
	s.last++
	out.number = s.last
	s.waiting[out.number] = out
	s.mu.Unlock()
	out.msg.Reply = s.inbox + strconv.FormatUint(out.number, 10)
	if err := nc.PublishMsg(out.msg); err != nil {
		s.settle(out.number, err)
	}
}

// answer takes the server's word about a publish.
func (s *sender) answer(m *nats.Msg) {
	if number, err := strconv.ParseUint(strings.TrimPrefix(m.Subject, s.inbox), 10, 64); err == nil {
		s.settle(number, outcome(m))
	}
}

// settle tells whoever waits for a publish what became of it.
func (s *sender) settle(number uint64, err error) {
	s.mu.Lock()
	out := s.waiting[number]
	delete(s.waiting, number)
	s.mu.Unlock()
	if out != nil {
		out.done <- err
	}
}

// lost tells all who wait that no answer will come: the connection that they were
// published on is gone.
func (s *sender) lost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, out := range s.waiting {
		out.done <- errLost
	}
	clear(s.waiting)
}

// leave forgets a publish that nobody waits for any more.
func (s *sender) leave(out *outgoing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out.gone = true
	delete(s.waiting, out.number)
}

// send publishes a message and waits for the server's word that it is stored, until
// ctx ends (with its cause) or the connection is closed.
func (s *sender) send(ctx context.Context, msg *nats.Msg, closed <-chan struct{}) error {
	size := int64(min(len(msg.Data)+messageOverhead, publishBytes)) // a larger one goes alone
	if s.window.Acquire(ctx, size) != nil {
		return context.Cause(ctx)
	}
	defer s.window.Release(size)
	if ctx.Err() != nil { // a write that nobody waits for would hold up the others
		return context.Cause(ctx)
	}
	out := &outgoing{msg: msg, done: make(chan error, 1)}
	select {
	case s.queue <- out:
	case <-closed:
		return nats.ErrConnectionClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var err error
	select {
	case err = <-out.done:
		return told(err)
	case <-closed:
		err = nats.ErrConnectionClosed
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.leave(out)
	return err
}

// noError is how an answer starts that tells of no error; the server puts it first.
var noError = []byte(`{"stream":`)

// again is in answers that say whether the server had a message of that id already.
var again = []byte(`"duplicate"`)

// outcome reads an answer: nil if the message is stored, shadow.ErrDuplicate if one of
// its id was there already.
func outcome(m *nats.Msg) error {
	if bytes.HasPrefix(m.Data, noError) {
		var ack jetstream.PubAck
		if bytes.Contains(m.Data, again) && json.Unmarshal(m.Data, &ack) == nil && ack.Duplicate {
			return shadow.ErrDuplicate
		}
		return nil
	}
	if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
		return jetstream.ErrNoStreamResponse
	}
	var answer struct {
		Error  *jetstream.APIError `json:"error"`
		Stream string              `json:"stream"`
	}
	switch err := json.Unmarshal(m.Data, &answer); {
	case err == nil && answer.Error != nil:
		return fmt.Errorf("nats: %w", answer.Error)
	case err != nil || answer.Stream == "":
		return jetstream.ErrInvalidJSAck
	}
	return nil
}

// Errors of a publish without a connection, and of one that lost it before the answer.
var (
	errNotConnected = errors.New("no connection to the bus")
	errLost         = errors.New("connection to the bus lost before its answer")
)

// told says what the library means: its own words speak of a buffer that we do not want.
func told(err error) error {
	if errors.Is(err, nats.ErrReconnectBufExceeded) {
		return errNotConnected
	}
	return err
}
