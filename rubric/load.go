package rubric

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"
)

// The files of a rubric folder.
const (
	RulesFile  = "rubric.yaml"
	PromptFile = "prompt.tmpl"
)

// maxFile bounds each file of a rubric. Every prompt carries the whole rubric, so
// a larger one could not be paid for anyway.
const maxFile = 64 << 10

// Load reads a rubric from a folder with two files.
//
// rubric.yaml has the keys name, grades (a text for each of 1 to 6), problems (a
// list of id and use, [None] among them) and guidance (optional). Unknown and
// duplicate keys are refused. prompt.tmpl is a text/template over [PromptData]; a
// template named "system" in it, if there is one, becomes [Rubric.System].
//
// The error lists everything that is wrong, each with file, line and column, what
// is wrong and what would be right.
func Load(fsys fs.FS) (*Rubric, error) {
	rules, rulesErr := readFile(fsys, RulesFile)
	source, sourceErr := readFile(fsys, PromptFile)
	if err := errors.Join(rulesErr, sourceErr); err != nil {
		return nil, err
	}
	r, rulesErr := readRules(rules)
	if len(bytes.TrimSpace(source)) == 0 {
		sourceErr = fmt.Errorf("%s:1:1: the file is empty; want the prompt as a text/template with {{.Conversation}} and {{.Answer}}", PromptFile)
	}
	if err := errors.Join(rulesErr, sourceErr); err != nil {
		return nil, errors.Join(err, checkSyntax(string(source)))
	}
	r.source = string(source)
	if err := r.prepare(); err != nil {
		return nil, err
	}
	r.digest = r.computeDigest()
	return r, nil
}

// readFile reads a file of a rubric, without a byte order mark and with line ends
// as \n, so that a checkout on another system has the same digest.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s:1:1: larger than %d bytes; every prompt carries it, so keep it short", name, maxFile)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if at := invalidText(data); at >= 0 {
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		column := at - bytes.LastIndexByte(data[:at], '\n')
		return nil, fmt.Errorf("%s:%d:%d: byte 0x%02x is no text; want UTF-8 without control characters", name, line, column, data[at])
	}
	return data, nil
}

// invalidText finds the first byte that is not UTF-8 or is a control character
// other than tab and line feed; -1 if there is none.
func invalidText(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if (r == utf8.RuneError && size <= 1) || (r < ' ' && r != '\t' && r != '\n') || r == 0x7f {
			return i
		}
		i += size
	}
	return -1
}
