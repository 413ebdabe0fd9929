package reports

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape matches terminal control sequences: CSI, the string sequences (OSC, DCS,
// SOS, PM, APC) up to their end, and the two-character ones; in 7 and 8 bits.
var escape = regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]` +
	`|(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}-\x{9f}])[^\x07\x1b\x{9c}]*(?:\x07|\x1b\\|\x{9c})?` +
	`|\x1b[ -/]*[0-~]?`)

// cleanLines makes a text from outside safe to show: terminal sequences, control
// characters and marks that turn the direction of writing are taken out, bytes
// that are no UTF-8 become U+FFFD. Line breaks stay, as \n.
func cleanLines(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(escape.ReplaceAllString(s, ""), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case r == '\t' || r == '\v' || r == '\f':
			return ' '
		case unicode.IsControl(r), isDirection(r):
			return -1
		}
		return r
	}, s)
}

// clean is cleanLines on one line.
func clean(s string) string { return strings.ReplaceAll(cleanLines(s), "\n", " ") }

func isDirection(r rune) bool {
	return r == '\u061c' || r == '\u200e' || r == '\u200f' || r == '\ufeff' || r == '\u200b' ||
		(r >= '\u202a' && r <= '\u202e') || (r >= '\u2066' && r <= '\u2069')
}

// listMarker matches what makes a list of a text that begins with it.
var listMarker = regexp.MustCompile(`^ *(?:[-+]|[0-9]{1,9}[.)]) `)

// markdown writes a text so that GitHub shows it as it is, in a table cell too: a
// line break becomes <br>, everything that means something is escaped, what would begin
// a list too. What would call somebody (@name) or point to an issue (#1) is broken by a
// blank of no width, since GitHub looks for these after escapes are gone. An underscore
// inside a word means nothing and stays.
func markdown(s string) string {
	var b strings.Builder
	s = cleanLines(s)
	before, marker := ' ', listMarker.FindStringIndex(s)
	for i, r := range s {
		if marker != nil && i == marker[1]-2 {
			b.WriteByte('\\')
		}
		after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		switch {
		case r == '\n':
			b.WriteString("<br>")
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '_' && isWord(before) && isWord(after):
			b.WriteRune(r)
		case strings.ContainsRune("\\`*_[]|~$#", r):
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		if (r == '@' && !isWord(before) && isWord(after)) || (r == '#' && unicode.IsDigit(after)) {
			b.WriteString("&#8203;")
		}
		before = r
	}
	return b.String()
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
