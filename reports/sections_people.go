package reports

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/stats"
)

// peopleSections hold the judge against people; nothing without labels.
func peopleSections(r Report) []section {
	if r.People == nil {
		return nil
	}
	return []section{r.People.agreement(), r.People.confusion(), r.People.corrections(r)}
}

func (p *People) agreement() section {
	s := section{title: "Judge against people, who graded some of its answers blind; shares in % with their interval", table: table{head: []string{"", "people"}}}
	add := func(name, value string) { s.table.rows = append(s.table.rows, []string{name, value}) }
	add("labels", number(p.Labels))
	add("raters", number(p.Raters))
	add("answers with a label", number(p.Answers))
	if p.NotFound > 0 {
		add("labels without a grade of the judge here, left out", number(p.NotFound))
	}
	add("the same grade as the judge", shareText(p.Judge.Exact))
	add("at most one grade apart", shareText(p.Judge.Within1))
	add("kappa, quadratic weights", kappaText(p.Judge.Kappa, p.Judge.KappaInterval))
	add("judge - person ± SE, positive is harsher", p.Judge.Shift.plusMinus(signed))
	if a := p.Among; a != nil {
		add("answers with several labels", number(a.Answers))
		add("people among themselves: the same grade", shareText(a.Exact))
		add("people among themselves: at most one apart", shareText(a.Within1))
		add("people among themselves: alpha, ordinal", or(a.Alpha, unsigned(2)))
	}
	s.notes = []string{"labels are taken as independent"}
	return s
}

// confusion is which grade the judge gave where a person gave another.
func (p *People) confusion() section {
	s := section{title: "Judge against people by grade: labels (rows: the person's grade, columns: the judge's)", table: table{head: []string{"person"}}}
	for g := rubric.Best; g <= rubric.Worst; g++ {
		s.table.head = append(s.table.head, "judge "+strconv.Itoa(int(g)))
	}
	for i, row := range p.Judge.Table {
		cells := []string{strconv.Itoa(i + int(rubric.Best))}
		for _, n := range row {
			cells = append(cells, number(n))
		}
		s.table.rows = append(s.table.rows, cells)
	}
	return s
}

// corrections are the judge's means and deltas beside those of people.
func (p *People) corrections(r Report) section {
	s := section{title: "Grades corrected by people (PPI++), in grades; candidate - live, negative is better", table: table{head: []string{""}}}
	for _, c := range p.Corrected {
		s.table.head = append(s.table.head, string(c.Arm))
	}
	add := func(name string, cell func(Corrected, Quality) string) {
		row := []string{name}
		for i, c := range p.Corrected {
			row = append(row, cell(c, r.Comparisons[i].Quality))
		}
		s.table.rows = append(s.table.rows, row)
	}
	add("pairs with labels, of graded ones", func(c Corrected, _ Quality) string { return fmt.Sprintf("%d of %d", c.Pairs, c.Of) })
	for _, v := range []struct {
		name   string
		number func(float64, int) string
		judge  func(Quality) Estimate
		of     func(Corrected) CorrectedValue
	}{
		{"mean grade, live", fixed, func(q Quality) Estimate { return q.MeanLive }, func(c Corrected) CorrectedValue { return c.MeanLive }},
		{"mean grade, candidate", fixed, func(q Quality) Estimate { return q.MeanCandidate }, func(c Corrected) CorrectedValue { return c.MeanCandidate }},
		{"delta", signed, func(q Quality) Estimate { return q.Delta }, func(c Corrected) CorrectedValue { return c.Delta }},
	} {
		add(v.name+": judge, not corrected, ± SE", func(_ Corrected, q Quality) string { return v.judge(q).plusMinus(v.number) })
		add(v.name+": labels alone ± SE", func(c Corrected, _ Quality) string { return v.of(c).Labels.plusMinus(v.number) })
		add(v.name+": corrected ± SE", func(c Corrected, _ Quality) string { return v.of(c).Corrected.plusMinus(v.number) })
		add("  "+limitText(r.Experiment.Level)+" % interval, as if this were the only look", func(c Corrected, _ Quality) string {
			d := v.of(c)
			return d.Interval.text(func(x float64) string { return v.number(x, decimals(d.Corrected.SE)) })
		})
	}
	s.notes = p.cautions()
	return s
}

// cautions are what a reader of corrected figures must know.
func (p *People) cautions() []string {
	out := []string{"the gate decides on the judge's own delta; pairs are taken as independent here"}
	for _, c := range p.Corrected {
		switch {
		case c.Pairs < stats.FewLabels:
			out = append(out, fmt.Sprintf("%s: %s with labels, so nothing is corrected: that needs %d", c.Arm, counted(c.Pairs, "pair"), stats.FewLabels))
		case c.Delta.Corrected.Value == nil:
			out = append(out, fmt.Sprintf("%s: the correction does not exist: it needs labels that differ, and at least two pairs with labels and two without for every chance to be sampled", c.Arm))
		case c.Pairs < peopleBeside:
			out = append(out, fmt.Sprintf("%s: few labels: from %d pairs on the corrected delta stands beside the judge's", c.Arm, peopleBeside))
		}
		if t := c.Delta.Trust; t != nil {
			out = append(out, fmt.Sprintf("%s: the judge's grades count by %s in the delta, the rest is the labels'", c.Arm, unsigned(2)(*t)))
		}
	}
	return out
}

// besideNote is what people say of a candidate's delta; empty where they are too few.
func (r Report) besideNote(c Comparison) string {
	if r.People == nil {
		return ""
	}
	for _, x := range r.People.Corrected {
		if v := x.Delta; x.Arm == c.Arm && x.Pairs >= peopleBeside && v.Corrected.Value != nil {
			return fmt.Sprintf("corrected by people the delta is %s (%s), by their grades of %s",
				v.Corrected.plusMinus(signed), v.Interval.text(func(x float64) string { return signed(x, decimals(v.Corrected.SE)) }), counted(x.Pairs, "pair"))
		}
	}
	return ""
}

// AgreementText writes for a terminal of width columns (0: no limit) how the judge
// agrees with people, with itself when asked again, and with its reserve; what was not
// measured is said to be so. Errors: ErrDecisionOnly, and those of w.
func (r Report) AgreementText(w io.Writer, width int) error {
	if err := r.printable(); err != nil {
		return err
	}
	all := peopleSections(r)
	if len(all) == 0 {
		all = append(all, section{title: "Judge against people", sentences: []string{"not measured: nobody has graded an answer"}})
	}
	itself := section{title: "Judge against itself, asked again", table: table{head: []string{"", "judge"}}}
	if a := r.Judge.Repeats; a != nil {
		a.rows(func(name, value string) { itself.table.rows = append(itself.table.rows, []string{name, value}) })
	} else {
		itself.sentences = []string{"not measured: no answer was graded again"}
	}
	both := section{title: "Judge against its reserve", table: table{head: []string{"", "judges"}}}
	if a := r.Judge.Agreement; a != nil {
		a.rows(func(name, value string) { both.table.rows = append(both.table.rows, []string{name, value}) })
	} else {
		both.sentences = []string{"not measured: no answer went to both"}
	}
	var b bytes.Buffer
	for _, s := range append(all, itself, both) {
		if err := s.text(&b, width); err != nil {
			return err
		}
	}
	return write(w, bytes.TrimPrefix(b.Bytes(), []byte("\n")))
}
