package sinks

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// Group is a row group of a file of rows, before its rows are decoded.
type Group struct {
	// Rows is how many rows it has.
	Rows int

	batch   Batch
	columns []groupColumn // as the batch's
	from    *loaded
	rows    *file.RowGroupReader
	read    int // rows so far
}

// groupColumn is where a column is read.
type groupColumn struct {
	chunk   chunk
	at      int // its number in the file; -1: the file's schema does not have it
	kind    string
	skipped bool
}

func newGroup(columns []string) *Group {
	g := &Group{batch: *newBatch(columns), columns: make([]groupColumn, len(columns))}
	for i, name := range columns {
		g.columns[i].kind = typeOf(name)
	}
	return g
}

// Skip leaves a column out: in the batches of the group it has no entries.
func (g *Group) Skip(column string) { g.columns[g.batch.index(column)].skipped = true }

// Range is between which numbers those of a column of whole numbers lie, as the file says
// of this group; low is above high if every row is null. false: the file does not say it.
func (g *Group) Range(column string) (low, high int64, ok bool) {
	c := &g.columns[g.batch.index(column)]
	if c.at < 0 {
		return math.MaxInt64, math.MinInt64, true
	}
	stats := g.statistics(c)
	if stats == nil {
		return 0, 0, false
	}
	if stats.HasNullCount() && stats.NullCount() == int64(g.Rows) {
		return math.MaxInt64, math.MinInt64, true
	}
	numbers, isInt := stats.(*metadata.Int64Statistics)
	if !isInt || !stats.HasMinMax() {
		return 0, 0, false
	}
	return numbers.Min(), numbers.Max(), true
}

// Only is the one text that every row has in a column of strings, as the file says of this
// group. false: there are several, or nulls, or the file does not say it.
func (g *Group) Only(column string) (string, bool) {
	c := &g.columns[g.batch.index(column)]
	if c.at < 0 {
		return "", false
	}
	stats := g.statistics(c)
	texts, isText := stats.(*metadata.ByteArrayStatistics)
	if !isText || !stats.HasMinMax() || !stats.HasNullCount() || stats.NullCount() > 0 || string(texts.Min()) != string(texts.Max()) {
		return "", false
	}
	return string(texts.Min()), true
}

// statistics are what the file says of a column of the group, or nil.
func (g *Group) statistics(c *groupColumn) (stats metadata.TypedStatistics) {
	err := guard(func() error {
		meta, err := g.rows.MetaData().ColumnChunk(c.at)
		if err != nil {
			return err
		}
		if set, err := meta.StatsSet(); err != nil || !set {
			return err
		}
		stats, err = meta.Statistics()
		return err
	})
	if err != nil {
		return nil
	}
	return stats
}

// open goes to a row group of a file.
func (g *Group) open(l *loaded, group int) error {
	g.from, g.rows, g.read = l, l.file.RowGroup(group), 0
	g.Rows = int(g.rows.NumRows())
	for i, name := range g.batch.columns {
		c := &g.columns[i]
		c.skipped = false
		c.at = slices.IndexFunc(l.fields, func(f field[Row]) bool { return f.Name == name })
	}
	return nil
}

// start opens the columns that are not skipped.
func (g *Group) start() error {
	for i := range g.columns {
		c, v := &g.columns[i], &g.batch.vectors[i]
		v.start()
		if c.at < 0 || c.skipped {
			continue
		}
		if err := c.chunk.open(g.from.data, g.rows, c.at, g.from.file.MetaData().Schema.Column(c.at)); err != nil {
			return fmt.Errorf("column %s: %w", g.batch.columns[i], err)
		}
	}
	return nil
}

// next decodes the next batch; false at the end of the group.
func (g *Group) next() (bool, error) {
	if g.read == g.Rows {
		return false, g.end()
	}
	n := min(windowRows, g.Rows-g.read)
	for i := range g.columns {
		c, v := &g.columns[i], &g.batch.vectors[i]
		switch {
		case c.skipped:
		case c.at < 0:
			v.nulls(c.kind, n)
		default:
			if err := v.read(&c.chunk, c.kind, n, g.Rows); err != nil {
				return false, fmt.Errorf("column %s: %w", g.batch.columns[i], err)
			}
		}
	}
	g.batch.Rows, g.read = n, g.read+n
	return true, g.batch.check()
}

// end finds that no column has more values than there are rows.
func (g *Group) end() error {
	for i := range g.columns {
		c := &g.columns[i]
		if c.at < 0 || c.skipped {
			continue
		}
		more, err := c.chunk.next(1)
		if err == nil && more {
			err = fmt.Errorf("%w: more values than rows", ErrDamaged)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", g.batch.columns[i], err)
		}
	}
	return nil
}
