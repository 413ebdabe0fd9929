package reports

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// ErrLabel is a label that cannot be one.
var ErrLabel = errors.New("no label")

// Label is the grade that a person gave to an answer without knowing whose it was.
type Label struct {
	Sample shadow.SampleID `json:"sample"`
	Arm    shadow.Arm      `json:"arm"`
	// Rater names the person; a rater grades an answer once.
	Rater string       `json:"rater"`
	Grade rubric.Grade `json:"grade"`
	// Problem is of the rubric's closed list, or empty: not said.
	Problem rubric.Problem `json:"problem,omitempty"`
}

func (l Label) check() error {
	switch {
	case l.Sample == shadow.SampleID{} || l.Arm == "":
		return fmt.Errorf("%w: it names no sample or no arm", ErrLabel)
	case strings.TrimSpace(l.Rater) == "":
		return fmt.Errorf("%w: it names no rater", ErrLabel)
	case l.Grade < rubric.Best || l.Grade > rubric.Worst:
		return fmt.Errorf("%w: grade %d, want %d (best) to %d", ErrLabel, l.Grade, rubric.Best, rubric.Worst)
	}
	return nil
}

// ReadLabels reads labels, a line of JSON each; empty lines are passed over. Errors:
// ErrLabel (also of an answer that one rater grades twice) and those of JSON, with the
// line's number; those of r.
func ReadLabels(r io.Reader) ([]Label, error) {
	type key struct {
		sample shadow.SampleID
		arm    shadow.Arm
		rater  string
	}
	var out []Label
	seen := map[key]int{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var l Label
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		err := dec.Decode(&l)
		if err == nil && dec.More() {
			err = fmt.Errorf("%w: something follows it", ErrLabel)
		}
		if err == nil {
			err = l.check()
		}
		k := key{l.Sample, l.Arm, l.Rater}
		if before := seen[k]; err == nil && before > 0 {
			err = fmt.Errorf("%w: %s graded this answer in line %d", ErrLabel, l.Rater, before)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		seen[k] = n
		out = append(out, l)
	}
	return out, lines.Err()
}

// WithLabels gives a report the grades of people. They must be of answers drawn at
// random, and unique as [ReadLabels] makes sure; their order does not matter.
func WithLabels(labels []Label) Option {
	return func(g *given) { g.labels = append(g.labels, labels...) }
}
