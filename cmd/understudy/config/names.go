package config

import (
	"strings"
	"unicode"
)

// maxName bounds names of experiments, models and arms.
const maxName = 64

const (
	wantName = "a name of letters, digits, - and _, at most 64 characters, beginning with a letter or digit"
	wantArm  = "a name of letters and digits of any script and - _ . : / @ +, at most 64 characters, beginning with a letter or digit"
)

// name reads a name that goes into subjects and file names: ASCII only.
func name(dst *string) reader {
	return func(d *decoder, path string, n *node) {
		if n.kind == isText && !goodName(n.text, false) {
			d.fail(n.pos, path, quote(n.text)+" is no name", wantName)
			return
		}
		text(dst, wantName)(d, path, n)
	}
}

// goodName says whether a name has only letters, digits, - and _, with a letter or
// digit first. Names of arms and models go into no subject and no file name: they may
// have letters of any script and the signs of model ids, such as gpt-4o.mini or qwen3:8b.
func goodName(s string, arm bool) bool {
	if s == "" || len([]rune(s)) > maxName || strings.ContainsAny(s[:1], "-_.:/@+") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		switch {
		case r == '-' || r == '_':
			return false
		case strings.ContainsRune(".:/@+", r), r > unicode.MaxASCII:
			return !arm || r > unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		}
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
