package judge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// till is a bank with one account.
type till struct {
	drawn map[string]int64 // calls by day
	usd   int64
	down  error
}

func (b *till) Draw(_ context.Context, _, day string, want, limit shadow.Sum) (shadow.Sum, error) {
	if b.down != nil {
		return shadow.Sum{}, b.down
	}
	if b.drawn == nil {
		b.drawn = map[string]int64{}
	}
	got := shadow.Sum{Calls: want.Calls, NanoUSD: want.NanoUSD}
	if limit.Calls > 0 {
		got.Calls = min(want.Calls, limit.Calls-b.drawn[day])
	}
	if limit.NanoUSD > 0 {
		got.NanoUSD = min(want.NanoUSD, limit.NanoUSD-b.usd)
	}
	b.drawn[day] += got.Calls
	b.usd += got.NanoUSD
	return got, nil
}

func (b *till) Return(_ context.Context, _, day string, back shadow.Sum) error {
	b.drawn[day] -= back.Calls
	b.usd -= back.NanoUSD
	return nil
}

// TestBudget: once the day's limit is reached, trials are not graded as a whole, no judge
// is asked, and the next day it goes on.
func TestBudget(t *testing.T) {
	ok := says(0, verdict(1, "none"))
	tests := []struct {
		name, why string
		calls     int64
		a, b      []play
		further   float64
		want      []string // by trial, each with two answers
		made      int
	}{
		{name: "enough", why: "a limit that is not reached changes nothing", calls: 9, a: []play{ok}, want: []string{"graded graded", "graded graded", "graded graded"}, made: 6},
		{name: "whole trials", why: "one call is left, which would grade half a trial", calls: 5, a: []play{ok}, want: []string{"graded graded", "graded graded", "budget budget"}, made: 4},
		{name: "the reserve counts", why: "it is paid from the same limit", calls: 4, a: []play{down}, b: []play{ok}, want: []string{"graded graded", "budget budget", "budget budget"}, made: 3},
		{name: "no hedge", why: "silence is waited out where no second call can be paid", calls: 2, a: []play{says(3*time.Second, verdict(1, "none"))}, b: []play{ok}, want: []string{"graded graded", "budget budget", "budget budget"}, made: 2},
		{name: "no second judge", why: "the failed one stays a failure of transport", calls: 2, a: []play{down, down}, b: []play{ok}, want: []string{"transport transport", "budget budget", "budget budget"}, made: 2},
		{name: "further verdicts", why: "they are left out, and take nothing from a trial", calls: 6, a: []play{ok}, further: 1, want: []string{"graded graded", "graded graded", "budget budget"}, made: 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := judgeA(tt.a...), judgeB(append(tt.b, ok)...)
				j := bench(t, a, b, func(o *judge.Options) {
					o.Purse = shadow.NewPurse(&till{}, "judge", shadow.Sum{Calls: tt.calls}, nil)
					o.Further.Repeat = tt.further
					if tt.b == nil {
						o.Reserve = judge.Seat{}
					}
				})
				var got []string
				for n := range tt.want {
					var said []string
					for _, r := range grade(t, j, trial(byte(n), "x", "y")).Rulings {
						if r.Repeat > 0 {
							continue
						}
						if said = append(said, string(r.State)); r.State == judge.StateNotGraded {
							said[len(said)-1] = string(r.Reason)
						}
						if r.Reason == judge.NoBudget && (r.Calls != 0 || r.Detail == "") {
							t.Errorf("%+v", r)
						}
					}
					got = append(got, strings.Join(said, " "))
				}
				if strings.Join(got, "; ") != strings.Join(tt.want, "; ") || len(a.calls)+len(b.calls) != tt.made {
					t.Errorf("%q with %d calls, want %q with %d: %s", got, len(a.calls)+len(b.calls), tt.want, tt.made, tt.why)
				}
				time.Sleep(24 * time.Hour)
				if g := grade(t, j, trial(9, "x", "y")); g.Rulings[0].Reason == judge.NoBudget {
					t.Error("nothing is graded on the next day")
				}
			})
		})
	}
}

// TestBudgetInUSD: calls are taken from the limit at what they cost, a call that the
// provider refused at nothing, and one that was cut off at the dearest so far.
func TestBudgetInUSD(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokens := int64(100)
		paid := says(0, verdict(1, "none"))
		paid.reply.Usage = llm.Usage{In: &tokens, Out: &tokens}
		refused := play{failure: &llm.Failure{Class: llm.Unavailable, Reason: llm.Status5xx, Status: 503, Err: errors.New("scripted")}}
		bank := &till{}
		purse := shadow.NewPurse(bank, "judge", shadow.Sum{NanoUSD: 100_000}, nil)
		a := judgeA(paid, refused, hang, paid)
		j := bench(t, a, nil, func(o *judge.Options) {
			o.Purse = purse
			o.Primary.Price = func(u llm.Usage) (int64, bool) {
				if u.Out == nil {
					return 0, false
				}
				return 10 * *u.Out, true
			}
		})
		for range 3 {
			one(t, j, "x")
		}
		if err := purse.Close(t.Context()); err != nil || bank.usd != 2000 {
			t.Errorf("%v, %d spent, want 1000 for the answer and 1000 for the one that was cut off", err, bank.usd)
		}
	})
}

// TestBudgetUnknown: what the bank does not say is an error, and the trial comes again.
func TestBudgetUnknown(t *testing.T) {
	down := errors.New("bus down")
	a := judgeA(says(0, verdict(1, "none")))
	j := bench(t, a, nil, func(o *judge.Options) {
		o.Purse = shadow.NewPurse(&till{down: down}, "judge", shadow.Sum{Calls: 5}, nil)
	})
	if _, err := j.Grade(t.Context(), trial(1, "x")); !errors.Is(err, down) || len(a.calls) != 0 {
		t.Errorf("%v, %d calls", err, len(a.calls))
	}
}

// TestBudgetOverMidnight: what was paid for before a pause that lasts past midnight is
// paid for anew, from the new day.
func TestBudgetOverMidnight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(23 * time.Hour) // the bubble's clock starts at midnight
		bank := &till{}
		a := judgeA(append(slices.Repeat([]play{down}, 15), says(0, verdict(1, "none")))...)
		j := bench(t, a, nil, func(o *judge.Options) { o.Purse = shadow.NewPurse(bank, "judge", shadow.Sum{Calls: 1000}, nil) })
		g := grade(t, j, trial(1, "1", "2", "3", "4"))
		if short(g.Rulings[len(g.Rulings)-1]) == "" || time.Now().Day() == 1 {
			t.Fatalf("no pause over midnight: %v", time.Now())
		}
		if bank.drawn["2000-01-02"] == 0 {
			t.Errorf("drawn by day: %v", bank.drawn)
		}
	})
}
