package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// plainWidth is the width of tables where the output is no terminal.
const plainWidth = 120

// terminalWidth is how many columns the output has.
func terminalWidth(w io.Writer) int {
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
