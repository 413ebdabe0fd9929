package sinks

import (
	"fmt"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// FileEntry books a file of rows: it was proven to be there with so many rows.
type FileEntry struct {
	// Path is relative to the sink's folder, with slashes: rows/date=…/….parquet.
	Path string
	Rows int64
}

// entryFile is the entry of a line that books a file.
const entryFile shadow.Entry = "file"

// bookRow is one line of the books, or one booked file.
type bookRow struct {
	experiment, source string
	number             uint64
	from, to           time.Time
	// line counts the lines of an entry from 0; nil in an entry without lines.
	line          *int32
	day, endpoint string
	entry         shadow.Entry
	reason        string
	count         *int64
	file          string
}

func bookTable() table[bookRow] {
	col := func(name, unit, meaning string) Column {
		return Column{Set: SetBooks, Name: name, Nullable: true, Unit: unit, Meaning: meaning}
	}
	return table[bookRow]{
		set: SetBooks, version: 1, check: checkBook,
		fields: []field[bookRow]{
			text(col("experiment", "", "experiment's name"), func(b *bookRow) *string { return &b.experiment }),
			text(col("source", "", "process that counted"), func(b *bookRow) *string { return &b.source }),
			number(col("number", "", "its entry, from 1 on"), func(b *bookRow) *uint64 { return &b.number }),
			instant(col("from", "", "start of counting"), func(b *bookRow) *time.Time { return &b.from }),
			instant(col("to", "", "end of counting"), func(b *bookRow) *time.Time { return &b.to }),
			small(col("line", "", "line of the entry, from 0 on; null: an entry without lines, or a file"), func(b *bookRow) **int32 { return &b.line }),
			text(col("day", "", "day on which the requests arrived"), func(b *bookRow) *string { return &b.day }),
			text(col("endpoint", "", "path of the requests"), func(b *bookRow) *string { return &b.endpoint }),
			text(col("entry", "", "what is counted; file: a proven file of rows"), func(b *bookRow) *shadow.Entry { return &b.entry }),
			text(col("reason", "", "why, where the entry has reasons"), func(b *bookRow) *string { return &b.reason }),
			count(col("count", "", "how many: requests, or rows of the file"), func(b *bookRow) **int64 { return &b.count }),
			text(col("file", "", "path of the file of rows"), func(b *bookRow) *string { return &b.file }),
		},
	}
}

func checkBook(b *bookRow) error {
	if (b.file != "") != (b.entry == entryFile && b.line == nil && b.source == "") {
		return fmt.Errorf("%w: entry %q with file %q", ErrDamaged, b.entry, b.file)
	}
	if b.file != "" && (b.count == nil || *b.count < 1 || !isRowPath(b.file)) {
		return fmt.Errorf("%w: file %q is not booked with a path of rows and their number", ErrDamaged, b.file)
	}
	if b.line != nil && (*b.line < 0 || b.count == nil) {
		return fmt.Errorf("%w: line %d of %s without a count", ErrDamaged, *b.line, b.source)
	}
	return nil
}

// bookRows takes an entry apart into its lines.
func bookRows(b shadow.Books) []bookRow {
	head := bookRow{
		experiment: clean(b.Experiment), source: clean(b.Source), number: b.Number,
		from: micro(b.From), to: micro(b.To),
	}
	if len(b.Lines) == 0 {
		return []bookRow{head}
	}
	rows := make([]bookRow, 0, len(b.Lines))
	for i, l := range b.Lines {
		r := head
		r.line, r.count = int32s(i), ptr(l.Count)
		r.day, r.endpoint, r.entry, r.reason = clean(l.Day), clean(l.Endpoint), clean(l.Entry), clean(l.Reason)
		rows = append(rows, r)
	}
	return rows
}

// starts says whether a line is the first one of an entry.
func (b *bookRow) starts() bool { return b.line == nil || *b.line == 0 }

func (b *bookRow) books() shadow.Books {
	return shadow.Books{Experiment: b.experiment, Source: b.source, Number: b.number, From: b.from, To: b.to}
}

func (b *bookRow) bookLine() shadow.Line {
	return shadow.Line{Day: b.day, Endpoint: b.endpoint, Entry: b.entry, Reason: b.reason, Count: *b.count}
}

// fileRow books a file of rows. It depends on nothing else, so that booking the
// same file again gives the same bytes.
func fileRow(f FileEntry) bookRow {
	return bookRow{entry: entryFile, file: f.Path, count: ptr(f.Rows)}
}
