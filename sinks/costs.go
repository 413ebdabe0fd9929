package sinks

import (
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
)

// Costs says what answers and rulings cost, in whole 1e-9 USD; false is unknown, and so
// is everything where the function is nil. It is asked when a row is made, so that the
// price of that day stays with the facts. It is not asked about an arm that was not
// asked, nor about a ruling for which nobody was.
type Costs struct {
	Answer func(shadow.Answer) (nanoUSD int64, known bool)
	Ruling func(judge.Ruling) (nanoUSD int64, known bool)
}

func (c Costs) answer(a shadow.Answer) *int64 {
	if c.Answer == nil || a.NotAsked != "" {
		return nil
	}
	return known(c.Answer(a))
}

func (c Costs) ruling(u judge.Ruling) *int64 {
	if c.Ruling == nil || u.Calls == 0 {
		return nil
	}
	return known(c.Ruling(u))
}

func known(nanoUSD int64, ok bool) *int64 {
	if !ok {
		return nil
	}
	return &nanoUSD
}

// judged adds up what judges used for one answer: for the ruling u, and for an earlier
// one of a judge that dropped out during the trial. What is not known is left out.
func (c Costs) judged(r *Row, u judge.Ruling, unused []judge.Ruling) {
	add := func(u judge.Ruling) {
		r.JudgeTokensIn = plus(r.JudgeTokensIn, u.Usage.In)
		r.JudgeTokensOut = plus(r.JudgeTokensOut, u.Usage.Out)
		r.JudgeCost = plus(r.JudgeCost, c.ruling(u))
	}
	add(u)
	for _, early := range unused {
		if early.Arm == u.Arm && early.Repeat == u.Repeat {
			add(early)
		}
	}
}

// plus is the sum of what is known; nil if nothing is.
func plus(a, b *int64) *int64 {
	switch {
	case b == nil:
		return a
	case a == nil:
		return copied(b)
	}
	return ptr(*a + *b)
}
