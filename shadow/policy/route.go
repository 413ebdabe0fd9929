package policy

import (
	"context"
	"slices"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Rule sends the requests for which When says yes to a model.
type Rule struct {
	When func(llm.Request) bool
	To   llm.Model
}

// Route sends each request to the first rule that says yes, else to otherwise. It is
// decided once per request, before any call: what the model says changes nothing.
func Route(name string, rules []Rule, otherwise llm.Model) llm.Model {
	rules = slices.Clone(rules)
	models := []llm.Model{otherwise}
	for _, r := range rules {
		models = append(models, r.To)
	}
	return llm.Model{Name: name, Dialects: takes(models), Complete: func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		to := otherwise
		for _, r := range rules {
			if r.When(req) {
				to = r.To
				break
			}
		}
		return to.Complete(ctx, req)
	}}
}

// Resort answers by a rule, without a model: the end of a chain that must not be
// silent. Its answers carry [llm.LastResort], which is confidence 0; a request for
// which say has nothing fails as empty.
func Resort(name string, say func(llm.Request) string) llm.Model {
	return llm.Model{Name: name, Complete: func(_ context.Context, req llm.Request) (llm.Reply, error) {
		text := say(req)
		if text == "" {
			return llm.Reply{}, &llm.Failure{Class: llm.Malformed, Reason: llm.Empty}
		}
		return llm.Reply{Text: text, Finish: llm.FinishStop, Mark: llm.LastResort, Took: 1}, nil
	}}
}
