package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/policy"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// refusalEvery is how often a lasting refusal of one provider with one status is
// logged at most: a service's rule, since it may come with every request.
const refusalEvery = time.Hour

// troupe makes models of names: a configured model, or a policy with its stages. All
// policies of a process share what is known of a provider's health, and its retries.
type troupe struct {
	cfg     *config.Config
	log     *slog.Logger
	health  map[string]*policy.Health
	quotas  map[string]*provider.Quota
	retries *policy.RetryBudget
	alarms  alarms
}

func newTroupe(cfg *config.Config, log *slog.Logger) *troupe {
	return &troupe{cfg: cfg, log: log, health: map[string]*policy.Health{}, quotas: map[string]*provider.Quota{}, retries: policy.NewRetryBudget()}
}

// policy makes the model that a policy is.
func (t *troupe) policy(p config.Policy) (llm.Model, error) {
	var stages []llm.Model
	for _, name := range p.Stages {
		stage, err := t.stage(name)
		if err != nil {
			return llm.Model{}, err
		}
		stages = append(stages, stage)
	}
	chain := policy.FailoverOptions{
		Name: p.Name, On: triggers(p.On), Limits: policy.Limits{Timeout: p.Timeout, FirstToken: p.FirstToken},
		Budget: p.Budget, Retries: t.retries,
	}
	if p.CheckOutput {
		chain.Check = &policy.OutputCheck{}
	}
	var m llm.Model
	switch p.Kind {
	case config.Race:
		mayWin := max(p.MayWinAfter, 1) // 0 would be the default
		return policy.Race(stages[0], stages[1], policy.RaceOptions{
			Name: p.Name, ReserveAfter: p.ReserveAfter, MayWinAfter: mayWin, Attempts: p.Attempts, Retries: t.retries, Budget: p.Budget,
		}), nil
	case config.Route:
		var rules []policy.Rule
		for i, when := range p.Rules {
			rules = append(rules, policy.Rule{When: holds(when), To: stages[i]})
		}
		return policy.Route(p.Name, rules, stages[len(stages)-1]), nil
	case config.RoundRobin:
		m = policy.RoundRobin(stages, p.Weights, chain)
	default:
		m = policy.Failover(stages, chain)
	}
	if p.LastResort == "" {
		return m, nil
	}
	resort := policy.Resort("last_resort", func(llm.Request) string { return p.LastResort })
	return policy.Failover([]llm.Model{m, resort}, policy.FailoverOptions{Name: p.Name, Budget: p.Budget}), nil
}

func triggers(names []string) []policy.Trigger {
	var all []policy.Trigger
	for _, name := range names {
		all = append(all, policy.Trigger(name))
	}
	return all
}

// stage makes a stage of a policy: a policy, or a model behind its provider's health.
func (t *troupe) stage(name string) (llm.Model, error) {
	if p, ok := t.cfg.Policy(name); ok {
		return t.policy(p)
	}
	m, _ := t.cfg.Model(name)
	client, err := openWithin(m, t.quotaOf(m))
	if err != nil {
		return llm.Model{}, err
	}
	return t.healthOf(m).Guard(client.Model()), nil
}

// quotaOf is what is left of an account's limits for a model, the same for all arms.
func (t *troupe) quotaOf(m config.Model) *provider.Quota {
	key := m.BaseURL + " " + m.Key.String() + " " + m.Model
	if t.quotas[key] == nil {
		t.quotas[key] = &provider.Quota{}
	}
	return t.quotas[key]
}

// wait returns once none of the models that a name stands for has to be spared.
func (t *troupe) wait(name string) func(context.Context) error {
	var quotas []*provider.Quota
	for _, m := range t.cfg.Asked(name) {
		quotas = append(quotas, t.quotaOf(m))
	}
	return func(ctx context.Context) error {
		for _, q := range quotas {
			if err := q.Wait(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}

// healthOf is what is known of the server that a model is at, with the key that it is
// asked with: another key may be fine.
func (t *troupe) healthOf(m config.Model) *policy.Health {
	key := m.BaseURL + " " + m.Key.String()
	if t.health[key] == nil {
		t.health[key] = policy.NewHealth(string(m.Provider), policy.HealthOptions{OnRefusal: t.refused})
	}
	return t.health[key]
}

func (t *troupe) refused(provider string, f *llm.Failure) {
	if t.alarms.due(fmt.Sprintf("%s %d", provider, f.Status), time.Now()) {
		t.log.ErrorContext(context.Background(), "provider refuses, and is not asked for ten minutes",
			"provider", provider, "status", f.Status, "code", f.Code)
	}
}

// alarms remembers when each was raised.
type alarms struct {
	mu     sync.Mutex
	raised map[string]time.Time
}

func (a *alarms) due(what string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if last, ok := a.raised[what]; ok && now.Sub(last) < refusalEvery {
		return false
	}
	if a.raised == nil {
		a.raised = map[string]time.Time{}
	}
	a.raised[what] = now
	return true
}

// holds is a rule as a function. What a body that cannot be read says is nothing.
func holds(w config.When) func(llm.Request) bool {
	return func(req llm.Request) bool {
		if w.SizeOver > 0 && int64(len(req.Body)) <= w.SizeOver || w.Stream != nil && req.Stream != *w.Stream {
			return false
		}
		if w.MessagesOver > 0 {
			if turns, err := llm.Conversation(req.Dialect, req.Body); err != nil || len(turns) <= w.MessagesOver {
				return false
			}
		}
		if w.Tools != nil {
			asked, err := llm.RequestContract(req.Dialect, req.Body)
			if err != nil || (asked != nil && len(asked.Tools) > 0) != *w.Tools {
				return false
			}
		}
		for name, value := range w.Tags {
			if req.Tags[name] != value {
				return false
			}
		}
		return true
	}
}

// showPolicies says for each policy that an arm uses what it joins and how long a
// request may take at worst, and warns where a stage protects from nothing.
func showPolicies(w io.Writer, cfg *config.Config) {
	for _, p := range cfg.Policies {
		worst := "as long as what it sends to"
		if p.Kind != config.Route {
			worst = "at worst " + p.Budget.String()
		}
		fmt.Fprintf(w, "policy      %s: %s of %s, %s\n", p.Name, p.Kind, strings.Join(p.Stages, ", "), worst)
	}
	for _, p := range cfg.Policies {
		if host, names := sharedServer(cfg, p); len(names) > 0 {
			fmt.Fprintf(w, "warning: %s: policies.%s: %s are at one provider (%s), and will fail together\n", cfg.At("policies."+p.Name), p.Name, strings.Join(names, " and "), host)
		}
	}
}

// sharedServer finds two models of a policy at one provider.
func sharedServer(cfg *config.Config, p config.Policy) (provider string, names []string) {
	if p.Kind == config.Route {
		return "", nil
	}
	models := cfg.Asked(p.Name)
	for i, m := range models {
		at := slices.IndexFunc(models[:i], func(o config.Model) bool { return o.BaseURL == m.BaseURL })
		if at >= 0 {
			return string(m.Provider), []string{models[at].Name, m.Name}
		}
	}
	return "", nil
}
