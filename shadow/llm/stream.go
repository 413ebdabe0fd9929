package llm

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Stream puts a streamed answer together from its bytes as they come: server-sent
// events, for Ollama a JSON object a line, for Gemini one JSON list too. The result
// never depends on how the bytes are split, and time is linear in their number. It is
// for one goroutine.
//
// A server that was asked for a stream and answers with one whole JSON document is
// read as [DecodeReply] would.
type Stream struct {
	dialect Dialect
	answer  assembler // nil for a dialect that is not read here
	limit   int
	size    int64
	over    bool
	mode    mode
	events  events
	objects objects
	whole   []byte // the body, when it is one JSON document
	blank   int    // bytes of it that are known to be blank

	first   int64 // offset after the first content, 0 before it
	ended   bool  // the end sign has come
	chunks  int   // events that were JSON objects
	failure *Failure
	closed  bool
}

type mode uint8

const (
	modeUnknown mode = iota // nothing but blanks and a byte order mark so far
	modeEvents              // server-sent events
	modeObjects             // JSON objects, one after the other or in a list
	modeWhole               // one JSON document
)

// NewStream starts a stream that holds at most limit bytes in all; 0 is no limit.
// A stream over the limit ends as too_large, never as a cut answer.
// For a dialect that is not read here Reply gives [ErrDialect].
func NewStream(d Dialect, limit int) *Stream {
	s := &Stream{dialect: d, limit: limit, answer: assemblerOf(d)}
	s.events.emit = s.event
	s.objects.emit = func(data []byte, end int64) { s.event("", data, end) }
	return s
}

// Write takes the next bytes. It never fails and always takes all of p; what is
// wrong with the content is said by Reply. Writes after Reply are ignored.
func (s *Stream) Write(p []byte) (int, error) {
	taken := len(p)
	if s.closed || s.over || s.answer == nil {
		return taken, nil
	}
	if s.limit > 0 && s.size+int64(len(p)) > int64(s.limit) {
		p = p[:int64(s.limit)-s.size]
		s.over = true
	}
	s.size += int64(len(p))
	s.frame(p)
	if s.over {
		s.whole, s.events.line, s.events.data, s.objects.text = nil, nil, nil, nil
	}
	return taken, nil
}

func (s *Stream) frame(p []byte) {
	switch s.mode {
	case modeEvents:
		s.events.write(p)
	case modeObjects:
		s.objects.write(p)
	case modeWhole:
		s.whole = append(s.whole, p...)
	default:
		s.begin(p)
	}
}

// begin finds out from the first byte that is not blank what kind of body this is.
func (s *Stream) begin(p []byte) {
	s.whole = append(s.whole, p...)
	const mark = "\xef\xbb\xbf"
	if len(s.whole) < len(mark) && strings.HasPrefix(mark, string(s.whole)) {
		return
	}
	if s.blank == 0 && bytes.HasPrefix(s.whole, []byte(mark)) {
		s.blank = len(mark)
	}
	s.blank = skipBlank(s.whole, s.blank)
	if s.blank == len(s.whole) {
		return
	}
	s.mode = s.modeOf(s.whole[s.blank])
	all := s.whole
	switch s.whole = nil; s.mode {
	case modeWhole:
		s.whole = all
	case modeObjects:
		s.objects.read = int64(s.blank)
		s.objects.write(all[s.blank:])
	default:
		s.events.write(all)
	}
}

// modeOf tells the kinds of bodies apart. What begins like a document is a stream in
// the dialects that stream objects.
func (s *Stream) modeOf(first byte) mode {
	lines := s.dialect == OllamaChat || s.dialect == OllamaGenerate
	switch {
	case first == '{' && lines, first == '[' && s.dialect == GeminiGenerate:
		return modeObjects
	case first == '{', first == '[':
		return modeWhole
	}
	return modeEvents
}

// FirstContent gives the offset just after the event that brought the first content
// that is not empty: text, a refusal or a tool call; not a role, a comment or
// reasoning. ok is false before it, and for a body that is no stream, such as an
// answer of Ollama that is one object. With line ends of \r\n the offset is that after
// the \r of the blank line.
func (s *Stream) FirstContent() (offset int64, ok bool) { return s.first, s.first > 0 }

// Ended says that the end sign or an error has come: what follows does not belong to
// the answer. Gemini's server-sent events have no end sign.
func (s *Stream) Ended() bool { return s.ended || s.objects.closed || s.failure != nil }

// Reply ends the stream and gives the answer as far as it came. The error is nil or
// a [*Failure], with the reasons of [DecodeReply], and: reset when the end sign is
// missing, too_large over the limit, error_in_200 for an error event.
//
// The end sign is per dialect:
//
//	openai-chat         [DONE], or a finish reason: some servers send no [DONE]
//	openai-responses    response.completed or response.incomplete
//	anthropic-messages  message_stop
//	gemini-generate     a finish reason, or a blocked prompt
//	ollama              done: true
//
// Token counts may be missing from an answer that is whole.
func (s *Stream) Reply() (Reply, error) {
	if s.answer == nil {
		return Reply{}, fmt.Errorf("decode stream in %q: %w", s.dialect, ErrDialect)
	}
	if !s.closed && !s.over {
		s.finish()
	}
	s.closed = true
	if s.mode == modeWhole && !s.over {
		return DecodeReply(s.dialect, s.whole)
	}
	r, whole := s.answer.reply()
	if f := s.verdict(r, whole); f != nil {
		return r, f
	}
	return r, nil
}

// finish takes what was not ended.
func (s *Stream) finish() {
	s.events.finish()
	if s.failure == nil && s.objects.rubbish() {
		s.failure = failMalformed("the stream has something else than JSON objects in it")
	}
}

func (s *Stream) verdict(r Reply, whole bool) *Failure {
	switch {
	case s.over:
		return &Failure{Class: Malformed, Reason: TooLarge, Status: http.StatusOK,
			Err: fmt.Errorf("the answer is larger than %d bytes", s.limit)}
	case s.failure != nil:
		return s.failure
	case s.chunks == 0 && s.Ended(), s.mode == modeUnknown:
		return failEmpty("the stream has no chunk")
	case s.chunks == 0 && s.events.read > 0 && !s.events.saw:
		return failMalformed("the body is not a stream of events")
	case !whole && !s.ended:
		return &Failure{Class: Unavailable, Reason: Reset, Status: http.StatusOK,
			Err: errors.New("the stream was cut before its end sign")}
	}
	return NoAnswer(r)
}

// event takes one event. Nothing after the end sign counts, nor after an error.
func (s *Stream) event(name string, data []byte, end int64) {
	data = bytes.TrimSpace(data)
	if s.Ended() || len(data) == 0 {
		return
	}
	if string(data) == "[DONE]" {
		s.ended = s.dialect == OpenAIChat // gateways send it in other dialects too
		return
	}
	v, ok := parse(data)
	if e, found := errorOf(v); found {
		s.failure = e.inside200()
		return
	}
	switch {
	case name == "error":
		s.failure = eventError(v).inside200()
	case !ok && s.events.cut:
		// the rest of a line that never came: the missing end sign says so
	case !ok || !v.object():
		s.failure = failMalformed("an event of the stream is not a JSON object")
	default:
		s.chunk(name, v, end)
	}
}

func (s *Stream) chunk(name string, v value, end int64) {
	s.chunks++
	step := s.answer.take(name, v)
	if step.content && s.first == 0 {
		s.first = end
	}
	s.ended, s.failure = step.end, step.failure
}
