package llm

import (
	"encoding/json"
	"slices"
)

// SchemaRules are what a provider accepts in a JSON schema that answers must keep.
type SchemaRules struct {
	Drop   []string // keywords that it refuses and that only narrow a value
	Refuse []string // keywords that it refuses and that cannot be left out
	Open   bool     // objects stay as they are: they are closed already
}

// Closed rewrites a JSON schema so that providers enforce it: every object gets
// additionalProperties false and requires all of its properties, and what the rules
// drop is left out. An answer that keeps to the result keeps to the schema, but for
// what was dropped. Names and values stay in their order.
//
// changed says whether the result differs; ok is false for a schema that cannot be
// closed: objects with names that are not known, or keywords that the rules refuse.
func (r SchemaRules) Closed(schema json.RawMessage) (out json.RawMessage, changed, ok bool) {
	v, valid := parse(schema)
	if !valid || !v.object() {
		return schema, false, false
	}
	c := closer{rules: r, ok: true}
	if out = json.RawMessage(c.schema(v)); !c.changed {
		out = schema
	}
	return out, c.changed, c.ok
}

type closer struct {
	rules       SchemaRules
	changed, ok bool
}

// schema rewrites a schema and those within it.
func (c *closer) schema(v value) []byte {
	if !v.object() {
		return v
	}
	isObject := !c.rules.Open && (v.get("properties").object() || slices.Contains(v.get("type").texts(), "object"))
	out := []byte{'{'}
	for m := range v.members() {
		switch {
		case slices.Contains(c.rules.Drop, m.key):
			c.changed = true
			continue
		case slices.Contains(c.rules.Refuse, m.key):
			c.ok = false
		case m.key == "additionalProperties" && isObject:
			c.ok = c.ok && m.val.is('f')
			continue
		case m.key == "required" && isObject:
			continue
		}
		out = append(append(append(out, v[m.start:m.valStart]...), c.keyword(m.key, m.val)...), ',')
	}
	if isObject {
		c.ok = c.ok && v.get("properties").object()
		out = append(append(append(out, `"required":`...), c.required(v)...), `,"additionalProperties":false,`...)
	}
	if n := len(out) - 1; out[n] == ',' {
		out = out[:n]
	}
	return append(out, '}')
}

// keyword rewrites the schemas in a keyword's value.
func (c *closer) keyword(key string, v value) []byte {
	switch {
	case slices.Contains([]string{"properties", "$defs", "definitions"}, key) && v.object():
		out := []byte{'{'}
		for m := range v.members() {
			out = append(append(append(out, v[m.start:m.valStart]...), c.schema(m.val)...), ',')
		}
		return append(trimComma(out), '}')
	case slices.Contains([]string{"items", "not", "if", "then", "else"}, key) && v.object():
		return c.schema(v)
	case slices.Contains([]string{"anyOf", "oneOf", "allOf", "prefixItems"}, key) && v.list():
		out := []byte{'['}
		for item := range v.items() {
			out = append(append(out, c.schema(item)...), ',')
		}
		return append(trimComma(out), ']')
	}
	return v
}

func trimComma(b []byte) []byte {
	if n := len(b) - 1; n >= 0 && b[n] == ',' {
		return b[:n]
	}
	return b
}

// required lists all properties, those first that were required before.
func (c *closer) required(v value) []byte {
	names := v.get("required").texts()
	before := len(names)
	for m := range v.get("properties").members() {
		if !slices.Contains(names, m.key) {
			names = append(names, m.key)
		}
	}
	if !v.get("additionalProperties").is('f') || len(names) != before {
		c.changed = true
	}
	out, err := json.Marshal(append([]string{}, names...))
	if err != nil {
		return []byte("[]")
	}
	return out
}
