package tap

import (
	"encoding/binary"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// tape keeps bytes in the pieces in which they came, each with the time when it was
// there. It has one writer at a time.
//
// A piece is a head, its time in nanoseconds and its length, and then its bytes; one
// that meets the end of a chunk goes on as another piece of the same time. The bytes
// lie in chunks of one size, so that growing copies nothing, and whoever writes against
// the rules, from two goroutines at once, spoils its own sample but no memory.
type tape struct {
	first, last *chunk // never nil
	held        int    // chunks beyond the first
	piece       int    // where in last the head of the last piece is
	pieces      int
	at          time.Duration // of the last piece
}

type chunk struct {
	next *chunk
	used int
	data [chunkBytes - 16]byte
}

const (
	chunkBytes = 4 << 10
	headBytes  = 12
	// exactPieces of a tape are timed one by one. Further ones that come within sparseGap
	// after the one before are added to that: heads of a stream of an hour stay small.
	exactPieces = 4 << 10
	sparseGap   = 10 * time.Millisecond
)

// budget bounds the memory that all captures of a tap hold together, and keeps chunks
// for the next ones.
type budget struct {
	limit  int64
	held   atomic.Int64
	chunks sync.Pool // of *chunk
}

func (b *budget) take(n int64) bool {
	if b.held.Add(n) > b.limit {
		b.held.Add(-n)
		return false
	}
	return true
}

func (b *budget) give(n int64) { b.held.Add(-n) }

// tight says that over half of it is taken.
func (b *budget) tight() bool { return b.held.Load() > b.limit/2 }

// chunk gives an empty chunk; nil if there is no memory left for it.
func (b *budget) chunk() *chunk {
	if !b.take(chunkBytes) {
		return nil
	}
	if c, ok := b.chunks.Get().(*chunk); ok {
		c.next, c.used = nil, 0
		return c
	}
	return new(chunk)
}

func newTape() tape {
	first := new(chunk)
	return tape{first: first, last: first}
}

// clear empties the tape and gives back all chunks but the first.
func (t *tape) clear(b *budget) {
	for c := t.first.next; c != nil; {
		next := c.next
		b.chunks.Put(c)
		c = next
	}
	b.give(int64(t.held) * chunkBytes)
	t.first.next, t.first.used = nil, 0
	*t = tape{first: t.first, last: t.first}
}

// put appends a piece if it fits into the last chunk as a piece of its own, as nearly all
// do: a streamed event costs little more than its clock.
func (t *tape) put(p []byte, at time.Duration) bool {
	c := t.last
	n := c.used
	if len(p) == 0 || t.pieces >= exactPieces || n+headBytes > len(c.data)-len(p) {
		return false
	}
	t.write(c, n, p, at)
	return true
}

// write makes a piece at n in c, where it fits.
func (t *tape) write(c *chunk, n int, p []byte, at time.Duration) {
	head := c.data[n:][:headBytes]
	binary.LittleEndian.PutUint64(head, uint64(at))
	binary.LittleEndian.PutUint32(head[8:], uint32(len(p)))
	c.used = n + headBytes + copy(c.data[n+headBytes:], p)
	t.pieces++
	t.piece, t.at = n, at
}

// add appends a piece, which is not empty. It gives false if there is no memory left.
func (t *tape) add(b *budget, p []byte, at time.Duration) bool {
	for len(p) > 0 {
		n := 0
		if t.pieces >= exactPieces && at-t.at < sparseGap && t.last.used < len(t.last.data) {
			n = t.extend(p)
		} else if n = t.begin(b, p, at); n == 0 {
			return false
		}
		p = p[n:]
	}
	return true
}

// begin makes a piece of as much of p as fits, in another chunk if this one has no room
// for a head and a byte. It gives 0 if there is no memory for that.
func (t *tape) begin(b *budget, p []byte, at time.Duration) int {
	c := t.last
	if c.used+headBytes >= len(c.data) {
		if c = b.chunk(); c == nil {
			return 0
		}
		t.last.next, t.last = c, c
		t.held++
	}
	n := c.used
	size := min(len(p), len(c.data)-headBytes-n)
	t.write(c, n, p[:size], at)
	return size
}

// extend makes the last piece longer by as much of p as fits.
func (t *tape) extend(p []byte) int {
	c, length := t.last, t.last.data[t.piece+8:][:4]
	size := copy(c.data[c.used:], p)
	binary.LittleEndian.PutUint32(length, binary.LittleEndian.Uint32(length)+uint32(size))
	c.used += size
	return size
}

// pieceReader reads a tape as it came, one timed piece at a time, so that whoever
// unpacks it knows when the bytes were there.
type pieceReader struct {
	c    *chunk
	from int // in c
	rest []byte
	at   time.Duration // of the piece that was read last
}

func (t *tape) reader() *pieceReader { return &pieceReader{c: t.first} }

// next gives the next piece; nil at the end.
func (r *pieceReader) next() []byte {
	for r.c != nil && r.from >= r.c.used {
		r.c, r.from = r.c.next, 0
	}
	if r.c == nil {
		return nil
	}
	head := r.c.data[r.from:][:headBytes]
	size := int(binary.LittleEndian.Uint32(head[8:]))
	r.at = time.Duration(binary.LittleEndian.Uint64(head))
	from := r.from + headBytes
	r.from = from + size
	return r.c.data[from:r.from]
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.rest = r.next(); len(r.rest) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// bytes gives all bytes in one piece, of which size are expected.
func (t *tape) bytes(size int64) []byte {
	all := make([]byte, 0, size)
	r := t.reader()
	for p := r.next(); p != nil; p = r.next() {
		all = append(all, p...)
	}
	return all
}
