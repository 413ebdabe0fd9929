package rubric

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"
)

// PromptData is what prompt.tmpl can use. The conversation and the answer never
// pass through the template: it only places their blocks, so that it can neither
// expand, cut nor repeat them.
type PromptData struct {
	// Grades has the six grades with their anchors, best first.
	Grades []PromptGrade
	// Problems is the closed list in the order of rubric.yaml.
	Problems []PromptProblem
	// Guidance is the guidance of rubric.yaml.
	Guidance string
	// Code is the random code of this prompt: a line with it is a marker, any other
	// line is data, however it looks.
	Code string
	// Conversation and Answer stand for the marked blocks. Each is placed exactly
	// once, on lines of its own.
	Conversation string
	Answer       string
	// TurnsLeftOut counts turns that were cut; the conversation's block says so too.
	TurnsLeftOut int
}

// PromptGrade is a grade in a prompt.
type PromptGrade struct {
	Grade  Grade
	Anchor string
}

// PromptProblem is a problem in a prompt.
type PromptProblem struct {
	ID  Problem
	Use string
}

// fieldsHint ends every complaint about a template.
const fieldsHint = "the fields are .Grades (.Grade .Anchor), .Problems (.ID .Use), .Guidance, .Code, .Conversation, .Answer, .TurnsLeftOut"

// maxRender bounds what a template may print around the blocks.
const maxRender = 4 * maxFile

// checkSyntax parses a template and tells what is wrong with its syntax.
func checkSyntax(source string) error {
	_, err := parseTemplate(source)
	return err
}

func parseTemplate(source string) (*template.Template, error) {
	t, err := template.New(PromptFile).Option("missingkey=error").Parse(source)
	if err != nil {
		return nil, fmt.Errorf("%s; %s", located(err), fieldsHint)
	}
	return t, nil
}

var templateAt = regexp.MustCompile(`^template: ([^:]+:\d+)(:\d+)?: `)

// located turns the template package's own prefix into file:line:column.
func located(err error) string {
	text := err.Error()
	m := templateAt.FindStringSubmatch(text)
	if m == nil {
		return PromptFile + ":1:1: " + text
	}
	if m[2] == "" {
		m[2] = ":1"
	}
	return m[1] + m[2] + ": " + text[len(m[0]):]
}

