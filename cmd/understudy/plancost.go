package main

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// What a plan assumes of tokens before any were counted: a service's figures for prompts
// of 3,000 to 4,000 tokens and answers of at most 160; a verdict has about 60.
const (
	assumedIn   = 3500
	assumedOut  = 160
	verdictOut  = 60
	charsAToken = 4 // of text in European languages, roughly
)

// tokenCounts are those of a request, and of each arm's answers where they were counted.
type tokenCounts struct {
	in, out float64
	byArm   map[string]float64
	from    string
}

// counted takes what a report counted in the place of what is assumed.
func (t *tokenCounts) counted(r reports.Report) {
	t.byArm = map[string]float64{}
	for _, arm := range r.Arms {
		c := arm.Cost
		if arm.Name == shadow.Live && c.TokensIn.Mean != nil {
			t.in = *c.TokensIn.Mean
		}
		if c.TokensOut.Mean != nil {
			t.byArm[string(arm.Name)] = *c.TokensOut.Mean
		}
	}
	t.from = "tokens are means of the rows"
}

func (t tokenCounts) outOf(arm string) float64 {
	if n, ok := t.byArm[arm]; ok {
		return n
	}
	return t.out
}

// planCost is what a week costs by the configuration; nothing without one.
func planCost(cmd *cobra.Command, pairsPerDay float64, t tokenCounts) (reports.PlanCost, error) {
	if noConfig(cmd) {
		return reports.PlanCost{}, nil
	}
	cfg, err := loadConfig(cmd)
	if err != nil {
		return reports.PlanCost{}, err
	}
	r, err := loadRubric(cfg)
	if err != nil {
		return reports.PlanCost{}, err
	}
	return weekOf(cfg, r, pairsPerDay, t), nil
}

// weekOf is what a week of an experiment costs, for so many graded pairs a day. The
// samples are those that give so many pairs of the candidate with the largest share.
func weekOf(cfg *config.Config, r *rubric.Rubric, pairsPerDay float64, t tokenCounts) reports.PlanCost {
	out := reports.PlanCost{Tokens: t.from}
	p := openPrices(cfg)
	most := 0.0
	for _, c := range cfg.Candidates {
		if !c.Control {
			most = max(most, c.Share)
		}
	}
	samples := 7 * pairsPerDay / (cmp.Or(most, 1) * cfg.Judge.Share)
	answers, answered := samples, samples*t.outOf("live")
	for _, c := range cfg.Candidates {
		calls, size := samples*c.Share, t.outOf(c.Name)
		answers, answered = answers+calls, answered+calls*size
		_, limit := cfg.Spend.Of(c.Name)
		part := reports.WeekCost{Arm: shadow.Arm(c.Name), Model: idOf(cfg, c.Model), Calls: calls, TokensIn: t.in, TokensOut: size, Limit: limit.String()}
		part.USD = p.usd(p.planned(c.Model), part)
		out.Parts = append(out.Parts, part)
	}
	beyond(out.Parts, func(c reports.WeekCost) (string, config.Limit) { return cfg.Spend.Of(string(c.Arm)) })
	arms := len(out.Parts)
	j := cfg.Judge
	verdicts := answers * j.Share
	in := promptTokens(r) + t.in + answered/answers
	for _, seat := range []struct {
		name  string
		calls float64
	}{{j.Primary, verdicts * (1 + j.Repeat + j.Injection)}, {j.Reserve, verdicts * j.Agreement}} {
		m, ok := cfg.Model(seat.name)
		if !ok || seat.calls == 0 {
			continue
		}
		part := reports.WeekCost{Judge: seat.name, Model: m.Model, Calls: seat.calls, TokensIn: in, TokensOut: verdictOut, Limit: cfg.Spend.Judge.String()}
		part.USD = p.usd(p.model(seat.name), part)
		out.Parts = append(out.Parts, part)
	}
	beyond(out.Parts[arms:], func(reports.WeekCost) (string, config.Limit) { return "judge", cfg.Spend.Judge })
	return out
}

// beyond marks the parts of accounts of which a day takes more than their limit allows.
func beyond(parts []reports.WeekCost, account func(reports.WeekCost) (string, config.Limit)) {
	calls, usd := map[string]float64{}, map[string]float64{}
	for _, c := range parts {
		name, _ := account(c)
		calls[name] += c.Calls / 7
		if c.USD != nil {
			usd[name] += *c.USD / 7
		}
	}
	for i, c := range parts {
		name, l := account(c)
		parts[i].Beyond = l.Calls > 0 && calls[name] > float64(l.Calls) || l.NanoUSD > 0 && usd[name] > float64(l.NanoUSD)/1e9
	}
}

// planned is the price that a call of a model or policy is planned with: a policy's is
// that of the first model it asks.
func (p *prices) planned(name string) tag {
	if asked := p.cfg.Asked(name); len(asked) > 0 {
		return p.model(asked[0].Name)
	}
	return tag{}
}

// usd is what a part costs at a price; nil if the price is unknown.
func (p *prices) usd(t tag, part reports.WeekCost) *float64 {
	in, out := int64(part.TokensIn*part.Calls), int64(part.TokensOut*part.Calls)
	nano, known := t.cost(llm.Usage{In: &in, Out: &out})
	if !known {
		return nil
	}
	usd := float64(nano) / 1e9
	return &usd
}

// promptTokens is about what the judge's prompt takes beside conversation and answer.
func promptTokens(r *rubric.Rubric) float64 {
	var b strings.Builder
	if err := r.Prompt(&b, rubric.Case{}); err != nil {
		return 0 // a builder does not fail
	}
	return float64(utf8.RuneCountInString(b.String())+utf8.RuneCountInString(r.System())) / charsAToken
}

func assumedTokens(in, out float64) tokenCounts {
	return tokenCounts{in: in, out: out, from: fmt.Sprintf("requests of %g tokens and answers of %g are assumed (--tokens-in, --tokens-out)", in, out)}
}
