package judge

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Grade has every answer of a trial graded, one after the other.
//
// The order is shuffled, the same for each delivery of a sample. For the first
// answer the judge in first place is asked, and after HedgeAfter of silence, or at
// once after a transport failure, the other one too; what comes first is final,
// whether it is a verdict or not. The judge that gave it grades the rest alone. If
// it then fails in transport, the other one grades the whole trial anew, and the
// earlier rulings go to Unused with their calls; an answer on which that one fails
// too is not graded (transport). So all rulings of a trial come from one judge. Each
// answer has Budget for the calls about it, and again when the trial is graded anew.
//
// Once the day's limit is reached, whole trials are not graded (budget).
//
// A sample outside Share has every answer not drawn. If its conversation cannot be
// read, no answer is graded (malformed). With both judges down every answer is not
// graded (transport) within its budget; the trial counts as done, and can be judged
// again from the trials that are kept.
//
// Of the answers that have a grade then, shares are graded again to measure the judge,
// see [Further]: rulings with a Repeat above 0, after the ones that count.
//
// Grade waits while grading pauses, see [Pause]: after a few answers in a row about
// which no judge could be asked or whose replies held no verdict, and at once when
// another snapshot than the pinned one answers. Probes decide when it goes on.
//
// Everything that can happen to a judge is data in the result. An error is a
// cancelled ctx, or a model that returned an error which is no [*llm.Failure].
func (j *Judge) Grade(ctx context.Context, t shadow.Trial) (Graded, error) {
	g := Graded{Trial: t, Digest: j.o.Digest, Share: j.o.Share, Rubric: j.rubric.Digest()}
	if err := ctx.Err(); err != nil {
		return Graded{}, context.Cause(ctx)
	}
	answers := answersOf(t)
	if len(answers) == 0 {
		return g, nil
	}
	if !t.Sample.InShare(j.o.Share) {
		g.Rulings = each(answers, func(r Ruling) Ruling { r.State = StateNotDrawn; return r })
		return g, nil
	}
	w, ok, err := j.pay(ctx, len(answers))
	if err != nil {
		return Graded{}, err
	}
	if !ok {
		g.Rulings = each(answers, func(r Ruling) Ruling { return r.notGraded(NoBudget, spentText) })
		return g, nil
	}
	defer w.close()
	turns, err := llm.Conversation(t.Sample.Dialect, t.Sample.Request)
	if err != nil {
		g.Rulings = each(answers, func(r Ruling) Ruling { return r.notGraded(NoMalformed, err.Error()) })
		return g, nil
	}
	cases, errs := j.cases(rubricTurns(turns), llm.RequestImages(t.Sample.Dialect, t.Sample.Request), answers)
	s := &session{judge: j, wallet: w, id: t.Sample.ID, answers: answers, cases: cases, unfit: errs, order: shuffled(t.Sample.ID, len(answers))}
	if err := s.grade(ctx); err != nil {
		return Graded{}, err
	}
	s.further(ctx)
	g.Rulings, g.Unused = append(s.rulings, s.more...), s.unused
	return g, nil
}

// spentText is the detail of rulings without a call.
const spentText = "the judge's limit for the day is reached"

// each makes a ruling for every answer without asking anybody.
func each(answers []answer, f func(Ruling) Ruling) []Ruling {
	list := make([]Ruling, len(answers))
	for i, a := range answers {
		list[i] = f(Ruling{Arm: a.arm})
	}
	return list
}

func rubricTurns(turns []llm.Turn) []rubric.Turn {
	list := make([]rubric.Turn, len(turns))
	for i, t := range turns {
		list[i] = rubric.Turn(t)
	}
	return list
}

// shuffled orders n answers by the sample's id alone.
func shuffled(id shadow.SampleID, n int) []int {
	seed := sha256.Sum256(append([]byte("understudy judge order\x00"), id[:]...))
	return rand.New(rand.NewChaCha8(seed)).Perm(n)
}

// session is the grading of one trial.
type session struct {
	judge   *Judge
	wallet  *wallet
	id      shadow.SampleID
	seat    int // of the judge that ruled
	answers []answer
	cases   []shown
	unfit   []error // why an answer cannot be shown
	order   []int
	rulings []Ruling // by answer
	unused  []Ruling
	more    []Ruling // further verdicts
}

// grade grades all answers by one judge, whichever gives the first verdict.
func (s *session) grade(ctx context.Context) error {
	s.rulings = make([]Ruling, len(s.answers))
	var chosen []int // the judge that gave the first verdict
	for n, i := range s.order {
		if err := s.ready(ctx); err != nil {
			return err
		}
		seats := chosen
		if chosen == nil {
			seats = s.judge.order.seats(time.Now())
		}
		said, err := s.one(ctx, i, seats)
		switch {
		case err != nil:
			return err
		case said == nil || said.spent: // it could not be shown, or paid for
		case !said.transport:
			chosen, s.seat = []int{said.seat}, said.seat
		case chosen != nil && len(s.judge.seats) > 1:
			return s.anew(ctx, 1-chosen[0], n)
		default:
			s.judge.unheard(ctx, *said)
		}
	}
	return nil
}

// anew has the whole trial graded by the other judge, after n answers and a failure.
func (s *session) anew(ctx context.Context, seat, n int) error {
	for _, i := range s.order[:n+1] {
		if s.rulings[i].Calls > 0 {
			s.unused = append(s.unused, s.rulings[i])
		}
	}
	s.seat = seat
	for _, i := range s.order {
		if err := s.ready(ctx); err != nil {
			return err
		}
		said, err := s.one(ctx, i, []int{seat})
		if err != nil {
			return err
		}
		s.rulings[i].Regraded = true
		if said != nil && said.transport {
			s.judge.unheard(ctx, *said)
		}
	}
	return nil
}

// ready returns once an answer may be asked about.
func (s *session) ready(ctx context.Context) error {
	s.judge.verify(ctx)
	return s.judge.ready(ctx)
}

// one has one answer graded. It gives nil if there was nobody to ask about it.
func (s *session) one(ctx context.Context, i int, seats []int) (*said, error) {
	arm := s.answers[i].arm
	if err := s.unfit[i]; err != nil {
		s.rulings[i] = Ruling{Arm: arm}.notGraded(NoMalformed, err.Error())
		return nil, nil
	}
	said, err := s.judge.ask(ctx, s.cases[i], seats, s.wallet)
	if err != nil {
		return nil, err
	}
	if said.spent {
		s.rulings[i] = Ruling{Arm: arm}.notGraded(NoBudget, spentText)
		return &said, nil
	}
	s.rulings[i] = s.judge.rule(ctx, arm, s.cases[i], said)
	return &said, nil
}
