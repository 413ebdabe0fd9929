package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/provider"
	"github.com/understudy-eval/understudy/sinks"
)

// prices knows what each model of an experiment costs: what the configuration says,
// else what the catalogue lists for the model at its address, else nothing.
type prices struct {
	cfg       *config.Config
	catalogue *provider.Catalogue
	arms      map[shadow.Arm]string // the model of each candidate
}

func openPrices(cfg *config.Config) *prices {
	p := &prices{cfg: cfg, catalogue: provider.LoadCatalogue(), arms: map[shadow.Arm]string{}}
	for _, c := range cfg.Candidates {
		p.arms[shadow.Arm(c.Name)] = c.Model
	}
	return p
}

// costs is what the sinks ask when they make rows.
func (p *prices) costs() sinks.Costs {
	return sinks.Costs{
		Answer: func(a shadow.Answer) (int64, bool) {
			if a.Arm == shadow.Live {
				return p.live(a.Snapshot).cost(a.Usage)
			}
			if len(a.Uses) > 0 {
				return p.policy(a.Uses)
			}
			return p.model(p.arms[a.Arm]).cost(a.Usage)
		},
		Ruling: func(u judge.Ruling) (int64, bool) { return p.model(u.Judge).cost(u.Usage) },
	}
}

// policy is what the calls for a policy's answer cost: all whose usage is known, and
// nothing is known where that of an answer is not. Calls that failed or were given up
// say nothing of their usage and count as free.
func (p *prices) policy(uses []shadow.Use) (sum int64, known bool) {
	for _, u := range uses {
		if _, asked := p.cfg.Model(u.Model); !asked {
			known = true // a last resort is no model
			continue
		}
		cost, ok := p.model(u.Model).cost(u.Usage)
		if !ok && (u.Fate == llm.Served || u.Fate == llm.Spare) {
			return 0, false
		}
		if ok {
			sum, known = sum+cost, true
		}
	}
	return sum, known
}

// tag is a price and where it comes from; unknown if there is no source.
type tag struct {
	price  provider.Price
	source string
}

func (t tag) known() bool { return t.source != "" }

// String is the price for a reader; empty if it is unknown.
func (t tag) String() string {
	switch {
	case !t.known():
		return ""
	case t.price == (provider.Price{}):
		return fmt.Sprintf("free (%s)", t.source)
	}
	return fmt.Sprintf("%s per million tokens (%s)", t.price, t.source)
}

func (t tag) cost(u llm.Usage) (nanoUSD int64, known bool) {
	if !t.known() {
		return 0, false
	}
	return t.price.Cost(u)
}

// The places where a price can come from.
const (
	fromFile      = "given"
	fromCatalogue = "catalogue"
)

// model is the price of a configured model, by the id that it is asked for.
func (p *prices) model(name string) tag {
	m, ok := p.cfg.Model(name)
	switch {
	case !ok:
		return tag{}
	case m.Price != nil:
		return given(*m.Price)
	}
	return p.listed(m.BaseURL, m.Model)
}

// sees says whether a model can see images: as it is given, else as the catalogue has it.
func (p *prices) sees(m config.Model) bool {
	if m.Images != nil {
		return *m.Images
	}
	return p.catalogue.Sees(m.BaseURL, m.Model)
}

// live is the price of a served answer, by the model that it names. The price of a
// configured model goes before the catalogue's, if it is at the same server; two of
// them that differ make it unknown.
func (p *prices) live(named llm.Snapshot) tag {
	all := slices.Compact(p.cfg.LivePrices(string(named)))
	switch len(all) {
	case 0:
		return p.listed(p.cfg.Tap.Upstream, string(named))
	case 1:
		return given(all[0])
	}
	return tag{}
}

func given(c config.Price) tag {
	price := provider.Flat(c.In, c.Out)
	price.CachedIn = c.CachedIn
	return tag{price, fromFile}
}

func (p *prices) listed(address, model string) tag {
	price, ok := p.catalogue.PriceOf(address, model)
	if !ok {
		return tag{}
	}
	return tag{price, fromCatalogue}
}

// show writes the price of every model, a line for each.
func (p *prices) show(w io.Writer) {
	for _, m := range p.cfg.Models {
		fmt.Fprintf(w, "price       %s: %s\n", m.Name, cmp.Or(p.model(m.Name).String(), "unknown, and so is its cost: the catalogue does not list it; give price: {in: …, out: …}"))
	}
	fmt.Fprintf(w, "price       served answers: by the model that each names; %s\n", p.liveSources())
}

// liveSources says where prices of served answers can come from.
func (p *prices) liveSources() string {
	host, given, listed := upstreamHost(p.cfg.Tap.Upstream), p.pricedAtUpstream(), p.catalogue.Has(p.cfg.Tap.Upstream)
	switch {
	case given && listed:
		return "prices are those given for models at the same address, then the catalogue's of " + host
	case listed:
		return "prices are the catalogue's of " + host
	case given:
		return "prices are those given for models at the same address"
	}
	return "unknown: " + host + " is not in the catalogue, and no model at this address has a price"
}

// pricedAtUpstream says whether a model at the live service's address has a price.
func (p *prices) pricedAtUpstream() bool {
	return slices.ContainsFunc(p.cfg.Models, func(m config.Model) bool { return len(p.cfg.LivePrices(m.Model)) > 0 })
}

// warnings say what keeps the cost guard open from the start: an unknown price of a
// candidate, or of the arm that it is compared with.
func (p *prices) warnings() []error {
	if p.cfg.Gate.CostIncrease == nil || !p.cfg.Gate.CostGiven {
		return nil
	}
	var out []error
	warn := func(problem, want string) {
		const key = "gate.cost_increase"
		out = append(out, &config.Error{Position: p.cfg.At(key), Key: key, Problem: problem + ": this guard stays open, and there is no go", Want: want})
	}
	controlled := false
	for _, c := range p.cfg.Candidates {
		controlled = controlled || c.Control
		if !p.model(c.Model).known() {
			warn(fmt.Sprintf("the price of the arm %s is unknown", c.Name), fmt.Sprintf("models.%s.price, or none", c.Model))
		}
	}
	if !controlled && !p.pricedAtUpstream() && !p.catalogue.Has(p.cfg.Tap.Upstream) {
		warn("the price of served answers is unknown", "the live model under models with its price and the same address, or none")
	}
	return out
}
