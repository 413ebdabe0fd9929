package reports

import (
	"fmt"
	"strings"

	"github.com/understudy-eval/understudy/shadow"
)

// section is a titled table of a report, with sentences above it and notes below.
type section struct {
	title     string
	sentences []string
	table     table
	notes     []string
}

// isEmpty says that there is nothing to show.
func (s section) isEmpty() bool { return len(s.table.rows)+len(s.sentences) == 0 }

// sections are the tables of a report in their order; empty ones are left out.
func sections(r Report, decisions []Decision) []section {
	all := []section{gradeDeltas(r)}
	for _, d := range decisions {
		all = append(all, checks(d))
	}
	all = append(all, changesSection(r), marksSection(r))
	all = append(all, tailSection(r), firstTokenSection(r), timeDeltas(r), lengthSection(r), gradesPerArm(r), problemsPerArm(r))
	all = append(all, problemDeltaSections(r)...)
	all = append(all, disciplineSection(r), answers(r), costSection(r), costDeltas(r))
	all = append(all, trendSections(r)...)
	all = append(all, sliceSections(r)...)
	all = append(all, judgeSection(r))
	all = append(all, peopleSections(r)...)
	all = append(all, booksSection(r), lookUp(r))
	var out []section
	for _, s := range all {
		if !s.isEmpty() {
			out = append(out, s)
		}
	}
	return out
}

// columnsFor starts a table with a column for each name.
func columnsFor(first string, names ...shadow.Arm) table {
	t := table{head: []string{first}}
	for _, n := range names {
		t.head = append(t.head, string(n))
	}
	return t
}

// line adds a row: a name and one cell per column.
func line[T any](t *table, name string, of []T, cell func(T) string) {
	row := []string{name}
	for _, x := range of {
		row = append(row, cell(x))
	}
	t.rows = append(t.rows, row)
}

func gradeDeltas(r Report) section {
	s := section{title: "Grade difference to live, in grades (1 best, 6 worst); candidate - live, negative is better"}
	s.table = columnsFor("", comparisonNames(r)...)
	if len(r.Comparisons) == 0 {
		return s
	}
	add := func(name string, cell func(Quality, int) string) {
		line(&s.table, name, r.Comparisons, func(c Comparison) string { return cell(c.Quality, decimals(c.Quality.Delta.SE)) })
	}
	add("graded pairs", func(q Quality, _ int) string { return number(q.Delta.N) })
	add("sessions", func(q Quality, _ int) string { return number(q.Burn.Sessions) })
	add("mean grade, live", func(q Quality, d int) string { return or(q.MeanLive.Value, unsigned(d)) })
	add("mean grade, candidate", func(q Quality, d int) string { return or(q.MeanCandidate.Value, unsigned(d)) })
	add("delta", func(q Quality, d int) string {
		return or(q.Delta.Value, func(v float64) string { return signed(v, d) })
	})
	add("SE, clustered by session", func(q Quality, d int) string { return or(q.Delta.SE, unsigned(d)) })
	add("degrees of freedom", func(q Quality, _ int) string { return or(q.Delta.DF, unsigned(0)) })
	add("delta in SE", func(q Quality, _ int) string {
		return or(q.Delta.InSE, func(v float64) string { return signed(v, 1) })
	})
	level := limitText(r.Experiment.Level)
	add(level+" % interval, as if this were the only look", intervalCell(func(q Quality) *Interval { return q.Fixed }))
	if r.Whole == nil { // else it is another report's figures that decide
		addAnytime(&s.table, r)
	}
	add("wins, ties, losses", func(q Quality, _ int) string { return number(q.Wins) + ", " + number(q.Ties) + ", " + number(q.Losses) })
	add("net win rate in points, positive is better", func(q Quality, _ int) string { return or(q.Net.Value, points) })
	add("chance of the better grade, ties half, by pairs", func(q Quality, _ int) string { return q.Better.text() })
	add("the same of all answers, as if independent", func(q Quality, _ int) string { return q.BetterUnpaired.text() })
	add("grades 5-6: difference in points", func(q Quality, _ int) string { return shareDeltaCell(q.Poor) })
	add("worst case for missing grades", func(q Quality, d int) string {
		iv := Interval{Lower: q.Bounds.Low, Upper: q.Bounds.High}
		if q.Bounds.Low == nil {
			return undefined
		}
		return iv.text(func(v float64) string { return signed(v, d) })
	})
	add("pairs without both grades", func(q Quality, _ int) string {
		return number(q.Bounds.Planned-q.Bounds.Complete) + " of " + number(q.Bounds.Planned)
	})
	line(&s.table, "no grade: difference in points", r.Comparisons, func(c Comparison) string {
		if c.Ungraded.Delta == nil {
			return undefined
		}
		return points(*c.Ungraded.Delta) + " (" + c.Ungraded.Interval.text(points) + ")"
	})
	s.notes = qualityNotes(r)
	if note := controlNote(r); note != "" {
		s.notes = append(s.notes, note)
	}
	return s
}

