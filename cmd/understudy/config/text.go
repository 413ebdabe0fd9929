package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cleanText checks the bytes before any parser sees them, and makes line ends \n.
// A UTF-8 byte order mark is dropped: some editors write one.
func cleanText(name string, data []byte) (string, *Error) {
	if len(data) > maxBytes {
		return "", wholeFile(name, fmt.Sprintf("the file has %d bytes", len(data)), fmt.Sprintf("a configuration has at most %d KiB", maxBytes>>10))
	}
	if bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) {
		return "", wholeFile(name, "the file is UTF-16", "save it as UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	line, col, indent := 1, 1, true
	for i, r := range text {
		pos := Position{File: name, Line: line, Col: col}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return "", &Error{Position: pos, Problem: "a byte that is not UTF-8", Want: "save the file as UTF-8"}
		case r == '\t' && indent && !commentOrBlank(text[i:]):
			return "", &Error{Position: pos, Problem: "a tab in the indentation", Want: "indent with blanks"}
		case r == '\n':
			line, col, indent = line+1, 1, true
			continue
		case r != '\t' && (unicode.IsControl(r) || r == '\ufeff' || r == '\u2028' || r == '\u2029'):
			return "", &Error{Position: pos, Problem: fmt.Sprintf("an invisible control character (%U)", r), Want: "remove it"}
		case r != ' ' && r != '\t':
			indent = false
		}
		col++
	}
	return text, nil
}

func commentOrBlank(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}
