package judge

import (
	"context"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// Further says on which shares of the graded answers, in 0..1, further verdicts are
// asked for. They measure the judge and enter no grade; the judge cannot tell them from
// first ones. Each share is drawn by sample and arm, independently of the others.
type Further struct {
	// Repeat is graded again by the same judge, Agreement by the other one, Injection by
	// the same one with a planted instruction in the answer.
	Repeat, Agreement, Injection float64
}

// further asks for the further verdicts that are drawn on a trial that is graded. They
// wait for nothing: while grading pauses, and when ctx ends, the trial does without.
func (s *session) further(ctx context.Context) {
	number := make([]int, len(s.answers))
	for _, purpose := range []Purpose{PurposeRepeat, PurposeAgreement, PurposeInjection} {
		for _, i := range s.order {
			seat, ok := s.seatFor(purpose, i)
			if !ok {
				continue
			}
			if _, paused := s.judge.Paused(); paused || ctx.Err() != nil {
				return
			}
			c, plant := s.cases[i], ""
			if purpose == PurposeInjection {
				c, plant = s.judge.withPlant(c, s.id, s.answers[i].arm)
			}
			said, err := s.judge.ask(ctx, c, []int{seat}, s.wallet)
			if err != nil || said.spent {
				return
			}
			number[i]++
			r := s.judge.rule(ctx, s.answers[i].arm, c, said)
			r.Repeat, r.Purpose, r.Plant, r.Regraded = number[i], purpose, plant, s.rulings[i].Regraded
			s.more = append(s.more, r)
		}
	}
}

// seatFor is the judge of a further verdict on answer i, if one is drawn and can be had.
func (s *session) seatFor(purpose Purpose, i int) (seat int, ok bool) {
	share := map[Purpose]float64{
		PurposeRepeat: s.judge.o.Further.Repeat, PurposeAgreement: s.judge.o.Further.Agreement, PurposeInjection: s.judge.o.Further.Injection,
	}[purpose]
	if s.rulings[i].State != StateGraded || !shadow.Keep(s.id.String()+" "+string(s.answers[i].arm), "understudy judge "+string(purpose), share) {
		return 0, false
	}
	switch {
	case purpose != PurposeAgreement:
		return s.seat, true
	case len(s.judge.seats) > 1:
		return 1 - s.seat, true
	}
	return 0, false
}

// withPlant is a case with a planted instruction at the end of the answer, the same one
// for each delivery of a sample.
func (j *Judge) withPlant(c shown, id shadow.SampleID, arm shadow.Arm) (shown, string) {
	all := plants()
	p := all[int(shadow.Draw(id.String()+" "+string(arm), "understudy judge plant")*float64(len(all)))]
	planted := shown{Case: c.Case, images: c.images, test: true}
	planted.Answer += "\n\n" + p.text
	planted.planted = append(append([]rubric.Verdict(nil), c.planted...), j.rubric.Planted([]byte(p.text))...)
	return planted, p.id
}
