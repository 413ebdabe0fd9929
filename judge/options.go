package judge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Defaults. The first four come from a service that ran two judges for months: its
// judge calls had a median of 0.7 s and a 90th percentile of 1.6 s.
const (
	DefaultHedgeAfter = 1500 * time.Millisecond // silence after which the reserve starts beside the first judge
	DefaultBudget     = 20 * time.Second        // for all calls about one answer
	DefaultFailures   = 3                       // transport failures in a row that send a judge to second place
	DefaultCool       = 5 * time.Minute         // how long it stays there
	// DefaultMaxPromptChars keeps a prompt at roughly 25,000 tokens, well inside the
	// context of any judge; a judgement of ours.
	DefaultMaxPromptChars = 96_000
	// MaxReplyTokens limits a judge's reply; a verdict has about 60 tokens. Judges are
	// asked not to think before it. Those that may do so all the same, whose thoughts
	// count as output, get ThinkTokens on top, so that they are not cut off before the
	// verdict; judgements of ours.
	MaxReplyTokens = 1024
	ThinkTokens    = 7168
)

// Seat is a place at the bench: a model and what its replies must name.
type Seat struct {
	Model llm.Model
	// Pinned is the snapshot under which its verdicts are counted; empty means
	// Model.Snapshot.
	Pinned llm.Snapshot
	// Echo lists further names by which its replies may prove that snapshot, e.g. the
	// tag of a self-hosted model whose digest is compared, see Verify.
	Echo []llm.Snapshot
	// Price says what a reply cost, in 1e-9 USD, as far as it is known; nil is unknown.
	Price func(llm.Usage) (nanoUSD int64, known bool)
	// Images says that the model can see: images of the conversation are sent along, else
	// a placeholder stands in the place of each.
	Images bool
	// Reply is the mechanism that holds its replies to a verdict's schema; empty is
	// [llm.ReplySchema].
	Reply llm.ReplyForm
	// Verify compares the weights behind the model's name with the pinned ones; nil if
	// they cannot be compared. It is called now and then while answers are graded.
	// Other weights are [ErrSnapshot], any other error means that it is not known.
	Verify func(context.Context) error
}

// Breaker says when a judge loses the first place, and for how long.
type Breaker struct {
	Failures int
	Cool     time.Duration
}

// Options configure a [Judge]. Primary and Rubric are required; a zero value
// elsewhere means the default.
type Options struct {
	Primary Seat
	// Reserve is asked only after a transport failure or a silence; without a
	// Complete there is none.
	Reserve Seat
	Rubric  *rubric.Rubric
	// Digest is the experiment's; it is carried into every Graded.
	Digest     string
	HedgeAfter time.Duration
	Budget     time.Duration
	Breaker    Breaker
	// Share is the share of the samples that are graded, in (0, 1]; 0 means all.
	Share float64
	// Further asks for second verdicts that measure the judge; none if it is zero.
	Further Further
	// MaxPromptChars bounds a prompt in characters: earlier turns are left out until
	// it fits.
	MaxPromptChars int
	// Purse keeps the calls of both judges within a limit for each day; nil limits
	// nothing. A trial is graded whole or, once the limit is reached, not at all (budget).
	Purse *shadow.Purse
	// OnPause is told of each pause as it begins; nil for none. It must not block.
	OnPause func(Pause)
	// Log gets alarms (level error), changes of order and snapshots that are not proven; nil for none.
	Log *slog.Logger
}

// Judge grades answers. It is made by [New] and may be used from many goroutines.
type Judge struct {
	seats  []Seat // the primary first; one or two
	order  *order
	once   *once
	pauser *pauser
	o      Options
	rubric *rubric.Rubric
	schema []byte
	series string

	verifiers []verifier // by seat
}

// New checks the options. The error lists everything that is wrong with them.
func New(o Options) (*Judge, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	j := &Judge{o: o, rubric: o.Rubric, schema: o.Rubric.Schema(), once: &once{}}
	for _, s := range []Seat{o.Primary, o.Reserve} {
		if s.Model.Complete == nil {
			continue
		}
		if s.Pinned == "" {
			s.Pinned = s.Model.Snapshot
		}
		j.seats = append(j.seats, s)
	}
	j.series = seriesOf(j.seats, o.Rubric.Digest())
	j.order, j.pauser, j.verifiers = newOrder(len(j.seats), o.Breaker), newPauser(len(j.seats)), make([]verifier, len(j.seats))
	return j, nil
}

func (o Options) withDefaults() Options {
	if o.HedgeAfter == 0 {
		o.HedgeAfter = DefaultHedgeAfter
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.Breaker.Failures == 0 {
		o.Breaker.Failures = DefaultFailures
	}
	if o.Breaker.Cool == 0 {
		o.Breaker.Cool = DefaultCool
	}
	if o.Share == 0 {
		o.Share = 1
	}
	if o.MaxPromptChars == 0 {
		o.MaxPromptChars = DefaultMaxPromptChars
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options) check() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(o.Primary.Model.Complete == nil, "no primary model")
	bad(o.Rubric == nil, "no rubric")
	bad(o.Primary.Pinned == "" && o.Primary.Model.Snapshot == "", "the primary is not pinned to a snapshot")
	bad(o.Reserve.Model.Complete != nil && o.Reserve.Pinned == "" && o.Reserve.Model.Snapshot == "", "the reserve is not pinned to a snapshot")
	for _, s := range []Seat{o.Primary, o.Reserve} {
		bad(s.Reply != "" && !slices.Contains(llm.ReplyForms(), s.Reply), "reply by %q, want one of %v", s.Reply, llm.ReplyForms())
	}
	bad(!(o.Share > 0 && o.Share <= 1), "share %v is not in (0, 1]", o.Share)
	for _, share := range []float64{o.Further.Repeat, o.Further.Agreement, o.Further.Injection} {
		bad(!(share >= 0 && share <= 1), "share of further verdicts %v is not in [0, 1]", share)
	}
	bad(o.Budget < 0, "budget %v is negative", o.Budget)
	bad(o.HedgeAfter < 0, "hedge after %v is negative", o.HedgeAfter)
	bad(o.HedgeAfter >= o.Budget, "hedge after %v leaves nothing of the budget %v", o.HedgeAfter, o.Budget)
	bad(o.Breaker.Failures < 0 || o.Breaker.Cool < 0, "breaker %d failures, %v: negative", o.Breaker.Failures, o.Breaker.Cool)
	bad(o.MaxPromptChars < 0, "prompt limit of %d characters is negative", o.MaxPromptChars)
	return errors.Join(errs...)
}
