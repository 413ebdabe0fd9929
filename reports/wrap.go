package reports

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// displayWidth is how many columns of a terminal a text takes.
func displayWidth(s string) int { return narrow().StringWidth(s) }

// narrow takes characters of ambiguous width as one column wide, whatever the
// environment says.
func narrow() *runewidth.Condition { return &runewidth.Condition{} }

// wrap breaks a text at blanks so that no line is wider than width; a single word
// that is wider is broken anywhere, unless it is a number with its sign.
func wrap(s string, width int) []string {
	if width <= 0 {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range words(s) {
		switch {
		case line != "" && displayWidth(line)+1+displayWidth(word) <= width:
			line += " " + word
			continue
		case line != "":
			lines = append(lines, line)
		}
		line = word
		for displayWidth(line) > width && !isNumber(line) {
			head := narrow().Truncate(line, width, "")
			if head == "" {
				break // a single character is wider than the line
			}
			lines = append(lines, head)
			line = line[len(head):]
		}
	}
	return append(lines, line)
}

// words splits at blanks, but leaves a unit with its number.
func words(s string) []string {
	var out []string
	for _, word := range strings.Split(s, " ") {
		last := len(out) - 1
		if last >= 0 && isUnit(word) && isNumber(out[last]) {
			out[last] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}

func isUnit(s string) bool {
	switch strings.TrimRight(s, ",;.):") {
	case "%", "s", "SE", "grades", "point", "points":
		return true
	}
	return false
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "(+-.,0123456789") == "" }
