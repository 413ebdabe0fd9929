package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Text writes the plan for a terminal of width columns; 0 is no limit.
func (p Plan) Text(w io.Writer, width int) error { return pageText(w, width, p.head(), p.sections()) }

// Markdown writes the plan as GitHub shows it.
func (p Plan) Markdown(w io.Writer) error { return pageMarkdown(w, p.head(), p.sections()) }

// pageText writes the lines of a head, and sections, for a terminal of width columns.
func pageText(w io.Writer, width int, head []string, sections []section) error {
	var b bytes.Buffer
	for _, line := range head {
		writeWrapped(&b, "", clean(line), width)
	}
	for _, s := range sections {
		if err := s.text(&b, width); err != nil {
			return err
		}
	}
	return write(w, b.Bytes())
}

// pageMarkdown writes the same as GitHub shows it; the first line of the head is the title.
func pageMarkdown(w io.Writer, head []string, sections []section) error {
	var b bytes.Buffer
	for i, line := range head {
		prefix := "- "
		if i == 0 {
			prefix = "# "
		}
		fmt.Fprintf(&b, "%s%s\n", prefix, markdown(clean(line)))
		if i == 0 {
			b.WriteByte('\n')
		}
	}
	for _, s := range sections {
		if err := s.markdown(&b); err != nil {
			return err
		}
	}
	return write(w, b.Bytes())
}

// JSON writes the plan as one object, indented. What does not exist is null.
func (p Plan) JSON(w io.Writer) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("plan as JSON: %w", err)
	}
	return write(w, append(data, '\n'))
}

// head says in a few lines how long it will take, what is known at the end, and
// what cannot be decided by then.
func (p Plan) head() []string {
	title := "plan"
	if p.Name != "" {
		title += " for " + p.Name
	}
	gate := fmt.Sprintf("gate: no worse than %s grades, two-sided alpha %s, %s planned; ",
		limitNumber(p.Gate.Margin), p.alpha(), counted(p.Gate.PlannedPairs, "pair"))
	out := []string{title, p.Volume.words(), gate + p.dates(), "a candidate as good as live: " + p.asGood(), "a candidate that is better: " + p.better(), p.End.words(p)}
	if cost := p.Week.words(); cost != "" {
		out = append(out, cost)
	}
	for _, warning := range append(p.Week.warnings(), p.Warnings...) {
		out = append(out, "warning: "+warning)
	}
	return out
}

// alpha is the gate's, and what of it the first of several candidates must hold at.
func (p Plan) alpha() string {
	text := limitText(p.Gate.Alpha) + " %"
	if p.Candidates > 1 {
		text += fmt.Sprintf(" (%s %% for the first of %d candidates, by Holm)", limitText(p.Gate.Alpha/float64(p.Candidates)), p.Candidates)
	}
	return text
}

// words says what a plan rests on.
func (v Volume) words() string {
	sessions, from := "sessions of one pair", "assumed"
	switch {
	case v.Measured > 0 && v.PairsPerSession > 1:
		sessions = fmt.Sprintf("sessions of %.3g pairs, which the standard deviation takes in", v.PairsPerSession)
	case v.PairsPerSession > 1:
		sessions = fmt.Sprintf("sessions of %.4g pairs that correlate by %.4g", v.PairsPerSession, v.ICC)
	}
	if v.Measured > 0 {
		from = "measured on " + counted(v.Measured, "pair")
	}
	return fmt.Sprintf("%s graded pairs a day, whose differences have a standard deviation of %.3g (in grades), in %s (%s)", volume(v.PairsPerDay), v.SD, sessions, from)
}

// volume prints pairs a day with four digits, and commas where they are many.
func volume(pairs float64) string {
	if pairs >= 10_000 && pairs < maxProjection {
		return number(int(pairs + 0.5))
	}
	return fmt.Sprintf("%.4g", pairs)
}

func (p Plan) dates() string {
	switch {
	case p.Start.IsZero():
		return "no dates"
	case p.Stop.IsZero():
		return "from " + p.date(1) + " (UTC), no stop date"
	}
	return fmt.Sprintf("from %s to %s (UTC), %s", p.date(1), p.date(*p.End.Day), counted(*p.End.Day, "day"))
}

func (p Plan) asGood() string {
	n := p.Needed[0]
	return fmt.Sprintf("%q shows after %s if looked at every day, after %s if looked at once", "no worse", p.sizeWords(n.Daily), p.sizeWords(n.Once))
}

