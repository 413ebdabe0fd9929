package candidate_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/candidate"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// till is a bank with an account for each arm.
type till struct {
	mu    sync.Mutex
	drawn map[string]int64
	down  error
}

func (b *till) Draw(_ context.Context, account, _ string, want, limit shadow.Sum) (shadow.Sum, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	got := min(want.Calls, limit.Calls-b.drawn[account])
	b.drawn[account] += got
	return shadow.Sum{Calls: got}, b.down
}

func (b *till) Return(_ context.Context, account, _ string, back shadow.Sum) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drawn[account] -= back.Calls
	return nil
}

// TestBudget: an arm whose limit for the day is reached is not asked, the others are; a
// policy may not begin what it could not pay at its worst, and pays what it used.
func TestBudget(t *testing.T) {
	bank := &till{drawn: map[string]int64{}}
	purse := func(name string, calls int64) *shadow.Purse {
		return shadow.NewPurse(bank, name, shadow.Sum{Calls: calls}, nil)
	}
	race := llm.Model{Complete: func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "ok", Attempts: 2, Trace: make([]llm.Attempt, 2)}, nil
	}}
	never := llm.Model{Complete: func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, llm.ErrUnsupported }}
	purses := map[string]*shadow.Purse{"two": purse("two", 2), "race": purse("race", 8), "never": purse("never", 1)}
	a := asker(t, nil,
		candidate.Arm{Name: "two", Model: says("ok", 0), Purse: purses["two"]},
		candidate.Arm{Name: "race", Model: race, Purse: purses["race"], MostCalls: 4},
		candidate.Arm{Name: "never", Model: never, Purse: purses["never"]},
		candidate.Arm{Name: "free", Model: says("ok", 0)},
	)
	asked := map[shadow.Arm]int{}
	for range 4 {
		trial, err := a.Try(t.Context(), sample())
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range trial.Candidates {
			switch answer.NotAsked {
			case "":
				asked[answer.Arm]++
			case shadow.NotAskedBudget:
				if answer.Text != "" || answer.Took != 0 {
					t.Errorf("%+v", answer)
				}
			case shadow.NotAskedUnsupported:
				if answer.Arm != "never" {
					t.Errorf("%+v", answer)
				}
			}
		}
	}
	want := map[shadow.Arm]int{"two": 2, "race": 3, "free": 4} // after three races 6 of 8 calls are used: a fourth might take 4
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("answers by arm (-want +got)\n%s", diff)
	}
	for name, p := range purses {
		if err := p.Close(t.Context()); err != nil || bank.drawn[name] != map[string]int64{"two": 2, "race": 6, "never": 0}[name] {
			t.Errorf("%s: %v, %d calls booked", name, err, bank.drawn[name])
		}
	}
	bank.down = errors.New("bus down")
	first := llm.Model{Complete: func(context.Context, llm.Request) (llm.Reply, error) {
		t.Error("an arm is asked, and will be again")
		return llm.Reply{}, nil
	}}
	b := asker(t, nil, candidate.Arm{Name: "first", Model: first, Purse: purses["race"]}, candidate.Arm{Name: "x", Model: says("ok", 0), Purse: purse("x", 2)})
	if _, err := b.Try(t.Context(), sample()); !errors.Is(err, bank.down) {
		t.Errorf("%v; what is not known is tried again", err)
	}
}
