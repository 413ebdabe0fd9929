package reports

import (
	"math"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/sinks"
)

// pattern is what comes again from row to row: all of it but its numbers, and what it
// shares with the other rows of its sample. A million rows have some hundred patterns, so
// the rules are asked once for each.
type pattern struct {
	arm, experiment, digest, rubric, reason, model, why, problem, judge, pinned uint32

	echo      uint32 // the snapshot that the judge's reply named
	purpose   uint32 // of a further verdict
	rate      uint64 // the bits of the number, as judgeRate
	judgeRate uint64
	day       int64 // see utcDay
	repeat    int64
	state     state
	judged    judged
	grade     int8 // noGrade: none
	took      presence
	first     presence
	stream    bool
	censored  bool
	booked    bool // the books of the row's tap reach its sample
	flags     flags
}

// noGrade stands for a row without a grade; a 0 would be a wrong one.
const noGrade = -128

func gradeOf(n int64) int8 {
	if n == sinks.Null {
		return noGrade
	}
	return int8(max(noGrade+1, min(n, math.MaxInt8)))
}

// presence says whether a row has a number. Negative ones are not believed.
type presence uint8

const (
	missingNumber presence = iota
	negativeNumber
	thereNumber
)

func presenceOf(n int64) presence {
	switch {
	case n == unknown:
		return missingNumber
	case n < 0:
		return negativeNumber
	}
	return thereNumber
}

// sightings counts the rows of a pattern and spans their times, in microseconds.
type sightings struct {
	rows             int
	earliest, latest int64
}

func newSightings() sightings { return sightings{earliest: math.MaxInt64, latest: math.MinInt64} }

func (t *sightings) see(at int64) {
	t.rows, t.earliest, t.latest = t.rows+1, min(t.earliest, at), max(t.latest, at)
}

func (t *sightings) add(u sightings) {
	t.rows, t.earliest, t.latest = t.rows+u.rows, min(t.earliest, u.earliest), max(t.latest, u.latest)
}

// patterns lists the different patterns; number 0 is none. What the rules say of one
// stands beside it.
type patterns struct {
	codes map[pattern]uint32
	list  []ruled
}

// ruled is a pattern with its rows, and what becomes of them.
type ruled struct {
	pattern
	sightings
	arm   int    // its number; -1: its rows are kept for no arm
	shape uint32 // of an arm's row that counts, else shapeRejected
	again bool   // a further verdict that is kept
}

func newPatterns() patterns { return patterns{codes: map[pattern]uint32{}, list: make([]ruled, 1)} }

// ruledOf is the number of a pattern and what the rules make of it.
func (c *collection) ruledOf(p pattern) (uint32, *ruled) {
	code, ok := c.patterns.codes[p]
	if !ok {
		code = uint32(len(c.patterns.list))
		c.patterns.codes[p] = code
		c.patterns.list = append(c.patterns.list, c.rule(p))
	}
	return code, &c.patterns.list[code]
}

func (c *collection) rule(p pattern) ruled {
	r := ruled{pattern: p, sightings: newSightings(), arm: -1, shape: shapeRejected}
	arm, known := c.rules.arm(&p)
	switch {
	case p.day >= c.rules.toDay:
	case c.rules.ours(&p, known):
		r.arm = arm
		if (&RowCounts{}).reject(&p, &c.rules, known) == nil {
			o := c.observe(&p)
			r.shape = c.shapes.code(&o)
		}
	case known && !c.wants.decision && c.rules.furtherVerdict(&p):
		r.arm, r.again = arm, true
	}
	return r
}

func (r *ruled) counts() bool { return r.shape != shapeRejected }

func stateOf(s sinks.State) state {
	switch s {
	case sinks.NotAsked:
		return stateNotAsked
	case sinks.Failed:
		return stateFailed
	case sinks.Answered:
		return stateAnswered
	}
	return stateStrange
}

func judgedOf(s judge.State) judged {
	switch s {
	case "":
		return judgedPending
	case judge.StateGraded:
		return judgedGraded
	case judge.StateNotGraded:
		return judgedNotGraded
	case judge.StateNotDrawn:
		return judgedNotDrawn
	}
	return judgedStrange
}
