package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Text writes the report for a terminal of width columns; 0 is no limit. decisions
// come from [Gate.DecideAll] and stand first. Names appear as given, without
// control characters; no figure is cut at any width. Errors, as of the other forms:
// ErrDecisionOnly, and those of w.
func (r Report) Text(w io.Writer, width int, decisions []Decision) error {
	if err := r.printable(); err != nil {
		return err
	}
	var b bytes.Buffer
	for _, p := range head(r, decisions) {
		indent := ""
		if p.sub {
			indent = "  "
		}
		writeWrapped(&b, indent, clean(p.text), width)
	}
	b.WriteByte('\n')
	list(&b, provenance(r), width)
	for _, s := range sections(r, decisions) {
		if err := s.text(&b, width); err != nil {
			return err
		}
	}
	return write(w, b.Bytes())
}

// text writes a section for a terminal, after an empty line.
func (s section) text(b *bytes.Buffer, width int) error {
	b.WriteByte('\n')
	writeWrapped(b, "", clean(s.title), width)
	for _, sentence := range s.sentences {
		writeWrapped(b, "", clean(sentence), width)
	}
	if len(s.table.rows) > 0 {
		if err := s.table.text(b, width); err != nil {
			return err
		}
	}
	for _, note := range s.notes {
		writeWrapped(b, "", clean(note), width)
	}
	return nil
}

// markdown writes a section as GitHub shows it, after an empty line.
func (s section) markdown(b *bytes.Buffer) error {
	fmt.Fprintf(b, "\n## %s\n\n", markdown(clean(s.title)))
	for i, sentence := range s.sentences {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s\n", markdown(clean(sentence)))
	}
	if len(s.table.rows) > 0 {
		if len(s.sentences) > 0 {
			b.WriteByte('\n')
		}
		if err := s.table.markdown(b); err != nil {
			return err
		}
		if len(s.notes) > 0 {
			b.WriteByte('\n')
		}
	}
	for _, note := range s.notes {
		fmt.Fprintf(b, "- %s\n", markdown(clean(note)))
	}
	return nil
}

// list writes two columns without a heading.
func list(b *bytes.Buffer, t table, width int) {
	t = t.mapped(clean)
	label := 0
	for _, row := range t.rows {
		label = max(label, displayWidth(row[0]))
	}
	for _, row := range t.rows {
		if width > 0 && label+columnGap+displayWidth(row[1]) > width {
			writeWrapped(b, "", row[0], width)
			writeWrapped(b, "  ", row[1], width)
			continue
		}
		line := row[0] + strings.Repeat(" ", label-displayWidth(row[0])+columnGap) + row[1]
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

// Markdown writes the report as GitHub shows it.
func (r Report) Markdown(w io.Writer, decisions []Decision) error {
	if err := r.printable(); err != nil {
		return err
	}
	var b bytes.Buffer
	for i, p := range head(r, decisions) {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "# %s\n\n", markdown(clean(p.text)))
		case p.sub:
			fmt.Fprintf(&b, "  - %s\n", markdown(clean(p.text)))
		default:
			fmt.Fprintf(&b, "- %s\n", markdown(clean(p.text)))
		}
	}
	b.WriteByte('\n')
	if err := provenance(r).markdown(&b); err != nil {
		return err
	}
	for _, s := range sections(r, decisions) {
		if err := s.markdown(&b); err != nil {
			return err
		}
	}
	return write(w, b.Bytes())
}

// JSON writes the report and the decisions as one object with the members report
// and decisions, indented. Undefined figures are null.
func (r Report) JSON(w io.Writer, decisions []Decision) error {
	if err := r.printable(); err != nil {
		return err
	}
	if decisions == nil {
		decisions = []Decision{}
	}
	data, err := json.MarshalIndent(struct {
		Report    Report     `json:"report"`
		Decisions []Decision `json:"decisions"`
	}{r, decisions}, "", "  ")
	if err != nil {
		return fmt.Errorf("report as JSON: %w", err)
	}
	return write(w, append(data, '\n'))
}

// Text writes the decision for a terminal: the sentence, then every check.
func (d Decision) Text(w io.Writer, width int) error {
	var b bytes.Buffer
	writeWrapped(&b, "", clean(string(d.Arm)+": "+d.Sentence), width)
	if d.Outcome != NoDecision {
		s := checks(d)
		b.WriteByte('\n')
		if err := s.table.text(&b, width); err != nil {
			return err
		}
		for _, note := range s.notes {
			writeWrapped(&b, "", clean(note), width)
		}
	}
	return write(w, b.Bytes())
}

// JSON writes the decision as one object, indented: what the list decisions of a
// report's JSON holds. Undefined figures are null.
func (d Decision) JSON(w io.Writer) error {
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("decision as JSON: %w", err)
	}
	return write(w, append(data, '\n'))
}

func write(w io.Writer, data []byte) error {
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
