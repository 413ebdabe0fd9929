package sinks

import (
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/parquet/file"
)

// Batch is rows, of one row group or of memory, column by column.
type Batch struct {
	// Rows is how many rows there are.
	Rows int

	columns []string
	vectors []Vector
}

// Column is a column that was asked for, by its name in [Columns].
func (b *Batch) Column(name string) *Vector {
	i := slices.Index(b.columns, name)
	if i < 0 {
		panic("sinks: column " + name + " was not asked for")
	}
	return &b.vectors[i]
}

// EachBatch reads the rows under a sink's folder as [Scan] does, but only some
// columns of them, and a row group at a time. work makes a value of a batch, in several
// goroutines at the same time; f gets the values in the order of Scan, one after the
// other. A batch is valid until work returns. A column that a file of an older schema does
// not have is null.
//
// Row groups are decoded by so many workers at the same time (0: GOMAXPROCS); there
// are never more batches in memory than workers, and a few more values; and the files that
// the batches are in. The first error, in the order of Scan, of work or of f, ends the
// reading. Errors of files are those of Scan.
func EachBatch[T any](fsys fs.FS, columns []string, workers int, work func(*Batch) (T, error), f func(T) error) error {
	names, err := files(fsys, SetRows, true)
	if err != nil {
		return err
	}
	t := rowTable()
	if err := t.readable(columns); err != nil {
		return err
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	r := newGroupReader(fsys, t, columns, workers, work)
	var running sync.WaitGroup
	defer running.Wait()
	defer close(r.stop)
	running.Go(func() { r.dispatch(names) })
	for range workers {
		running.Go(r.work)
	}
	for j := range r.order {
		<-j.done
		if j.err != nil {
			return j.err
		}
		if err := f(j.value); err != nil {
			return err
		}
	}
	return nil
}

// readable refuses columns that there are not.
func (t table[R]) readable(columns []string) error {
	for _, name := range columns {
		if !slices.ContainsFunc(t.fields, func(f field[R]) bool { return f.Name == name }) {
			return fmt.Errorf("read %s: no column %q", t.set, name)
		}
	}
	return nil
}

// groupReader hands row groups to workers and keeps their order.
type groupReader[T any] struct {
	fsys    fs.FS
	table   table[Row]
	columns []string
	make    func(*Batch) (T, error)
	jobs    chan *job[T]
	order   chan *job[T]
	stop    chan struct{}
	buffers chan []byte // of files, which nobody uses
}

// job is one row group and what was made of it, or the error that stands in its place.
type job[T any] struct {
	file  *loaded
	group int
	value T
	err   error
	done  chan struct{}
}

// loaded is a file in memory; its bytes are given back when no group is left.
type loaded struct {
	name   string
	data   []byte
	left   atomic.Int64
	file   *file.Reader
	fields []field[Row] // of its version of the schema
}

func newGroupReader[T any](fsys fs.FS, t table[Row], columns []string, workers int, work func(*Batch) (T, error)) *groupReader[T] {
	return &groupReader[T]{
		fsys: fsys, table: t, columns: columns, make: work, jobs: make(chan *job[T]), order: make(chan *job[T], workers+1),
		stop: make(chan struct{}), buffers: make(chan []byte, 2),
	}
}

// dispatch loads one file after the other and hands out its row groups.
func (r *groupReader[T]) dispatch(names []string) {
	defer close(r.order)
	defer close(r.jobs)
	for _, name := range names {
		l, err := r.load(name)
		if err != nil {
			j := &job[T]{err: err, done: make(chan struct{})}
			close(j.done)
			r.send(r.order, j)
			return
		}
		for i := range l.file.NumRowGroups() {
			j := &job[T]{file: l, group: i, done: make(chan struct{})}
			if !r.send(r.order, j) || !r.send(r.jobs, j) {
				return
			}
		}
	}
}

func (r *groupReader[T]) send(to chan<- *job[T], j *job[T]) bool {
	select {
	case to <- j:
		return true
	case <-r.stop:
		return false
	}
}

func (r *groupReader[T]) load(name string) (*loaded, error) {
	var buffer []byte
	select {
	case buffer = <-r.buffers:
	default:
	}
	data, err := load(r.fsys, name, buffer)
	if err != nil {
		return nil, err
	}
	d, err := r.table.decode(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	l := &loaded{name: name, data: data, file: d.file, fields: d.table.fields}
	l.left.Store(int64(d.file.NumRowGroups()))
	return l, nil
}

func (r *groupReader[T]) work() {
	b := newBatch(r.columns)
	var c chunk
	for j := range r.jobs {
		err := guard(func() error { return b.read(&c, j.file, j.group) })
		if err != nil {
			c = chunk{} // what the library left behind is not used again
			j.err = fmt.Errorf("read %s: %w", j.file.name, asDamaged(err))
		}
		if j.file.left.Add(-1) == 0 {
			select {
			case r.buffers <- j.file.data:
			default:
			}
		}
		if j.err == nil {
			j.value, j.err = r.make(b)
		}
		close(j.done)
	}
}

func newBatch(columns []string) *Batch {
	return &Batch{columns: columns, vectors: make([]Vector, len(columns))}
}

// read decodes a row group.
func (b *Batch) read(c *chunk, l *loaded, group int) error {
	rows := l.file.RowGroup(group)
	b.Rows = int(rows.NumRows())
	for i, name := range b.columns {
		at := slices.IndexFunc(l.fields, func(f field[Row]) bool { return f.Name == name })
		if at < 0 {
			b.vectors[i].nulls(typeOf(name), b.Rows)
			continue
		}
		if err := c.open(l.data, rows, at, l.file.MetaData().Schema.Column(at)); err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		if err := b.vectors[i].read(c, l.fields[at].Type, b.Rows); err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
	}
	return b.check()
}

// typeOf is the type of a column of the rows.
func typeOf(name string) string {
	for _, f := range rowTable().fields {
		if f.Name == name {
			return f.Type
		}
	}
	return ""
}

// check refuses what Rows never makes, as checkRow does.
func (b *Batch) check() error {
	for i, name := range b.columns {
		v := &b.vectors[i]
		switch name {
		case "state":
			good := make([]bool, v.Texts())
			for code := range good {
				good[code] = validState(State(v.Text(uint32(code))))
			}
			for _, code := range v.Codes {
				if !good[code] {
					return fmt.Errorf("%w: state %q", ErrDamaged, v.Text(code))
				}
			}
		case "grade":
			for _, grade := range v.Ints {
				if grade != Null && !validGrade(grade) {
					return fmt.Errorf("%w: grade %d is not in 1..6", ErrDamaged, grade)
				}
			}
		}
	}
	return nil
}
