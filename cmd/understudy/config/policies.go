package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Policy is several models joined into one.
type Policy struct {
	Name string
	Kind PolicyKind
	// Stages are the names of the models and policies that it joins, in order; of a
	// race the primary and the reserve, of a route what each rule sends to and the
	// default last.
	Stages []string
	// Budget is the time for one request, whatever is tried; 0 for a route, which has none.
	Budget time.Duration
	// On, Timeout, FirstToken and CheckOutput are of failover and round_robin; On is nil
	// for all triggers, and a limit of 0 is none.
	On                  []string
	Timeout, FirstToken time.Duration
	CheckOutput         bool
	// LastResort is the text that goes out when all have failed; empty for none.
	LastResort string
	// Weights are a round_robin's turns, one for each stage; nil is all alike.
	Weights []int
	// ReserveAfter, MayWinAfter and Attempts are a race's.
	ReserveAfter, MayWinAfter time.Duration
	Attempts                  int
	// Rules are a route's, one for each stage but the last.
	Rules []When
}

// PolicyKind says how a policy joins its stages.
type PolicyKind string

// The kinds of policies.
const (
	Race       PolicyKind = "race"
	Failover   PolicyKind = "failover"
	RoundRobin PolicyKind = "round_robin"
	Route      PolicyKind = "route"
)

// When is a rule about a request: all that is given must hold.
type When struct {
	MessagesOver int   // more turns than this
	SizeOver     int64 // a larger body, in bytes
	Tools        *bool // offers tools, or offers none
	Stream       *bool
	Tags         map[string]string
}

// Policy gives the policy of that name.
func (c *Config) Policy(name string) (Policy, bool) {
	i := slices.IndexFunc(c.Policies, func(p Policy) bool { return p.Name == name })
	if i < 0 {
		return Policy{}, false
	}
	return c.Policies[i], true
}

// Asked are the models that a name stands for: the model itself, or all that a
// policy, and the policies in it, join; each once, in order.
func (c *Config) Asked(name string) []Model {
	var models []Model
	seen := map[string]bool{}
	for open := []string{name}; len(open) > 0; open = open[1:] {
		next := open[0]
		if seen[next] {
			continue
		}
		seen[next] = true
		if m, ok := c.Model(next); ok {
			models = append(models, m)
		} else if p, ok := c.Policy(next); ok {
			open = append(open, p.Stages...)
		}
	}
	return models
}

// The defaults of policies: those of services in production.
const (
	defaultBudget      = 20 * time.Second
	defaultMayWinAfter = 2500 * time.Millisecond
	defaultAttempts    = 3
)

const wantPolicy = "one of race: {primary: NAME, reserve: NAME}, failover: [NAME, …], round_robin: [NAME, …] or route: [{when: …, to: NAME}, …]"

func (r *draft) policies(d *decoder, path string, n *node) {
	d.entries(path, n, func(key, sub string, p pair) {
		if !goodName(key, true) {
			d.fail(p.pos, sub, "this is no name for a policy", wantArm)
		}
		if _, ok := r.Model(key); ok {
			d.fail(p.pos, sub, "a model has this name, too", "names that differ")
		}
		r.Policies = append(r.Policies, r.policy(d, key, sub, p))
	})
}

func (r *draft) policy(d *decoder, name, path string, p pair) Policy {
	out := Policy{Name: name, Budget: defaultBudget}
	for _, form := range p.value.pairs {
		switch kind := PolicyKind(form.key); kind {
		case Race, Failover, RoundRobin, Route:
			if out.Kind != "" {
				d.fail(form.pos, path, fmt.Sprintf("is a %s and a %s at once", out.Kind, kind), "a policy for each; one may be a stage of the other")
				return out
			}
			out.Kind = kind
		}
	}
	chain := fields{
		"budget": duration(&out.Budget), "timeout": duration(&out.Timeout), "first_token_timeout": duration(&out.FirstToken),
		"on": triggers(&out.On), "check_output": flag(&out.CheckOutput), "last_resort": text(&out.LastResort, "a text for the user"),
	}
	switch out.Kind {
	case Race:
		section(fields{"race": out.race()})(d, path, p.value)
	case Failover:
		chain["failover"] = names(&out.Stages)
		section(chain)(d, path, p.value)
	case RoundRobin:
		chain["round_robin"], chain["weights"] = names(&out.Stages), weights(&out.Weights)
		section(chain)(d, path, p.value)
	case Route:
		out.Budget = 0
		otherwise := ""
		section(fields{"route": out.rules(), "default": text(&otherwise, "the name of a model or policy")})(d, path, p.value)
		if otherwise == "" && !d.failed(path) {
			d.fail(p.pos, path, "default is missing", "default: NAME, for what no rule takes")
		}
		out.Stages = append(out.Stages, otherwise)
	default:
		d.fail(p.pos, path, "joins nothing", wantPolicy)
	}
	return out
}

