package sinks

import (
	"fmt"
	"strings"
)

// Set is one of the data sets, and the name of its folder.
type Set string

// The data sets under a sink's folder. Texts is written only when asked for.
const (
	SetRows  Set = "rows"
	SetBooks Set = "books"
	SetTexts Set = "texts"
)

// Column is one column of a data set as its files hold it.
type Column struct {
	Set Set
	// Name is lower_snake and unique in its set.
	Name string
	// Type is the Parquet type as readers see it, e.g. "string" or "timestamp[us, UTC]".
	Type string
	// Nullable columns hold null where a value is unknown or does not apply, never 0.
	Nullable bool
	// Unit is empty for text, flags and ids.
	Unit string
	// Since is the version of the set's schema that brought the column, 0 for the
	// first one. In files of an earlier version it reads as null.
	Since   int
	Meaning string
}

// Columns lists every column of every data set, in the order of the files: rows,
// then books, then texts.
func Columns() []Column {
	var all []Column
	for _, f := range rowTable().fields {
		all = append(all, f.Column)
	}
	for _, f := range bookTable().fields {
		all = append(all, f.Column)
	}
	for _, f := range textTable().fields {
		all = append(all, f.Column)
	}
	return all
}

// Schema prints [Columns] for a reader: one line per column with name, type,
// whether it may be null, unit and meaning, under a line per data set with the
// version of its schema.
func Schema() string {
	versions := map[Set]string{
		SetRows: rowTable().schemaName(), SetBooks: bookTable().schemaName(), SetTexts: textTable().schemaName(),
	}
	var b strings.Builder
	var set Set
	for _, c := range Columns() {
		if c.Set != set {
			set = c.Set
			fmt.Fprintf(&b, "%s (%s)\n", set, versions[set])
		}
		null := "required"
		if c.Nullable {
			null = "nullable"
		}
		line := fmt.Sprintf("  %-16s %-18s %-8s %-10s %s", c.Name, c.Type, null, c.Unit, c.Meaning)
		if c.Since > 1 {
			line += fmt.Sprintf(" (since %s.%d)", c.Set, c.Since)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