// addAnytime adds the interval that decides, and its p-values.
func addAnytime(t *table, r Report) {
	line(t, limitText(1-r.Experiment.Gate.Alpha)+" % anytime interval, which decides", r.Comparisons, func(c Comparison) string {
		q := c.Quality
		if q.Anytime == nil && !q.Burn.Reached {
			return fmt.Sprintf("burn-in: %s/%s, %s/%s", number(q.Burn.Pairs), counted(q.Burn.NeedPairs, "pair"), number(q.Burn.Sessions), counted(q.Burn.NeedSessions, "session"))
		}
		return intervalCell(func(q Quality) *Interval { return q.Anytime })(q, decimals(q.Delta.SE))
	})
	addTests(t, r)
}

func intervalCell(of func(Quality) *Interval) func(Quality, int) string {
	return func(q Quality, d int) string {
		return of(q).text(func(v float64) string { return signed(v, d) })
	}
}

func shareDeltaCell(d ShareDelta) string {
	if d.Delta == nil {
		return undefined
	}
	return points(*d.Delta) + " (" + d.Interval.text(points) + ")"
}

// qualityNotes are what a reader of the grade table must know.
func qualityNotes(r Report) []string {
	var out []string
	for _, c := range r.Comparisons {
		q := c.Quality
		note := func(format string, args ...any) {
			out = append(out, string(c.Arm)+": "+fmt.Sprintf(format, args...))
		}
		if c.Ungraded.Differ {
			note("the shares of answers without a grade differ by more than %d point, so there is no go", maxLossPoints)
		}
		if q.FewSessions {
			note("few clusters: the standard error is hardly known")
		}
		if q.Delta.constant() {
			note("%s", noSpread)
		}
		if q.Weighted {
			note("requests were sampled with unequal chances, so pairs are weighted by 1/chance: they tell as much as %s equally weighted ones (Kish); wins, shares and the worst case are not weighted",
				or(q.KishPairs, unsigned(1)))
		}
		if q.Disagree {
			note("the mean favours %s", disagreement(q))
		}
		if q.Delta.Undefined == undefinedCluster {
			note("answers without a session, so nothing can be said of the error")
		}
		if u := c.Unredacted; u != nil {
			d := decimals(u.SE)
			note("without redacted pairs the delta is %s, SE %s, %s",
				or(u.Value, func(v float64) string { return signed(v, d) }), or(u.SE, unsigned(d)), counted(u.N, "pair"))
		}
		if u := c.Unsuspected; u != nil {
			d := decimals(u.SE)
			note("without answers that look like an attack on the judge the delta is %s, SE %s, %s",
				or(u.Value, func(v float64) string { return signed(v, d) }), or(u.SE, unsigned(d)), counted(u.N, "pair"))
		}
		if n := c.JudgeNoise; n != nil {
			note("%s", n.words())
		}
		if text := r.besideNote(c); text != "" {
			note("%s", text)
		}
	}
	return out
}

func checks(d Decision) section {
	s := section{title: fmt.Sprintf("Gate for %s: %s", d.Arm, d.Outcome)}
	s.table.head = []string{"check", "value", "interval", "limit", "state"}
	for _, c := range append([]Check{d.Quality}, d.Guards...) {
		value, interval, limit := c.figures()
		name := c.what
		if c.Against != "" {
			name += " over " + string(c.Against)
		}
		state := string(c.State)
		if c.State == Unknown {
			state = "open"
		}
		s.table.rows = append(s.table.rows, []string{name, value, interval, limit, state})
	}
	codes := make([]string, len(d.Reasons))
	for i, code := range d.Reasons {
		codes[i] = string(code)
	}
	s.notes = []string{"reasons: " + strings.Join(codes, ", "), "a check passes when its whole interval lies below the limit; it fails when it lies above"}
	if d.CostUnguarded {
		s.notes = append(s.notes, "cost is not guarded: there is no pair of which both costs are known")
	}
	if d.Missing != "" {
		s.notes = append(s.notes, d.Missing)
	}
	if d.Quality.Code == CodeSeveral {
		s.notes = append(s.notes, "of several candidates one is no worse only if it also is by Holm over all of them")
	}
	return s
}
