package reports_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

func lines(b *bytes.Buffer) []string {
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// TestTableCJK is the case table-cjk: every line is equally wide, names unchanged,
// whatever the environment says of the terminal.
func TestTableCJK(t *testing.T) {
	t.Setenv("RUNEWIDTH_EASTASIAN", "1")
	var models []struct {
		Model string
		Mean  float64
	}
	readJSON(t, "table-cjk.json", &models)
	rows := [][]string{{"ambiguous ①é─", "1.00"}, {"e\u0301 combining", "2.00"}}
	for _, m := range models {
		rows = append(rows, []string{m.Model, "2.37"})
	}
	var b bytes.Buffer
	if err := reports.Table(&b, 80, []string{"model", "mean"}, rows); err != nil {
		t.Fatal(err)
	}
	narrow := runewidth.Condition{}
	for _, line := range lines(&b) {
		if got, want := narrow.StringWidth(line), narrow.StringWidth(lines(&b)[0]); got != want {
			t.Errorf("width %d, want %d: %q", got, want, line)
		}
	}
	for _, row := range rows {
		if !strings.Contains(b.String(), row[0]) {
			t.Errorf("no %q in\n%s", row[0], b.String())
		}
	}
}

// TestTableNarrow is the case table-narrow-numbers.
func TestTableNarrow(t *testing.T) {
	head := []string{"model", "gpt-4o.mini", "delta", "se", "n", "p95_ms"}
	row := []string{"candidate-model-with-a-long-name-2026-09-01", "2.37", "-0.3100", "0.0776", "123456", "5400 ms"}
	for _, width := range []int{1, 10, 40, 60, 80, 200, 0, -1} {
		var b bytes.Buffer
		if err := reports.Table(&b, width, head, [][]string{row}); err != nil {
			t.Fatal(err)
		}
		for _, figure := range row[1:] {
			if !strings.Contains(b.String(), figure) && width > 10 {
				t.Errorf("width %d: no %q in\n%s", width, figure, b.String())
			}
		}
		together := strings.Join(strings.Fields(b.String()), "")
		for _, name := range head[1:] {
			if !strings.Contains(together, name) {
				t.Errorf("width %d: no %q in\n%s", width, name, b.String())
			}
		}
		if width >= 40 {
			for _, line := range lines(&b) {
				if runewidth.StringWidth(line) > width {
					t.Errorf("width %d: %q", width, line)
				}
			}
		}
	}
}

// cells parses a Markdown table as GitHub does: a row is split at every pipe that
// no backslash escapes, before anything else is read.
func cells(line string) []string {
	var out []string
	cell, escaped := "", false
	for _, r := range line {
		switch {
		case r == '|' && !escaped:
			out = append(out, strings.TrimSpace(cell))
			cell = ""
		default:
			cell += string(r)
		}
		escaped = r == '\\' && !escaped
	}
	return out[1:]
}

// TestMarkdownTable is the case md-pipe-newline, and markup.
func TestMarkdownTable(t *testing.T) {
	var c []struct{ Model, Reason string }
	readJSON(t, "md-pipe-newline.json", &c)
	var rows [][]string
	for _, r := range c {
		rows = append(rows, []string{r.Model, r.Reason})
	}
	var b bytes.Buffer
	if err := reports.MarkdownTable(&b, []string{"model", "p95_ms"}, rows); err != nil {
		t.Fatal(err)
	}
	if len(lines(&b)) != 5 {
		t.Fatalf("want a head, a rule and 3 rows:\n%s", b.String())
	}
	for _, line := range lines(&b) {
		if len(cells(line)) != 2 {
			t.Errorf("%d columns in %q", len(cells(line)), line)
		}
	}
	for _, s := range []string{`a\|b`, `cheap \| fast`, `line1<br>line2`, "\\`code \\| span\\`", "p95_ms"} {
		if !strings.Contains(b.String(), s) {
			t.Errorf("no %q in\n%s", s, b.String())
		}
	}
	b.Reset()
	hostile := `<script>alert(1)</script> & [x](javascript:y) ![i](http://z) *b* _i_ \| $m$ ~~s~~`
	if err := reports.MarkdownTable(&b, []string{"a", "b"}, [][]string{{hostile, "x\r\ny\u2028z"}}); err != nil {
		t.Fatal(err)
	}
	want := `&lt;script&gt;alert(1)&lt;/script&gt; &amp; \[x\](javascript:y) !\[i\](http://z) \*b\* \_i\_ \\\| \$m\$ \~\~s\~\~`
	if !strings.Contains(b.String(), want) || !strings.Contains(b.String(), "x<br>y<br>z") || len(lines(&b)) != 3 {
		t.Errorf("markup is alive:\n%s", b.String())
	}
	for name, want := range map[string]string{
		"@team": "@&#8203;team", "x @team/a": "x @&#8203;team/a", "#12": `\#&#8203;12`, "org/repo#1": `org/repo\#&#8203;1`,
		"judge-a@sha256:6f": "judge-a@sha256:6f", "a @ b": "a @ b", "# x": `\# x`,
	} {
		b.Reset()
		if err := reports.MarkdownTable(&b, []string{"a"}, [][]string{{name}}); err != nil || !strings.Contains(b.String(), "| "+want+" ") {
			t.Errorf("%q is not %q in\n%s%v", name, want, &b, err)
		}
	}
}

// TestNoControl is the case nul-byte, with terminal sequences and marks that turn
// the direction of writing.
func TestNoControl(t *testing.T) {
	var c struct{ Answer string }
	readJSON(t, "nul-byte.json", &c)
	for in, want := range map[string]string{
		c.Answer:                         "beforeafter   end",
		"\x1b[31mred\x1b[0m":             "red",
		"\x1b]0;title\x07name":           "name",
		"\x1b]8;;http://x\x1b\\link":     "link",
		"\u009b31mred":                   "red",
		"a\x1bcb":                        "ab",
		"\x1bPq#0\x1b\\sixel":            "sixel",
		"user\u202egnp.exe":              "usergnp.exe",
		"bad\xffutf8":                    "bad\ufffdutf8",
		"tab\there":                      "tab here",
		"\x1b[38;5;196":                  "38;5;196",
		"two\nlines":                     "two lines",
		"\x7fdel":                        "del",
		"-0.31 \x1b[1mbold\x1b[22m 10 %": "-0.31 bold 10 %",
	} {
		var b bytes.Buffer
		if err := reports.Table(&b, 0, []string{"name"}, [][]string{{in}}); err != nil {
			t.Fatal(err)
		}
		got := strings.TrimRight(lines(&b)[2], " ")
		if strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%q holds a control character", got)
		}
		if got != want && in != "\x1b[38;5;196" {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// TestRagged: rows need not be as long as the head, and there may be none.
func TestRagged(t *testing.T) {
	for _, rows := range [][][]string{nil, {{}}, {{"a"}, {"a", "1", "2", "3"}}} {
		for _, head := range [][]string{{"x"}, {"x", "y", "z"}} {
			for _, width := range []int{0, 3} {
				var b bytes.Buffer
				if err := reports.Table(&b, width, head, rows); err != nil {
					t.Error(err)
				}
				if err := reports.MarkdownTable(&b, head, rows); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for _, head := range [][]string{nil, {}} {
		var b bytes.Buffer
		if err := reports.Table(&b, 0, head, nil); err != nil {
			t.Error(err)
		}
		if err := reports.MarkdownTable(&b, head, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestReportWidths: whatever the width, every figure of the widest form is there.
func TestReportWidths(t *testing.T) {
	e := experiment()
	e.Name, e.Live = "日本語モデル", "모델-한국어"
	e.Candidates[0].Model = "model|with\nlines\x1b[31m"
	rows := foundingRows(t)
	for i := range rows {
		rows[i].Experiment = e.Name
	}
	books := booksFor(600)
	books[0].Experiment = e.Name
	r := build(t, e, rows, books)
	decisions, err := e.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	figure := regexp.MustCompile(`[-+]?\d+(\.\d+)?`)
	count := func(s string) map[string]int {
		n := map[string]int{}
		for _, f := range figure.FindAllString(s, -1) {
			n[f]++
		}
		return n
	}
	var wide bytes.Buffer
	if err := r.Text(&wide, 0, decisions); err != nil {
		t.Fatal(err)
	}
	want := count(wide.String())
	for _, width := range []int{40, 80, 100, 200} {
		var b bytes.Buffer
		if err := r.Text(&b, width, decisions); err != nil {
			t.Fatal(err)
		}
		got := count(b.String())
		for f, n := range want {
			if len(f) < 8 && got[f] < n && !strings.Contains(digest+rubricDigest, strings.TrimLeft(f, "-+")) {
				t.Errorf("width %d: %q %d times, want %d", width, f, got[f], n)
			}
		}
		for _, line := range lines(&b) {
			if (&runewidth.Condition{}).StringWidth(line) > width {
				t.Errorf("width %d: %q", width, line)
			}
			if strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("control character in %q", line)
			}
		}
	}
	var md bytes.Buffer
	if err := r.Markdown(&md, decisions); err != nil {
		t.Fatal(err)
	}
	checkMarkdown(t, md.String())
}

// checkMarkdown: in every block of table lines all have the same number of cells.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	columns := 0
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := len(cells(line))
		if columns != 0 && n != columns {
			t.Errorf("%d columns, want %d: %q", n, columns, line)
		}
		columns = n
	}
}

// TestSmallShares: a share that is not 0 never reads as 0, one below 100 never as 100.
func TestSmallShares(t *testing.T) {
	var rows []sinks.Row
	for i := range 5000 {
		row := graded(i, "live", 2, time.Second)
		if row.Problem = "none"; i == 7 {
			row.Problem = "unsafe"
		}
		rows = append(rows, row)
	}
	rows[9].JudgeState, rows[9].JudgeReason, rows[9].Grade = "not_graded", "transport", nil
	text := everyForm(t, build(t, liveOnly(), rows, booksFor(5000)))
	for _, s := range []string{"0.02 %", "99.98 %"} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in the report", s)
		}
	}
}

// TestHeadAnswersFirst: the decision stands within the first ten lines.
func TestHeadAnswersFirst(t *testing.T) {
	r := build(t, experiment(), foundingRows(t), booksFor(600))
	decisions, err := experiment().Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Text(&b, 80, decisions); err != nil {
		t.Fatal(err)
	}
	first := strings.Join(lines(&b)[:10], " ")
	for _, s := range []string{"no-go", "33.0 %", "4.0 SE", "how sure", "what would change"} {
		if !strings.Contains(first, s) {
			t.Errorf("no %q in the first ten lines:\n%s", s, strings.Join(lines(&b)[:10], "\n"))
		}
	}
	if !slices.Contains(strings.Fields(b.String()), digest) || !strings.Contains(b.String(), rubricDigest) || !strings.Contains(b.String(), pinned) {
		t.Error("digests and judge are not named")
	}
}
