package main

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric/standard"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// TestJudgeAtTheSocket plays the cases of judges that hang, filter and refuse with real
// clients on a clock of their own: how many connections and calls there are, that a call
// that lost is given up at its socket, and when the ruling comes.
func TestJudgeAtTheSocket(t *testing.T) {
	verdict := llmfake.Verdict(3, "unsafe", "r")
	late := verdict
	late.Took = 700 * time.Millisecond
	hang := llmfake.Answer{Then: llmfake.Hang}
	filtered := llmfake.Answer{Status: http.StatusBadRequest, Raw: []byte(`{"error":{"message":"The response was filtered.","type":null,"param":"prompt","code":"content_filter","status":400}}`)}
	for _, tt := range []struct {
		name         string
		a, b         llmfake.Answer
		want         string // state and reason
		by           string
		took         time.Duration
		callsA       int
		callsB, left int
	}{
		{name: "hangs", a: hang, b: late, want: "graded ", by: "b", took: 2200 * time.Millisecond, callsA: 1, callsB: 1, left: 1},
		{name: "both hang", a: hang, b: hang, want: "not_graded transport", by: "a", took: 20 * time.Second, callsA: 1, callsB: 1, left: 2},
		{name: "content filter", a: filtered, b: verdict, want: "not_graded filtered", by: "a", callsA: 1},
		{name: "refusal", a: llmfake.Answer{Refusal: "I can't help with evaluating this content."}, b: verdict, want: "not_graded refusal", by: "a", callsA: 1},
		{name: "reset", a: llmfake.Answer{Then: llmfake.Reset}, b: verdict, want: "graded ", by: "b", callsA: 1, callsB: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, seatA := judgeAt(t, "a", tt.a)
				b, seatB := judgeAt(t, "b", tt.b)
				j, err := judge.New(judge.Options{Primary: seatA, Reserve: seatB, Rubric: standard.Rubric()})
				if err != nil {
					t.Fatal(err)
				}
				g, err := j.Grade(t.Context(), exampleTrial())
				if err != nil {
					t.Fatal(err)
				}
				r := g.Rulings[0]
				if got := string(r.State) + " " + string(r.Reason); got != tt.want || r.Judge != tt.by || r.Took != tt.took {
					t.Errorf("%s by %s after %s (%s), want %s by %s after %s", got, r.Judge, r.Took, r.Detail, tt.want, tt.by, tt.took)
				}
				synctest.Wait()
				if a.Calls() != tt.callsA || b.Calls() != tt.callsB || a.Connections() != tt.callsA || b.Connections() != tt.callsB || a.Left()+b.Left() != tt.left || a.Open()+b.Open() != 0 {
					t.Errorf("calls %d and %d over %d and %d connections, %d given up, %d open", a.Calls(), b.Calls(), a.Connections(), b.Connections(), a.Left()+b.Left(), a.Open()+b.Open())
				}
			})
		})
	}
}

// judgeAt is a judge at a provider in memory that always answers so.
func judgeAt(t *testing.T, name string, a llmfake.Answer) (*llmfake.Fake, judge.Seat) {
	f := llmfake.New(llmfake.Strict(func(llmfake.Call) llmfake.Answer { return a }))
	c, err := provider.Open(provider.Endpoint{Name: name, Provider: llm.ProviderOpenAI, BaseURL: "http://judge.example", Model: "judge-mini-2026-03-01", Dial: f.Dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.CloseIdleConnections()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, judge.Seat{Model: c.Model()}
}
