package rubric

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Bounds of a rubric. They are judgements: a judge that must choose among more
// than 40 problems no longer chooses the main one, and longer lines drown it.
const (
	maxProblems = 40
	maxUse      = 500
	maxAnchor   = 2000
	maxGuidance = 20000
)

var (
	idForm   = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

// readRules reads rubric.yaml. The error lists every fault in the order of the file.
func readRules(data []byte) (*Rubric, error) {
	root, err := parseYAML(data)
	if err != nil {
		return nil, err
	}
	r, d := &Rubric{}, &document{}
	d.mapping(root, "the file", []string{"name", "grades", "problems"}, map[string]func(ast.Node){
		"name":     func(n ast.Node) { r.name = d.name(n) },
		"grades":   func(n ast.Node) { d.grades(n, &r.anchors) },
		"problems": func(n ast.Node) { r.problems = d.problems(n) },
		"guidance": func(n ast.Node) { r.guidance = d.text(n, "guidance", maxGuidance) },
	})
	if err := errors.Join(d.faults...); err != nil {
		return nil, err
	}
	return r, nil
}

func (d *document) name(n ast.Node) string {
	name := d.text(n, "name", maxUse)
	if name != "" && !nameForm.MatchString(name) {
		d.fault(n, "name %q: want letters, digits, '.', '_' and '-', at most 64, for example support-answers-v1", name)
	}
	return name
}

// grades reads the six anchors.
func (d *document) grades(n ast.Node, anchors *[Worst]string) {
	var wanted []string
	read := map[string]func(ast.Node){}
	for g := Best; g <= Worst; g++ {
		key := strconv.Itoa(int(g))
		wanted = append(wanted, key)
		read[key] = func(n ast.Node) { anchors[g-1] = d.text(n, "the anchor of grade "+key, maxAnchor) }
	}
	d.mapping(n, "grades", wanted, read)
	for i, a := range anchors {
		if a != "" && slices.Contains(anchors[:i], a) {
			d.fault(n, "grade %d has the same anchor as grade %d; want six different ones", i+1, slices.Index(anchors[:], a)+1)
		}
	}
}

// problems reads the closed list.
func (d *document) problems(n ast.Node) []listed {
	items, ok := d.sequence(n, "problems")
	if !ok {
		return nil
	}
	if len(items) > maxProblems {
		d.fault(n, "%d problems; want at most %d, a judge has to choose the main one", len(items), maxProblems)
		return nil
	}
	var list []listed
	for _, item := range items {
		p := d.problem(item)
		if p.ID == "" {
			continue
		}
		if slices.ContainsFunc(list, func(l listed) bool { return l.ID == p.ID }) {
			d.fault(item, "problem %q is there twice; want each id once", p.ID)
		}
		list = append(list, p)
	}
	switch {
	case !slices.ContainsFunc(list, func(l listed) bool { return l.ID == None }):
		d.fault(n, "problem %q is missing; want it on the list, for answers without a problem", None)
	case len(items) == 1:
		d.fault(n, "no problem but %q; want at least one more", None)
	}
	return list
}

func (d *document) problem(n ast.Node) listed {
	var p listed
	d.mapping(n, "a problem", []string{"id", "use"}, map[string]func(ast.Node){
		"id": func(n ast.Node) {
			id := d.text(n, "id", maxUse)
			if id != "" && (!idForm.MatchString(id) || len(id) > 40) {
				d.fault(n, "problem id %q: want lower-case words joined by '_', at most 40 characters, for example too_long", id)
				return
			}
			p.ID = Problem(id)
		},
		"use": func(n ast.Node) { p.Use = d.text(n, "use", maxUse) },
	})
	return p
}

// text reads a text that is not empty, without blanks around it.
func (d *document) text(n ast.Node, what string, limit int) string {
	var text string
	switch n := n.(type) {
	case *ast.StringNode:
		text = n.Value
	case *ast.LiteralNode:
		text = n.Value.Value
	case *ast.NullNode:
	default:
		d.fault(n, "%s is %s; want a text, in quotes if it looks like something else", what, kind(n))
		return ""
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		d.fault(n, "%s is empty; want a text", what)
	case len(text) > limit:
		d.fault(n, "%s has %d bytes; want at most %d", what, len(text), limit)
	case invalidText([]byte(text)) >= 0:
		d.fault(n, "%s has a control character; want plain text", what)
	}
	return text
}

// kind names a node's kind for a reader.
func kind(n ast.Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "a mapping"
	case ast.SequenceType:
		return "a list"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.BoolType:
		return "true or false"
	case ast.NullType:
		return "empty"
	case ast.StringType, ast.LiteralType:
		return "a text"
	default:
		return fmt.Sprintf("a YAML %s", strings.ToLower(n.Type().String()))
	}
}
