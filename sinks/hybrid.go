package sinks

import (
	"encoding/binary"
	"fmt"
)

// hybrid reads Parquet's hybrid of run lengths and bit packing, in which levels and
// dictionary indices are written. It never reads beyond its bytes.
type hybrid struct {
	data  []byte
	width int
	value uint32 // of the current run of equal values
	equal int    // values left in it
	// Of the current bit-packed run: values left, and the next value's first bit.
	packed int
	bit    int
}

// run makes sure that a run has values left.
func (h *hybrid) run() error {
	if h.equal > 0 || h.packed > 0 {
		return nil
	}
	h.data, h.bit = h.data[(h.bit+7)/8:], 0
	header, size := binary.Uvarint(h.data)
	n := header >> 1
	if size <= 0 || n == 0 || n > maxDecodeRows {
		return fmt.Errorf("%w: fewer levels or indices than values", ErrDamaged)
	}
	h.data = h.data[size:]
	if header&1 == 1 {
		// The last run may claim a whole group of eight and be cut behind its values.
		h.packed = min(8*int(n), 8*len(h.data)/max(1, h.width))
		if h.width == 0 {
			h.equal, h.packed, h.value = 8*int(n), 0, 0
		}
		if h.packed == 0 && h.equal == 0 {
			return fmt.Errorf("%w: fewer levels or indices than values", ErrDamaged)
		}
		return nil
	}
	bytes := (h.width + 7) / 8
	if bytes > len(h.data) {
		return fmt.Errorf("%w: a run without its value", ErrDamaged)
	}
	h.value = 0
	for i, b := range h.data[:bytes] {
		h.value |= uint32(b) << (8 * i)
	}
	h.data, h.equal = h.data[bytes:], int(n)
	return nil
}

// read fills dst.
func (h *hybrid) read(dst []uint32) error {
	for len(dst) > 0 {
		if err := h.run(); err != nil {
			return err
		}
		n := min(len(dst), max(h.equal, h.packed))
		if h.equal > 0 {
			for i := range dst[:n] {
				dst[i] = h.value
			}
			h.equal -= n
		} else {
			h.unpack(dst[:n])
			h.packed -= n
		}
		dst = dst[n:]
	}
	return nil
}

// allEqual takes the next n values if they are one run of want; else it takes none.
func (h *hybrid) allEqual(n int, want uint32) (bool, error) {
	if err := h.run(); err != nil {
		return false, err
	}
	if h.equal < n || h.value != want {
		return false, nil
	}
	h.equal -= n
	return true, nil
}

// unpack takes values of width bits, lowest bit first. run has checked that their
// bytes are there.
func (h *hybrid) unpack(dst []uint32) {
	width, mask := h.width, uint64(1)<<h.width-1
	bit := h.bit
	i := 0
	for last := len(h.data) - 8; i < len(dst) && bit>>3 <= last; i++ {
		dst[i] = uint32(binary.LittleEndian.Uint64(h.data[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
	for ; i < len(dst); i++ {
		var word [8]byte
		copy(word[:], h.data[bit>>3:])
		dst[i] = uint32(binary.LittleEndian.Uint64(word[:]) >> (bit & 7) & mask)
		bit += width
	}
	h.bit = bit
}
