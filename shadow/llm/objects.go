package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// objects cuts JSON objects out of bytes as they come: one after the other, as in
// NDJSON, or as the entries of one list. It reads each byte once; the result does not
// depend on how the bytes are split.
type objects struct {
	text    []byte // the object that has not ended yet
	depth   int    // brackets that are open in it; 0 between objects
	quoted  bool   // within a string
	escaped bool   // behind a backslash in it
	listed  bool   // the objects are entries of a list
	closed  bool   // the list has ended: what follows does not count
	broken  bool   // something else than an object: the rest is not read
	emit    func(data []byte, end int64)
	read    int64 // bytes taken so far
}

func (o *objects) write(p []byte) {
	for len(p) > 0 && !o.closed && !o.broken {
		n := 0
		if o.depth == 0 {
			n = o.between(p)
		} else {
			n = o.within(p)
			o.text = append(o.text, p[:n]...)
		}
		o.read += int64(n)
		p = p[n:]
		if o.depth == 0 && len(o.text) > 0 {
			o.emit(o.text, o.read)
			o.text = o.text[:0]
		}
	}
}

// between takes what stands before the next object, and the bracket that opens it.
func (o *objects) between(p []byte) int {
	for i, c := range p {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == '{':
			o.text, o.depth = append(o.text[:0], c), 1
			return i + 1
		case c == '[' && !o.listed:
			o.listed = true
		case c == ',' && o.listed:
		case c == ']' && o.listed:
			o.closed = true
			return i + 1
		default:
			o.broken = true
			return i
		}
	}
	return len(p)
}

// within takes what belongs to the object that is open.
func (o *objects) within(p []byte) int {
	for i, c := range p {
		switch {
		case o.escaped:
			o.escaped = false
		case o.quoted:
			o.escaped, o.quoted = c == '\\', c != '"'
		case c == '"':
			o.quoted = true
		case c == '{' || c == '[':
			o.depth++
		case c == '}' || c == ']':
			if o.depth--; o.depth == 0 {
				return i + 1
			}
		}
	}
	return len(p)
}

// rubbish says whether something came that is no JSON; an object that was cut off is
// no rubbish.
func (o *objects) rubbish() bool {
	if o.broken || len(o.text) == 0 {
		return o.broken
	}
	var raw json.RawMessage
	err := json.NewDecoder(bytes.NewReader(o.text)).Decode(&raw)
	return !errors.Is(err, io.ErrUnexpectedEOF)
}
