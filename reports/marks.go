package reports

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/shadow"
)

// Mark is something that happened at a time and may explain what moved then.
type Mark struct {
	Time time.Time `json:"time"`
	Kind MarkKind  `json:"kind"`
	// Arm is whose snapshot or rate changed; empty for what concerns all.
	Arm  shadow.Arm `json:"arm,omitempty"`
	Text string     `json:"text"`
}

// MarkKind says what changed, and who says so: people, or else the rows.
type MarkKind string

// The kinds of marks.
const (
	MarkGiven      MarkKind = "given"      // written down by people
	MarkSnapshot   MarkKind = "snapshot"   // another model version of an arm answered
	MarkRate       MarkKind = "rate"       // an arm was asked at another rate
	MarkJudgeRate  MarkKind = "judge_rate" // an arm's answers were graded at another rate
	MarkExperiment MarkKind = "experiment" // rows of another experiment digest
	MarkRubric     MarkKind = "rubric"     // rows under another rubric
	MarkJudge      MarkKind = "judge"      // rulings of another judge snapshot
)

// ErrMark is a mark without words, with too many, or without a time.
var ErrMark = errors.New("not a mark")

// maxMark is how many characters a mark may have: it is a line, not a story.
const maxMark = 300

// NewMark is a mark of people: text on one line, without control characters, at most
// 300 characters, and a time in UTC to the second. Error: ErrMark.
func NewMark(at time.Time, text string) (Mark, error) {
	text = strings.Join(strings.Fields(clean(text)), " ")
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return Mark{}, fmt.Errorf("%w: no text", ErrMark)
	case n > maxMark:
		return Mark{}, fmt.Errorf("%w: %d characters, at most %d", ErrMark, n, maxMark)
	case at.IsZero() || at.Year() > 9999:
		return Mark{}, fmt.Errorf("%w: no time", ErrMark)
	}
	return Mark{Time: at.UTC().Truncate(time.Second), Kind: MarkGiven, Text: text}, nil
}

// markLine is a mark of people as a file keeps it.
type markLine struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// Line is the mark as a line of JSON, with its line feed: what ReadMarks reads.
func (m Mark) Line() ([]byte, error) {
	data, err := json.Marshal(markLine{m.Time, m.Text})
	return append(data, '\n'), err
}

// ReadMarks reads marks of people, a line of JSON each. Empty lines are passed over.
// Errors: ErrMark and those of JSON, with the line's number; those of r.
func ReadMarks(r io.Reader) ([]Mark, error) {
	var out []Mark
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var l markLine
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		err := dec.Decode(&l)
		if err == nil && dec.More() {
			err = errors.New("something follows the mark")
		}
		m, invalid := NewMark(l.Time, l.Text)
		if err = cmp.Or(err, invalid); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, m)
	}
	return out, lines.Err()
}

// WithMarks gives a report what people wrote down. The order does not matter, and a
// mark that comes twice counts once.
func WithMarks(marks []Mark) Option { return func(g *given) { g.marks = append(g.marks, marks...) } }

// marksIn are the marks of rows and people in a window, in order of time.
func marksIn(w Window, found, given []Mark) []Mark {
	out := []Mark{}
	for _, m := range slices.Concat(found, given) {
		if w.Contains(m.Time) {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b Mark) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Arm, b.Arm), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(out)
}

// explains says that a mark may be a release of live.
func (m Mark) explains() bool {
	return m.Kind == MarkGiven || m.Kind == MarkSnapshot && m.Arm == shadow.Live
}

// marksSection lists the marks, one a line.
func marksSection(r Report) section {
	s := section{title: "Marks: what changed, and when (UTC)"}
	if len(r.Trend) == 0 && len(r.Marks) == 0 {
		return section{}
	}
	const most = 40
	for i, m := range r.Marks {
		if i == most {
			s.sentences = append(s.sentences, fmt.Sprintf("and %d more", len(r.Marks)-most))
			break
		}
		s.sentences = append(s.sentences, m.Time.Format("2006-01-02 15:04")+"  "+m.words())
	}
	if len(r.Marks) == 0 {
		s.sentences = []string{"none: no release, rate or configuration changed in the rows, and nobody marked one"}
	}
	return s
}

func (m Mark) words() string {
	switch {
	case m.Kind == MarkGiven:
		return m.Text
	case m.Arm != "":
		return string(m.Arm) + ": " + m.Text
	}
	return m.Text
}
