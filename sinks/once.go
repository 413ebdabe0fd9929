package sinks

import (
	"iter"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Duplicates counts what [Once] met. It is complete when the rows have been read
// to their end; reading them again starts it anew.
type Duplicates struct {
	// Rows were left out: their key had been seen.
	Rows int64
	// Conflicts of them say something else than the first one: another state,
	// grade, problem or reason.
	Conflicts int64
	// OtherJudge rows passed although their sample, arm, rubric and repeat had been
	// seen: another judge snapshot gave the ruling. A report must choose one judge.
	OtherJudge int64
}

// Once passes each row on that is the first with its key (sample, arm, pinned
// judge snapshot, rubric digest, repeat) and leaves the others out: delivery is at
// least once, and the first verdict is final. Errors pass through. It remembers
// every key: about 50 bytes a row.
func Once(rows iter.Seq2[Row, error]) (iter.Seq2[Row, error], *Duplicates) {
	counted := &Duplicates{}
	return func(yield func(Row, error) bool) {
		*counted = Duplicates{}
		s := seen{first: map[place]ruled{}, others: map[otherPlace]uint32{},
			slots: numbers[slot]{}, judges: numbers[llm.Snapshot]{}, outcomes: numbers[outcome]{}}
		for r, err := range rows {
			if err == nil && !s.add(&r, counted) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}, counted
}

// place is a row's key without the judge; its texts are numbered to keep it small.
type place struct {
	sample shadow.SampleID
	slot   uint32
}

type slot struct {
	arm    shadow.Arm
	rubric rubric.Digest
	repeat int32
}

// ruled is who ruled first at a place, and what.
type ruled struct{ judge, outcome uint32 }

// otherPlace is a place with a judge other than the first.
type otherPlace struct {
	place
	judge uint32
}

type outcome struct {
	state       State
	reason      string
	judgeState  judge.State
	judgeReason judge.NotGraded
	grade       rubric.Grade // 0: none
	problem     rubric.Problem
}

func outcomeOf(r *Row) outcome {
	o := outcome{state: r.State, reason: r.Reason, judgeState: r.JudgeState, judgeReason: r.JudgeReason, problem: r.Problem}
	if r.Grade != nil {
		o.grade = *r.Grade
	}
	return o
}

// numbers gives each value a small number.
type numbers[T comparable] map[T]uint32

func (n numbers[T]) of(v T) uint32 {
	if i, ok := n[v]; ok {
		return i
	}
	i := uint32(len(n))
	n[v] = i
	return i
}

type seen struct {
	first    map[place]ruled
	others   map[otherPlace]uint32
	slots    numbers[slot]
	judges   numbers[llm.Snapshot]
	outcomes numbers[outcome]
}

// add remembers a row's key and says whether it is new.
func (s *seen) add(r *Row, counted *Duplicates) bool {
	at := place{r.Sample, s.slots.of(slot{r.Arm, r.Rubric, r.Repeat})}
	now := ruled{s.judges.of(r.JudgePinned), s.outcomes.of(outcomeOf(r))}
	before, ok := s.first[at]
	if !ok {
		s.first[at] = now
		return true
	}
	said := before.outcome
	if before.judge != now.judge {
		other := otherPlace{at, now.judge}
		if said, ok = s.others[other]; !ok {
			s.others[other] = now.outcome
			counted.OtherJudge++
			return true
		}
	}
	counted.Rows++
	if said != now.outcome {
		counted.Conflicts++
	}
	return false
}
