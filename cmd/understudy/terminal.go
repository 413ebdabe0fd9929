package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// plainWidth is the width of tables where the output is no terminal.
const plainWidth = 120

// terminalWidth is how many columns the output has: what COLUMNS says, else those of
// the terminal.
func terminalWidth(w io.Writer) int {
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return plainWidth
}

// isTerminal says whether somebody watches.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
