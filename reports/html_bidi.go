package reports

import (
	"html/template"
	"regexp"
	"strings"
)

// rightToLeft finds words of a script that is written from right to left, with the
// blanks between them.
var rightToLeft = regexp.MustCompile(`[^\s:,;()]*[` + rightToLeftScripts + `][^\s:,;()]*(?:\s+[^\s:,;()]*[` + rightToLeftScripts + `][^\s:,;()]*)*`)

const rightToLeftScripts = `\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{Nko}\p{Samaritan}\p{Mandaic}`

// unitAfterNumber finds the blank between a number and its unit.
var unitAfterNumber = regexp.MustCompile(`(\d) (%|s\b|points?\b)`)

// isolated escapes a text for a page, keeps words written from right to left from
// turning the figures beside them around, and a number and its unit on one line.
func isolated(s string) template.HTML {
	s = unitAfterNumber.ReplaceAllString(s, "$1\u00a0$2")
	var b strings.Builder
	last := 0
	for _, at := range rightToLeft.FindAllStringIndex(s, -1) {
		b.WriteString(template.HTMLEscapeString(s[last:at[0]]))
		b.WriteString("<bdi>" + template.HTMLEscapeString(s[at[0]:at[1]]) + "</bdi>")
		last = at[1]
	}
	b.WriteString(template.HTMLEscapeString(s[last:]))
	return template.HTML(b.String())
}
