package policy_test

import (
	"context"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/policy"
)

// What a chain of three with a healthy first model costs, beside a plain call.
func BenchmarkChain(b *testing.B) {
	reply := llm.Reply{Text: first, Took: 1}
	plain := llm.Model{Name: "a", Complete: func(context.Context, llm.Request) (llm.Reply, error) { return reply, nil }}
	for _, bench := range []struct {
		name  string
		model llm.Model
	}{
		{"plain", plain},
		{"chain", policy.Failover([]llm.Model{plain, plain, plain}, policy.FailoverOptions{})},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			req := ask(false)
			for b.Loop() {
				if _, err := bench.model.Complete(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
