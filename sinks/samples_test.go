package sinks_test

import (
	"fmt"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

var monday = time.Date(2026, 10, 5, 9, 15, 30, 123456789, time.UTC)

func n64(n int64) *int64 { return &n }

// graded is trial number i: live answered and was graded, one candidate answered
// with tool calls and was not graded, one timed out, one was not asked.
func graded(i int, seen time.Time) judge.Graded {
	var id shadow.SampleID
	copy(id[:], fmt.Sprintf("%016d", i))
	live := shadow.Answer{
		Arm: shadow.Live, Share: 1, Snapshot: "live-2026-01-01", Text: "Gern, 日本.", Finish: llm.FinishStop,
		Started: seen, FirstToken: 300*time.Millisecond + 999, Took: 1200 * time.Millisecond,
		Usage: llm.Usage{In: n64(20), Out: n64(3), Reasoning: n64(0), Cached: n64(16)}, Attempts: 1, Status: 200,
	}
	return judge.Graded{
		Trial: shadow.Trial{
			Sample: shadow.Sample{
				ID: id, Experiment: "terra", Tap: "tap-1", Seq: uint64(i), Seen: seen,
				Session: fmt.Sprintf("s-%d", i/4), Route: "/v1/chat/completions", Rate: 0.01, Draw: 0.001,
				Tags:    map[string]string{"lang": "ja", "app": "shop"},
				Dialect: llm.OpenAIChat, Request: []byte(`{"messages":[]}`), Stream: true, Live: live,
			},
			Candidates: []shadow.Answer{
				{Arm: "terra", Share: 0.5, Snapshot: "terra-2", Text: "x", Finish: llm.FinishToolCalls, Took: 2 * time.Second,
					Queued: time.Millisecond, Attempts: 1, Status: 200, Lost: []llm.Loss{"seed", "top_k"},
					ToolCalls: []llm.ToolCall{{ID: "c1", Name: "find_order", Arguments: `{"order":1}`}, {Name: "refund"}}},
				{Arm: "slow", Share: 1, Failure: llm.Timeout, Took: 20 * time.Second, Censored: true, Attempts: 1},
				{Arm: "poor", Share: 1, NotAsked: shadow.NotAskedBudget},
			},
		},
		Digest: "e1", Share: 0.8, Rubric: "r1",
		Rulings: []judge.Ruling{
			{Arm: shadow.Live, State: judge.StateGraded, Verdict: &rubric.Verdict{Grade: rubric.Grade(1 + i%6), Problem: rubric.None, Reason: "fine"},
				Judge: "judge", Pinned: "judge-mini-2026-03-01", Echo: "judge-mini-2026-03-01", Took: 700 * time.Millisecond, Calls: 1,
				Usage: llm.Usage{In: n64(900), Out: n64(40)}, Form: judge.FormBare, Reply: "{…}"},
			{Arm: "terra", State: judge.StateNotGraded, Reason: judge.NoMalformed, Detail: "no JSON", Judge: "judge",
				Pinned: "judge-mini-2026-03-01", Took: time.Second, Calls: 2, Hedged: true, Suspect: true, Reply: "no verdict\x00"},
		},
	}
}

// many are n trials, a second apart.
func many(n int) []judge.Graded {
	gs := make([]judge.Graded, n)
	for i := range gs {
		gs[i] = graded(i, monday.Add(time.Duration(i)*time.Second))
	}
	return gs
}
