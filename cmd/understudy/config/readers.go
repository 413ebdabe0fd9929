package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

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

// portion reads a share from 0 to 100 %; none is 0.
func portion(dst *float64) reader {
	return func(d *decoder, path string, n *node) {
		if n.kind == isText && n.text == "none" {
			*dst = 0
			return
		}
		parsed(dst, parseShare, func(v float64) bool { return v >= 0 && v <= 1 }, wantShare+", from 0% to 100%")(d, path, n)
	}
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
