package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Spend limits what is spent on a UTC day.
type Spend struct {
	Judge Limit // both judges together
	// Candidates is for all candidates together; ByCandidate for each that it names.
	// Only one of the two is set.
	Candidates  Limit
	ByCandidate map[string]Limit
}

// Limit is the most for a day; a part that is 0 limits nothing.
type Limit struct {
	Calls   int64
	NanoUSD int64 // 1e-9 USD
}

// IsZero says that nothing is limited.
func (l Limit) IsZero() bool { return l == Limit{} }

// String is the limit as the file has it.
func (l Limit) String() string {
	var parts []string
	if l.NanoUSD > 0 {
		parts = append(parts, strconv.FormatFloat(float64(l.NanoUSD)/nanoUSD, 'f', -1, 64)+" USD")
	}
	if l.Calls > 0 {
		parts = append(parts, fmt.Sprintf("%d calls", l.Calls))
	}
	return strings.Join(parts, " or ")
}

const nanoUSD = 1e9

// Of is the limit of a candidate, and the account that it is drawn from.
func (s Spend) Of(candidate string) (account string, l Limit) {
	if l, ok := s.ByCandidate[candidate]; ok {
		return "candidate-" + candidate, l
	}
	return "candidates", s.Candidates
}

const wantLimit = "a sum such as 50 USD, a number such as 2000 calls, both in a list, or none"

func (r *draft) spend() reader {
	s := &r.Spend
	return section(fields{"per_day": section(fields{
		"judge": limit(&s.Judge), "candidates": candidateLimits(s), "policies": notYet,
	})})
}

// candidateLimits reads one limit for all candidates, or one for each that is named.
func candidateLimits(s *Spend) reader {
	return func(d *decoder, path string, n *node) {
		if n.kind != isMap {
			limit(&s.Candidates)(d, path, n)
			return
		}
		s.ByCandidate = map[string]Limit{}
		d.entries(path, n, func(key, sub string, p pair) {
			var l Limit
			limit(&l)(d, sub, p.value)
			s.ByCandidate[key] = l
		})
	}
}

// checkSpend refuses limits of candidates that are not there.
func (r *draft) checkSpend() {
	for name := range r.Spend.ByCandidate {
		key := under("spend.per_day.candidates", name)
		if _, ok := r.candidate(name); !ok && !r.faulty("candidates") {
			r.failAt(key, "is the limit of a candidate that is not there", "the name of a candidate")
		}
	}
}

func (c *Config) candidate(name string) (Candidate, bool) {
	for _, one := range c.Candidates {
		if one.Name == name {
			return one, true
		}
	}
	return Candidate{}, false
}

var limitForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *(USD|calls?)$`)

// limit reads one limit, or a list with one of money and one of calls.
func limit(dst *Limit) reader {
	return func(d *decoder, path string, n *node) {
		if off(n) {
			return
		}
		if n.kind != isList {
			limitPart(d, path, n, dst)
			return
		}
		for i, item := range n.items {
			limitPart(d, fmt.Sprintf("%s[%d]", path, i), item, dst)
		}
	}
}

func limitPart(d *decoder, path string, n *node, dst *Limit) {
	found := limitForm.FindStringSubmatch(n.text)
	if n.kind != isText || found == nil {
		d.fail(n.pos, path, describe(n)+" is no limit for a day", wantLimit)
		return
	}
	part, unit := &dst.NanoUSD, float64(nanoUSD)
	if found[2] != "USD" {
		part, unit = &dst.Calls, 1
	}
	v, err := strconv.ParseFloat(found[1], 64)
	whole := math.Round(v * unit)
	switch {
	case err != nil || whole < 1 || whole > math.MaxInt64/2 || unit == 1 && v != whole:
		d.fail(n.pos, path, quote(n.text)+" is out of range", wantLimit)
	case *part != 0:
		d.fail(n.pos, path, "the same thing is limited twice", wantLimit)
	default:
		*part = int64(whole)
	}
}
