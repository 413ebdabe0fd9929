package llm

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Stream puts a streamed answer together from its bytes as they come. The result
// never depends on how the bytes are split. It is for one goroutine.
//
// A server that was asked for a stream and answers with one whole JSON document is
// read as [DecodeReply] would.
type Stream struct {
	dialect Dialect
	limit   int
	size    int64
	over    bool
	events  events
	mode    mode
	whole   []byte // the body, when it is one JSON document
	blank   int    // bytes of it that are known to be blank

	reply   Reply
	text    strings.Builder
	refusal strings.Builder
	calls   toolCalls
	first   int64 // offset after the first content, 0 before it
	ended   bool  // [DONE]
	chunks  int   // data events that were chunks
	failure *Failure
	closed  bool
}

type mode uint8

const (
	modeUnknown mode = iota // nothing but blanks and a byte order mark so far
	modeEvents
	modeWhole
)

// NewStream starts a stream that holds at most limit bytes in all; 0 is no limit.
// A stream over the limit ends as too_large, never as a cut answer.
// Streams are read in [OpenAIChat]; for any other dialect Reply gives [ErrDialect].
func NewStream(d Dialect, limit int) *Stream {
	s := &Stream{dialect: d, limit: limit}
	s.events.emit = s.event
	return s
}

// Write takes the next bytes. It never fails and always takes all of p; what is
// wrong with the content is said by Reply. Writes after Reply are ignored.
func (s *Stream) Write(p []byte) (int, error) {
	taken := len(p)
	if s.closed || s.over {
		return taken, nil
	}
	if s.limit > 0 && s.size+int64(len(p)) > int64(s.limit) {
		p = p[:int64(s.limit)-s.size]
		s.over = true
	}
	s.size += int64(len(p))
	switch s.mode {
	case modeEvents:
		s.events.write(p)
	default:
		s.begin(p)
	}
	if s.over {
		s.whole, s.events.line, s.events.data = nil, nil, nil
	}
	return taken, nil
}

// begin finds out whether the body is a stream or one JSON document.
func (s *Stream) begin(p []byte) {
	s.whole = append(s.whole, p...)
	if s.mode == modeWhole {
		return
	}
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
	if s.whole[s.blank] == '{' {
		s.mode = modeWhole
		return
	}
	s.mode = modeEvents
	all := s.whole
	s.whole = nil
	s.events.write(all)
}

// FirstContent gives the offset just after the event that brought the first content
// that is not empty: text, a refusal or a tool call; not a role, a comment or
// reasoning. ok is false before it, and for a body that is no stream. With line
// ends of \r\n the offset is that after the \r of the blank line.
func (s *Stream) FirstContent() (offset int64, ok bool) { return s.first, s.first > 0 }

// Ended says that the end sign [DONE] or an error has come: what follows does not
// belong to the answer.
func (s *Stream) Ended() bool { return s.ended || s.failure != nil }

// Reply ends the stream and gives the answer as far as it came. The error is nil or
// a [*Failure], with the reasons of [DecodeReply], and: reset when the end sign is
// missing, too_large over the limit, error_in_200 for an error event.
//
// The end sign is [DONE]. A finish reason is accepted in its place, since some
// servers send no [DONE]; the text is whole then, only token counts may be missing.
func (s *Stream) Reply() (Reply, error) {
	if s.dialect != OpenAIChat {
		return Reply{}, fmt.Errorf("decode stream in %q: %w", s.dialect, ErrDialect)
	}
	if !s.closed && !s.over {
		s.events.finish()
	}
	s.closed = true
	if s.over {
		f := &Failure{Class: Malformed, Reason: TooLarge, Status: http.StatusOK,
			Err: fmt.Errorf("the answer is larger than %d bytes", s.limit)}
		return s.assembled(), f
	}
	if s.mode == modeWhole {
		return DecodeReply(s.dialect, s.whole)
	}
	r := s.assembled()
	if f := s.verdict(r); f != nil {
		return r, f
	}
	return r, nil
}

func (s *Stream) assembled() Reply {
	r := s.reply
	r.Text, r.Refusal, r.ToolCalls = s.text.String(), s.refusal.String(), s.calls.list()
	return r
}

func (s *Stream) verdict(r Reply) *Failure {
	switch {
	case s.failure != nil:
		return s.failure
	case s.chunks == 0 && s.ended, s.mode == modeUnknown:
		return failEmpty("the stream has no chunk")
	case s.chunks == 0 && s.events.read > 0 && !s.events.saw:
		return failMalformed("the body is not a stream of events")
	case !s.ended && r.Finish == FinishUnknown:
		return &Failure{Class: Unavailable, Reason: Reset, Status: http.StatusOK,
			Err: errors.New("the stream was cut before its end sign")}
	}
	return outcome(r)
}

// event takes one event. Nothing after [DONE] counts, nor after an error.
func (s *Stream) event(name string, data []byte, end int64) {
	data = bytes.TrimSpace(data)
	if s.ended || s.failure != nil || len(data) == 0 {
		return
	}
	if string(data) == "[DONE]" {
		s.ended = true
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
		s.chunk(v, end)
	}
}

func (s *Stream) chunk(v value, end int64) {
	s.chunks++
	if m := v.get("model").str(); m != "" {
		s.reply.Model = Snapshot(m)
	}
	s.reply.Usage.merge(openAIUsage(v.get("usage")))
	for choice := range v.get("choices").items() {
		if n := choice.get("index").count(); n != nil && *n != 0 {
			continue
		}
		if s.choice(choice) && s.first == 0 {
			s.first = end
		}
	}
}

// choice takes a piece of the answer and says whether it brought content.
func (s *Stream) choice(choice value) bool {
	if f := openAIFinish(choice.get("finish_reason").str()); f != "" {
		s.reply.Finish = f
	}
	delta := choice.get("delta")
	text, refusal := openAIContent(delta)
	if delta.null() {
		text = choice.get("text").str()
	}
	s.text.WriteString(text)
	s.refusal.WriteString(refusal)
	content := text != "" || refusal != ""
	for item := range delta.get("tool_calls").items() {
		s.calls.add(item, true)
		content = true
	}
	if legacy := delta.get("function_call"); legacy.object() {
		s.calls.addFunction(-1, "", legacy)
		content = true
	}
	return content
}