// Codes of the prompts that are made only to try a template out: as long as real ones,
// and with no character in the same place.
const (
	tryCode   = "TRYOUTCODE0000000000000000"
	otherCode = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// prepare parses the template and tries it out, so that a prompt cannot fail later.
func (r *Rubric) prepare() error {
	t, err := parseTemplate(r.source)
	if err != nil {
		return err
	}
	r.tmpl = t
	if t.Lookup("system") != nil {
		if r.system, err = r.execute("system", PromptData{Code: tryCode}); err != nil {
			return err
		}
		if r.system = strings.TrimSpace(r.system); strings.Contains(r.system, tryCode) {
			return fmt.Errorf(`%s:1:1: the template "system" uses .Code, .Conversation or .Answer; want them in the main text, it is the same for every case`, PromptFile)
		}
	}
	var faults []error
	for _, leftOut := range []int{0, 3} {
		text, err := r.execute(PromptFile, PromptData{Code: tryCode, TurnsLeftOut: leftOut})
		if err != nil {
			return err
		}
		if faults = r.missing(text); len(faults) > 0 {
			break
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	return r.renderPlain()
}

// renderPlain renders the prompt once for all cases of which no turn was left out. That
// holds if the template only places the code: two codes then make the same text.
func (r *Rubric) renderPlain() error {
	one, err := r.execute(PromptFile, PromptData{Code: tryCode})
	if err != nil {
		return err
	}
	two, err := r.execute(PromptFile, PromptData{Code: otherCode})
	if err == nil && strings.ReplaceAll(one, tryCode, otherCode) == two {
		r.plain = one
	}
	return err
}

// rendered is the prompt's text around the blocks of a case.
func (r *Rubric) rendered(code string, leftOut int) (string, error) {
	if r.plain != "" && leftOut == 0 {
		return strings.ReplaceAll(r.plain, tryCode, code), nil
	}
	return r.execute(PromptFile, PromptData{Code: code, TurnsLeftOut: leftOut})
}

// missing tells what a rendered prompt lacks.
func (r *Rubric) missing(text string) (faults []error) {
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(PromptFile+":1:1: "+format, args...))
	}
	p, err := splitBlocks(text, tryCode)
	if err != nil {
		fault("%w", err)
	} else if text = p.before + p.between + p.after; !strings.Contains(text, tryCode) {
		fault("the prompt does not name the code of its markers; want {{.Code}} where it explains what is data")
	}
	text += r.system
	for i, a := range r.anchors {
		if !strings.Contains(text, a) {
			fault("the anchor of grade %d is not in the prompt; want {{range .Grades}} … {{.Grade}} {{.Anchor}} … {{end}}", i+1)
		}
	}
	for _, p := range r.problems {
		if !strings.Contains(text, string(p.ID)) || !strings.Contains(text, p.Use) {
			fault("problem %q or its line is not in the prompt; want {{range .Problems}} … {{.ID}} {{.Use}} … {{end}}", p.ID)
		}
	}
	if !strings.Contains(text, r.guidance) {
		fault("the guidance is not in the prompt; want {{.Guidance}}")
	}
	return faults
}

// blockMark starts a placeholder. The control character keeps it out of every
// template and rubric text, which have none.
const blockMark = "\x01block "

func placeholder(which, code string) string { return blockMark + which + " " + code + "\x01" }

// execute renders one of the templates with the rubric's own fields filled in.
func (r *Rubric) execute(name string, data PromptData) (string, error) {
	for i, a := range r.anchors {
		data.Grades = append(data.Grades, PromptGrade{Grade(i + 1), a})
	}
	for _, p := range r.problems {
		data.Problems = append(data.Problems, PromptProblem(p))
	}
	data.Guidance = r.guidance
	data.Conversation = placeholder("conversation", data.Code)
	data.Answer = placeholder("answer", data.Code)
	var out bounded
	if err := r.tmpl.ExecuteTemplate(&out, name, data); err != nil {
		return "", fmt.Errorf("%s; %s", located(err), fieldsHint)
	}
	return out.String(), nil
}

// bounded is a buffer that refuses to grow without end.
type bounded struct{ strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxRender {
		return 0, fmt.Errorf("the prompt is larger than %d bytes: %w", maxRender, io.ErrShortWrite)
	}
	return b.Builder.Write(p)
}

// pieces is a rendered prompt, cut at its two blocks.
type pieces struct {
	before, between, after string
	answerFirst            bool
}

// splitBlocks cuts a rendered prompt at its placeholders.
func splitBlocks(text, code string) (pieces, error) {
	conversation, answer := placeholder("conversation", code), placeholder("answer", code)
	if n := strings.Count(text, conversation); n != 1 {
		return pieces{}, fmt.Errorf("{{.Conversation}} is placed %d times; want it exactly once", n)
	}
	if n := strings.Count(text, answer); n != 1 {
		return pieces{}, fmt.Errorf("{{.Answer}} is placed %d times; want it exactly once", n)
	}
	var p pieces
	first, second := conversation, answer
	if p.answerFirst = strings.Index(text, answer) < strings.Index(text, conversation); p.answerFirst {
		first, second = answer, conversation
	}
	p.before, text, _ = strings.Cut(text, first)
	p.between, p.after, _ = strings.Cut(text, second)
	if strings.Contains(p.before+p.between+p.after, blockMark) {
		return pieces{}, errors.New("a block is placed in part; want {{.Conversation}} and {{.Answer}} as they are")
	}
	if !ownLine(p.before, p.between) || !ownLine(p.between, p.after) {
		return pieces{}, errors.New("{{.Conversation}} or {{.Answer}} shares its line with other text; want each on a line of its own")
	}
	return p, nil
}

// ownLine says whether a block between two texts starts and ends a line.
func ownLine(before, after string) bool {
	return (before == "" || strings.HasSuffix(before, "\n")) && (after == "" || strings.HasPrefix(after, "\n"))
}
