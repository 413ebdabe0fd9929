package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// errBudget is the cause when the time for one answer is used up.
var errBudget = errors.New("the judge's time for this answer is used up")

// schemaName is what providers are told the verdict's schema, or the tool, is called.
const schemaName = "verdict"

// result is what came of one call.
type result struct {
	seat  int
	reply llm.Reply
	err   error
}

// said is what came of asking about one answer: the first verdict-like result, or
// the transport failures of all who were asked.
type said struct {
	result
	transport bool // nobody gave a verdict
	failures  []string
	lasting   *llm.Failure // the last refusal that no later try may pass
	first     int          // the seat that was asked first
	calls     int
	hedged    bool
	spent     bool // the day's limit was reached before anybody was asked
	took      time.Duration
}

// ask asks the seats in turn: the next one after a transport failure of the one
// before, or beside it after a silence of HedgeAfter. What comes first, verdict or
// not, is final; only transport failures are passed over. It ends within Budget, and
// no call outlives it. The error is a cancelled ctx or a bug.
//
// The first call is paid from w, any further one from the purse: where the day's limit
// is reached there is none.
func (j *Judge) ask(parent context.Context, c shown, seats []int, w *wallet) (said, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeoutCause(parent, j.o.Budget, errBudget)
	results := make(chan result, len(seats))
	var calls sync.WaitGroup
	defer calls.Wait()
	defer cancel() // before the wait: it ends the calls that lost

	s := said{first: seats[0]}
	begin := func(pay func(context.Context) (*shadow.Receipt, error)) error {
		receipt, err := pay(ctx)
		if err != nil {
			return err
		}
		seat := seats[s.calls]
		s.calls++
		calls.Go(func() { results <- j.call(ctx, seat, c, receipt) })
		return nil
	}
	switch err := begin(w.first); {
	case errors.Is(err, shadow.ErrSpent):
		s.spent = true
		return s, nil
	case err != nil:
		return s, err
	}
	silence := time.NewTimer(j.o.HedgeAfter)
	defer silence.Stop()
	for {
		select {
		case <-silence.C:
			if s.calls < len(seats) {
				s.hedged = begin(w.further) == nil
			}
		case r := <-results:
			s.took = time.Since(start)
			if parent.Err() != nil {
				return s, context.Cause(parent)
			}
			failure, err := transportFailure(ctx, r.err)
			if err != nil {
				return s, fmt.Errorf("ask judge %s: %w", j.seats[r.seat].Model.Name, err)
			}
			if failure == nil {
				s.result = r
				return s, nil
			}
			var f *llm.Failure
			if errors.As(failure, &f) && f.Class == llm.Denied {
				s.lasting = f
			}
			j.failed(parent, r.seat, failure)
			s.failures = append(s.failures, fmt.Sprintf("%s: %v", j.seats[r.seat].Model.Name, failure))
			if s.calls < len(seats) && ctx.Err() == nil && begin(w.further) == nil {
				continue
			}
			if len(s.failures) == s.calls {
				s.transport = true
				return s, nil
			}
		}
	}
}

// call asks one judge once. The prompt is made anew, so that each has its own code.
func (j *Judge) call(ctx context.Context, seat int, c shown, paid *shadow.Receipt) result {
	var user strings.Builder
	if err := j.rubric.Prompt(&user, c.Case); err != nil {
		paid.Settle(0, 0, true)
		return result{seat: seat, err: err}
	}
	prompt := &llm.Prompt{
		System:     j.rubric.System(),
		User:       user.String(),
		Schema:     append([]byte(nil), j.schema...),
		SchemaName: schemaName, Form: j.seats[seat].Reply,
		MaxTokens: MaxReplyTokens, ThinkTokens: ThinkTokens, Effort: "none", Steady: true,
	}
	if j.seats[seat].Images {
		prompt.Images, prompt.ImagesNote = c.images.seen, c.images.note()
	}
	reply, err := j.seats[seat].Model.Complete(ctx, llm.Request{Prompt: prompt})
	cost, known := j.cost(seat, reply, err)
	paid.Settle(1, cost, known)
	return result{seat: seat, reply: reply, err: err}
}

// transportFailure gives the failure if a call failed on the way to the judge: one
// that another judge may make good. Any other failed call is nil, and an error that
// is neither a failure nor the end of ctx is given back as a bug.
func transportFailure(ctx context.Context, err error) (failure, bug error) {
	if err == nil {
		return nil, nil
	}
	var f *llm.Failure
	switch {
	case errors.As(err, &f):
		if f.Reason != llm.Filtered && (f.Class == llm.Unavailable || f.Class == llm.Denied || f.Reason == llm.ErrorIn200) {
			return f, nil
		}
		return nil, nil
	case ctx.Err() != nil:
		return context.Cause(ctx), nil
	}
	return nil, err
}

// failed feeds the order of the judges.
func (j *Judge) failed(ctx context.Context, seat int, failure error) {
	if j.order.failure(seat, time.Now()) {
		j.o.Log.WarnContext(ctx, "judge moved to second place",
			"judge", j.seats[seat].Model.Name, "failures", j.o.Breaker.Failures, "cool", j.o.Breaker.Cool, "last", failure)
	}
}
