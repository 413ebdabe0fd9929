package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// labelKey says which answer an id of a sheet stands for.
type labelKey struct {
	ID     string          `json:"id"`
	Sample shadow.SampleID `json:"sample"`
	Arm    shadow.Arm      `json:"arm"`
}

func keyPath(dir string) string    { return filepath.Join(dir, "labels.key.jsonl") }
func labelsPath(dir string) string { return filepath.Join(dir, "labels.jsonl") }

// keepKey adds the ids of a sheet that are not there yet.
func keepKey(dir string, items []labelItem) error {
	known, err := readKey(dir)
	if err != nil {
		return err
	}
	var lines []any
	for _, i := range items {
		if _, there := known[i.ID]; !there {
			lines = append(lines, i.labelKey)
		}
	}
	return appendLines(keyPath(dir), lines)
}

func readKey(dir string) (map[string]labelKey, error) {
	data, err := wholeLines(keyPath(dir))
	if err != nil {
		return nil, err
	}
	out := map[string]labelKey{}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var k labelKey
		if err := json.Unmarshal(line, &k); err != nil || k.ID == "" {
			return nil, fmt.Errorf("%s:%d: no line of ours (%v): put the file back from a copy, or move it away and export again with the same seed", keyPath(dir), i+1, err)
		}
		out[k.ID] = k
	}
	return out, nil
}

// readLabels reads the labels beside the rows; none if nobody gave any.
func readLabels(dir string) ([]reports.Label, error) {
	data, err := wholeLines(labelsPath(dir))
	if err != nil {
		return nil, err
	}
	labels, err := reports.ReadLabels(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; mend that line or take it out", labelsPath(dir), err)
	}
	return labels, nil
}

// imported counts what became of the lines of a sheet.
type imported struct{ added, before, empty int }

// importLabels adds a sheet's grades; all or none.
func importLabels(dir string, problems []rubric.Problem, file, rater string, lines []sheetLine) (imported, error) {
	key, err := readKey(dir)
	if err != nil {
		return imported{}, err
	}
	if len(key) == 0 {
		return imported{}, fmt.Errorf("%s is not there: no sheet was exported from these rows, so nobody knows which answers %s is about", keyPath(dir), file)
	}
	old, err := readLabels(dir)
	if err != nil {
		return imported{}, err
	}
	given := map[labelKey]reports.Label{}
	for _, l := range old {
		if l.Rater == rater {
			given[labelKey{Sample: l.Sample, Arm: l.Arm}] = l
		}
	}
	var n imported
	var add []any
	first := map[string]int{}
	for _, line := range lines {
		fail := func(format string, args ...any) (imported, error) {
			return imported{}, fmt.Errorf("%s:%d: "+format+"; nothing was imported", append([]any{file, line.line}, args...)...)
		}
		k, known := key[line.id]
		switch {
		case !known:
			return fail("id %q is of no sheet that was exported from these rows", line.id)
		case first[line.id] > 0:
			return fail("id %s stands in line %d already", line.id, first[line.id])
		case line.grade == "" && line.problem != "":
			return fail("a problem without a grade")
		}
		first[line.id] = line.line
		if line.grade == "" {
			n.empty++
			continue
		}
		l := reports.Label{Sample: k.Sample, Arm: k.Arm, Rater: rater, Problem: rubric.Problem(line.problem)}
		if len(line.grade) != 1 || line.grade < "1" || line.grade > "6" {
			return fail("grade %q: want a whole number from 1 (best) to 6, or nothing", line.grade)
		}
		l.Grade = rubric.Grade(line.grade[0] - '0')
		if l.Problem != "" && !slices.Contains(problems, l.Problem) {
			return fail("problem %q: want nothing or one of %s", line.problem, joined(problems))
		}
		k.ID = ""
		switch before, there := given[k]; {
		case !there:
			n.added++
			given[k] = l // by another seed one answer may have two ids
			add = append(add, l)
		case before != l:
			return fail("%s gave this answer %d before, now %d (or another problem): take the old line out of %s if the new one is to count", rater, before.Grade, l.Grade, labelsPath(dir))
		default:
			n.before++
		}
	}
	return n, appendLines(labelsPath(dir), add)
}

func joined(problems []rubric.Problem) string {
	names := make([]string, len(problems))
	for i, p := range problems {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// wholeLines reads a file of lines beside the rows; nothing if there is none.
func wholeLines(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(data) > 0 && data[len(data)-1] != '\n':
		return nil, fmt.Errorf("%s: its last line is cut off; end it or take it out", path)
	}
	return data, nil
}

// appendLines adds lines of JSON in one write, and returns when they are on the disk.
func appendLines(path string, lines []any) error {
	if len(lines) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, l := range lines {
		data, err := json.Marshal(l)
		if err != nil {
			return err
		}
		b.Write(append(data, '\n'))
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
