package config

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// whileRunning are the keys that may change while a process runs.
var whileRunning = regexp.MustCompile(`^tap\.(rate|salt)$|^candidates\.[^.]+\.share$`)

// Fixed lists what differs between a configuration and the next one of a running process
// beyond what may change: tap.rate, tap.salt and the shares of candidates. Each is an
// [*Error] at its place in the next; nil if there is none. Spellings, comments and the
// order of keys are no difference.
func (c *Config) Fixed(next *Config) error {
	if reflect.DeepEqual(c.fixed(), next.fixed()) {
		return nil
	}
	const problem, want = "changed while the process runs", "it needs a restart"
	before, after := c.values(), next.values()
	var faults []*Error
	for _, all := range []map[string]string{before, after} {
		for key := range all {
			if before[key] != after[key] && !whileRunning.MatchString(key) {
				faults = append(faults, &Error{Position: next.At(key), Key: key, Problem: problem, Want: want})
			}
		}
	}
	if len(faults) == 0 {
		faults = append(faults, &Error{Position: next.At(""), Problem: problem, Want: want})
	}
	return join(faults)
}

// fixed is a configuration without what may change, and in one order.
func (c *Config) fixed() Config {
	f := *c
	f.places, f.source, f.Warnings = nil, nil, nil
	f.Tap.Rate, f.Tap.Salt = 0, ""
	f.Candidates = slices.Clone(c.Candidates)
	for i := range f.Candidates {
		f.Candidates[i].Share = 0
	}
	slices.SortFunc(f.Candidates, func(a, b Candidate) int { return strings.Compare(a.Name, b.Name) })
	f.Models = slices.Clone(c.Models)
	slices.SortFunc(f.Models, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return f
}

// values are the scalars of the file by their paths.
func (c *Config) values() map[string]string {
	out := map[string]string{}
	var walk func(path string, n *node)
	walk = func(path string, n *node) {
		switch n.kind {
		case isMap:
			for _, p := range n.pairs {
				walk(under(path, p.key), p.value)
			}
		case isList:
			for i, item := range n.items {
				walk(path+"["+strconv.Itoa(i)+"]", item)
			}
		default:
			out[path] = n.text
		}
	}
	if root, fault := parseTree(c.File, c.source); fault == nil {
		walk("", root)
	}
	return out
}
