package rubric

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// document collects the faults of one YAML file.
type document struct{ faults []error }

// maxFaults bounds the list: a file with more of them is none of ours.
const maxFaults = 40

// fault notes what is wrong at a node.
func (d *document) fault(n ast.Node, format string, args ...any) {
	switch {
	case len(d.faults) > maxFaults:
		return
	case len(d.faults) == maxFaults:
		format, args = "and there is more wrong with the file from here on", nil
	}
	line, column := position(n)
	d.faults = append(d.faults, fmt.Errorf("%s:%d:%d: %s", RulesFile, line, column, fmt.Sprintf(format, args...)))
}

func position(n ast.Node) (line, column int) {
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		n = m.Values[0].Key
	}
	if n != nil {
		if t := n.GetToken(); t != nil && t.Position != nil {
			return t.Position.Line, t.Position.Column
		}
	}
	return 1, 1
}

// maxDepth bounds how deep brackets and indentation may nest: a rubric needs 3.
const maxDepth = 100

// maxBrackets bounds the flow brackets of a file, and so how deep they nest.
const maxBrackets = 4000

// parseYAML gives the one value of a YAML file. Repeated keys are let through here
// and refused later, so that all faults come in one list.
func parseYAML(data []byte) (root ast.Node, err error) {
	if strings.Count(string(data), "{")+strings.Count(string(data), "[") > maxBrackets || deep(data) {
		return nil, fmt.Errorf("%s:1:1: nested too deeply; want name, grades, problems and guidance", RulesFile)
	}
	defer func() { // the parser is not ours, and a file must never end the process
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("%s:1:1: not readable as YAML: %v", RulesFile, p)
		}
	}()
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var e yaml.Error
		if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
			p := e.GetToken().Position
			return nil, fmt.Errorf("%s:%d:%d: not YAML: %s", RulesFile, p.Line, p.Column, e.GetMessage())
		}
		return nil, fmt.Errorf("%s:1:1: not YAML: %w", RulesFile, err)
	}
	var docs []ast.Node
	for _, doc := range file.Docs {
		if doc != nil && doc.Body != nil {
			docs = append(docs, doc.Body)
		}
	}
	switch len(docs) {
	case 0:
		return nil, fmt.Errorf("%s:1:1: the file is empty; want name, grades, problems and guidance", RulesFile)
	case 1:
		return docs[0], nil
	}
	line, column := position(docs[1])
	return nil, fmt.Errorf("%s:%d:%d: a second document; want one", RulesFile, line, column)
}

// deep says whether a line opens more levels than any rubric has: "- - - -" and "[[[[".
func deep(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		levels := 0
		for _, c := range line {
			if c == '[' || c == '{' || c == '-' || c == '?' || c == ':' {
				levels++
			} else if c != ' ' && c != '\t' {
				break
			}
		}
		if levels > maxDepth {
			return true
		}
	}
	return false
}

// mapping reads a mapping: each key by its reader. It notes unknown and repeated
// keys, and wanted ones that are missing.
func (d *document) mapping(n ast.Node, what string, wanted []string, read map[string]func(ast.Node)) {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		d.fault(n, "%s is %s; want the keys %s", what, kind(n), keys(wanted, read))
		return
	}
	seen := map[string]bool{}
	for _, v := range values {
		key, ok := keyOf(v)
		f := read[key]
		switch {
		case !ok || f == nil:
			d.fault(v, "unknown key %q in %s; want %s", key, what, keys(wanted, read))
		case seen[key]:
			d.fault(v, "key %q is there twice in %s; want it once", key, what)
		default:
			f(v.Value)
		}
		seen[key] = seen[key] || ok
	}
	for _, key := range wanted {
		if !seen[key] {
			d.fault(n, "key %q is missing in %s; want %s", key, what, keys(wanted, read))
		}
	}
}

// keyOf gives a plain key's text; false for a merge key, an alias or a structure.
func keyOf(v *ast.MappingValueNode) (string, bool) {
	switch k := v.Key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode:
		return k.Token.Value, true
	case nil:
		return "", false
	default:
		if t := v.Key.GetToken(); t != nil {
			return t.Value, false
		}
		return "", false
	}
}

// keys lists the known keys, the wanted ones first.
func keys(wanted []string, read map[string]func(ast.Node)) string {
	list := slices.Clone(wanted)
	for key := range read {
		if !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	slices.Sort(list[len(wanted):])
	return strings.Join(list, ", ")
}

// sequence gives the entries of a list.
func (d *document) sequence(n ast.Node, what string) ([]ast.Node, bool) {
	s, ok := n.(*ast.SequenceNode)
	if !ok || len(s.Values) == 0 {
		state := "an empty list"
		if !ok {
			state = kind(n)
		}
		d.fault(n, "%s is %s; want a list of entries with id and use", what, state)
		return nil, false
	}
	return s.Values, true
}
