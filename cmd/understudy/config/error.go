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
	// Unpinned is the model that lacks a digest, where that is the fault; else nil.
	Unpinned *Model
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

// Join joins the faults that several checks found, as [Parse] does: each [*Error] in
// the order of the file and once. Other errors come after them; nil if there are none.
func Join(found ...error) error {
	var faults []*Error
	var others []error
	var walk func(error)
	walk = func(err error) {
		joined, many := err.(interface{ Unwrap() []error })
		fault := (*Error)(nil)
		switch {
		case many:
			for _, e := range joined.Unwrap() {
				walk(e)
			}
		case errors.As(err, &fault):
			faults = append(faults, fault)
		case err != nil:
			others = append(others, err)
		}
	}
	for _, err := range found {
		walk(err)
	}
	return errors.Join(append([]error{join(faults)}, others...)...)
}