func (p *Policy) race() reader {
	p.MayWinAfter, p.Attempts = defaultMayWinAfter, defaultAttempts
	p.Stages = make([]string, 2)
	return func(d *decoder, path string, n *node) {
		section(fields{
			"primary": text(&p.Stages[0], "the name of a model or policy"), "reserve": text(&p.Stages[1], "the name of a model or policy"),
			"reserve_after": durationOrZero(&p.ReserveAfter), "reserve_may_win_after": durationOrZero(&p.MayWinAfter),
			"attempts": count(&p.Attempts, 1), "budget": duration(&p.Budget),
		})(d, path, n)
		for i, key := range []string{"primary", "reserve"} {
			if p.Stages[i] == "" && !d.failed(path) {
				d.failAt(path, key+" is missing", "primary and reserve")
			}
		}
		if p.MayWinAfter >= p.Budget && !d.failed(path) {
			d.failAt(path+".reserve_may_win_after", fmt.Sprintf("the reserve may win after %s, and the budget is %s", p.MayWinAfter, p.Budget), "a time below the budget")
		}
	}
}

func (p *Policy) rules() reader {
	return list("a list of rules such as {when: {tools: true}, to: NAME}", func(d *decoder, path string, n *node) {
		var when When
		to := ""
		section(fields{"when": when.reader(), "to": text(&to, "the name of a model or policy")})(d, path, n)
		if (to == "" || when.empty()) && !d.failed(path) {
			d.fail(n.pos, path, "a rule needs a condition and a model", "{when: {messages_over: 20}, to: NAME}")
		}
		p.Rules, p.Stages = append(p.Rules, when), append(p.Stages, to)
	})
}

func (w *When) reader() reader {
	var tools, stream bool
	set := func(v *bool, dst **bool) reader {
		return func(d *decoder, path string, n *node) { flag(v)(d, path, n); *dst = v }
	}
	return section(fields{
		"messages_over": count(&w.MessagesOver, 1), "size_over": size(&w.SizeOver), "tools": set(&tools, &w.Tools), "stream": set(&stream, &w.Stream),
		"tags": func(d *decoder, path string, n *node) {
			w.Tags = map[string]string{}
			d.entries(path, n, func(key, sub string, p pair) {
				value := ""
				text(&value, "the tag's value")(d, sub, p.value)
				w.Tags[key] = value
			})
		},
	})
}

func (w *When) empty() bool {
	return w.MessagesOver == 0 && w.SizeOver == 0 && w.Tools == nil && w.Stream == nil && len(w.Tags) == 0
}

// list reads each item of a list.
func list(want string, item reader) reader {
	return func(d *decoder, path string, n *node) {
		switch {
		case n.kind != isList:
			d.fail(n.pos, path, describe(n)+" where a list belongs", want)
		case len(n.items) == 0:
			d.fail(n.pos, path, "the list is empty", want)
		}
		for i, one := range n.items {
			sub := fmt.Sprintf("%s[%d]", path, i)
			d.places[sub] = one.pos
			item(d, sub, one)
		}
	}
}

func names(dst *[]string) reader {
	return list("a list of models such as [live, backup]", func(d *decoder, path string, n *node) {
		name := ""
		text(&name, "the name of a model or policy")(d, path, n)
		if slices.Contains(*dst, name) {
			d.fail(n.pos, path, printable(name)+" is there twice", "each stage once")
		}
		*dst = append(*dst, name)
	})
}

func triggers(dst *[]string) reader {
	return list("a list such as [server_error, timeout]", func(d *decoder, path string, n *node) {
		name := ""
		oneOf(&name, "connection_error", "server_error", "rate_limit", "timeout")(d, path, n)
		*dst = append(*dst, name)
	})
}

func weights(dst *[]int) reader {
	return list("a whole number for each model, such as [3, 1]", func(d *decoder, path string, n *node) {
		w := 0
		count(&w, 1)(d, path, n)
		*dst = append(*dst, w)
	})
}

