package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/policy"
)

func TestRoundRobin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, b := serve(t, "a", always(llmfake.Text(first))), serve(t, "b", always(llmfake.Text(second)))
		m := policy.RoundRobin([]llm.Model{a.Model, b.Model}, []int{3, 1}, policy.FailoverOptions{})
		order := ""
		for range 8 {
			reply, err := m.Complete(t.Context(), ask(false))
			if err != nil {
				t.Fatal(err)
			}
			order += reply.Trace[0].Model
		}
		if order != "aabaaaba" {
			t.Errorf("%s, want three of four at a, spread evenly", order)
		}
	})
}

// Two equal backends, each the other's failover, and a rule when both are gone.
func TestThreeTraces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gone := map[string]bool{}
		script := func(name string) llmfake.Script {
			return func(llmfake.Call) llmfake.Answer {
				if gone[name] {
					return llmfake.Error(503, "overloaded")
				}
				return llmfake.Text(name + " answers")
			}
		}
		a, b := serve(t, "a", script("a")), serve(t, "b", script("b"))
		turns := policy.RoundRobin([]llm.Model{a.Model, b.Model}, nil, policy.FailoverOptions{})
		rule := policy.Resort("rule", func(llm.Request) string { return "Please call us." })
		m := policy.Failover([]llm.Model{turns, rule}, policy.FailoverOptions{})
		var got []string
		for _, down := range [][]string{{}, {}, {"a"}, {"a", "b"}} {
			clear(gone)
			for _, d := range down {
				gone[d] = true
			}
			reply, err := m.Complete(t.Context(), ask(false))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(reply.Outcome())+": "+reply.Text+" "+string(reply.Mark))
		}
		want := []string{": a answers ", ": b answers ", "failover: b answers ", "fallback: Please call us. last_resort"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRoute(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, b := serve(t, "a", always(llmfake.Text(first))), serve(t, "b", always(llmfake.Text(second)))
		asked := 0
		m := policy.Route("r", []policy.Rule{{To: b.Model, When: func(req llm.Request) bool { asked++; return req.Stream }}}, a.Model)
		whole, _ := m.Complete(t.Context(), ask(false))
		stream, _ := m.Complete(t.Context(), ask(true))
		if whole.Text != first || stream.Text != second || asked != 2 {
			t.Errorf("%q, %q, decided %d times", whole.Text, stream.Text, asked)
		}
	})
}
