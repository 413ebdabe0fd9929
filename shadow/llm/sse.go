package llm

import (
	"bytes"
	"slices"
	"strings"
)

// events cuts server-sent events out of bytes as they come. Lines end with \n, \r\n
// or \r; the result does not depend on how the bytes are split. Within a line only
// data and event count; comments, ids and unknown fields are passed over.
type events struct {
	line  []byte // the line that has not ended yet
	data  []byte // data lines of the event so far
	name  string
	has   bool // data has at least one line
	wasCR bool // the last byte was \r: a \n now belongs to it
	begun bool // the byte order mark, if any, is behind us
	saw   bool // there was a field or a comment: this is a stream
	cut   bool // the last line or event was not ended
	emit  func(name string, data []byte, end int64)
	read  int64 // bytes taken so far
}

func (e *events) write(p []byte) {
	for len(p) > 0 {
		if e.wasCR {
			e.wasCR = false
			if p[0] == '\n' {
				e.read++
				p = p[1:]
				continue
			}
		}
		i := bytes.IndexAny(p, "\r\n")
		if i < 0 {
			e.line = append(e.line, p...)
			e.read += int64(len(p))
			return
		}
		e.line = append(e.line, p[:i]...)
		e.read += int64(i) + 1
		e.wasCR = p[i] == '\r'
		p = p[i+1:]
		e.endLine()
	}
}

func (e *events) endLine() {
	line := e.line
	if !e.begun {
		e.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) == 0 {
		e.dispatch()
	} else {
		e.field(line)
	}
	e.line = e.line[:0]
}

func (e *events) field(line []byte) {
	name, val, _ := bytes.Cut(line, []byte(":"))
	val = bytes.TrimPrefix(val, []byte(" "))
	switch string(name) {
	case "", "id", "retry":
		e.saw = true
	case "data":
		e.saw = true
		if e.has {
			e.data = append(e.data, '\n')
		}
		e.data, e.has = append(e.data, val...), true
	case "event":
		e.saw = true
		e.name = string(val)
	}
}

func (e *events) dispatch() {
	if e.has {
		e.emit(e.name, e.data, e.read)
	}
	e.data, e.has, e.name = e.data[:0], false, ""
}

// finish takes the last line and event although nothing ended them: some servers
// close right after their last data line.
func (e *events) finish() {
	e.cut = true
	if len(e.line) > 0 {
		e.saw = e.saw || begins(string(e.line), "data", "event", "id", "retry")
		e.endLine()
	}
	e.dispatch()
}

// begins says whether a cut line is the beginning of one of these names.
func begins(line string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, line) })
}
