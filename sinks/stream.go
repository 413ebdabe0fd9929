package sinks

import "io"

// stream gives the bytes of a column to the library without copying them.
type stream struct{ left []byte }

// Peek implements parquet.BufferedReader; at the end it gives what is left.
func (s *stream) Peek(n int) ([]byte, error) {
	if n > len(s.left) {
		return s.left, io.EOF
	}
	return s.left[:n], nil
}

// Discard implements parquet.BufferedReader.
func (s *stream) Discard(n int) (int, error) {
	n = min(max(0, n), len(s.left))
	s.left = s.left[n:]
	return n, nil
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if len(s.left) == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

// pageMemory is a bounded memory that gives the memory of the last page to the next
// one. The library frees a page's memory when the page is made and not when it is
// left, so nothing of a page may be kept when the next one is asked for.
type pageMemory struct {
	boundedMemory
	spare []byte
}

// Allocate implements memory.Allocator.
func (m *pageMemory) Allocate(size int) []byte {
	if size <= cap(m.spare) {
		b := m.spare[:size]
		m.spare = nil
		return b
	}
	m.take(size)
	return m.heap.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (m *pageMemory) Reallocate(size int, b []byte) []byte {
	to := m.Allocate(size)
	copy(to, b)
	return to
}

// Free implements memory.Allocator.
func (m *pageMemory) Free(b []byte) {
	if m.spare == nil {
		m.spare = b
	}
}
