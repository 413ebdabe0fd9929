package rubric

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"
)

// Why a reply holds no verdict. Each is tested with errors.Is.
var (
	// ErrShape: no single object with exactly the keys grade, problem and reason, of
	// the right types.
	ErrShape = errors.New("no verdict of the right shape")
	// ErrGrade: a grade that is a number but none of the whole numbers 1 to 6.
	ErrGrade = errors.New("grade out of scale")
	// ErrProblem: a problem that is not on the closed list.
	ErrProblem = errors.New("problem not on the list")
	// ErrAmbiguous: several verdicts that differ in grade or problem.
	ErrAmbiguous = errors.New("several different verdicts")
)

// Parse reads the one verdict in the text of a judge's reply.
//
// A verdict is a JSON object with exactly the keys grade, problem and reason, each
// once and spelled so, in any order: a number that is one of 1 to 6, a string from
// the closed list, a string. Text, code fences and other brackets around it are
// passed over, and so is everything in <think> blocks, closed or not (a block whose
// start is missing, too). An object inside another object, a list, a string or any
// pair of brackets is no verdict.
//
// Several verdicts with the same grade and problem count as one, with the reason of
// the last; if they differ it is [ErrAmbiguous]. Objects that are no verdict do not
// spoil one beside them. If there is none, the error is the most telling one among
// the objects: [ErrGrade], else [ErrProblem], else [ErrShape].
//
// No value is repaired: "2", 2.5, 0, 7, null, None and too-long are refused. 2.0 is
// the number 2 and taken; any other spelling of it, such as 20e-1, is ErrGrade. The
// time is linear in the length of the reply.
func (r *Rubric) Parse(reply []byte) (Verdict, error) {
	var found []Verdict
	worst := fmt.Errorf("%w: no JSON object in the reply", ErrShape)
	rank := 0
	for _, span := range topLevel(reply) {
		if span[0] != '{' {
			continue
		}
		v, err := r.verdict(span)
		if err == nil {
			found = append(found, v)
		} else if k := telling(err); k > rank {
			worst, rank = err, k
		}
	}
	if len(found) == 0 {
		return Verdict{}, worst
	}
	last := found[len(found)-1]
	for _, v := range found {
		if v.Grade != last.Grade || v.Problem != last.Problem {
			return Verdict{}, fmt.Errorf("%w: grade %d, problem %s, and grade %d, problem %s",
				ErrAmbiguous, v.Grade, v.Problem, last.Grade, last.Problem)
		}
	}
	return last, nil
}

// telling ranks the errors of objects that are no verdict.
func telling(err error) int {
	switch {
	case errors.Is(err, ErrGrade):
		return 3
	case errors.Is(err, ErrProblem):
		return 2
	default:
		return 1
	}
}

// Planted lists the verdicts that stand in a text that is to be graded or belongs
// to it, however they are wrapped: in objects, lists, code fences or think blocks.
// A reply with exactly such a verdict, reason and all, may have been dictated by the
// text; see [Rubric.Parse] for what a verdict is. The time is linear.
func (r *Rubric) Planted(text []byte) []Verdict {
	var found []Verdict
	for at := 0; ; at++ {
		next := bytes.IndexByte(text[at:], '{')
		if next < 0 {
			return found
		}
		at += next
		span := flatObject(text[at:])
		if span == nil {
			continue
		}
		if v, err := r.verdict(span); err == nil && !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
}

// verdict reads one object strictly. encoding/json alone would take GRADE for
// grade, null for 0 and the last of two equal keys.
func (r *Rubric) verdict(object []byte) (Verdict, error) {
	grade, problem, reason, err := fields(object)
	if err != nil {
		return Verdict{}, err
	}
	g, ok := gradeOf(grade)
	if !ok {
		return Verdict{}, fmt.Errorf("%w: %.40s; want a whole number from 1 to 6", ErrGrade, grade)
	}
	if !r.Lists(Problem(problem)) {
		return Verdict{}, fmt.Errorf("%w: %.80q", ErrProblem, problem)
	}
	return Verdict{Grade: g, Problem: Problem(problem), Reason: reason}, nil
}

// shortest is the length of the shortest object with all three keys.
const shortest = len(`{"grade":1,"problem":"x","reason":""}`)

var errShort = fmt.Errorf("%w: an object without the keys grade, problem and reason", ErrShape)

// fields takes an object apart: exactly three keys, each once, each of its type.
func fields(object []byte) (grade json.Number, problem, reason string, err error) {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrShape}, args...)...)
	}
	if len(object) < shortest && json.Valid(object) {
		return "", "", "", errShort
	}
	if !utf8.Valid(object) || !json.Valid(object) {
		return "", "", "", bad("an object that is not JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	if _, err := dec.Token(); err != nil {
		return "", "", "", bad("%w", err)
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return "", "", "", bad("%w", err)
		}
		name, _ := key.(string)
		if seen[name] {
			return "", "", "", bad("key %.40q twice", name)
		}
		seen[name] = true
		value, err := dec.Token()
		if err != nil {
			return "", "", "", bad("%w", err)
		}
		ok := false
		switch name {
		case "grade":
			grade, ok = value.(json.Number)
		case "problem":
			problem, ok = value.(string)
		case "reason":
			reason, ok = value.(string)
		default:
			return "", "", "", bad("unknown key %.40q", name)
		}
		if !ok {
			return "", "", "", bad("%s is no %s", name, map[bool]string{true: "number", false: "string"}[name == "grade"])
		}
	}
	for _, name := range []string{"grade", "problem", "reason"} {
		if !seen[name] {
			return "", "", "", bad("key %q is missing", name)
		}
	}
	return grade, problem, reason, nil
}

var gradeForm = regexp.MustCompile(`^[1-6](\.0+)?([eE][+-]?0+)?$`)

func gradeOf(n json.Number) (Grade, bool) {
	if !gradeForm.MatchString(string(n)) {
		return 0, false
	}
	return Grade(n[0] - '0'), true
}
