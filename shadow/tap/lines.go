package tap

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Errors of reading documents: the line is passed over, and the next one is read.
var (
	errLong = errors.New("the document is too large")
	errRoom = errors.New("no room for the document")
)

// lineReader reads documents, one a line or all as one. It holds one at a time, whose
// memory it takes from the budget of what waits for the bus.
type lineReader struct {
	from   *bufio.Reader
	budget *budget
	limit  int
	whole  bool // all is one document

	number int // of the last line that was not empty, from 1 on
	at     int
	line   []byte
	held   int64
}

func newLineReader(r io.Reader, b *budget, limit int64, whole bool) *lineReader {
	return &lineReader{from: bufio.NewReader(r), budget: b, limit: int(limit), whole: whole}
}

// next gives the next line without its end, which is not empty and valid until the next
// call. Errors: errLong and errRoom for this line, anything else ends the reading.
func (l *lineReader) next() ([]byte, error) {
	for {
		var lost, end error
		l.line = l.line[:0]
		for more := true; more; {
			var piece []byte
			piece, end = l.from.ReadSlice('\n')
			if lost == nil {
				lost = l.add(piece)
			}
			more = errors.Is(end, bufio.ErrBufferFull) || l.whole && end == nil
		}
		l.at++
		line := bytes.TrimSpace(l.line)
		if lost != nil || len(line) > 0 {
			l.number = l.at
		}
		switch {
		case lost != nil:
			return nil, lost
		case len(line) > 0 && (end == nil || errors.Is(end, io.EOF)):
			return line, nil
		case end != nil: // what is left of a line that was cut off is none
			return nil, end
		}
	}
}

func (l *lineReader) add(piece []byte) error {
	need := len(l.line) + len(piece)
	if need > l.limit {
		return errLong
	}
	if need > cap(l.line) {
		size := max(need, min(2*cap(l.line), l.limit), chunkBytes)
		if !l.budget.take(int64(size - cap(l.line))) {
			return errRoom
		}
		l.held += int64(size - cap(l.line))
		l.line = append(make([]byte, 0, size), l.line...)
	}
	l.line = append(l.line, piece...)
	return nil
}

// close gives back what the reader holds.
func (l *lineReader) close() {
	l.budget.give(l.held)
	l.line, l.held = nil, 0
}
