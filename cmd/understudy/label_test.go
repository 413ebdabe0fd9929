package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
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

// TestDrawsNest: a larger draw by the same seed holds the smaller one, another seed
// draws others by other ids, and every request comes with all its graded answers.
func TestDrawsNest(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "understudy.yaml")
	text := `experiment: {name: support}
models: {j: {provider: openai, base_url: http://127.0.0.1:9/v1, model: j-2026-01-02, digest: "sha256:0123456789abcdef"}, c: {provider: openai, base_url: http://127.0.0.1:9/v1, model: c}}
tap: {upstream: http://127.0.0.1:8}
candidates: {c: {model: c}}
judge: {primary: j}
sinks: {dir: data}
`
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), sixteenDays(file)); err != nil {
		t.Fatal(err)
	}
	rows := filepath.Join(dir, "data")
	e, err := readExperiment(rows)
	if err != nil {
		t.Fatal(err)
	}
	ids := func(n int, seed uint64) (map[string]bool, map[shadow.SampleID]int) {
		d, err := drawLabels(rows, e, n, seed)
		if err != nil || d.requests != n || d.eligible != 320 || d.graded != 320 {
			t.Fatal(d.requests, d.eligible, d.graded, err)
		}
		all, answers := map[string]bool{}, map[shadow.SampleID]int{}
		for _, i := range d.items {
			all[i.ID] = true
			answers[i.Sample]++
		}
		return all, answers
	}
	small, _ := ids(10, 1)
	large, answers := ids(40, 1)
	for id := range small {
		if !large[id] {
			t.Errorf("%s is not in the larger draw", id)
		}
	}
	for sample, n := range answers {
		if n != 2 {
			t.Errorf("%s has %d answers in the sheet, want both", sample, n)
		}
	}
	other, others := ids(40, 2)
	same := 0
	for sample := range others {
		if answers[sample] > 0 {
			same++
		}
	}
	for id := range other {
		if large[id] {
			t.Errorf("%s is an id under both seeds", id)
		}
	}
	if same > 15 { // 5 are to be expected of 40 in 320
		t.Errorf("%d of 40 requests are the same under another seed", same)
	}
	if _, err := drawLabels(rows, reports.Experiment{Name: "support", Digest: "another"}, 1, 1); err == nil {
		t.Error("rows of another experiment are drawn")
	}
}
