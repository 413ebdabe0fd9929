package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow"
)

// changesSection says what moved since the week before, the live arm's own move first.
func changesSection(r Report) section {
	c := r.Changes
	if c == nil {
		return section{}
	}
	s := section{title: fmt.Sprintf("Changes from %s to %s, after - before; by size in SE, negative is better, but for none", c.Before, c.Week)}
	if len(c.List) == 0 {
		s.sentences = []string{"nothing can be compared: " + c.without(r.Trend)}
		return s
	}
	s.sentences = append(s.sentences, c.liveSentence(r.Marks))
	for _, x := range c.List {
		if x.Beyond && !x.isLiveMean() {
			s.sentences = append(s.sentences, x.sentence())
		}
	}
	s.sentences = append(s.sentences, c.chanceSentence())
	if c.Incomplete {
		s.sentences = append(s.sentences, "not two whole weeks: days of the week that one of them lacks may explain a change")
	}
	s.table.head = []string{"arm", "figure", "before", "after", "change", "SE", "in SE", "interval"}
	var still []string
	for _, x := range c.List {
		if x.InSE == nil && x.Delta == 0 {
			still = append(still, fmt.Sprintf("%s %s", x.Arm, x.name()))
			continue
		}
		s.table.rows = append(s.table.rows, x.row())
	}
	s.notes = c.notes(still)
	return s
}

// without names which of the two weeks has no rows.
func (c *Changes) without(trend []TrendWeek) string {
	var none []string
	for _, t := range trend {
		if t.Samples == 0 && (t.Week == c.Before || t.Week == c.Week) {
			none = append(none, t.Week)
		}
	}
	switch len(none) {
	case 0:
		return fmt.Sprintf("no arm has a figure in both %s and %s", c.Before, c.Week)
	case 1:
		return none[0] + " has no rows"
	}
	return "neither week has rows"
}

// notes say what the figures are, and which did not move at all.
func (c *Changes) notes(still []string) []string {
	out := []string{"shares in %, their changes in points; SE is of the difference, clustered by session, the weeks as independent; p95 has an interval and no SE"}
	if len(still) > 0 {
		out = append(out, "exactly the same in both weeks: "+strings.Join(still, ", "))
	}
	if c.Spanning > 0 {
		out = append(out, fmt.Sprintf("%s in both weeks, so these are not wholly independent", spanningText(c.Spanning)))
	}
	if slices.ContainsFunc(c.List, func(x Change) bool { return x.Figure == FigureProblem }) {
		out = append(out, "where a problem stands out, its p is by Holm over the closed list, for its arm; nothing else is adjusted")
	}
	return out
}

func spanningText(n int) string {
	if n == 1 {
		return "1 session lies"
	}
	return fmt.Sprintf("%d sessions lie", n)
}

func (c Change) isLiveMean() bool { return c.Arm == shadow.Live && c.Figure == FigureMean }

// liveSentence tells how live itself moved: nobody meant it to, unless it was released.
func (c *Changes) liveSentence(marks []Mark) string {
	for _, x := range c.List {
		if !x.isLiveMean() {
			continue
		}
		text := "live itself: " + x.moved()
		if x.Beyond {
			text += "; " + c.suspects(marks)
		}
		return text
	}
	return "live itself: no mean grade in one of the weeks, so a change of judge or traffic would not show"
}

// suspects are the marks of the two weeks that may be a release of live; without one
// it is something that nobody meant to change.
func (c *Changes) suspects(marks []Mark) string {
	var out []string
	for _, m := range marks {
		if week := WeekOf(m.Time).String(); m.explains() && (week == c.Week || week == c.Before) {
			out = append(out, m.Time.Format(dayFormat)+" "+m.words())
		}
	}
	const most = 3
	switch {
	case len(out) == 0:
		return "nothing marks a release of live, so suspect the judge or the traffic"
	case len(out) > most:
		out = append(out[:most], fmt.Sprintf("and %d more", len(out)-most))
	}
	return "marked in these weeks: " + strings.Join(out, "; ")
}

// sentence names a change beyond 2 SE.
func (c Change) sentence() string {
	text := fmt.Sprintf("%s, %s: %s", c.Arm, c.name(), c.moved())
	if c.PHolm != nil {
		text += fmt.Sprintf(", p %s by Holm", pValue(*c.PHolm))
	}
	return text
}

// moved is a change in words, with its size in SE.
func (c Change) moved() string {
	before, after, delta, _ := c.texts()
	unit := map[string]string{unitShare: " points", unitSeconds: " s", unitGrades: " grades"}[c.Unit]
	text := fmt.Sprintf("from %s to %s, %s%s", before, after, delta, unit)
	switch {
	case c.InSE != nil:
		text += fmt.Sprintf(" (%s SE)", signed(*c.InSE, 1))
	case c.Interval != nil:
		text += fmt.Sprintf(" (interval %s)", c.intervalText())
	}
	return text
}

// chanceSentence says among how many figures the largest were looked for.
func (c *Changes) chanceSentence() string {
	n := 0
	for _, x := range c.List {
		if x.Beyond && x.InSE != nil {
			n++
		}
	}
	const beyond = 0.0455 // of a normal distribution beyond 2 standard deviations
	return fmt.Sprintf("%s compared, %d beyond 2 SE; about %s would be so by chance alone",
		countedWere(c.Compared), n, fixed(beyond*float64(c.Compared), 1))
}

func countedWere(n int) string {
	if n == 1 {
		return "1 figure was"
	}
	return fmt.Sprintf("%d figures were", n)
}

func (c Change) row() []string {
	before, after, delta, se := c.texts()
	return []string{string(c.Arm), c.name(), before, after, delta, se, or(c.InSE, func(v float64) string { return signed(v, 1) }), c.intervalText()}
}

// name is a figure in words.
func (c Change) name() string {
	switch c.Figure {
	case FigureOver:
		return "over " + seconds(*c.Limit) + " s"
	case FigureFailures:
		return "failed"
	case FigureProblem:
		return "problem " + string(c.Problem)
	case FigureP95:
		return "p95"
	}
	return "mean grade"
}

// texts are the figures of a change as their unit is printed.
func (c Change) texts() (before, after, delta, se string) {
	switch c.Unit {
	case unitShare:
		return percent(c.Before), percent(c.After), points(c.Delta), or(c.SE, percentNumber)
	case unitSeconds:
		return fixed(c.Before, 2) + " s", fixed(c.After, 2) + " s", signed(c.Delta, 2), "-"
	}
	d := decimals(c.SE)
	return fixed(c.Before, d), fixed(c.After, d), signed(c.Delta, d), or(c.SE, unsigned(d))
}

func (c Change) intervalText() string {
	switch c.Unit {
	case unitShare:
		return c.Interval.text(points)
	case unitSeconds:
		return c.Interval.text(func(v float64) string { return signed(v, 2) })
	}
	d := decimals(c.SE)
	return c.Interval.text(func(v float64) string { return signed(v, d) })
}
