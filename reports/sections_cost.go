package reports

import (
	"fmt"
	"math"
	"slices"

	"github.com/understudy-eval/understudy/shadow"
)

// unknownCost is what a sum of money is called that nobody knows.
const unknownCost = "unknown"

// anyCost says whether the report has a cost to show at all.
func anyCost(r Report) bool {
	return slices.ContainsFunc(r.Arms, func(a ArmReport) bool { return a.Cost.Known+a.Cost.Judging.Known > 0 })
}

func costSection(r Report) section {
	s := section{title: "Cost, in USD; lower is better", table: columnsFor("", armNames(r)...)}
	if !anyCost(r) {
		return s
	}
	add := func(name string, cell func(ArmCost) string) {
		line(&s.table, name, r.Arms, func(a ArmReport) string { return cell(a.Cost) })
	}
	add("calls with a known cost", func(c ArmCost) string { return number(c.Known) + " of " + number(c.Calls) })
	level := limitText(r.Experiment.Level) + " % interval"
	add("per answer", func(c ArmCost) string { return dollarsOf(c.PerAnswer.Value, c.PerAnswer.SE, 1, dollars) })
	add("SE, clustered by session", func(c ArmCost) string { return dollarsOf(c.PerAnswer.SE, c.PerAnswer.SE, 1, dollars) })
	add(level, func(c ArmCost) string { return c.Interval.dollars(c.PerAnswer.SE, 1, dollars) })
	add("per 1,000 answers", func(c ArmCost) string { return dollarsOf(c.PerAnswer.Value, c.PerAnswer.SE, 1000, dollars) })
	add(level+" per 1,000", func(c ArmCost) string { return c.Interval.dollars(c.PerAnswer.SE, 1000, dollars) })
	add("median per answer", func(c ArmCost) string { return dollarsOf(c.Median, nil, 1, dollars) })
	add("p95 per answer", func(c ArmCost) string { return dollarsOf(c.P95, nil, 1, dollars) })
	add("in all", func(c ArmCost) string { return totalText(c.TotalNUSD) + ofAll(c.Known, c.Calls) })
	add("tokens in, mean", func(c ArmCost) string { return c.TokensIn.text() })
	add("tokens out, mean", func(c ArmCost) string { return c.TokensOut.text() })
	add("of them reasoning, mean", func(c ArmCost) string { return c.TokensReasoning.text() })
	add("judging, in all", func(c ArmCost) string {
		return totalText(c.Judging.TotalNUSD) + ofAll(c.Judging.Known, c.Judging.Judged)
	})
	add("judging, per graded answer", func(c ArmCost) string { return dollarsOf(c.Judging.PerGraded, nil, 1, dollars) })
	s.notes = costNotes(r)
	return s
}

func costNotes(r Report) []string {
	out := []string{"prices are those of the day on which a row was made; a failed call costs too, and what is unknown is left out, not taken for 0"}
	var judging sum
	for _, a := range r.Arms {
		if total := a.Cost.Judging.TotalNUSD; total != nil {
			judging.add(*total, true)
		}
		if missing := a.Cost.Calls - a.Cost.Known; missing > 0 {
			out = append(out, fmt.Sprintf("%s: the cost of %s of %s is unknown: no price for its model, or no token counts (streams have them only if the client asks)", a.Name, number(missing), counted(a.Cost.Calls, "call")))
		}
	}
	if judging.n > 0 {
		out = append(out, fmt.Sprintf("judging cost %s in all, as far as known", totalText(judging.known())))
	}
	return out
}