func (p Plan) better() string {
	var parts []string
	for _, n := range p.Needed[1:] {
		parts = append(parts, fmt.Sprintf("by %s after %s", fixed(-n.Difference, 1), p.sizeWords(n.Daily)))
	}
	return strings.Join(parts, ", ") + ", if looked at every day"
}

func (p Plan) sizeWords(s Size) string {
	switch {
	case s.N == nil:
		return "more than a billion pairs"
	case s.Day == nil:
		return number(*s.N) + " pairs (over a hundred years)"
	}
	return fmt.Sprintf("%s pairs (day %s)", number(*s.N), p.dayText(s.Day))
}

// words say what is known at the end.
func (e End) words(p Plan) string {
	when := fmt.Sprintf("with the %s (day %s)", counted(e.Pairs, "planned pair"), p.dayText(e.Day))
	if p.stops() {
		when = fmt.Sprintf("by the stop, on day %s with %s", number(*e.Day), counted(e.Pairs, "pair"))
	}
	if e.PassAsGood == nil {
		return when + ", the burn-in has not ended: nothing is known of the grades"
	}
	return fmt.Sprintf("%s, the gate finds a candidate that is as good as live no worse with a chance of at least %.0f %%, and with %.0f %% from a true difference of %s on (negative is better)",
		when, 100**e.PassAsGood, 100*p.Power, signed(*e.PassFrom, 2))
}

// warnings are what cannot be decided by the stop, or with the planned pairs.
func (p Plan) warnings() []string {
	if !p.stops() {
		return p.tooFewPlanned()
	}
	last := p.date(*p.End.Day)
	late := func(s Size) bool { return s.Day == nil || *s.Day > *p.End.Day }
	out := []string{}
	switch {
	case p.End.PassAsGood == nil:
		out = append(out, fmt.Sprintf("the burn-in ends after the last day, %s: every candidate will be undecided, which is a no-go", last))
	case *p.End.PassAsGood < p.Power:
		out = append(out, fmt.Sprintf("the last day, %s, comes too early for a candidate as good as live: it stays undecided, a no-go, with a chance of up to %.0f %%; "+
			"%s give %.0f %%, so more pairs a day, a later stop or a wider margin would help",
			last, 100*(1-*p.End.PassAsGood), p.sizeWords(p.Needed[0].Daily), 100*p.Power))
	}
	if planned := (Size{Day: p.plannedDay()}); late(planned) {
		out = append(out, fmt.Sprintf("the %s planned pairs are not reached by the last day, %s; plan with the %s that are", number(p.Gate.PlannedPairs), last, number(p.End.Pairs)))
	}
	for _, s := range p.Steps {
		guard := s.Half != nil || s.Code == CodeP95Increase
		switch {
		case guard && late(s.First):
			out = append(out, fmt.Sprintf("%s: cannot pass by the last day, %s; it takes %s at least", s.What, last, p.callWords(s.First)))
		case s.Half != nil && late(*s.Half):
			out = append(out, fmt.Sprintf("%s: at half the limit it would still be open on the last day, %s; that takes %s", s.What, last, p.callWords(*s.Half)))
		}
	}
	return out
}

// tooFewPlanned warns of planned pairs with which a candidate as good as live will
// hardly pass.
func (p Plan) tooFewPlanned() []string {
	planned := counted(p.Gate.PlannedPairs, "planned pair")
	switch {
	case p.End.PassAsGood == nil:
		return []string{fmt.Sprintf("the burn-in does not end within the %s", planned)}
	case *p.End.PassAsGood >= p.Power:
		return []string{}
	}
	enough := "more than a billion"
	if n := p.Needed[0].Daily.N; n != nil {
		enough = number(*n)
	}
	return []string{fmt.Sprintf("with the %s a candidate as good as live passes with a chance of about %.0f %% only, where pairs differ by a standard deviation of %.3g; %s planned pairs give %.0f %%",
		planned, 100**p.End.PassAsGood, p.Volume.SD, enough, 100*p.Power)}
}

func (p Plan) callWords(s Size) string { return strings.Replace(p.sizeWords(s), " pairs", " calls", 1) }

func (p Plan) plannedDay() *int {
	for _, v := range p.Visible {
		if v.Week == 0 {
			return v.Day
		}
	}
	return nil
}
