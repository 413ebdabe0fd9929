package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// sheetColumns are those of a sheet for people, in their order.
var sheetColumns = []string{"id", "conversation", "answer", "grade", "problem"}

type sheetTurn struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// sheetItem is a line of a sheet in JSON. Grade is null until somebody gives one.
type sheetItem struct {
	ID           string      `json:"id"`
	Conversation []sheetTurn `json:"conversation"`
	Answer       string      `json:"answer"`
	Grade        *int        `json:"grade"`
	Problem      string      `json:"problem"`
}

// writeSheet writes a sheet to fill in.
func writeSheet(w io.Writer, format string, items []labelItem) error {
	if format == "jsonl" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, i := range items {
			line := sheetItem{ID: i.ID, Answer: i.answer, Conversation: []sheetTurn{}}
			for _, t := range i.turns {
				line.Conversation = append(line.Conversation, sheetTurn(t))
			}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}
	c := csv.NewWriter(w)
	lines := [][]string{sheetColumns}
	for _, i := range items {
		lines = append(lines, []string{i.ID, plainCell(transcript(i.turns)), plainCell(i.answer), "", ""})
	}
	return c.WriteAll(lines)
}

func transcript(turns []llm.Turn) string {
	var parts []string
	for _, t := range turns {
		parts = append(parts, t.Role+": "+t.Text)
	}
	return strings.Join(parts, "\n\n")
}

// plainCell keeps a spreadsheet from taking a text for a formula.
func plainCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// sheetLine is what a person said of an answer; an empty grade is none.
type sheetLine struct {
	line               int
	id, grade, problem string
}

// readSheet reads a sheet that was filled in. Errors name file and line.
func readSheet(r io.Reader, file, format string) ([]sheetLine, error) {
	in := bufio.NewReader(r)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		if _, err := in.Discard(3); err != nil {
			return nil, err
		}
	}
	read := readCSV
	if format == "jsonl" {
		read = readJSONL
	}
	lines, err := read(in, file)
	if err == nil && len(lines) == 0 {
		err = fmt.Errorf("%s: no line with an answer in it", file)
	}
	return lines, err
}

func readCSV(r io.Reader, file string) ([]sheetLine, error) {
	c := csv.NewReader(r)
	head, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: empty; its first line names the columns: %s", file, strings.Join(sheetColumns, ","))
	}
	if err != nil {
		return nil, csvError(file, err)
	}
	at := map[string]int{}
	for i, name := range head {
		name = strings.TrimSpace(name)
		if _, twice := at[name]; twice || !slices.Contains(sheetColumns, name) {
			return nil, fmt.Errorf("%s:1: column %q: want each of %s at most once, separated by commas", file, name, strings.Join(sheetColumns, ","))
		}
		at[name] = i
	}
	for _, name := range []string{"id", "grade"} {
		if _, there := at[name]; !there {
			return nil, fmt.Errorf("%s:1: no column %s", file, name)
		}
	}
	var out []sheetLine
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, csvError(file, err)
		}
		l := sheetLine{id: strings.TrimSpace(fields[at["id"]]), grade: strings.TrimSpace(fields[at["grade"]])}
		l.line, _ = c.FieldPos(0)
		if i, there := at["problem"]; there {
			l.problem = strings.TrimSpace(fields[i])
		}
		out = append(out, l)
	}
}

func csvError(file string, err error) error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return fmt.Errorf("%s:%d: %w", file, at.Line, at.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

func readJSONL(r io.Reader, file string) ([]sheetLine, error) {
	var out []sheetLine
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			l, wrong := jsonLine(text)
			if wrong != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, n, wrong)
			}
			l.line = n
			out = append(out, l)
		}
		if err != nil {
			return out, nil
		}
	}
}

// jsonLine reads a line, with the keys of a sheet and each of them once; the grade
// stays as it was written.
func jsonLine(text []byte) (sheetLine, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return sheetLine{}, errors.Join(errors.New("want an object"), err)
	}
	values := map[string]json.RawMessage{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return sheetLine{}, err
		}
		name, _ := token.(string)
		if _, twice := values[name]; twice || !slices.Contains(sheetColumns, name) {
			return sheetLine{}, fmt.Errorf("key %q: want each of %s at most once", name, strings.Join(sheetColumns, ", "))
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return sheetLine{}, err
		}
		values[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return sheetLine{}, err
	}
	if dec.More() {
		return sheetLine{}, errors.New("something follows the object: want one on each line")
	}
	out := sheetLine{grade: string(values["grade"])}
	if out.grade == "null" || out.grade == `""` {
		out.grade = ""
	}
	for name, to := range map[string]*string{"id": &out.id, "problem": &out.problem} {
		if value, there := values[name]; there {
			if err := json.Unmarshal(value, to); err != nil {
				return sheetLine{}, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	out.problem = strings.TrimSpace(out.problem)
	return out, nil
}
