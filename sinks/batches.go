package sinks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/parquet/file"
	"golang.org/x/sync/semaphore"
)

// Batch is rows, of one row group or of memory, column by column.
type Batch struct {
	// Rows is how many rows there are.
	Rows int

	columns []string
	vectors []Vector
}

// windowRows is how many rows are decoded at a time: few enough to stay in a cache. Only
// tests change it.
var windowRows = 1 << 14

// Column is a column that was asked for, by its name in [Columns].
func (b *Batch) Column(name string) *Vector { return &b.vectors[b.index(name)] }

func (b *Batch) index(name string) int {
	i := slices.Index(b.columns, name)
	if i < 0 {
		panic("sinks: column " + name + " was not asked for")
	}
	return i
}

// EachGroup reads the rows under a sink's folder as [Scan] does, but only some columns of
// them, and a row group at a time: begin makes a value for it, work adds its rows to the
// value, batch after batch. Several groups are worked on at the same time, in as many
// goroutines. f gets the values in the order of Scan, one after the other. A batch is valid
// until work returns; the numbers of texts and lists stay the same from batch to batch of a
// group. A column that a file of an older schema does not have is null.
//
// There are never more groups in work than workers (0: GOMAXPROCS), and a few more values;
// and the files that the groups are in. The first error, in the order of Scan, of begin,
// work or f, ends the reading. Errors of files are those of Scan.
func EachGroup[T any](fsys fs.FS, columns []string, workers int, begin func(*Group) (T, error), work func(T, *Batch) error, f func(T) error) error {
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
	r := newGroupReader[T](fsys, t, columns, workers)
	r.begin, r.add = begin, work
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	running.Go(func() { r.dispatch(ctx, names) })
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
	begin   func(*Group) (T, error)
	add     func(T, *Batch) error
	jobs    chan *job[T]
	order   chan *job[T]
	buffers chan []byte // of files, which nobody uses
	room    *semaphore.Weighted
}

// maxLoaded bounds the bytes of the files that are in memory at the same time, unless a
// single one has more.
const maxLoaded = 64 << 20

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
	room   int64 // what it takes of groupReader.room
	left   atomic.Int64
	file   *file.Reader
	fields []field[Row] // of its version of the schema
}

func newGroupReader[T any](fsys fs.FS, t table[Row], columns []string, workers int) *groupReader[T] {
	return &groupReader[T]{
		fsys: fsys, table: t, columns: columns, jobs: make(chan *job[T]), order: make(chan *job[T], workers),
		buffers: make(chan []byte, 2), room: semaphore.NewWeighted(maxLoaded),
	}
}

// dispatch loads one file after the other and hands out its row groups, until ctx ends.
func (r *groupReader[T]) dispatch(ctx context.Context, names []string) {
	defer close(r.order)
	defer close(r.jobs)
	for _, name := range names {
		l, err := r.load(ctx, name)
		if err != nil {
			j := &job[T]{err: err, done: make(chan struct{})}
			close(j.done)
			send(ctx, r.order, j)
			return
		}
		for i := range l.file.NumRowGroups() {
			j := &job[T]{file: l, group: i, done: make(chan struct{})}
			if !send(ctx, r.order, j) || !send(ctx, r.jobs, j) {
				return
			}
		}
	}
}

func send[V any](ctx context.Context, to chan<- V, v V) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// load waits until there is room for a file, and loads it.
func (r *groupReader[T]) load(ctx context.Context, name string) (*loaded, error) {
	info, err := fs.Stat(r.fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, bare(err))
	}
	l := &loaded{name: name, room: min(info.Size(), maxLoaded)}
	if err := r.room.Acquire(ctx, l.room); err != nil {
		return nil, err
	}
	var buffer []byte
	select {
	case buffer = <-r.buffers:
	default:
	}
	if l.data, err = load(r.fsys, name, buffer); err != nil {
		return nil, err
	}
	d, err := r.table.decode(l.data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	l.file, l.fields = d.file, d.table.fields
	if l.left.Store(int64(d.file.NumRowGroups())); d.file.NumRowGroups() == 0 {
		r.unload(l)
	}
	return l, nil
}

// unload gives back what a file takes.
func (r *groupReader[T]) unload(l *loaded) {
	select {
	case r.buffers <- l.data:
	default:
	}
	r.room.Release(l.room)
}

func (r *groupReader[T]) work() {
	g := newGroup(r.columns)
	for j := range r.jobs {
		j.value, j.err = r.read(g, j)
		if errors.Is(j.err, ErrDamaged) {
			g = newGroup(r.columns) // what the library left behind is not used again
		}
		if j.file.left.Add(-1) == 0 {
			r.unload(j.file)
		}
		close(j.done)
	}
}

// read makes the value of a row group.
func (r *groupReader[T]) read(g *Group, j *job[T]) (value T, err error) {
	inFile := func(err error) error {
		if err != nil {
			err = fmt.Errorf("read %s: %w", j.file.name, asDamaged(err))
		}
		return err
	}
	if err := guard(func() error { return g.open(j.file, j.group) }); err != nil {
		return value, inFile(err)
	}
	if value, err = r.begin(g); err != nil {
		return value, err
	}
	if err := guard(g.start); err != nil {
		return value, inFile(err)
	}
	for {
		var more bool
		err := guard(func() (err error) { more, err = g.next(); return err })
		if !more || err != nil {
			return value, inFile(err)
		}
		if err := r.add(value, &g.batch); err != nil {
			return value, err
		}
	}
}

func newBatch(columns []string) *Batch {
	return &Batch{columns: columns, vectors: make([]Vector, len(columns))}
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
