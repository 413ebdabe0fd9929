package reports

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/understudy-eval/understudy/shadow"
)

// WeekCost is what one part of an experiment takes in a week of 7 days.
type WeekCost struct {
	// Arm is a candidate's name, or empty for a judge, whose configured name is Judge.
	Arm   shadow.Arm `json:"arm,omitempty"`
	Judge string     `json:"judge,omitempty"`
	Model string     `json:"model"`
	// Calls a week, and the tokens of one that the cost is computed with.
	Calls     float64 `json:"calls"`
	TokensIn  float64 `json:"tokens_in"`
	TokensOut float64 `json:"tokens_out"`
	// USD is nil if the model's price is not known.
	USD *float64 `json:"usd"`
	// Limit is what may be spent on a day, as configured; empty is no limit.
	Limit string `json:"limit_per_day,omitempty"`
	// Beyond says that a day takes more than the limit allows: the rest is not asked or
	// not graded, and counted as budget.
	Beyond bool `json:"beyond_limit,omitempty"`
}

// PlanCost is what a week costs beside the live service; empty without a configuration.
type PlanCost struct {
	Parts []WeekCost `json:"parts"`
	// Tokens says where the numbers of tokens are from.
	Tokens string `json:"tokens,omitempty"`
}

// USD is the sum of the parts, and the names of those whose cost is not known: they are
// not in it.
func (w PlanCost) USD() (sum float64, unknown []string) {
	for _, c := range w.Parts {
		if c.USD == nil {
			unknown = append(unknown, c.name())
			continue
		}
		sum += *c.USD
	}
	return sum, unknown
}

func (c WeekCost) name() string {
	if c.Arm != "" {
		return "arm " + string(c.Arm)
	}
	return "judge " + c.Judge
}

// words is the week's cost in a line; empty if there is nothing to say.
func (w PlanCost) words() string {
	if len(w.Parts) == 0 {
		return ""
	}
	sum, unknown := w.USD()
	switch {
	case len(unknown) == len(w.Parts):
		return "a week costs: unknown, no price is known; give models.NAME.price"
	case len(unknown) > 0:
		return fmt.Sprintf("a week costs %s, and what is unknown: %s", aboutDollars(sum), strings.Join(unknown, ", "))
	}
	return fmt.Sprintf("a week costs %s, candidates and judge together", aboutDollars(sum))
}

// warnings name the parts whose limit for a day is too low.
func (w PlanCost) warnings() []string {
	var out []string
	for _, c := range w.Parts {
		if c.Beyond {
			out = append(out, fmt.Sprintf("%s: a day takes more than its limit of %s allows; what is beyond is not asked or not graded (budget)", c.name(), c.Limit))
		}
	}
	return out
}

func planDollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "under $0.01"
	}
	whole, cents, _ := strings.Cut(fixed(usd, 2), ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = number(n)
	}
	return "$" + whole + "." + cents
}

// aboutDollars is a sum in a sentence.
func aboutDollars(usd float64) string {
	if text := planDollars(usd); strings.HasPrefix(text, "$") {
		return "about " + text
	}
	return planDollars(usd)
}

func (w PlanCost) section() section {
	s := section{
		title: "What a week of 7 days costs beside the live service",
		table: table{head: []string{"", "model", "calls", "tokens in", "tokens out", "cost", "limit a day"}},
		notes: []string{w.Tokens + "; prices are those given or the catalogue's; thoughts, hedged calls of a judge and repeated calls of a policy come on top"},
	}
	for _, c := range w.Parts {
		cost := "unknown"
		if c.USD != nil {
			cost = planDollars(*c.USD)
		}
		limit := c.Limit
		if limit == "" {
			limit = "none"
		}
		s.table.rows = append(s.table.rows, []string{clean(c.name()), clean(c.Model), number(int(c.Calls + 0.5)), number(int(c.TokensIn + 0.5)), number(int(c.TokensOut + 0.5)), cost, limit})
	}
	return s
}
