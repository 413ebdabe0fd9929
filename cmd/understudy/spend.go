package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// checkSpend refuses a limit in USD for calls whose price nobody knows.
func checkSpend(cfg *config.Config) error {
	p := openPrices(cfg)
	var faults []error
	priced := func(key string, l config.Limit, names ...string) {
		for _, name := range names {
			for _, m := range cfg.Asked(name) {
				if l.NanoUSD > 0 && !p.model(m.Name).known() {
					faults = append(faults, &config.Error{
						Position: cfg.At(key), Key: key, Problem: fmt.Sprintf("the price of model %s is unknown, so what is spent on it cannot be limited in USD", m.Name),
						Want: fmt.Sprintf("models.%s.price, or a number of calls", m.Name),
					})
				}
			}
		}
	}
	priced("spend.per_day.judge", cfg.Spend.Judge, cfg.Judge.Primary, cfg.Judge.Reserve)
	for _, c := range cfg.Candidates {
		key := "spend.per_day.candidates"
		account, l := cfg.Spend.Of(c.Name)
		if account != "candidates" {
			key += "." + c.Name
		}
		priced(key, l, c.Model)
	}
	return config.Join(faults...)
}

// purses are the accounts of a process that are limited, by name.
type purses struct {
	bank shadow.Bank
	log  *slog.Logger

	mu   sync.Mutex
	open map[string]*shadow.Purse
}

func newPurses(bank shadow.Bank, log *slog.Logger) *purses {
	return &purses{bank: bank, log: log, open: map[string]*shadow.Purse{}}
}

// of is the purse of an account; nil where nothing is limited.
func (p *purses) of(account string, l config.Limit) *shadow.Purse {
	if p == nil || l.IsZero() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[account] == nil {
		p.open[account] = shadow.NewPurse(p.bank, account, shadow.Sum(l), p.log)
	}
	return p.open[account]
}

// close gives back what was drawn and not spent.
func (p *purses) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, purse := range p.open {
		if err := purse.Close(ctx); err != nil {
			p.log.WarnContext(ctx, "what was drawn from a day's limit counts as spent", "error", err)
		}
	}
}

// priceOf says what a reply of an arm's model cost; of a policy, what its calls did whose
// tokens are known. nil is unknown.
func (p *prices) priceOf(name string) func(llm.Reply) (int64, bool) {
	if _, ok := p.cfg.Model(name); ok {
		t := p.model(name)
		return func(r llm.Reply) (int64, bool) { return t.cost(r.Usage) }
	}
	tags := map[string]tag{}
	for _, m := range p.cfg.Asked(name) {
		tags[m.Name] = p.model(m.Name)
	}
	return func(r llm.Reply) (sum int64, known bool) {
		for _, call := range r.Trace {
			if cost, ok := tags[call.Model].cost(call.Usage); ok {
				sum, known = sum+cost, true
			}
		}
		return sum, known
	}
}

// mostCalls is how many calls to models one answer of a model or policy takes at most.
func mostCalls(cfg *config.Config, name string) int {
	p, ok := cfg.Policy(name)
	if !ok {
		return 1
	}
	sum, most := 0, 0
	for _, stage := range p.Stages {
		n := mostCalls(cfg, stage)
		sum, most = sum+n, max(most, n)
	}
	switch p.Kind {
	case config.Race:
		return mostCalls(cfg, p.Stages[0])*max(1, p.Attempts) + mostCalls(cfg, p.Stages[1])
	case config.Route:
		return most
	}
	if p.CheckOutput {
		return 3 * sum // an answer that breaks its form is corrected once
	}
	return 2 * sum // a stage that asks to wait a moment is asked again
}

// limits says what each account may spend on a day.
func limits(cfg *config.Config) []string {
	var out []string
	add := func(who string, l config.Limit) {
		if !l.IsZero() {
			out = append(out, who+": "+l.String())
		}
	}
	add("judge, both of them", cfg.Spend.Judge)
	add("all candidates together", cfg.Spend.Candidates)
	for _, name := range slices.Sorted(maps.Keys(cfg.Spend.ByCandidate)) {
		add("candidate "+name, cfg.Spend.ByCandidate[name])
	}
	return out
}
