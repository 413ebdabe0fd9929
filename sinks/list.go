package sinks

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// Levels of a nullable list of required strings: null, empty, an entry.
const (
	listNull int16 = iota
	listEmpty
	listEntry
)

// texts is a nullable list of strings; nil is null, an empty list is empty.
func texts[R any](c Column, at func(*R) *[]string) field[R] {
	c.Type, c.Nullable = "list<string>", true
	element := schema.Must(schema.NewPrimitiveNodeLogical("element", parquet.Repetitions.Required,
		schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1))
	entries := schema.MustGroup(schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{element}, -1))
	node := schema.MustGroup(schema.NewGroupNodeLogical(c.Name, parquet.Repetitions.Optional,
		schema.FieldList{entries}, schema.ListLogicalType{}, -1))
	return field[R]{
		Column: c, node: node, dictionary: true,
		same: func(a, b *R) bool {
			x, y := *at(a), *at(b)
			return (x == nil) == (y == nil) && slices.Equal(x, y)
		},
		encode: func(w file.ColumnChunkWriter, rs []R) error { return wrapColumn(c, writeLists(w, rs, at)) },
		put:    func(v *Vector, rs []R) { putLists(v, rs, at) },
		open: func(r file.ColumnChunkReader) (func([]R) error, error) {
			from, ok := r.(batchReader[parquet.ByteArray])
			if !ok {
				return nil, fmt.Errorf("column %s: reader is a %T", c.Name, r)
			}
			in := lists{from: from, known: interner{}}
			return func(rs []R) error {
				for i := range rs {
					list, err := in.next()
					if err != nil {
						return wrapColumn(c, err)
					}
					*at(&rs[i]) = list
				}
				return nil
			}, nil
		},
	}
}

func writeLists[R any](w file.ColumnChunkWriter, rs []R, at func(*R) *[]string) error {
	to, ok := w.(batchWriter[parquet.ByteArray])
	if !ok {
		return fmt.Errorf("writer is a %T", w)
	}
	var values []parquet.ByteArray
	var defs, reps []int16
	for i := range rs {
		list := *at(&rs[i])
		if len(list) == 0 {
			level := listEmpty
			if list == nil {
				level = listNull
			}
			defs, reps = append(defs, level), append(reps, 0)
		}
		for j, s := range list {
			values = append(values, parquet.ByteArray(s))
			defs, reps = append(defs, listEntry), append(reps, int16(min(j, 1)))
		}
	}
	n, err := to.WriteBatch(values, defs, reps)
	if err == nil && n != int64(len(values)) {
		err = fmt.Errorf("%d of %d values written", n, len(values))
	}
	return err
}

// lists reads one list after the other. It looks one entry ahead, because only the
// next entry says that a list has ended.
type lists struct {
	from  batchReader[parquet.ByteArray]
	known interner

	values     [256]parquet.ByteArray
	defs, reps [256]int16
	levels     int // read and not used up: at..levels
	at, value  int
	read       int
}

// peek makes the next entry available; false at the end of the column.
func (l *lists) peek() (bool, error) {
	if l.at < l.levels {
		return true, nil
	}
	total, read, err := l.from.ReadBatch(int64(len(l.values)), l.values[:], l.defs[:], l.reps[:])
	l.levels, l.read, l.at, l.value = int(total), read, 0, 0
	return total > 0, err
}

func (l *lists) next() ([]string, error) {
	more, err := l.peek()
	if err != nil {
		return nil, err
	}
	if !more || l.reps[l.at] != 0 {
		return nil, fmt.Errorf("%w: list without a start", ErrDamaged)
	}
	level := l.defs[l.at]
	if level != listEntry {
		l.at++
		if level == listEmpty {
			return []string{}, nil
		}
		return nil, nil
	}
	list := []string{}
	for first := true; ; first = false {
		more, err := l.peek()
		if err != nil {
			return nil, err
		}
		if !more || (!first && l.reps[l.at] == 0) {
			return list, nil
		}
		if l.defs[l.at] != listEntry || l.value >= l.read || len(list) == maxDecodeRows {
			return nil, fmt.Errorf("%w: list entry without a value", ErrDamaged)
		}
		list = append(list, l.known.string(l.values[l.value]))
		l.at, l.value = l.at+1, l.value+1
	}
}