// checkPolicies joins what stands in several places: names, circles, times.
func (r *draft) checkPolicies() {
	for _, p := range r.Policies {
		key := under("policies", p.Name)
		if r.failed(key) {
			continue
		}
		for _, stage := range p.Stages {
			r.checkStage(key, p, stage)
		}
		if p.Weights != nil && len(p.Weights) != len(p.Stages) {
			r.failAt(key+".weights", fmt.Sprintf("%d weights for %d models", len(p.Weights), len(p.Stages)), "one for each")
		}
		if p.Budget >= r.Tap.ClientTimeout && !r.failed("tap.client_timeout") {
			r.failAt(key+".budget", fmt.Sprintf("a request may take %s, and its client waits %s (tap.client_timeout)", p.Budget, r.Tap.ClientTimeout), "a budget below tap.client_timeout")
		}
	}
}

func (r *draft) checkStage(key string, p Policy, stage string) {
	inner, policy := r.Policy(stage)
	_, model := r.Model(stage)
	switch {
	case !policy && !model && !r.faulty("models"):
		r.failAt(key, "no model or policy is named "+printable(stage), suggest(stage, r.askable()))
	case policy && r.within(p.Name, inner, map[string]bool{}):
		r.failAt(key, "is a stage of itself, through "+printable(stage), "stages that end in models")
	}
}

// within says whether a policy is a stage of another, at any depth.
func (r *draft) within(name string, outer Policy, seen map[string]bool) bool {
	if outer.Name == name {
		return true
	}
	if seen[outer.Name] {
		return false
	}
	seen[outer.Name] = true
	return slices.ContainsFunc(outer.Stages, func(s string) bool {
		inner, ok := r.Policy(s)
		return ok && r.within(name, inner, seen)
	})
}

// named are the names of models.
func (r *draft) named() map[string]bool {
	all := map[string]bool{}
	for _, m := range r.Models {
		all[m.Name] = true
	}
	return all
}

// askable are the names that an arm or a stage may have.
func (r *draft) askable() map[string]bool {
	all := r.named()
	for _, p := range r.Policies {
		all[p.Name] = true
	}
	return all
}

// served reads the name of the policy that the tap is to serve through.
func (r *draft) served(d *decoder, path string, n *node) {
	d.fail(n.pos, path, "not supported yet", wantUpstream)
	if n.kind == isText {
		name, _ := strings.CutPrefix(n.text, "policy:")
		r.serves, r.servesAt = strings.TrimSpace(name), path
	}
}

// checkServed refuses a candidate that is also a stage of the policy which users are
// served through: its answers would be both seen by users and judged in the shadow.
func (r *draft) checkServed() {
	if r.serves == "" {
		return
	}
	if _, ok := r.Policy(r.serves); !ok {
		known := map[string]bool{}
		for _, p := range r.Policies {
			known[p.Name] = true
		}
		r.failAt(r.servesAt, "no policy is named "+printable(r.serves), suggest(r.serves, known))
	}
	onStage := r.Asked(r.serves)
	for _, c := range r.Candidates {
		asked := r.Asked(c.Model)
		shared := slices.IndexFunc(asked, func(m Model) bool {
			return slices.ContainsFunc(onStage, func(s Model) bool { return sameModel(m, s) })
		})
		if c.Control || shared < 0 {
			continue
		}
		r.failAt(under("candidates", c.Name)+".model", printable(asked[shared].Name)+
			" is also a stage of the policy "+printable(r.serves)+" that the tap serves through, and a candidate's answer is never served",
			"a model that is not served, or control: true")
	}
}

// ParsePolicies reads a file that holds nothing but policies, as the section "policies"
// of a configuration does, over the given arms instead of models. Errors are those of
// [Parse].
func ParsePolicies(name string, data []byte, arms []string) ([]Policy, error) {
	if strings.TrimSpace(string(data)) == "" {
		data = []byte("policies:") // said below as what is missing here
	}
	root, fault := parseTree(name, data)
	if fault != nil {
		return nil, join([]*Error{fault})
	}
	d := &decoder{file: name, places: make(map[string]Position)}
	r := &draft{decoder: d, broken: map[string]bool{}}
	r.Tap.ClientTimeout = math.MaxInt64
	for _, arm := range arms {
		r.Models = append(r.Models, Model{Name: arm})
	}
	section(fields{"policies": r.policies})(d, "", root)
	if len(d.faults) == 0 {
		if r.checkPolicies(); len(r.Policies) == 0 {
			d.failAt("policies", "there is none", "policies: {NAME: {race: {primary: live, reserve: ARM}}}")
		}
	}
	if len(d.faults) > 0 {
		return nil, join(d.faults)
	}
	return r.Policies, nil
}
