package config

import (
	"strings"
	"unicode"
)

// maxName bounds names of experiments, models and arms.
const maxName = 64

const (
	wantName = "a name of letters, digits, - and _, at most 64 characters, beginning with a letter or digit"
	wantArm  = wantName + "; letters of any script"
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
// digit first. anyScript allows letters and digits of any script.
func goodName(s string, anyScript bool) bool {
	if s == "" || len([]rune(s)) > maxName || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "_") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		if r == '-' || r == '_' {
			return false
		}
		if r > unicode.MaxASCII && !anyScript {
			return true
		}
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}
