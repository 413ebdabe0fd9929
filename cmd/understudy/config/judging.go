package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// checkJudge refuses a judge that is not pinned, and one that is also an arm.
func (r *draft) checkJudge(role, name string) {
	key := "judge." + role
	m, ok := r.lookup(key, name)
	if !ok {
		return
	}
	if _, err := llm.PinnedBy(m.Provider, m.SelfHosted, m.Model, m.Digest); err != nil {
		problem, want, _ := strings.Cut(strings.TrimPrefix(err.Error(), llm.ErrAlias.Error()+": "), "; ")
		if !errors.Is(err, llm.ErrAlias) {
			problem, want = err.Error(), ""
		}
		var unpinned *Model
		if m.SelfHosted && m.Digest == "" && strings.Contains(want, "digest") {
			unpinned, want = &m, `give its digest, which "understudy check --live" prints for copying`
		}
		r.failAt(key, "a judge has to be pinned: "+problem, want)
		r.faults[len(r.faults)-1].Unpinned = unpinned
	}
	for _, c := range r.Candidates {
		arm, ok := r.Model(c.Model)
		if ok && sameModel(m, arm) {
			r.failAt(key, fmt.Sprintf("the judge is also the arm %s: nobody grades himself", printable(c.Name)), "another model")
		}
	}
}

// sameModel says whether two entries are one model: the same id at the same server,
// whatever name or API they are asked by, or the same weights anywhere.
func sameModel(a, b Model) bool {
	if a.Name == b.Name {
		return true
	}
	if a.Digest != "" && b.Digest != "" && (strings.HasPrefix(a.Digest, b.Digest) || strings.HasPrefix(b.Digest, a.Digest)) {
		return true
	}
	return a.Model != "" && tag(a) == tag(b) && sameServer(a.BaseURL, b.BaseURL)
}

// tag is a model's id as its own server takes it: with Ollama, no tag is latest.
func tag(m Model) string {
	if m.SelfHosted {
		return strings.TrimSuffix(m.Model, ":latest")
	}
	return m.Model
}

func sameServer(a, b string) bool {
	hostA, portA := server(a)
	hostB, portB := server(b)
	return portA == portB && (hostA == hostB || onLoopback(hostA) && onLoopback(hostB))
}

func (r *draft) checkReserve() {
	j := r.Judge
	if j.Reserve != "" && j.Primary != "" {
		a, okA := r.Model(j.Primary)
		b, okB := r.Model(j.Reserve)
		if j.Primary == j.Reserve || okA && okB && sameModel(a, b) {
			r.failAt("judge.reserve", "is the same model as judge.primary", "a pinned model of another provider")
		}
	}
	if j.Budget <= j.HedgeAfter {
		key := "judge.budget"
		if !r.has(key) {
			key = "judge.hedge_after"
		}
		r.failAt(key, fmt.Sprintf("judge.budget %s leaves the reserve no time after judge.hedge_after %s", j.Budget, j.HedgeAfter), "a budget well above hedge_after")
	}
}
