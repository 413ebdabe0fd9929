package reports

import (
	"fmt"
	"strings"
)

// lengthSection is there if both answers of any pair tell their output tokens.
func lengthSection(r Report) section {
	s := section{
		title: "At equal length: candidate - live over pairs under 20 % of output tokens apart; negative is better or faster",
		table: columnsFor("", comparisonNames(r)...),
	}
	if countFunc(r.Comparisons, func(c Comparison) bool { return c.Length.Equal.N > 0 || c.Length.calls() > 0 }) == 0 {
		return s
	}
	add := func(name string, cell func(Length) string) {
		line(&s.table, name, r.Comparisons, func(c Comparison) string { return cell(c.Length) })
	}
	add("graded pairs", func(l Length) string { return number(l.Equal.N) })
	add("grade difference", func(l Length) string { return l.Equal.text() })
	add("answered pairs", func(l Length) string { return number(l.calls()) })
	for i, p := range tailQuantiles() {
		add(fmt.Sprintf("p%.0f of the time", 100*p), func(l Length) string { return l.EqualTimes[i].text() })
	}
	bands := 0
	for _, c := range r.Comparisons {
		bands = max(bands, len(c.Length.Bands))
	}
	for i := range bands {
		add(bandName(i, bands), func(l Length) string {
			if i >= len(l.Bands) {
				return ""
			}
			b := l.Bands[i]
			return fmt.Sprintf("%s: %s, n %s", b.tokens(), b.Delta.text(), number(b.Delta.N))
		})
	}
	var told []string
	for _, a := range r.Arms {
		told = append(told, fmt.Sprintf("%s %s", a.Name, or(a.GradeLength, func(v float64) string { return signed(v, 2) })))
	}
	s.notes = []string{
		"a slower or better answer may just be longer; the last rows are the grade difference over all pairs by the output tokens of live's answer",
		"correlation of grade and output tokens (negative: longer is better): " + strings.Join(told, ", "),
	}
	return s
}

// atEqualLength is what a reader of the headline has to know where the grade
// difference is not to be seen between answers of equal length; else empty.
func (c Comparison) atEqualLength() string {
	if !c.Length.hides(c.Quality.Delta) {
		return ""
	}
	return fmt.Sprintf("at equal length: %s over %s, so part of the difference may be one of length",
		c.Length.Equal.text(), counted(c.Length.Equal.N, "pair"))
}

// timeAtEqualLength is the same for the time to the whole answer.
func (c Comparison) timeAtEqualLength() string {
	all, equal, hides := c.Length.hidesTime(c.Quantiles)
	if !hides {
		return ""
	}
	return fmt.Sprintf("time at equal length: p%.0f %s over %s, %s s over all, so part of it may be one of length",
		100*equal.P, equal.text(), counted(equal.Calls, "pair"), signed(all.Delta.Seconds(), 2))
}

// calls counts the answered pairs of equal length.
func (l Length) calls() int { return l.EqualTimes[0].Calls }

// tokens is the range of lengths of a band.
func (b LengthBand) tokens() string {
	if b.From == b.To {
		return number(b.From)
	}
	return number(b.From) + " to " + number(b.To)
}

func bandName(i, n int) string {
	switch {
	case n == 1:
		return "all of one length"
	case i == 0:
		return "shortest"
	case i == n-1:
		return "longest"
	}
	return fmt.Sprintf("%d of %d by length", i+1, n)
}

// text is an estimate of a difference with its standard error.
func (e Estimate) text() string {
	d := decimals(e.SE)
	if e.Value == nil {
		return undefined
	}
	return fmt.Sprintf("%s (SE %s)", signed(*e.Value, d), or(e.SE, unsigned(d)))
}

// textsQuery finds the texts of a sample, as DuckDB reads them in sinks.dir.
const textsQuery = "SELECT * FROM 'texts/*/*.parquet' WHERE sample = '…'"

// lookUp lists calls and pairs for people to look at.
func lookUp(r Report) section {
	s := section{
		title: "Calls and pairs to look up, by sample id; grades live, candidate",
		table: table{head: []string{"", "sample", "figure"}},
		notes: []string{"their texts, as long as sinks.keep_text keeps them; with DuckDB, in the folder sinks.dir: " + textsQuery},
	}
	add := func(name, sample, figure string) { s.table.rows = append(s.table.rows, []string{name, sample, figure}) }
	for _, a := range r.Arms {
		for _, c := range a.Slowest {
			more := ""
			if c.Longer {
				more = "> "
			}
			add("slowest, "+string(a.Name), c.Sample, more+took(c.Took))
		}
		for _, c := range a.Fastest {
			add("fastest, "+string(a.Name), c.Sample, took(c.Took))
		}
	}
	for _, c := range r.Comparisons {
		for _, p := range c.Worst {
			add(string(c.Arm)+" worse by most", p.Sample, fmt.Sprintf("%d, %d", p.Live, p.Candidate))
		}
		for _, p := range c.Best {
			add(string(c.Arm)+" better by most", p.Sample, fmt.Sprintf("%d, %d", p.Live, p.Candidate))
		}
	}
	return s
}
