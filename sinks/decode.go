package sinks

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// Bounds of what is decoded. Footers of ours have a few KiB; the library's memory
// for one file stays below maxDecodeBytes whatever its headers claim.
const (
	maxFooterBytes = 4 << 20
	maxDecodeRows  = 1 << 24
	maxDecodeBytes = 2 << 30
	batchRows      = 1024
)

// decoder reads the rows of one file, in the caller's goroutine. The library
// panics on hostile bytes; every call of it is guarded.
type decoder[R any] struct {
	table  table[R]
	file   *file.Reader
	memory *boundedMemory
	rows   int64 // of the file, as its footer says
	group  int   // the next one
	left   int64 // rows of the current group
	chunks []file.ColumnChunkReader
	read   []func([]R) error
}

func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return f()
}

// decode opens the bytes of a file: footer, version, schema and row counts are checked.
func (t table[R]) decode(data []byte) (*decoder[R], error) {
	d := &decoder[R]{table: t, memory: &boundedMemory{left: maxDecodeBytes}}
	err := guard(func() error { return d.open(data) })
	if err != nil {
		return nil, asDamaged(err)
	}
	return d, nil
}

// asDamaged marks an error of the library as what it is.
func asDamaged(err error) error {
	if err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion) || errors.Is(err, ErrForeign) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

func (d *decoder[R]) open(data []byte) error {
	if err := checkFrame(data); err != nil {
		return err
	}
	reader, err := file.NewParquetReader(bytes.NewReader(data),
		file.WithReadProps(parquet.NewReaderProperties(d.memory)))
	if err != nil {
		return err
	}
	name := reader.MetaData().KeyValueMetadata().FindValue(schemaKey)
	version, err := d.table.checkVersion(name)
	if err != nil {
		return err
	}
	d.table = d.table.at(version)
	root, err := d.table.root()
	if err != nil {
		return err
	}
	if !reader.MetaData().Schema.Equals(schema.NewSchema(root)) {
		return fmt.Errorf("%w: columns are not those of %s", ErrForeign, d.table.schemaName())
	}
	d.file, d.rows = reader, reader.NumRows()
	var sum int64
	for i := range reader.NumRowGroups() {
		n := reader.MetaData().RowGroup(i).NumRows()
		if n < 0 || n > maxDecodeRows {
			return fmt.Errorf("%w: row group of %d rows", ErrDamaged, n)
		}
		sum += n
	}
	if sum != d.rows || sum > maxDecodeRows {
		return fmt.Errorf("%w: footer says %d rows, row groups %d", ErrDamaged, d.rows, sum)
	}
	return nil
}

// checkFrame looks at magic bytes and footer length before anything is parsed.
func checkFrame(data []byte) error {
	const magic, tail = "PAR1", 8
	if len(data) < len(magic)+tail || string(data[:4]) != magic || string(data[len(data)-4:]) != magic {
		return fmt.Errorf("%w: no Parquet file", ErrForeign)
	}
	footer := binary.LittleEndian.Uint32(data[len(data)-tail:])
	if footer > maxFooterBytes || int(footer) > len(data)-len(magic)-tail {
		return fmt.Errorf("%w: footer of %d bytes", ErrDamaged, footer)
	}
	return nil
}

// checkVersion reads the version of the schema that a file names.
func (t table[R]) checkVersion(name *string) (int, error) {
	if name == nil {
		return 0, fmt.Errorf("%w: it names no schema of ours", ErrForeign)
	}
	set, version, _ := strings.Cut(*name, ".")
	n, err := strconv.Atoi(version)
	switch {
	case err != nil || Set(set) != t.set || n < 1:
		return 0, fmt.Errorf("%w: schema %q, want %s", ErrForeign, *name, t.schemaName())
	case n > t.version:
		return 0, fmt.Errorf("%w: schema %s, this program reads up to %s", ErrVersion, *name, t.schemaName())
	}
	return n, nil
}

// next fills rs from its start and says how many rows it got; 0 at the end.
func (d *decoder[R]) next(rs []R) (n int, err error) {
	err = guard(func() error {
		n, err = d.fill(rs)
		return err
	})
	if err != nil {
		return 0, asDamaged(err)
	}
	return n, nil
}

func (d *decoder[R]) fill(rs []R) (int, error) {
	for d.left == 0 {
		if err := d.endGroup(); err != nil {
			return 0, err
		}
		if d.group == d.file.NumRowGroups() {
			return 0, nil
		}
		if err := d.startGroup(); err != nil {
			return 0, err
		}
	}
	n := int(min(d.left, int64(len(rs))))
	clear(rs[:n])
	for _, read := range d.read {
		if err := read(rs[:n]); err != nil {
			return 0, err
		}
	}
	for i := range rs[:n] {
		if err := d.table.check(&rs[i]); err != nil {
			return 0, err
		}
	}
	d.left -= int64(n)
	return n, nil
}

func (d *decoder[R]) startGroup() error {
	group := d.file.RowGroup(d.group)
	d.group++
	d.left, d.chunks, d.read = group.NumRows(), d.chunks[:0], d.read[:0]
	for i, f := range d.table.fields {
		pages, err := group.GetColumnPageReader(i)
		if err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
		descr := d.file.MetaData().Schema.Column(i)
		chunk := file.NewColumnReader(descr, &checkedPages{PageReader: pages,
			maxDef: descr.MaxDefinitionLevel(), maxRep: descr.MaxRepetitionLevel()}, d.memory, d.file.BufferPool())
		read, err := f.open(chunk)
		if err != nil {
			return err
		}
		d.chunks, d.read = append(d.chunks, chunk), append(d.read, read)
	}
	return nil
}

// endGroup refuses columns that hold more than their row group.
func (d *decoder[R]) endGroup() error {
	for i, chunk := range d.chunks {
		if chunk.HasNext() || chunk.Err() != nil {
			return fmt.Errorf("%w: column %s does not end with its rows", ErrDamaged, d.table.fields[i].Name)
		}
	}
	d.chunks = d.chunks[:0]
	return nil
}

// boundedMemory gives memory to the decoder until a bound is reached; then it
// panics, which the decoder turns into an error. Without it, a header's claim of
// gigabytes would be believed.
type boundedMemory struct {
	heap memory.GoAllocator
	left int
}

func (m *boundedMemory) take(n int) {
	if m.left -= n; m.left < 0 {
		panic(fmt.Sprintf("more than %d bytes to decode", maxDecodeBytes))
	}
}

// Allocate implements memory.Allocator.
func (m *boundedMemory) Allocate(size int) []byte {
	m.take(size)
	return m.heap.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (m *boundedMemory) Reallocate(size int, b []byte) []byte {
	m.take(size - len(b))
	return m.heap.Reallocate(size, b)
}

// Free implements memory.Allocator.
func (m *boundedMemory) Free(b []byte) { m.left += len(b) }
