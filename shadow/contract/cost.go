package contract

import (
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of one check. The library tries every branch of a union, so a union that
// refers to itself twice takes twice as long with each level of the answer, and
// nothing can stop it; what it would do is therefore counted before. A unit is 50 to
// 200 ns of an AMD EPYC core, so that no check that was tried took over a second; an
// answer of 1 MiB under a plain schema takes a fifth of the budget.
const (
	budget    = 5_000_000 // units
	perVisit  = 10        // units to look at a value through a schema
	perEqual  = 3         // units to compare a number, list or object, for each part of it
	maxNested = 100       // schemas within each other for one value; more is a cycle
	maxStack  = 10_000    // schemas within each other in all
)

// affordable says whether a check stays within the bounds.
func affordable(s *jsonschema.Schema, v any) bool {
	w := walk{left: budget}
	w.visit(s, v, 0)
	return w.left >= 0
}

// walk counts what the library would do at most, and stops when it is too much.
type walk struct{ left, depth int }

func (w *walk) visit(s *jsonschema.Schema, v any, nested int) {
	w.left -= perVisit + nested + weight(v)
	if nested > maxNested || w.depth > maxStack || s.DynamicRef != nil || s.RecursiveRef != nil {
		w.left = -1
	}
	if w.left < 0 || s.Bool != nil {
		return
	}
	w.depth++
	if s.Enum != nil {
		w.compare(v, s.Enum.Values)
	}
	if s.Const != nil {
		w.compare(v, []any{*s.Const})
	}
	w.inPlace(s, v, nested+1)
	switch v := v.(type) {
	case map[string]any:
		w.object(s, v, nested+1)
	case []any:
		w.list(s, v)
	case string:
		w.match(s.Pattern, v)
	}
	w.depth--
}

// compare is for a value that is held against each of a list. Texts are compared at
// once; numbers are read anew each time, and lists and objects to their depth.
func (w *walk) compare(v any, with []any) {
	switch v.(type) {
	case json.Number, map[string]any, []any:
		w.left -= perEqual * whole(with)
	default:
		w.left -= len(with)
	}
}

// weight is the size of a value itself, without what is in it.
func weight(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return 2 * len(v)
	case []any:
		return len(v)
	case string:
		return len(v) / 16
	case json.Number:
		return len(v)
	}
	return 0
}

// whole is the size of a value with all that is in it.
func whole(v any) int {
	n := 1 + weight(v)
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			n += whole(x)
		}
	case []any:
		for _, x := range v {
			n += whole(x)
		}
	}
	return n
}

func (w *walk) match(p jsonschema.Regexp, text string) {
	if p, ok := p.(pattern); ok {
		w.left -= (1 + len(text)) * p.size / 8
	}
}

// maybe visits a schema that may be absent.
func (w *walk) maybe(s *jsonschema.Schema, v any, nested int) {
	if s != nil && w.left >= 0 {
		w.visit(s, v, nested)
	}
}

// inPlace visits the schemas for the same value.
func (w *walk) inPlace(s *jsonschema.Schema, v any, nested int) {
	for _, sub := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else} {
		w.maybe(sub, v, nested)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, sub := range list {
			w.maybe(sub, v, nested)
		}
	}
}

func (w *walk) object(s *jsonschema.Schema, object map[string]any, nested int) {
	for name, dependent := range s.Dependencies {
		if _, there := object[name]; there {
			sub, _ := dependent.(*jsonschema.Schema)
			w.maybe(sub, object, nested)
		}
	}
	for name, sub := range s.DependentSchemas {
		if _, there := object[name]; there {
			w.maybe(sub, object, nested)
		}
	}
	for name, v := range object {
		w.maybe(s.PropertyNames, name, 0)
		w.maybe(s.UnevaluatedProperties, v, 0)
		w.property(s, name, v)
	}
}

func (w *walk) property(s *jsonschema.Schema, name string, v any) {
	sub, evaluated := s.Properties[name]
	w.maybe(sub, v, 0)
	for p, sub := range s.PatternProperties {
		w.match(p, name)
		if w.left >= 0 && p.MatchString(name) {
			evaluated = true
			w.maybe(sub, v, 0)
		}
	}
	if more, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && !evaluated {
		w.maybe(more, v, 0)
	}
}

func (w *walk) list(s *jsonschema.Schema, list []any) {
	if s.UniqueItems { // up to 20 items are compared pair by pair, more by their hash
		pairs := len(list) / 2
		if len(list) > 20 {
			pairs = 3
		}
		w.left -= perEqual * pairs * whole(list)
	}
	prefix, rest := s.PrefixItems, s.Items2020
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		rest = items
	case []*jsonschema.Schema:
		prefix = items
		rest, _ = s.AdditionalItems.(*jsonschema.Schema)
	}
	for i, v := range list {
		w.maybe(s.Contains, v, 0)
		w.maybe(s.UnevaluatedItems, v, 0)
		if i < len(prefix) {
			w.maybe(prefix[i], v, 0)
		} else {
			w.maybe(rest, v, 0)
		}
	}
}
