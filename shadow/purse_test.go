package shadow_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// bank is a bank in memory.
type bank struct {
	mu    sync.Mutex
	drawn map[string]shadow.Sum
	asked int
	down  error
}

func (b *bank) Draw(_ context.Context, account, day string, want, limit shadow.Sum) (shadow.Sum, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked++; b.down != nil {
		return shadow.Sum{}, b.down
	}
	if b.drawn == nil {
		b.drawn = map[string]shadow.Sum{}
	}
	part := func(want, drawn, limit int64) int64 {
		if limit == 0 {
			return want
		}
		return max(0, min(want, limit-drawn))
	}
	have := b.drawn[account+day]
	got := shadow.Sum{Calls: part(want.Calls, have.Calls, limit.Calls), NanoUSD: part(want.NanoUSD, have.NanoUSD, limit.NanoUSD)}
	b.drawn[account+day] = shadow.Sum{Calls: have.Calls + got.Calls, NanoUSD: have.NanoUSD + got.NanoUSD}
	return got, nil
}

func (b *bank) Return(_ context.Context, account, day string, back shadow.Sum) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	have := b.drawn[account+day]
	b.drawn[account+day] = shadow.Sum{Calls: have.Calls - back.Calls, NanoUSD: have.NanoUSD - back.NanoUSD}
	return nil
}

// spend makes calls one after the other until the purse is empty, and counts them.
func spend(t *testing.T, p *shadow.Purse, cost int64) (calls int) {
	t.Helper()
	for {
		paid, err := p.Begin(t.Context(), 1)
		if errors.Is(err, shadow.ErrSpent) {
			return calls
		}
		if err != nil {
			t.Fatal(err)
		}
		paid[0].Settle(1, cost, true)
		calls++
	}
}

func TestPurse(t *testing.T) {
	const usd = 1_000_000_000
	tests := []struct {
		name, why string
		limit     shadow.Sum
		cost      int64
		want      int
	}{
		{name: "calls", why: "none more", limit: shadow.Sum{Calls: 1000}, cost: usd, want: 1000},
		{name: "few calls", why: "a part of a draw is a call at least", limit: shadow.Sum{Calls: 3}, cost: usd, want: 3},
		{name: "money", why: "none that might go beyond", limit: shadow.Sum{NanoUSD: 50 * usd}, cost: usd / 10, want: 500},
		{name: "both, calls first", why: "the nearer limit", limit: shadow.Sum{Calls: 20, NanoUSD: 50 * usd}, cost: usd / 10, want: 20},
		{name: "both, money first", why: "the nearer limit", limit: shadow.Sum{Calls: 2000, NanoUSD: usd}, cost: usd / 10, want: 10},
		{name: "free", why: "calls that cost nothing spend nothing", limit: shadow.Sum{Calls: 40, NanoUSD: usd}, cost: 0, want: 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bank{}
				p := shadow.NewPurse(b, "judge", tt.limit, nil)
				if n := spend(t, p, tt.cost); n != tt.want {
					t.Errorf("%d calls, want %d: %s", n, tt.want, tt.why)
				}
				if n := spend(t, shadow.NewPurse(b, "judge", tt.limit, nil), tt.cost); n != 0 {
					t.Errorf("%d calls after a restart", n)
				}
				if b.asked > 2*tt.want && tt.want > 100 {
					t.Errorf("the bank was asked %d times for %d calls", b.asked, tt.want)
				}
				time.Sleep(24 * time.Hour)
				if n := spend(t, p, tt.cost); n != tt.want {
					t.Errorf("%d calls on the next day, want %d", n, tt.want)
				}
			})
		})
	}
	var none *shadow.Purse
	paid, err := none.Begin(t.Context(), 3)
	if err != nil || len(paid) != 3 || paid[0].Stale() || none.Close(t.Context()) != nil {
		t.Errorf("no purse: %v, %v", paid, err)
	}
	paid[0].Settle(1, usd, true)
}

// TestPurseTogether: several processes with many calls at once never go beyond the limit
// of calls, and leave nothing of it that was returned; money goes beyond by what the calls
// under way cost more than the dearest one before.
func TestPurseTogether(t *testing.T) {
	b := &bank{}
	limit := shadow.Sum{Calls: 300}
	var made sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for worker := range 3 {
		p := shadow.NewPurse(b, "a", limit, nil)
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				for n := 1; ; n = 1 + rand.IntN(3) {
					paid, err := p.Begin(context.Background(), n)
					if err != nil {
						return
					}
					used := 0
					for i, r := range paid {
						if i == 0 || rand.IntN(2) == 0 {
							used++
							r.Settle(1, 0, false)
						} else {
							r.Settle(0, 0, true)
						}
					}
					mu.Lock()
					total += used
					mu.Unlock()
				}
			})
		}
		made.Go(func() {
			calls.Wait()
			if err := p.Close(context.Background()); err != nil {
				t.Error(worker, err)
			}
		})
	}
	made.Wait()
	day := time.Now().UTC().Format(time.DateOnly)
	if got := b.drawn["a"+day].Calls; total > 300 || got != int64(total) {
		t.Errorf("%d calls of 300, %d booked", total, got)
	}
}

func TestPurseSettles(t *testing.T) {
	b := &bank{}
	p := shadow.NewPurse(b, "a", shadow.Sum{Calls: 10, NanoUSD: 1000}, nil)
	begin := func(n int) []*shadow.Receipt {
		paid, err := p.Begin(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		return paid
	}
	begin(1)[0].Settle(1, 300, true)
	begin(1)[0].Settle(1, 0, false) // as dear as the dearest: 300
	begin(1)[0].Settle(0, 0, true)  // not made
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, drawn := range b.drawn {
		if drawn != (shadow.Sum{Calls: 2, NanoUSD: 600}) {
			t.Errorf("booked %+v, want 2 calls for 600", drawn)
		}
	}
	if _, err := p.Begin(t.Context(), 2); !errors.Is(err, shadow.ErrSpent) {
		t.Errorf("two calls of 300 with 400 left: %v", err)
	}
	down := errors.New("bus down")
	b.down = down
	q := shadow.NewPurse(b, "q", shadow.Sum{Calls: 10}, nil)
	if _, err := q.Begin(t.Context(), 1); !errors.Is(err, down) || errors.Is(err, shadow.ErrSpent) {
		t.Errorf("%v; what is not known is not spent", err)
	}
	b.down = nil
	if _, err := q.Begin(t.Context(), 1); err != nil {
		t.Errorf("the bank is back: %v", err)
	}
}
