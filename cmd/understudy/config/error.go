package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// maxErrors bounds how many faults are listed; a file with more of them is wrong as a whole.
const maxErrors = 100

// Position is a place in the configuration file. Line and Col count from 1, Col in
// characters. The zero value is no place.
type Position struct {
	File string
	Line int
	Col  int
}

// String prints file:line:col.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Error is one fault of a configuration, or one warning. It never holds a key's value.
type Error struct {
	Position
	// Key is the path of the key, such as tap.rate; empty for the file as a whole.
	Key string
	// Problem says what is wrong, Want what would be right.
	Problem string
	Want    string
}

// Error prints file:line:col: key: what is wrong; what would be right.
func (e *Error) Error() string {
	s := e.Position.String() + ": "
	if e.Key != "" {
		s += e.Key + ": "
	}
	s += e.Problem
	if e.Want != "" {
		s += "; " + e.Want
	}
	return s
}

// join sorts faults by place, drops repeats and joins them; nil for none.
func join(faults []*Error) error {
	slices.SortStableFunc(faults, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Key, b.Key))
	})
	faults = slices.CompactFunc(faults, func(a, b *Error) bool { return *a == *b })
	var all []error
	for i, f := range faults {
		if i == maxErrors {
			all = append(all, fmt.Errorf("%s: and %d more", f.File, len(faults)-maxErrors))
			break
		}
		all = append(all, f)
	}
	return errors.Join(all...)
}
