package sinks

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// checkedPages looks at each page before the library decodes it. Where a page
// holds fewer levels or dictionary indices than its header says, the library's
// column reader makes no progress and never returns; where a dictionary claims
// more entries than it has bytes, it makes room for them.
type checkedPages struct {
	file.PageReader
	maxDef, maxRep int16
	err            error
}

// Next fetches and checks the next page.
func (p *checkedPages) Next() bool {
	if p.err != nil || !p.PageReader.Next() {
		return false
	}
	p.err = p.check(p.Page())
	return p.err == nil
}

// Err is the first error, of the page or of its check.
func (p *checkedPages) Err() error {
	if p.err != nil {
		return p.err
	}
	return p.PageReader.Err()
}

func (p *checkedPages) check(page file.Page) error {
	switch page := page.(type) {
	case *file.DictionaryPage:
		if int(page.NumValues()) > len(page.Data()) {
			return fmt.Errorf("%w: dictionary of %d entries in %d bytes", ErrDamaged, page.NumValues(), len(page.Data()))
		}
		return nil
	case *file.DataPageV1:
		return p.checkData(page)
	default:
		return fmt.Errorf("%w: a page of a kind that we do not write", ErrDamaged)
	}
}

func (p *checkedPages) checkData(page *file.DataPageV1) error {
	data, n := page.Data(), int(page.NumValues())
	present := n
	for _, level := range []struct {
		max      int16
		encoding parquet.Encoding
	}{{p.maxRep, page.RepetitionLevelEncoding()}, {p.maxDef, page.DefinitionLevelEncoding()}} {
		if level.max == 0 {
			continue
		}
		if level.encoding != parquet.Encodings.RLE || len(data) < 4 {
			return fmt.Errorf("%w: page without levels", ErrDamaged)
		}
		size := int64(binary.LittleEndian.Uint32(data))
		if size > int64(len(data)-4) {
			return fmt.Errorf("%w: levels longer than their page", ErrDamaged)
		}
		var ok bool
		if present, ok = countIn(data[4:4+size], bits.Len16(uint16(level.max)), n, uint64(level.max)); !ok {
			return fmt.Errorf("%w: fewer levels than a page's %d values", ErrDamaged, n)
		}
		data = data[4+size:]
	}
	encoding := parquet.Encoding(page.Encoding())
	if present == 0 || (encoding != parquet.Encodings.RLEDict && encoding != parquet.Encodings.PlainDict) {
		return p.checkEncoding(encoding)
	}
	if len(data) == 0 || data[0] > 32 {
		return fmt.Errorf("%w: page without dictionary indices", ErrDamaged)
	}
	if _, ok := countIn(data[1:], int(data[0]), present, 0); !ok {
		return fmt.Errorf("%w: fewer dictionary indices than a page's %d values", ErrDamaged, present)
	}
	return nil
}

// checkEncoding lets those encodings pass that we write; their decoders notice
// when values are missing.
func (p *checkedPages) checkEncoding(e parquet.Encoding) error {
	switch e {
	case parquet.Encodings.Plain, parquet.Encodings.RLEDict, parquet.Encodings.PlainDict:
		return nil
	}
	return fmt.Errorf("%w: encoding %s, which we do not write", ErrDamaged, e)
}

// countIn counts how often want is among the first n values of Parquet's hybrid of
// run lengths and bit packing; false when there are fewer than n.
func countIn(data []byte, width, n int, want uint64) (count int, ok bool) {
	for n > 0 {
		header, size := binary.Uvarint(data)
		if size <= 0 || header>>1 == 0 || header > 1<<32 {
			return 0, false
		}
		data = data[size:]
		if header&1 == 0 {
			value, used, ok := runValue(data, width)
			if !ok {
				return 0, false
			}
			run := min(n, int(header>>1))
			if value == want {
				count += run
			}
			n, data = n-run, data[used:]
			continue
		}
		run := min(n, int(header>>1)*8)
		if (run*width+7)/8 > len(data) {
			return 0, false
		}
		count += countPacked(data, width, run, want)
		n -= run
		data = data[min(len(data), int(header>>1)*width):]
	}
	return count, true
}

// runValue reads the value that a run repeats.
func runValue(data []byte, width int) (value uint64, used int, ok bool) {
	used = (width + 7) / 8
	if used > len(data) {
		return 0, 0, false
	}
	for i, b := range data[:used] {
		value |= uint64(b) << (8 * i)
	}
	return value, used, true
}

// countPacked counts a value among n values of width bits, lowest bit first.
func countPacked(data []byte, width, n int, want uint64) (count int) {
	if width > 8 { // only levels are counted, which are narrow
		return 0
	}
	for i := range n {
		at := i * width
		pair := uint64(0)
		if at/8 < len(data) {
			pair = uint64(data[at/8])
		}
		if at/8+1 < len(data) {
			pair |= uint64(data[at/8+1]) << 8
		}
		if pair>>(at%8)&(1<<width-1) == want {
			count++
		}
	}
	return count
}