func costDeltas(r Report) section {
	s := section{title: "Cost difference to live, in USD per answer; candidate - live, negative is cheaper"}
	s.table = columnsFor("")
	compared := slices.ContainsFunc(r.Comparisons, func(c Comparison) bool { return c.Cost.Pairs+c.CostIncrease.Pairs > 0 })
	if !compared {
		return s
	}
	for _, c := range r.Comparisons {
		s.table.head = append(s.table.head, string(c.Arm))
	}
	add := func(name string, cell func(CostDelta) string) {
		line(&s.table, name, r.Comparisons, func(c Comparison) string { return cell(c.Cost) })
	}
	add("pairs with both costs known", func(d CostDelta) string { return number(d.Pairs) + " of " + number(d.Asked) })
	add("live", func(d CostDelta) string { return dollarsOf(d.Other, d.Delta.SE, 1, dollars) })
	add("candidate", func(d CostDelta) string { return dollarsOf(d.Candidate, d.Delta.SE, 1, dollars) })
	add("delta", func(d CostDelta) string { return dollarsOf(d.Delta.Value, d.Delta.SE, 1, signedDollars) })
	add("SE, clustered by session", func(d CostDelta) string { return dollarsOf(d.Delta.SE, d.Delta.SE, 1, dollars) })
	level := limitText(r.Experiment.Level) + " %"
	add(level+" interval", func(d CostDelta) string { return d.Interval.dollars(d.Delta.SE, 1, signedDollars) })
	add("ratio to live ("+level+" interval)", CostDelta.ratioText)
	if slices.ContainsFunc(r.Comparisons, func(c Comparison) bool { return c.Against != shadow.Live }) {
		line(&s.table, "ratio to the control arm", r.Comparisons, func(c Comparison) string {
			if c.Control {
				return "-"
			}
			return c.CostIncrease.ratioText()
		})
	}
	return s
}

func (d CostDelta) ratioText() string {
	if d.Ratio == nil {
		if d.Pairs == 0 {
			return unknownCost
		}
		return undefined
	}
	return fixed(*d.Ratio, 3) + " (" + d.RatioInterval.text(func(v float64) string { return fixed(v, 3) }) + ")"
}

func (m MeanCount) text() string {
	if m.Mean == nil {
		return unknownCost
	}
	return fixed(*m.Mean, 1)
}

// relativeInterval prints the bounds of an increase in percent, the unit once.
func relativeInterval(iv *Interval) string {
	if iv == nil {
		return undefined
	}
	return iv.text(points) + " %"
}

// ofAll says beside a sum how many of all it is of, where some are not known.
func ofAll(known, all int) string {
	if known == 0 || known == all {
		return ""
	}
	return " (" + number(known) + " of " + number(all) + ")"
}

func totalText(nano *int64) string {
	if nano == nil {
		return unknownCost
	}
	usd, places := usdPerNano*float64(*nano), 2
	if fixed(usd, places) == fixed(0, places) { // little is not nothing
		places = dollarPlaces(usd, nil, 1)
	}
	return dollars(usd, places)
}

// dollarsOf prints a sum, times as much, with the digits that its standard error
// supports; without one, or with one of 0, with three digits.
func dollarsOf(v, se *float64, times float64, print func(float64, int) string) string {
	if v == nil {
		return unknownCost
	}
	return print(*v*times, dollarPlaces(*v*times, se, times))
}

func (iv *Interval) dollars(se *float64, times float64, print func(float64, int) string) string {
	if iv == nil {
		return undefined
	}
	return iv.text(func(v float64) string { return print(v*times, dollarPlaces(v*times, se, times)) })
}

// dollarPlaces is how many decimals a sum is printed with: two at least, and to
// 1e-9 USD at most.
func dollarPlaces(v float64, se *float64, times float64) int {
	places := 2 - exponent(v)
	if se != nil && *se > 0 {
		places = supported(*se * times)
	}
	return min(max(places, 2), 9)
}

// exponent is that of the first digit: -3 for 0.00123; 0 for 0.
func exponent(v float64) int {
	if v == 0 {
		return 0
	}
	return int(math.Floor(math.Log10(math.Abs(v))))
}

// dollars prints a sum of money: $0.00123.
func dollars(v float64, places int) string {
	text := fixed(math.Abs(v), places)
	if v < 0 && fixed(v, places) != text {
		return "-$" + text
	}
	return "$" + text
}

// signedDollars prints a difference: with a sign unless it is 0.
func signedDollars(v float64, places int) string {
	text := dollars(v, places)
	if v > 0 && signed(v, places) != fixed(v, places) {
		return "+" + text
	}
	return text
}
