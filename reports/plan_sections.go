package reports

import "fmt"

// sections are the tables of a plan.
func (p Plan) sections() []section {
	all := []section{p.visibleSection(), p.neededSection(), p.stepsSection()}
	if len(p.Week.Parts) > 0 {
		all = append(all, p.Week.section())
	}
	return all
}

func (p Plan) visibleSection() section {
	s := section{
		title: fmt.Sprintf("Smallest true difference of mean grades that shows, in grades, in either direction (%.0f %% power, two-sided alpha %s)", 100*p.Power, p.alpha()),
		table: table{head: []string{"", "day", "pairs", "looked at once", "looked at every day", fmt.Sprintf("every day, %s planned", number(p.Gate.PlannedPairs))}},
		notes: []string{
			`"looked at once" holds for one look, then; "looked at every day" for the anytime interval of a gate that plans with just these pairs, the last column for the one of this gate`,
		},
	}
	for _, v := range p.Visible {
		name := fmt.Sprintf("week %d", v.Week)
		if v.Week == 0 {
			name = "planned"
		}
		if v.Day != nil && !p.Start.IsZero() {
			name += ", to " + p.date(*v.Day)
		}
		daily := func(d *float64) string {
			if d == nil && v.Once != nil {
				return "burn-in"
			}
			return visibleText(d)
		}
		s.table.rows = append(s.table.rows, []string{name, p.dayText(v.Day), number(v.Pairs), visibleText(v.Once), daily(v.Daily), daily(v.Gate)})
	}
	return s
}

// visibleText prints a difference; grades 1..6 cannot differ by more than 5.
func visibleText(d *float64) string {
	if d != nil && *d > widest {
		return "none"
	}
	return or(d, unsigned(2))
}

func (p Plan) neededSection() section {
	s := section{
		title: fmt.Sprintf("Pairs that are needed to show it (%.0f %% power); candidate - live, negative is better", 100*p.Power),
		table: table{head: []string{"what shows", "true difference", "looked at once", "day", "looked at every day", "day"}},
		notes: []string{`a go needs "no worse" and every guard; a better candidate reaches it sooner`},
	}
	for _, n := range p.Needed {
		what := "better"
		if n.Shows == CodeNoWorse {
			what = "no worse than " + limitNumber(p.Gate.Margin)
		}
		s.table.rows = append(s.table.rows, []string{what, signed(n.Difference, 2), n.Once.text(), p.dayText(n.Once.Day), n.Daily.text(), p.dayText(n.Daily.Day)})
	}
	return s
}

func (p Plan) stepsSection() section {
	s := section{
		title: fmt.Sprintf("When it can be decided at all, in calls or pairs (%s %% intervals)", limitText(p.Level)),
		table: table{head: []string{"", "at the earliest", "day", "at half the limit", "day"}},
		notes: []string{
			`"at the earliest": not one case is seen; "at half the limit": cases are half as frequent as allowed; calls are taken as independent, one a pair`,
		},
	}
	for _, step := range p.Steps {
		row := []string{step.What, step.First.text(), p.dayText(step.First.Day), "", ""}
		if step.Half != nil {
			row[3], row[4] = step.Half.text(), p.dayText(step.Half.Day)
		}
		s.table.rows = append(s.table.rows, row)
	}
	return s
}

func (s Size) text() string {
	if s.N == nil {
		return "over a billion"
	}
	return number(*s.N)
}

// dayText prints a day's number, and whether the experiment has stopped by then.
func (p Plan) dayText(day *int) string {
	switch {
	case day == nil:
		return "out of reach"
	case p.stops() && *day > *p.End.Day:
		return number(*day) + ", after the stop"
	}
	return number(*day)
}

// date is the UTC date of a day.
func (p Plan) date(day int) string { return p.Start.UTC().AddDate(0, 0, day-1).Format(dayFormat) }

// stops reports whether the last day is known.
func (p Plan) stops() bool { return !p.Start.IsZero() && !p.Stop.IsZero() }
