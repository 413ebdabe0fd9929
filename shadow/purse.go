package shadow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// ErrSpent is a call that was not made since the day's limit is reached.
var ErrSpent = errors.New("the day's limit is reached")

// Sum is a number of calls and what they cost, in 1e-9 USD.
type Sum struct {
	Calls   int64 `json:"calls"`
	NanoUSD int64 `json:"nano_usd"`
}

// Bank keeps what was drawn from each account on each day, for all processes that draw
// from it and over their restarts.
type Bank interface {
	// Draw takes want from an account's day, or what is left of limit if that is less; a
	// part of limit that is 0 limits nothing, and want is given.
	Draw(ctx context.Context, account, day string, want, limit Sum) (Sum, error)
	// Return gives back what was drawn and not spent.
	Return(ctx context.Context, account, day string, back Sum) error
}

// Purse keeps calls within a limit for each UTC day. It draws a part of the day's limit
// at a time, so that the bank is asked seldom; what a process has drawn when it is killed
// counts as spent. No call begins without having been drawn, so calls never exceed their
// limit. For money each call under way is taken to cost what the dearest one of this
// process and day did: the limit is exceeded by what the last calls cost beyond that.
//
// A nil Purse limits nothing. Its methods may be called from any number of goroutines.
type Purse struct {
	bank    Bank
	account string
	limit   Sum
	log     *slog.Logger

	mu      sync.Mutex
	day     string
	have    Sum   // drawn and neither spent nor under way; USD may be short
	dearest int64 // call of the day
	spent   bool  // the bank has nothing left today
}

// drawn is the part of a day's limit that is drawn at once, one in so many: a judgement
// of ours between how often the bank is asked and what a killed process takes with it.
const drawn = 50

// NewPurse makes a purse for an account of a bank. A part of limit that is 0 limits
// nothing. log is told once a day that the limit is reached; nil for none.
func NewPurse(bank Bank, account string, limit Sum, log *slog.Logger) *Purse {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Purse{bank: bank, account: account, limit: limit, log: log}
}

// Begin pays for so many calls, for all of them or for none. Each receipt has to be
// settled. Errors: ErrSpent; what the bank says, or ctx's end, with nothing paid.
func (p *Purse) Begin(ctx context.Context, calls int) ([]*Receipt, error) {
	receipts := make([]*Receipt, calls)
	if p == nil {
		return receipts, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if day := time.Now().UTC().Format(time.DateOnly); day != p.day {
		p.day, p.have, p.dearest, p.spent = day, Sum{}, p.limit.NanoUSD/1000, false
	}
	need := Sum{Calls: int64(calls), NanoUSD: int64(calls) * p.dearest}
	if err := p.draw(ctx, need); err != nil {
		return nil, err
	}
	p.have.Calls -= need.Calls
	p.have.NanoUSD -= need.NanoUSD
	for i := range receipts {
		receipts[i] = &Receipt{purse: p, day: p.day, held: p.dearest}
	}
	return receipts, nil
}

// draw sees that the purse has what is needed, as far as it is limited.
func (p *Purse) draw(ctx context.Context, need Sum) error {
	missing := Sum{short(need.Calls, p.have.Calls, p.limit.Calls), short(need.NanoUSD, p.have.NanoUSD, p.limit.NanoUSD)}
	if missing == (Sum{}) {
		return nil
	}
	if !p.spent {
		got, err := p.bank.Draw(ctx, p.account, p.day, missing, p.limit)
		if err != nil {
			return fmt.Errorf("draw from the day's limit of %s: %w", p.account, err)
		}
		p.have.Calls += got.Calls
		p.have.NanoUSD += got.NanoUSD
	}
	if short(need.Calls, p.have.Calls, p.limit.Calls) == 0 && short(need.NanoUSD, p.have.NanoUSD, p.limit.NanoUSD) == 0 {
		return nil
	}
	if !p.spent {
		p.spent = true
		p.log.WarnContext(ctx, "day's limit reached, nobody is asked until the next UTC day", "account", p.account, "day", p.day)
	}
	return fmt.Errorf("%s on %s: %w", p.account, p.day, ErrSpent)
}

// short is how much to draw where there is a limit and too little to go on.
func short(need, have, limit int64) int64 {
	if limit == 0 || have >= need {
		return 0
	}
	return max(need-have, limit/drawn)
}

// Close returns what was drawn for today and not spent.
func (p *Purse) Close(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	back := p.have
	if p.day != time.Now().UTC().Format(time.DateOnly) || back == (Sum{}) {
		return nil
	}
	p.have = Sum{}
	if err := p.bank.Return(ctx, p.account, p.day, back); err != nil {
		return fmt.Errorf("return to the day's limit of %s: %w", p.account, err)
	}
	return nil
}

// Receipt is a call that was paid for in advance. A nil Receipt is one of a nil Purse.
type Receipt struct {
	purse *Purse
	day   string
	held  int64 // 1e-9 USD
}

// Settle says what became of the call: how many calls it came to, 0 if none was made,
// and what they cost. A cost that is not known is taken for that of the dearest call.
// It is called once.
func (r *Receipt) Settle(calls int, nanoUSD int64, known bool) {
	if r == nil {
		return
	}
	p := r.purse
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.day != p.day {
		return // the day's limit is history
	}
	p.have.Calls += 1 - int64(calls)
	switch {
	case calls == 0:
		nanoUSD = 0
	case known:
		p.dearest = max(p.dearest, nanoUSD)
	default:
		nanoUSD = r.held
	}
	p.have.NanoUSD += r.held - nanoUSD
}

// Stale says whether the call was paid for on a day that is over: it is to be paid for
// anew before it is made, and needs no settling.
func (r *Receipt) Stale() bool {
	return r != nil && r.day != time.Now().UTC().Format(time.DateOnly)
}
