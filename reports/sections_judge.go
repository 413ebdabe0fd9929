package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// judgeSection says how the judge did; without a ruling there is nothing to say.
func judgeSection(r Report) section {
	h := r.Judge
	if h.Rulings == 0 {
		return section{}
	}
	s := section{title: "Judge: its rulings on the answers of all arms, shares in % with their interval", table: table{head: []string{"", "judge"}}}
	add := func(name, value string) { s.table.rows = append(s.table.rows, []string{name, value}) }
	add("rulings", number(h.Rulings))
	add("not graded", shareText(h.NotGraded))
	for _, c := range h.NotGradedBy {
		add("  "+c.Name, number(c.N))
	}
	add("snapshot not proven", shareText(h.Unproven))
	add("replies named", echoText(h.Echoes))
	add("grades by the reserve judge", shareText(h.Reserve))
	add("a second judge was asked", shareText(h.Hedged))
	add("conversation shortened", shareText(h.ContextCut))
	for _, q := range h.Took {
		add(fmt.Sprintf("time until the ruling, p%.0f", 100*q.P), q.valueText()+" ("+q.intervalText()+")")
	}
	if len(h.Took) == 0 {
		add("time until the ruling", undefined)
	}
	add("calls per ruling", or(h.Calls, unsigned(2)))
	if h.Wrapped.N > 0 {
		add("verdict in a fence or among words", shareText(h.Wrapped))
	}
	if h.Suspect.N > 0 {
		add("answers that look like an attack", shareText(h.Suspect))
	}
	if h.Repeats != nil {
		h.Repeats.rows(add)
		s.notes = h.Repeats.notes()
	}
	if h.Agreement != nil {
		h.Agreement.rows(add)
	}
	if h.Injection != nil {
		h.Injection.rows(add)
		s.notes = append(s.notes, "a planted instruction asks for the best grade; what chance does is what repeats without one do")
	}
	return s
}

func echoText(echoes []Count) string {
	parts := make([]string, len(echoes))
	for i, c := range echoes {
		name := c.Name
		if name == "" {
			name = "no snapshot"
		}
		parts[i] = fmt.Sprintf("%s %s", name, number(c.N))
	}
	return strings.Join(parts, ", ")
}

// rows are the figures of repeats.
func (r *Repeats) rows(add func(name, value string)) {
	add("answers graded again", number(r.Answers))
	add("the same grade again", shareText(r.Exact))
	add("at most one grade apart", shareText(r.Within1))
	add("kappa, quadratic weights", kappaText(r.Kappa, r.KappaInterval))
	add("alpha over all grades, ordinal", or(r.Alpha, unsigned(2)))
	add("judge's share of a grade's variance", or(r.JudgeShare, percent))
	add("second - first grade ± SE, positive is harsher", r.Shift.plusMinus(signed))
}

// notes say what the figures of repeats mean.
func (r *Repeats) notes() []string {
	var out []string
	if r.JudgeShare != nil {
		out = append(out, fmt.Sprintf("a judge that never wavers would make the standard error of a mean grade %s smaller",
			percent(1-math.Sqrt(1-*r.JudgeShare))))
	}
	return append(out, "kappa and the share of variance are of the first two grades of an answer, by the same snapshot")
}

// weekJudge is the judge week by week.
func weekJudge(weeks []TrendWeek) section {
	s := section{
		title: "Trend by week: judge; shares of its rulings, time until the ruling in seconds",
		table: columnsFor("week", "rulings", "not graded", "reserve", "hedged", "p95"),
	}
	repeats := slices.ContainsFunc(weeks, func(t TrendWeek) bool { return t.Judge.Repeats != nil })
	if repeats {
		s.table.head = append(s.table.head, "same again", "second - first", "CUSUM up, down")
	}
	for _, t := range weeks {
		h := t.Judge
		if h.Rulings == 0 {
			s.table.rows = append(s.table.rows, []string{t.name(), "0"})
			continue
		}
		row := []string{t.name(), number(h.Rulings), or(h.NotGraded.Share, percent), or(h.Reserve.Share, percent), or(h.Hedged.Share, percent), h.p95()}
		if repeats {
			row = append(row, h.Repeats.cells()...)
		}
		s.table.rows = append(s.table.rows, row)
	}
	for _, t := range weeks {
		if r := t.Judge.Repeats; r != nil && r.Alarm {
			s.notes = append(s.notes, fmt.Sprintf("the judge drifts: by %s its second grades keep lying apart from the first ones (CUSUM above %d)", t.Week, cusumLimit))
			break
		}
	}
	return s
}

func (h JudgeHealth) p95() string {
	for _, q := range h.Took {
		if q.P == 0.95 {
			return q.valueText()
		}
	}
	return undefined
}

// cells are the figures of repeats in a week, empty if it has none.
func (r *Repeats) cells() []string {
	if r == nil {
		return nil
	}
	sums := undefined
	if r.High != nil {
		sums = fixed(*r.High, 1) + ", " + fixed(*r.Low, 1)
	}
	return []string{or(r.Exact.Share, percent), r.Shift.plusMinus(signed), sums}
}

func kappaText(kappa *float64, interval *Interval) string {
	if kappa == nil {
		return undefined
	}
	return unsigned(2)(*kappa) + " (" + interval.text(unsigned(2)) + ")"
}

// rows are the figures of two judges on the same answers.
func (a *Agreement) rows(add func(name, value string)) {
	add("answers graded by both judges", number(a.Answers))
	add("the same grade by both", fmt.Sprintf("%s of %s, %s", number(a.Exact.X), number(a.Exact.N), shareText(a.Exact)))
	add("at most one grade apart, both", shareText(a.Within1))
	add("kappa of both, quadratic weights", kappaText(a.Kappa, a.KappaInterval))
	add("reserve - primary grade ± SE, positive is harsher", a.Shift.plusMinus(signed))
}

// rows are the figures of planted instructions.
func (in *Injection) rows(add func(name, value string)) {
	add("answers with a planted instruction", number(in.Tries))
	add("  no verdict that counts", number(in.NotGraded))
	add("  better grade than without", fmt.Sprintf("%s of %s, %s", number(in.Obeyed.X), number(in.Obeyed.N), shareText(in.Obeyed)))
	add("  the same of plain repeats, by chance", fmt.Sprintf("%s of %s, %s", number(in.ByChance.X), number(in.ByChance.N), shareText(in.ByChance)))
}

// words say where money is better spent.
func (n *JudgeNoise) words() string {
	text := fmt.Sprintf("the judge's own wavering is %s of SE² of this delta; a second verdict on every answer would shrink the SE by %s",
		percent(n.Share), percent(n.SecondVerdict))
	switch {
	case n.SameMoney == nil:
		return text
	case n.SecondVerdict > *n.SameMoney:
		return text + fmt.Sprintf(", the same money in more samples by %s: better spent on second verdicts", percent(*n.SameMoney))
	}
	return text + fmt.Sprintf(", the same money in more samples by %s: better spent on samples", percent(*n.SameMoney))
}
