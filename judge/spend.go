package judge

import (
	"context"
	"errors"
	"fmt"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// wallet pays for the calls about a trial: one for each answer in advance, so that a day's
// limit never leaves half a trial graded, and further ones from the purse.
type wallet struct {
	purse *shadow.Purse
	paid  []*shadow.Receipt
}

// first pays for the first call about an answer.
func (w *wallet) first(ctx context.Context) (*shadow.Receipt, error) {
	for len(w.paid) > 0 {
		receipt := w.paid[len(w.paid)-1]
		w.paid = w.paid[:len(w.paid)-1]
		if !receipt.Stale() { // a pause may have lasted past midnight
			return receipt, nil
		}
	}
	return w.further(ctx)
}

// further pays for a call beside or after the first one.
func (w *wallet) further(ctx context.Context) (*shadow.Receipt, error) {
	receipts, err := w.purse.Begin(ctx, 1)
	if err != nil {
		return nil, err
	}
	return receipts[0], nil
}

// close gives back what no call was made for.
func (w *wallet) close() {
	for _, receipt := range w.paid {
		receipt.Settle(0, 0, true)
	}
	w.paid = nil
}

// pay pays for the answers of a trial. false says that the day's limit is reached.
func (j *Judge) pay(ctx context.Context, answers int) (w *wallet, ok bool, err error) {
	paid, err := j.o.Purse.Begin(ctx, answers)
	switch {
	case errors.Is(err, shadow.ErrSpent):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("pay the judge: %w", err)
	}
	return &wallet{purse: j.o.Purse, paid: paid}, true, nil
}

// cost is what a call came to. One that the provider refused, or that did not reach it,
// costs nothing.
func (j *Judge) cost(seat int, reply llm.Reply, err error) (nanoUSD int64, known bool) {
	var f *llm.Failure
	if errors.As(err, &f) && reply.Usage.Out == nil && (f.Status >= 400 || f.Reason == llm.Connect) {
		return 0, true
	}
	if j.seats[seat].Price == nil {
		return 0, false
	}
	return j.seats[seat].Price(reply.Usage)
}
