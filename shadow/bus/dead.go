package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nats-io/nats.go"

	"github.com/understudy-eval/understudy/shadow"
)

// Why a message became a dead letter: a closed list.
const (
	DeadMalformed = "malformed"       // no message of its kind
	DeadVersion   = "unknown_version" // of another wire version: keep it for a newer process
	DeadTooLarge  = "too_large"       // its product does not fit into a message
	DeadLasting   = "lasting"         // the stage said that no later try can mend it
	DeadPanic     = "panic"           // the stage panicked
	DeadFailed    = "failed"          // it failed again and again while others succeeded
)

// DeadReasons lists the reasons in the order in which tables show them.
func DeadReasons() []string {
	return []string{DeadMalformed, DeadVersion, DeadTooLarge, DeadLasting, DeadPanic, DeadFailed}
}

// Headers of a dead letter. Its body is the message as it was.
const (
	HeaderStage     = "Understudy-Stage"     // the kind of message
	HeaderReason    = "Understudy-Reason"    // one of the Dead constants
	HeaderError     = "Understudy-Error"     // what was wrong, at most 500 bytes
	HeaderSequence  = "Understudy-Sequence"  // the message's number in its stream
	HeaderDelivered = "Understudy-Delivered" // how often it was delivered
	HeaderID        = "Understudy-Id"        // the message's own id, where it had one
	HeaderCut       = "Understudy-Cut"       // the body's whole size, where it had to be cut
)

const maxErrorText = 500

// deadBackoff is the delay of a dead letter that could not be stored.
const deadBackoff = 30 * time.Second

// deadError is a failure for good.
type deadError struct {
	reason string
	err    error
	stack  []byte
}

func (e *deadError) Error() string { return e.reason + ": " + e.err.Error() }
func (e *deadError) Unwrap() error { return e.err }

func decodeReason(err error) string {
	if errors.Is(err, shadow.ErrVersion) {
		return DeadVersion
	}
	return DeadMalformed
}

// bury stores a dead letter and takes the message out of the stage's work. If it
// cannot be stored, the message stays and comes again.
func (s *stage) bury(ctx context.Context, m *message, why *deadError) {
	err := s.bus.publish(context.WithoutCancel(ctx), s.letter(m, why))
	if err != nil {
		s.bus.o.Log.ErrorContext(ctx, "dead letter not stored, the message will come again",
			"stage", s.kind, "reason", why.reason, "seq", m.key.seq, "error", err)
		s.giveBack(m, deadBackoff)
		return
	}
	s.bus.o.Log.ErrorContext(ctx, "message is a dead letter",
		"stage", s.kind, "reason", why.reason, "seq", m.key.seq, "error", why.err, "stack", string(why.stack))
	s.done.add(m.key)
	if err := m.TermWithReason(why.reason); err != nil {
		s.bus.o.Log.Debug("dead letter not acknowledged, it will be repeated", "stage", s.kind, "seq", m.key.seq, "error", err)
	}
	s.held.release(m)
	if s.bus.o.OnDead != nil {
		s.bus.o.OnDead(s.kind, why.reason)
	}
}

// letter makes a dead letter of a message.
func (s *stage) letter(m *message, why *deadError) *nats.Msg {
	h := nats.Header{}
	h.Set(HeaderStage, s.kind)
	h.Set(HeaderReason, why.reason)
	h.Set(HeaderError, headerText(why.err.Error()))
	h.Set(HeaderSequence, strconv.FormatUint(m.key.seq, 10))
	h.Set(HeaderDelivered, strconv.FormatUint(m.delivered, 10))
	if id := m.Headers().Get(nats.MsgIdHdr); id != "" {
		h.Set(HeaderID, headerText(id))
	}
	// A second burial of the same message, after a crash between the two steps, is
	// recognised by this id.
	h.Set(nats.MsgIdHdr, fmt.Sprintf("%s/%s/%d/%d", s.bus.token, s.kind, m.key.seq, m.key.stored))
	body := m.Data()
	if limit := max(int(s.bus.MaxPayload())-headRoom, 0); len(body) > limit {
		h.Set(HeaderCut, strconv.Itoa(len(body)))
		body = body[:limit]
	}
	return &nats.Msg{Subject: s.bus.deadSubject(s.kind), Header: h, Data: body}
}

// headerText makes a text fit into a header line.
func headerText(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "")
	}
	return strings.TrimSpace(text)
}
