package reports

import (
	"fmt"
	"strings"

	"github.com/understudy-eval/understudy/shadow"
)

// sliceSections has three tables for each dimension and candidate: the mean grades, how
// grades spread, and what else there is.
func sliceSections(r Report) []section {
	var out []section
	for from := 0; from < len(r.Slices); {
		to := from
		for to < len(r.Slices) && r.Slices[to].Dimension == r.Slices[from].Dimension {
			to++
		}
		for k := range r.Slices[from].Candidates {
			out = append(out, sliceGrades(r, r.Slices[from:to], k), sliceSpread(r.Slices[from:to], k), sliceTails(r, r.Slices[from:to], k))
		}
		from = to
	}
	if len(out) > 0 {
		out[0].notes = append(out[0].notes, fmt.Sprintf(
			"%s are shown, and among many some differ by chance: the slices decide nothing. p is as if this were the only look, by Holm within its table",
			counted(len(r.Slices), "slice")))
	}
	return out
}

// name is the value, or how many there are in the others.
func (s Slice) name() string {
	if s.Others > 0 {
		return fmt.Sprintf("%s (%s)", s.Value, counted(s.Others, "value"))
	}
	return s.Value
}

func sliceGrades(r Report, list []Slice, k int) section {
	arm := list[0].Candidates[k].Arm
	s := section{
		title: fmt.Sprintf("By %s: grades, %s - live; negative is better", list[0].Dimension, arm),
		table: columnsFor(list[0].Dimension, "pairs", "sessions", shadow.Live, arm, "delta", "SE", "in SE", "wins/ties/losses", "p, Holm"),
	}
	for _, slice := range list {
		c := slice.Candidates[k]
		d := decimals(c.Delta.SE)
		if c.Delta.N == 0 {
			s.table.rows = append(s.table.rows, []string{slice.name(), "0", "0", "", "", undefined})
			continue
		}
		s.table.rows = append(s.table.rows, []string{
			slice.name(), number(c.Delta.N), number(c.Delta.Sessions),
			or(c.MeanLive.Value, unsigned(d)), or(c.MeanCandidate.Value, unsigned(d)),
			or(c.Delta.Value, func(v float64) string { return signed(v, d) }), or(c.Delta.SE, unsigned(d)),
			or(c.Delta.InSE, func(v float64) string { return signed(v, 1) }),
			slashed(c.Wins, c.Ties, c.Losses), or(c.PHolm, pValue),
		})
	}
	return s
}

// sliceSpread says what a mean can hide.
func sliceSpread(list []Slice, k int) section {
	arm := list[0].Candidates[k].Arm
	s := section{
		title: fmt.Sprintf("By %s: pairs with grades 1/2/3/4/5/6; chance of the better grade, ties half; %s - live of grades 5-6 in points, negative is better", list[0].Dimension, arm),
		table: columnsFor(list[0].Dimension, shadow.Live, arm, "chance of better", "grades 5-6"),
	}
	var apart []string
	for _, slice := range list {
		c := slice.Candidates[k]
		if c.Delta.N == 0 {
			continue
		}
		s.table.rows = append(s.table.rows, []string{
			slice.name(), slashed(c.GradesLive[:]...), slashed(c.GradesCandidate[:]...), c.Better.text(), shareDeltaCell(c.Poor),
		})
		if c.Disagree {
			apart = append(apart, slice.name())
		}
	}
	if len(apart) > 0 {
		s.notes = append(s.notes, "mean and wins favour different arms in: "+strings.Join(apart, ", "))
	}
	return s
}

// slashed prints counts in one cell.
func slashed(counts ...int) string {
	parts := make([]string, len(counts))
	for i, n := range counts {
		parts[i] = number(n)
	}
	return strings.Join(parts, "/")
}

func sliceTails(r Report, list []Slice, k int) section {
	arm := list[0].Candidates[k].Arm
	s := section{
		title: fmt.Sprintf("By %s: intervals of the grade delta; p95 and share of calls over a limit, live to %s; lower is better", list[0].Dimension, arm),
		table: columnsFor(list[0].Dimension, "interval, only look"),
	}
	if r.Whole == nil {
		s.table.head = append(s.table.head, "anytime interval")
	}
	s.table.head = append(s.table.head, "p95")
	limit := list[0].Candidates[k].Limit
	if limit != nil {
		s.table.head = append(s.table.head, "over "+seconds(*limit)+" s")
	}
	for _, slice := range list {
		c := slice.Candidates[k]
		d := decimals(c.Delta.SE)
		grade := func(v float64) string { return signed(v, d) }
		anytime := "burn-in"
		if c.Anytime != nil {
			anytime = c.Anytime.text(grade)
		}
		row := []string{slice.name(), c.Fixed.text(grade)}
		if r.Whole == nil {
			row = append(row, anytime)
		}
		row = append(row, c.P95Live.valueText()+" to "+c.P95Candidate.valueText())
		if limit != nil {
			row = append(row, or(c.OverLive.Share, percent)+" to "+or(c.OverCandidate.Share, percent))
		}
		s.table.rows = append(s.table.rows, row)
	}
	return s
}
