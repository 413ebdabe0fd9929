package sinks

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of reading. Each comes wrapped with the file's path.
var (
	// ErrDamaged is a file whose bytes are not the ones that its name was made of, or
	// that do not decode to what we write.
	ErrDamaged = errors.New("file is damaged")
	// ErrForeign is a .parquet file that no sink wrote: its name holds no hash, or it
	// has another data set's columns.
	ErrForeign = errors.New("file is not one of ours")
	// ErrVersion is a file that a newer version wrote.
	ErrVersion = errors.New("file has a newer schema")
)

// MissingError says which files were booked when they had been proven and are gone now.
type MissingError struct {
	// Files are in the order of their paths; each is there once.
	Files []FileEntry
}

// Rows is how many rows are missing.
func (e *MissingError) Rows() int64 {
	var n int64
	for _, f := range e.Files {
		n += f.Rows
	}
	return n
}

// Error names at most ten files and the number of all missing rows.
func (e *MissingError) Error() string {
	const shown = 10
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows are missing:", e.Rows())
	for i, f := range e.Files {
		if i == shown {
			fmt.Fprintf(&b, " and %d more files", len(e.Files)-shown)
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s is not there (%d rows)", f.Path, f.Rows)
	}
	return b.String()
}
