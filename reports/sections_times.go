package reports

import (
	"fmt"
	"time"
)

// timeDeltas is the section of paired differences of times, to live.
func timeDeltas(r Report) section {
	s := section{
		title: "Time: candidate - live on the same requests, quantiles in seconds, shares in points; negative is faster",
		table: columnsFor("", comparisonNames(r)...),
	}
	if len(r.Comparisons) == 0 {
		return s
	}
	s.rows("", r.Comparisons, func(c Comparison) ([]QuantileDelta, []OverDelta) { return c.Quantiles, c.Over })
	for _, c := range r.Comparisons {
		if c.FirstToken == nil {
			continue
		}
		s.rows("first token, ", r.Comparisons, func(c Comparison) ([]QuantileDelta, []OverDelta) {
			if c.FirstToken == nil {
				return nil, nil
			}
			return c.FirstToken.Quantiles, c.FirstToken.Over
		})
		break
	}
	if note := controlNote(r); note != "" {
		line(&s.table, "p95, to the control arm", r.Comparisons, func(c Comparison) string {
			if c.Control {
				return ""
			}
			return c.P95.text()
		})
		s.notes = []string{note}
	}
	for _, a := range r.Arms {
		if a.Latency.Left > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s: calls that the user left: %s; they may have taken any time, so the intervals of quantiles are wide or open on that side", a.Name, number(a.Latency.Left)))
		}
	}
	return s
}

// rows adds the quantiles and the shares over limits of one kind of time.
func (s *section) rows(prefix string, list []Comparison, of func(Comparison) ([]QuantileDelta, []OverDelta)) {
	var limits []OverDelta
	for _, c := range list {
		if _, over := of(c); len(over) > len(limits) {
			limits = over
		}
	}
	for i, p := range tailQuantiles() {
		line(&s.table, fmt.Sprintf("%sp%.0f", prefix, 100*p), list, func(c Comparison) string {
			if quantiles, _ := of(c); i < len(quantiles) {
				return quantiles[i].text()
			}
			return undefined
		})
	}
	for i, limit := range limits {
		line(&s.table, prefix+"over "+seconds(limit.Limit)+" s", list, func(c Comparison) string {
			if _, over := of(c); i < len(over) {
				return shareDeltaCell(over[i].Delta)
			}
			return undefined
		})
	}
}

// text is the difference in seconds with its interval, as exact as that allows.
func (d QuantileDelta) text() string {
	places := 2
	if d.Lower != nil && d.Upper != nil {
		places = decimals(new((*d.Upper - *d.Lower).Seconds() / 4))
	}
	print := func(t time.Duration) string { return signed(t.Seconds(), min(places, 3)) }
	bound := func(t *time.Duration) string {
		if t == nil {
			return "open"
		}
		return print(*t)
	}
	switch {
	case d.Delta != nil:
		return fmt.Sprintf("%s s (%s to %s)", print(*d.Delta), bound(d.Lower), bound(d.Upper))
	case d.Lower != nil:
		return "at least " + print(*d.Lower) + " s"
	case d.Upper != nil:
		return "at most " + print(*d.Upper) + " s"
	}
	return undefined
}

// speedRows add how fast answers were written, and what went into thinking, where
// any arm tells.
func speedRows(s *section, arms []ArmReport) {
	rate := func(name string, of func(ArmReport) Rate) {
		if countFunc(arms, func(a ArmReport) bool { return of(a).N > 0 }) == 0 {
			return
		}
		line(&s.table, name, arms, func(a ArmReport) string {
			r := of(a)
			if r.N == 0 {
				return undefined
			}
			return fmt.Sprintf("%s (%s, n %s)", three(*r.Median), three(*r.P5), number(r.N))
		})
	}
	rate("tokens per s, streamed: median (p5)", func(a ArmReport) Rate { return a.Speed.Streamed })
	rate("tokens per s, in one piece: median (p5)", func(a ArmReport) Rate { return a.Speed.Whole })
	if countFunc(arms, func(a ArmReport) bool { return a.Reasoning.Any.N > 0 }) == 0 {
		return
	}
	line(&s.table, "answers with reasoning tokens", arms, func(a ArmReport) string { return shareText(a.Reasoning.Any) })
	line(&s.table, "reasoning tokens, median of those", arms, func(a ArmReport) string {
		return or(a.Reasoning.Median, unsigned(0))
	})
}

// three prints with three significant digits, and no decimals from 100 on.
func three(v float64) string {
	d := 2
	for limit := 10.0; v >= limit && d > 0; limit *= 10 {
		d--
	}
	return fixed(v, d)
}
