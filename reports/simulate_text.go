package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// Text writes the simulation for a terminal of width columns; 0 is no limit.
func (s Simulation) Text(w io.Writer, width int) error {
	return pageText(w, width, s.head(), s.sections())
}

// Markdown writes the simulation as GitHub shows it.
func (s Simulation) Markdown(w io.Writer) error { return pageMarkdown(w, s.head(), s.sections()) }

// JSON writes the simulation as one object, indented. What does not exist is null.
func (s Simulation) JSON(w io.Writer) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("simulation as JSON: %w", err)
	}
	return write(w, append(data, '\n'))
}

func (s Simulation) head() []string {
	lines := []string{
		"simulated on " + s.Experiment,
		fmt.Sprintf("%s in %s, the same for every row; intervals: %s %% of %d draws of the sessions, for shares of 0 and 100 %% Wilson's with the sessions as n",
			counted(s.Samples, "sample"), counted(s.Sessions, "session"), limitText(s.Level), s.Resamples),
	}
	if s.Sessions < 2 {
		lines = append(lines, "no intervals: they need two sessions at least")
	}
	if len(s.LeftOut) > 0 {
		var parts []string
		for _, why := range slices.Sorted(maps.Keys(s.LeftOut)) {
			parts = append(parts, fmt.Sprintf("%s: %d", why, s.LeftOut[why]))
		}
		lines = append(lines, "samples left out: "+strings.Join(parts, "; "))
	}
	return lines
}

func (s Simulation) sections() []section {
	return []section{s.timeSection(), s.overSection(), s.qualitySection(), s.costSection(), s.servedSection(), {title: "What this rests on", sentences: s.Assumptions}}
}

// figure prints a value with its interval behind it.
func (f Figure) text(print func(float64) string) string {
	switch {
	case f.Value == nil:
		return undefined
	case f.Interval == nil:
		return print(*f.Value)
	}
	return print(*f.Value) + " (" + f.Interval.text(print) + ")"
}

func plainSeconds(v float64) string {
	return strings.TrimSuffix(took(time.Duration(v*float64(time.Second))), " s")
}

func (s Simulation) timeSection() section {
	t := section{
		title: "Time until the answer is whole or the request has failed, in seconds; lower is better",
		table: table{head: []string{"", "p50", "p95", "p99"}},
	}
	for _, p := range s.Plays {
		t.table.rows = append(t.table.rows, []string{p.title(), p.P50.text(plainSeconds), p.P95.text(plainSeconds), p.P99.text(plainSeconds)})
	}
	return t
}

func (s Simulation) overSection() section {
	t := section{title: "Requests that took longer, and that failed, in percent; lower is better", table: table{head: []string{""}}}
	for _, limit := range s.Limits {
		t.table.head = append(t.table.head, "over "+limit.String())
	}
	t.table.head = append(t.table.head, "failed")
	for _, p := range s.Plays {
		row := []string{p.title()}
		for _, over := range p.Over {
			row = append(row, over.text(percentNumber))
		}
		t.table.rows = append(t.table.rows, append(row, p.Failed.text(percentNumber)))
	}
	return t
}

func (p PolicyPlay) title() string {
	if p.Arm {
		return p.Name + " alone"
	}
	return p.Name
}

func (s Simulation) qualitySection() section {
	q := section{
		title: "Grades of what goes out (1 is best); lower is better",
		table: table{head: []string{"", "graded", "mean grade", "minus live", "grades 5-6, %"}},
	}
	for _, p := range s.Plays {
		delta := p.Delta.text(func(v float64) string { return signed(v, 2) })
		if p.isLive() {
			delta = ""
		}
		q.table.rows = append(q.table.rows, []string{p.title(), number(p.Grade.N), p.Grade.text(unsigned(2)), delta, p.Poor.text(percentNumber)})
	}
	return q
}

func (s Simulation) costSection() section {
	c := section{
		title: "What it costs; lower is better",
		table: table{head: []string{"", "USD per 1,000", "calls a request", "false failovers, %"}},
	}
	for _, p := range s.Plays {
		missed := p.False.text(percentNumber)
		if p.Arm {
			missed = ""
		}
		c.table.rows = append(c.table.rows, []string{p.title(), p.Cost.text(unsigned(2)), p.Calls.text(unsigned(2)), missed})
	}
	if n := s.Plays[0].Cost.N; n < s.Samples {
		c.notes = append(c.notes, fmt.Sprintf("USD: over the %s of %s of which the cost of every arm's answer is known; the others may cost more or less", number(n), counted(s.Samples, "request")))
	}
	if s.ThenUSD > 0 {
		c.notes = append(c.notes, fmt.Sprintf("USD: with %g for what follows each answer", s.ThenUSD))
	}
	c.notes = append(c.notes, "false failovers: another model's answer goes out, or none, although the first one asked would still have answered within the budget")
	return c
}

func (s Simulation) servedSection() section {
	v := section{
		title: "Whose answer goes out, in percent of all requests, and how good these are",
		table: table{head: []string{"policy", "answers of", "share", "mean grade"}},
	}
	for _, p := range s.Plays {
		for i, of := range p.Served {
			name := p.Name
			if i > 0 {
				name = ""
			}
			if !p.Arm {
				v.table.rows = append(v.table.rows, []string{name, string(of.Arm), of.Share.text(percentNumber), of.Grade.text(unsigned(2))})
			}
		}
	}
	return v
}

func (p PolicyPlay) isLive() bool { return p.Arm && p.Name == string(shadow.Live) }
