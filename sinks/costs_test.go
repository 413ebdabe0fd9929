package sinks_test

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// money is what a test looks at in a row.
type money struct {
	Arm                           shadow.Arm
	Cost, In, Out, Judge          *int64
	JudgeTokensIn, JudgeTokensOut *int64
}

func TestWriterStoresCosts(t *testing.T) {
	g := graded(1, monday)
	g.Trial.Candidates[1].Usage = llm.Usage{In: n64(20)} // failed, but the provider counted
	g.Unused = []judge.Ruling{
		{Arm: shadow.Live, State: judge.StateNotGraded, Reason: judge.NoEmpty, Judge: "spare", Calls: 1, Usage: llm.Usage{In: n64(800), Out: n64(1)}},
		{Arm: "terra", State: judge.StateNotGraded, Reason: judge.NoTransport, Judge: "spare", Calls: 1},
	}
	costs := sinks.Costs{
		Answer: func(a shadow.Answer) (int64, bool) {
			if a.NotAsked != "" {
				t.Error("asked for the cost of a call that was not made")
			}
			if a.Usage.In == nil {
				return 99, false // the number beside false means nothing
			}
			return 1000 * *a.Usage.In, true
		},
		Ruling: func(u judge.Ruling) (int64, bool) {
			if u.Usage.In == nil {
				return 0, false
			}
			return *u.Usage.In, true
		},
	}
	dir := t.TempDir()
	if err := openIn(t, dir, sinks.Options{Costs: costs}).Write(context.Background(), []judge.Graded{g}); err != nil {
		t.Fatal(err)
	}
	var got []money
	for r, err := range sinks.Scan(os.DirFS(dir)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, money{r.Arm, r.Cost, r.TokensIn, r.TokensOut, r.JudgeCost, r.JudgeTokensIn, r.JudgeTokensOut})
	}
	want := []money{
		// both judges' work on the live answer was paid, though only one verdict counts
		{Arm: shadow.Live, Cost: n64(20_000), In: n64(20), Out: n64(3), Judge: n64(1700), JudgeTokensIn: n64(1700), JudgeTokensOut: n64(41)},
		{Arm: "terra"}, // answered and judged, nobody counted: unknown, not 0
		{Arm: "slow", Cost: n64(20_000), In: n64(20)}, // a failed call costs too
		{Arm: "poor"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCostsAreUnknownWithoutPrices(t *testing.T) {
	for _, r := range sinks.Rows(graded(1, monday)) {
		if r.Cost != nil || r.JudgeCost != nil {
			t.Errorf("%s: cost %v, of judging %v, though nobody gave a price", r.Arm, r.Cost, r.JudgeCost)
		}
	}
}
