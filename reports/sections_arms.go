package reports

import (
	"fmt"
	"slices"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

func armNames(r Report) []shadow.Arm {
	out := make([]shadow.Arm, len(r.Arms))
	for i, a := range r.Arms {
		out[i] = a.Name
	}
	return out
}

func tailSection(r Report) section {
	s := section{
		title: "Time to the whole answer, in seconds; lower is better; a failed call counts as slower than any limit",
		table: columnsFor("", armNames(r)...),
	}
	tails := make([]Tail, len(r.Arms))
	for i, a := range r.Arms {
		tails[i] = a.Latency
	}
	differ := fillTails(&s, tails)
	line(&s.table, "output tokens, median", r.Arms, func(a ArmReport) string {
		return or(a.TokensOut.Median, func(v float64) string { return fmt.Sprintf("%s (n %s)", fixed(v, 0), number(a.TokensOut.N)) })
	})
	speedRows(&s, r.Arms)
	measured := vantageNote(r)
	if differ {
		measured += "; \"answers only\" leaves calls without a whole answer out and decides nothing"
	}
	s.notes = append(s.notes, measured)
	if slices.ContainsFunc(tails, Tail.extreme) {
		s.notes = append(s.notes, extremeNote("times"))
	}
	for _, a := range r.Arms {
		if a.Latency.Left > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s: calls that the user left: %s; in quantiles they count at the time of leaving, so these are lower bounds (≥), and in their upper bounds as of any time; a share over a limit leaves out those left before it", a.Name, number(a.Latency.Left)))
		}
	}
	return s
}

func firstTokenSection(r Report) section {
	s := section{
		title: "Time to the first token of streamed answers, in seconds; lower is better",
		table: columnsFor("", armNames(r)...),
	}
	tails, any := make([]Tail, len(r.Arms)), false
	for i, a := range r.Arms {
		if a.FirstToken != nil {
			tails[i], any = *a.FirstToken, true
		}
	}
	if any {
		fillTails(&s, tails)
	}
	return s
}

// fillTails adds the rows of one kind of time, an arm per column. It reports whether
// a call failed or was left: only then do answers alone differ, and have own rows.
func fillTails(s *section, tails []Tail) (differ bool) {
	differ = slices.ContainsFunc(tails, func(t Tail) bool { return t.Failed+t.Left > 0 })
	line(&s.table, "calls", tails, func(t Tail) string { return number(t.Calls) })
	line(&s.table, "of them failed (timed out)", tails, func(t Tail) string { return fmt.Sprintf("%s (%s)", number(t.Failed), number(t.TimedOut)) })
	for i, p := range []string{"p50", "p95", "p99"} {
		quantile := func(f func(Quantile) string) func(Tail) string {
			return func(t Tail) string {
				if i >= len(t.Quantiles) || t.Calls == 0 {
					return undefined
				}
				return f(t.Quantiles[i])
			}
		}
		line(&s.table, p, tails, quantile(Quantile.valueText))
		line(&s.table, p+", interval", tails, quantile(Quantile.intervalText))
		if differ {
			line(&s.table, p+", answers only", tails, quantile(func(q Quantile) string { return tookOr(q.Answers) }))
		}
	}
	longest := slices.MaxFunc(tails, func(a, b Tail) int { return len(a.Over) - len(b.Over) })
	for i, over := range longest.Over {
		share := func(f func(OverLimit) Share) func(Tail) string {
			return func(t Tail) string {
				if i >= len(t.Over) {
					return undefined
				}
				return shareText(f(t.Over[i]))
			}
		}
		name := "over " + seconds(over.Limit) + " s"
		line(&s.table, name, tails, share(func(o OverLimit) Share { return o.Share }))
		if differ {
			line(&s.table, name+", answers only", tails, share(func(o OverLimit) Share { return o.Answers }))
		}
	}
	return differ
}

// extreme says that an interval of a share over a limit is [Share.extreme].
func (t Tail) extreme() bool {
	return slices.ContainsFunc(t.Over, func(o OverLimit) bool { return o.Share.extreme() })
}

// extremeNote says where the interval of a share of 0 or 100 % comes from.
func extremeNote(what string) string {
	return fmt.Sprintf("0 and 100 %% do not tell how alike the answers of a session are: their intervals are Wilson's with as many independent answers as the %s leave, at worst one a session", what)
}

// valueText is the quantile, or "≥ 20.0 s" where it lies among time-outs, or
// "> 2.68 s" where it lies among failures.
func (q Quantile) valueText() string {
	switch {
	case q.Value != nil && q.LowerBound:
		return "≥ " + took(*q.Value)
	case q.Value != nil:
		return took(*q.Value)
	case q.AtLeast != nil && q.Exceeds:
		return "> " + took(*q.AtLeast)
	case q.AtLeast != nil:
		return "≥ " + took(*q.AtLeast)
	}
	return "failed"
}

func (q Quantile) intervalText() string {
	lower, upper := "open", "open"
	if q.Lower != nil {
		lower = took(*q.Lower)
	}
	switch {
	case q.Upper != nil:
		upper = took(*q.Upper)
	case q.Longest != nil:
		upper = "> " + took(*q.Longest)
	}
	return lower + " to " + upper
}

func shareText(s Share) string {
	if s.Share == nil {
		return undefined
	}
	return percent(*s.Share) + " (" + s.Interval.text(percentNumber) + ")"
}

func gradesPerArm(r Report) section {
	s := section{title: "Grades per arm (1 best, 6 worst), over all its graded answers", table: columnsFor("", armNames(r)...)}
	line(&s.table, "graded", r.Arms, func(a ArmReport) string { return number(a.Graded) })
	line(&s.table, "mean grade", r.Arms, func(a ArmReport) string { return or(a.Mean.Value, unsigned(decimals(a.Mean.SE))) })
	line(&s.table, "SE, clustered by session", r.Arms, func(a ArmReport) string { return or(a.Mean.SE, unsigned(decimals(a.Mean.SE))) })
	for g := rubric.Best; g <= rubric.Worst; g++ {
		line(&s.table, fmt.Sprintf("grade %d", g), r.Arms, func(a ArmReport) string { return number(a.Grades[g-rubric.Best]) })
	}
	line(&s.table, "grades 5-6", r.Arms, func(a ArmReport) string { return shareText(a.Poor) })
	for _, a := range r.Arms {
		if a.Weighted {
			s.notes = append(s.notes, fmt.Sprintf("%s: the mean is weighted by 1/chance of being sampled; counts and shares are not", a.Name))
		}
	}
	return s
}
