package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// fillIn gives the answers of a sheet a grade and the one after it by turns.
func fillIn(from, to, grade string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return err
	}
	for i, l := range lines[1:] {
		l[3] = string(grade[0] + byte(i%2))
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		return err
	}
	return os.WriteFile(to, append([]byte("\ufeff"), b.Bytes()...), 0o600)
}

// TestSheets: what is written comes back by id in both formats, whatever the texts are,
// and no cell is a formula.
func TestSheets(t *testing.T) {
	var items []labelItem
	for i, text := range []string{"=1+1", "a \"quoted\", cell\r\nof lines", "", "-", "{\"grade\":1}", "'", "@x", "日本"} {
		items = append(items, labelItem{labelKey: labelKey{ID: string(rune('a' + i))}, turns: []llm.Turn{{Role: "user", Text: text}}, answer: text})
	}
	for _, format := range []string{"csv", "jsonl"} {
		var b bytes.Buffer
		if err := writeSheet(&b, format, items); err != nil {
			t.Fatal(err)
		}
		lines, err := readSheet(bytes.NewReader(b.Bytes()), "sheet", format)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, l := range lines {
			if l.grade != "" || l.problem != "" {
				t.Errorf("%s: %+v was graded by nobody", format, l)
			}
			ids = append(ids, l.id)
		}
		if diff := cmp.Diff(strings.Split("abcdefgh", ""), ids); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
		if format == "csv" {
			cells, err := csv.NewReader(&b).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range cells[1:] {
				if row[2] != "" && strings.Contains("=+-@\t\r", row[2][:1]) {
					t.Errorf("a spreadsheet computes %q", row[2])
				}
			}
		}
	}
}

// FuzzSheet: whatever is in a file, a grade is what somebody wrote there.
func FuzzSheet(f *testing.F) {
	f.Add("id,grade,problem\na,2,tone\n", "csv")
	f.Add(`{"id":"a","grade":2,"problem":null}`, "jsonl")
	f.Fuzz(func(t *testing.T, text, format string) {
		if format != "csv" {
			format = "jsonl"
		}
		lines, err := readSheet(strings.NewReader(text), "sheet", format)
		if err == nil && len(lines) == 0 {
			t.Error("nothing, and no error")
		}
		for _, l := range lines {
			if l.line < 1 || !strings.Contains(text, l.grade) {
				t.Errorf("%+v", l)
			}
		}
	})
}
