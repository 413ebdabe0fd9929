package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
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
		d.fail(n.pos, path, describe(n)+" where a mapping belongs", "key: value, one a line")
		return
	}
	seen := make(map[string]Position, len(n.pairs))
	for _, p := range n.pairs {
		sub := join2(path, p.key)
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

func join2(path, key string) string {
	key = printable(key)
	if path == "" {
		return key
	}
	return path + "." + key
}

// printable makes a key fit for a message: quoted where it has odd characters, cut
// where it is long.
func printable(key string) string {
	plain := key != "" && len(key) <= 64 && !strings.ContainsFunc(key, func(r rune) bool {
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

// text reads a text that is not empty.
func text(dst *string, want string) reader {
	return func(d *decoder, path string, n *node) {
		switch {
		case n.kind == isText && n.text != "":
			*dst = n.text
		case n.kind == isInt || n.kind == isFloat || n.kind == isBool:
			d.fail(n.pos, path, describe(n)+" where a text belongs", want+", in quotes if it looks like a number")
		default:
			d.fail(n.pos, path, describe(n)+" where a text belongs", want)
		}
	}
}

// path reads a path and takes it from the configuration's folder if it is relative.
func path(dst *string) reader {
	return func(d *decoder, path string, n *node) {
		before := len(d.faults)
		if text(dst, "a path")(d, path, n); len(d.faults) == before {
			*dst = d.resolve(*dst)
		}
	}
}

func (d *decoder) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(d.file), path)
}

// oneOf reads one of some words.
func oneOf(dst *string, words ...string) reader {
	return func(d *decoder, path string, n *node) {
		if n.kind != isText || !slices.Contains(words, n.text) {
			d.fail(n.pos, path, describe(n)+" is not known here", "one of "+strings.Join(words, ", "))
			return
		}
		*dst = n.text
	}
}

// parsed reads a scalar by its text, and refuses what fits does not accept.
func parsed[T any](dst *T, parse func(string) (T, error), fits func(T) bool, want string) reader {
	return func(d *decoder, path string, n *node) {
		if n.kind == isNull || n.kind == isMap || n.kind == isList || n.kind == isBool {
			d.fail(n.pos, path, describe(n)+" is no value for this key", want)
			return
		}
		v, err := parse(n.text)
		switch {
		case err != nil:
			d.fail(n.pos, path, err.Error(), want)
		case !fits(v):
			d.fail(n.pos, path, quote(n.text)+" is out of range", want)
		default:
			*dst = v
		}
	}
}

// duration reads a duration above 0.
func duration(dst *time.Duration) reader {
	return parsed(dst, parseDuration, func(v time.Duration) bool { return v > 0 }, wantDuration+", above 0")
}

// durationOrZero reads a duration of 0 or more.
func durationOrZero(dst *time.Duration) reader {
	return parsed(dst, parseDuration, func(v time.Duration) bool { return v >= 0 }, wantDuration+", or 0")
}

// share reads a share above 0 and at most 100 %.
func share(dst *float64) reader {
	return parsed(dst, parseShare, func(v float64) bool { return v > 0 && v <= 1 }, wantShare+", above 0% and at most 100%")
}

// part reads a share above 0 and below 100 %.
func part(dst *float64) reader {
	return parsed(dst, parseShare, func(v float64) bool { return v > 0 && v < 1 }, wantShare+", above 0% and below 100%")
}

// size reads a size of at least 1 KiB.
func size(dst *int64) reader {
	return parsed(dst, parseSize, func(v int64) bool { return v >= 1<<10 }, wantSize+", at least 1KiB")
}

// day reads a UTC day.
func day(dst *time.Time) reader {
	return parsed(dst, parseDay, func(t time.Time) bool { return t.Year() >= 2000 }, wantDay)
}

// count reads a whole number of at least low.
func count(dst *int, low int) reader {
	want := fmt.Sprintf("a whole number, at least %d", low)
	return func(d *decoder, path string, n *node) {
		v, err := strconv.ParseInt(n.text, 10, 32)
		switch {
		case n.kind != isInt || err != nil:
			d.fail(n.pos, path, describe(n)+" is no whole number that can be used", want)
		case int(v) < low:
			d.fail(n.pos, path, quote(n.text)+" is out of range", want)
		default:
			*dst = int(v)
		}
	}
}

// flag reads true or false.
func flag(dst *bool) reader {
	return func(d *decoder, path string, n *node) {
		if n.kind != isBool {
			d.fail(n.pos, path, describe(n)+" is neither true nor false", "true or false")
			return
		}
		*dst = n.text == "true"
	}
}

// secret reads a reference to a key. Nothing of its text enters a message.
func secret(dst *Secret) reader {
	const want = "env:NAME or file:PATH, without a blank after the colon"
	return func(d *decoder, path string, n *node) {
		if n.kind == isMap || n.kind == isList || n.kind == isNull {
			d.fail(n.pos, path, kindName(n)+" where a reference to a key belongs", want)
			return
		}
		s, err := parseSecret(n.text)
		if err != nil {
			d.fail(n.pos, path, err.Error(), want)
			return
		}
		if s.file != "" {
			s.file = d.resolve(s.file)
		}
		*dst = s
	}
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
	default:
		return "a value"
	}
}
