package sinks

import (
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// table says how values of R become a file and come back.
type table[R any] struct {
	set     Set
	version int
	fields  []field[R]
	// check refuses a decoded value that no writer of ours makes.
	check func(*R) error
}

// field joins one column with the part of R that it holds.
type field[R any] struct {
	Column
	node schema.Node
	// dictionary is set for columns whose values come again.
	dictionary bool
	// encode writes the column of all rs.
	encode func(w file.ColumnChunkWriter, rs []R) error
	// open gives a function that reads the next len(rs) values into rs, whose
	// elements are zero before.
	open func(r file.ColumnChunkReader) (func(rs []R) error, error)
	// put makes a vector of the column of all rs.
	put func(v *Vector, rs []R)
	// same says whether two values would be one in the file.
	same func(a, b *R) bool
}

// schemaKey is the key of a file's metadata that names set and version.
const schemaKey = "understudy.schema"

func (t table[R]) schemaName() string { return fmt.Sprintf("%s.%d", t.set, t.version) }

// at is the table as a version of its schema had it.
func (t table[R]) at(version int) table[R] {
	old := t
	old.version, old.fields = version, nil
	for _, f := range t.fields {
		if f.Since <= version {
			old.fields = append(old.fields, f)
		}
	}
	return old
}

// since marks the fields that a version of the schema brought.
func since[R any](version int, fields ...field[R]) []field[R] {
	for i := range fields {
		fields[i].Since = version
	}
	return fields
}

// plain marks a column whose values do not come again.
func plain[R any](f field[R]) field[R] {
	f.dictionary = false
	return f
}

func (t table[R]) root() (*schema.GroupNode, error) {
	nodes := make(schema.FieldList, 0, len(t.fields))
	for _, f := range t.fields {
		nodes = append(nodes, f.node)
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
}

// differs names the first column in which a and b are not the same; empty if none.
func (t table[R]) differs(a, b *R) string {
	for _, f := range t.fields {
		if !f.same(a, b) {
			return f.Name
		}
	}
	return ""
}

// physical are the Go types of Parquet's physical types.
type physical interface {
	bool | int32 | int64 | float64 | parquet.ByteArray | parquet.FixedLenByteArray
}

type batchWriter[V physical] interface {
	WriteBatch(values []V, defs, reps []int16) (int64, error)
}

type batchReader[V physical] interface {
	ReadBatch(size int64, values []V, defs, reps []int16) (int64, int, error)
}

// access says how one value of a row is taken out and put back.
type access[R any, V physical] struct {
	get  func(*R) (V, bool) // false: null
	set  func() func(*R, V) // made anew for each column chunk, so that it may keep state
	same func(V, V) bool
}

func (a access[R, V]) sameIn(x, y *R) bool {
	v, ok := a.get(x)
	u, there := a.get(y)
	return ok == there && (!ok || a.same(v, u))
}

// scalar is a column of at most one value a row.
func scalar[R any, V physical](c Column, n schema.Node, a access[R, V]) field[R] {
	return field[R]{
		Column: c, node: n, dictionary: true, same: a.sameIn,
		put: func(v *Vector, rs []R) { putAll(v, rs, a.get, c.Nullable) },
		encode: func(w file.ColumnChunkWriter, rs []R) error {
			to, ok := w.(batchWriter[V])
			if !ok {
				return fmt.Errorf("column %s: writer is a %T", c.Name, w)
			}
			values, defs := gather(rs, a.get, c.Nullable)
			n, err := to.WriteBatch(values, defs, nil)
			if err == nil && n != int64(len(values)) {
				err = fmt.Errorf("%d of %d values written", n, len(values))
			}
			return wrapColumn(c, err)
		},
		open: func(r file.ColumnChunkReader) (func([]R) error, error) {
			from, ok := r.(batchReader[V])
			if !ok {
				return nil, fmt.Errorf("column %s: reader is a %T", c.Name, r)
			}
			in := column[V]{from: from, nullable: c.Nullable}
			set := a.set()
			return func(rs []R) error { return wrapColumn(c, spread(&in, rs, set)) }, nil
		},
	}
}

func wrapColumn(c Column, err error) error {
	if err != nil {
		return fmt.Errorf("column %s: %w", c.Name, err)
	}
	return nil
}

// gather takes one column out of rows: the values that are there and, when it is
// nullable, a level per row, 1 where there is one.
func gather[R any, V physical](rs []R, get func(*R) (V, bool), nullable bool) (values []V, defs []int16) {
	values = make([]V, 0, len(rs))
	if nullable {
		defs = make([]int16, len(rs))
	}
	for i := range rs {
		v, ok := get(&rs[i])
		if !nullable {
			values = append(values, v)
		} else if ok {
			values = append(values, v)
			defs[i] = 1
		}
	}
	return values, defs
}

// column reads the values of one column chunk in batches.
type column[V physical] struct {
	from     batchReader[V]
	nullable bool
	values   []V
	defs     []int16
}

// next reads exactly n levels and the values that belong to them.
func (c *column[V]) next(n int) (values []V, defs []int16, err error) {
	if cap(c.values) < n {
		c.values, c.defs = make([]V, n), make([]int16, n)
	}
	var levels []int16
	if c.nullable {
		levels = c.defs[:n]
	}
	total, read, err := c.from.ReadBatch(int64(n), c.values[:n], levels, nil)
	if err != nil {
		return nil, nil, err
	}
	if total != int64(n) || (!c.nullable && read != n) {
		return nil, nil, fmt.Errorf("%w: %d of %d values", ErrDamaged, total, n)
	}
	return c.values[:read], levels, nil
}

// spread puts the next values of a column into rows.
func spread[R any, V physical](c *column[V], rs []R, set func(*R, V)) error {
	values, defs, err := c.next(len(rs))
	if err != nil {
		return err
	}
	if !c.nullable {
		for i := range rs {
			set(&rs[i], values[i])
		}
		return nil
	}
	used := 0
	for i := range rs {
		if defs[i] == 0 {
			continue
		}
		if used == len(values) {
			return fmt.Errorf("%w: fewer values than levels", ErrDamaged)
		}
		set(&rs[i], values[used])
		used++
	}
	if used != len(values) {
		return fmt.Errorf("%w: more values than levels", ErrDamaged)
	}
	return nil
}
