package reports_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/understudy-eval/understudy/reports"
)

// FuzzTable: whatever stands in a cell, a table has no control characters, lines
// with a figure at their end are as wide as the rule, none is wider or ends in a
// blank, and its Markdown keeps the columns.
func FuzzTable(f *testing.F) {
	for _, s := range []string{"plain", "日本語モデル-2026", "a|b\\|c", "\x1b[31mred", "line1\r\nline2", "\xff\xfe", "\u202e", "👩‍👩‍👧 e\u0301", "`x`\\"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, cell string, width int) {
		rows := [][]string{{cell, "-0.31"}, {"b", cell}}
		var text, md bytes.Buffer
		if err := reports.Table(&text, 0, []string{"name", "delta"}, rows); err != nil {
			t.Fatal(err)
		}
		for i, line := range lines(&text) {
			if strings.ContainsFunc(line, unicode.IsControl) || !utf8.ValidString(line) {
				t.Errorf("unsafe line %q", line)
			}
			got, want := (&runewidth.Condition{}).StringWidth(line), (&runewidth.Condition{}).StringWidth(lines(&text)[1])
			if got > want || (i < 3 && got < want) || strings.HasSuffix(line, " ") {
				t.Errorf("width %d, want %d: %q", got, want, line)
			}
		}
		if err := reports.MarkdownTable(&md, []string{"name", "delta"}, rows); err != nil {
			t.Fatal(err)
		}
		for _, line := range lines(&md) {
			if len(cells(line)) != 2 {
				t.Errorf("%d columns in %q", len(cells(line)), line)
			}
		}
		var cut bytes.Buffer
		if err := reports.Table(&cut, width%200, []string{"name", "delta"}, rows); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(cut.String(), "-0.31") {
			t.Errorf("the figure is lost at width %d:\n%s", width%200, cut.String())
		}
	})
}
