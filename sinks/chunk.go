package sinks

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// chunk walks through one column of one row group, a part of a page at a time. The
// library reads the pages' headers and decompresses them; what is in them is decoded
// here, into the caller's slices, and every length is checked.
type chunk struct {
	pages  file.PageReader
	memory pageMemory
	stream stream

	maxDef, maxRep int16
	dictionary     []byte // a copy: the page's memory is used again
	entries        int    // of the dictionary

	// The current page.
	left     int // levels that no part had yet
	def, rep hybrid
	indices  hybrid
	plain    []byte
	isPlain  bool
	bit      int // of the next flag in plain

	// The current part.
	n          int // levels
	defs, reps []uint32
	present    int // levels with a value
}

// open starts with a column of a row group of the file in data.
func (c *chunk) open(data []byte, group *file.RowGroupReader, i int, descr *schema.Column) error {
	meta, err := group.MetaData().ColumnChunk(i)
	if err != nil {
		return err
	}
	start, size := meta.DataPageOffset(), meta.TotalCompressedSize()
	if at := meta.DictionaryPageOffset(); meta.HasDictionaryPage() && at > 0 && at < start {
		start = at
	}
	if start < 0 || size < 0 || start > int64(len(data)) || size > int64(len(data))-start {
		return fmt.Errorf("%w: a column lies outside of the file", ErrDamaged)
	}
	if n := meta.NumValues(); n < group.NumRows() || (descr.MaxRepetitionLevel() == 0 && n > group.NumRows()) {
		return fmt.Errorf("%w: column of %d values for %d rows", ErrDamaged, n, group.NumRows())
	}
	if meta.CryptoMetadata() != nil {
		return fmt.Errorf("%w: encrypted", ErrForeign)
	}
	c.stream.left = data[start : start+size]
	c.memory.left = maxDecodeBytes
	c.maxDef, c.maxRep, c.entries, c.left = descr.MaxDefinitionLevel(), descr.MaxRepetitionLevel(), -1, 0
	if c.pages == nil {
		c.pages, err = file.NewPageReader(&c.stream, meta.NumValues(), meta.Compression(), &c.memory, nil)
		return err
	}
	c.pages.Reset(&c.stream, meta.NumValues(), meta.Compression(), nil)
	return c.pages.Err()
}

// next goes to the next part, of at most so many levels, and reads its levels; false at
// the end.
func (c *chunk) next(most int) (bool, error) {
	for c.left == 0 {
		if more, err := c.nextPage(); !more || err != nil {
			return false, err
		}
	}
	c.n = min(c.left, most)
	c.left -= c.n
	return true, c.count()
}

// nextPage goes to the next data page; false at the end.
func (c *chunk) nextPage() (bool, error) {
	for c.pages.Next() {
		switch page := c.pages.Page().(type) {
		case *file.DictionaryPage:
			n := int(page.NumValues())
			if c.entries >= 0 || n > len(page.Data()) {
				return false, fmt.Errorf("%w: dictionary of %d entries in %d bytes", ErrDamaged, n, len(page.Data()))
			}
			c.entries, c.dictionary = n, append(c.dictionary[:0], page.Data()...)
		case *file.DataPageV1:
			return true, c.page(page)
		default:
			return false, fmt.Errorf("%w: a page of a kind that we do not write", ErrDamaged)
		}
	}
	return false, c.pages.Err()
}

func (c *chunk) page(page *file.DataPageV1) error {
	c.left, c.bit = int(page.NumValues()), 0
	if c.left < 0 || c.left > maxDecodeRows {
		return fmt.Errorf("%w: page of %d values", ErrDamaged, c.left)
	}
	data, err := c.levels(page.Data(), c.maxRep, page.RepetitionLevelEncoding(), &c.rep)
	if err == nil {
		data, err = c.levels(data, c.maxDef, page.DefinitionLevelEncoding(), &c.def)
	}
	if err != nil {
		return err
	}
	switch parquet.Encoding(page.Encoding()) {
	case parquet.Encodings.Plain:
		c.plain, c.isPlain = data, true
	case parquet.Encodings.RLEDict, parquet.Encodings.PlainDict:
		c.isPlain, c.indices = false, hybrid{}
		if len(data) > 0 && data[0] <= 32 {
			c.indices = hybrid{data: data[1:], width: int(data[0])}
		}
	default:
		return fmt.Errorf("%w: encoding %s, which we do not write", ErrDamaged, parquet.Encoding(page.Encoding()))
	}
	return nil
}

// levels finds the bytes of one kind of levels at the start of a page.
func (c *chunk) levels(data []byte, largest int16, encoding parquet.Encoding, to *hybrid) ([]byte, error) {
	if largest == 0 {
		return data, nil
	}
	if encoding != parquet.Encodings.RLE || len(data) < 4 {
		return nil, fmt.Errorf("%w: page without levels", ErrDamaged)
	}
	size := int64(binary.LittleEndian.Uint32(data))
	if size > int64(len(data)-4) {
		return nil, fmt.Errorf("%w: levels longer than their page", ErrDamaged)
	}
	*to = hybrid{data: data[4 : 4+size], width: bits.Len16(uint16(largest))}
	return data[4+size:], nil
}

// count reads the definition levels of a part. defs is empty if every value is there.
func (c *chunk) count() error {
	c.present, c.defs = c.n, c.defs[:0]
	if c.maxDef == 0 || c.n == 0 {
		return nil
	}
	if all, err := c.def.allEqual(c.n, uint32(c.maxDef)); all || err != nil {
		return err
	}
	c.defs = resized(c.defs, c.n)
	if err := c.def.read(c.defs); err != nil {
		return err
	}
	c.present = 0
	for _, d := range c.defs {
		if d == uint32(c.maxDef) {
			c.present++
		}
		if d > uint32(c.maxDef) {
			return fmt.Errorf("%w: level %d", ErrDamaged, d)
		}
	}
	return nil
}

// take cuts n bytes off the values of a plain page.
func (c *chunk) take(n int) ([]byte, error) {
	if n > len(c.plain) {
		return nil, fmt.Errorf("%w: page with too few values", ErrDamaged)
	}
	taken := c.plain[:n]
	c.plain = c.plain[n:]
	return taken, nil
}

// index fills dst with dictionary indices that are below the number of entries.
func (c *chunk) index(dst []uint32) error {
	if err := c.indices.read(dst); err != nil {
		return err
	}
	entries := uint32(max(0, c.entries))
	for _, i := range dst {
		if i >= entries {
			return fmt.Errorf("%w: index %d in a dictionary of %d", ErrDamaged, i, entries)
		}
	}
	return nil
}

// spreadOut moves the values at the start of dst to where their levels are, and
// puts null where there is no value.
func spreadOut[V any](dst []V, defs []uint32, largest uint32, present int, null V) {
	if len(defs) == 0 {
		return
	}
	from := present - 1
	for i := len(defs) - 1; i >= 0; i-- {
		if defs[i] == largest {
			dst[i] = dst[from]
			from--
		} else {
			dst[i] = null
		}
	}
}

// resized gives a slice of n elements, old if it has room; their values are any.
func resized[V any](old []V, n int) []V {
	if cap(old) < n {
		return make([]V, n)
	}
	return old[:n]
}
