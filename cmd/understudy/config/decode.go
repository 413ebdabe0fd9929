package config

import (
	"fmt"
	"strconv"
	"strings"
)

// decoder collects values and faults while it walks the tree. Paths of keys are
// written with dots: tap.queue.bytes, candidates.cand-a.model, report.limits[1].
type decoder struct {
	file   string
	places map[string]Position // of values; of keys for sections
	faults []*Error
}

// reader reads the value at a path into wherever it was told to.
type reader func(d *decoder, path string, n *node)

// fields are the keys that a mapping may have.
type fields map[string]reader

func (d *decoder) fail(pos Position, key, problem, want string) {
	d.faults = append(d.faults, &Error{Position: pos, Key: key, Problem: problem, Want: want})
}

// failAt reports a fault at the place of a key's value, or of what holds the key.
func (d *decoder) failAt(key, problem, want string) { d.fail(d.at(key), key, problem, want) }

// at finds a path, else the nearest one above it.
func (d *decoder) at(path string) Position { return place(d.file, d.places, path) }

func place(file string, places map[string]Position, path string) Position {
	for path != "" {
		if p, ok := places[path]; ok {
			return p
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return Position{File: file, Line: 1, Col: 1}
}

// section reads a mapping with known keys. An empty one leaves the defaults.
func section(known fields) reader {
	return func(d *decoder, path string, n *node) {
		d.entries(path, n, func(key, sub string, p pair) {
			read, ok := known[key]
			if !ok {
				d.fail(p.pos, sub, "unknown key", suggest(key, known))
				return
			}
			read(d, sub, p.value)
		})
	}
}

// entries calls f for each entry of a mapping, remembers its place, and refuses
// repeated keys and values that are no mapping.
func (d *decoder) entries(path string, n *node, f func(key, sub string, p pair)) {
	if n.kind == isNull {
		return
	}
	if n.kind != isMap {
		d.fail(n.pos, path, kindName(n)+" where a mapping belongs", "key: value, one a line")
		return
	}
	seen := make(map[string]Position, len(n.pairs))
	for _, p := range n.pairs {
		sub := under(path, p.key)
		if first, ok := seen[p.key]; ok {
			d.fail(p.pos, sub, fmt.Sprintf("given twice, first in line %d", first.Line), "give it once")
			continue
		}
		seen[p.key] = p.pos
		d.places[sub] = p.value.pos
		if p.value.kind == isMap || p.value.kind == isList || p.value.kind == isNull {
			d.places[sub] = p.pos
		}
		f(p.key, sub, p)
	}
}

func under(path, key string) string {
	key = printable(key)
	if path == "" {
		return key
	}
	return path + "." + key
}

// printable makes a key fit for a message: quoted where it has odd characters, cut
// where it is long.
func printable(key string) string {
	plain := key != "" && len(key) <= 64 && !looksLikeKey(key) && !strings.ContainsFunc(key, func(r rune) bool {
		return !strconv.IsPrint(r) || r == ' ' || r == '.' || r == '"'
	})
	if plain {
		return key
	}
	return quote(key)
}

// notYet refuses a key whose work is not built, unless it is switched off.
func notYet(d *decoder, path string, n *node) {
	if !off(n) {
		d.fail(d.at(path), path, "not supported yet", "leave it out")
	}
}

func off(n *node) bool {
	switch n.kind {
	case isNull:
		return true
	case isMap:
		return len(n.pairs) == 0
	case isList:
		return len(n.items) == 0
	case isBool:
		return n.text == "false"
	}
	if v, err := parseShare(n.text); err == nil {
		return v == 0
	}
	return n.text == "none"
}

// describe names a value in a message.
func describe(n *node) string {
	switch n.kind {
	case isText:
		return quote(n.text)
	case isInt, isFloat:
		return "the number " + quote(n.text)
	case isBool:
		return n.text
	default:
		return kindName(n)
	}
}

func kindName(n *node) string {
	switch n.kind {
	case isNull:
		return "nothing"
	case isMap:
		return "a mapping"
	case isList:
		return "a list"
	case isText:
		return "a text" // not shown: a key whose line is indented wrongly ends up here
	default:
		return "a value"
	}
}
