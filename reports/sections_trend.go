package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// name is a week with the days that it has, if these are not all.
func (t TrendWeek) name() string {
	if t.Incomplete == "" {
		return t.Week
	}
	return t.Week + " (" + t.Incomplete + ")"
}

// trendSections are the figures week by week, an arm per column: grades, differences
// to live, tail; then the problems of each arm.
func trendSections(r Report) []section {
	if len(r.Trend) == 0 {
		return nil
	}
	grades := weekTable(r, "mean grade ± SE (graded answers); 1 best, 6 worst", func(a WeekArm) string {
		return fmt.Sprintf("%s (%s)", a.Mean.plusMinus(fixed), number(a.Graded))
	})
	grades.notes = trendNotes(r.Trend)
	out := []section{grades, weekDeltas(r)}
	out = append(out, weekTable(r, "p95 of the time to the whole answer, in seconds, with its interval; lower is better", func(a WeekArm) string {
		q := a.p95()
		return fmt.Sprintf("%s (%s)", q.valueText(), q.intervalText())
	}))
	for i, o := range r.Trend[0].Arms[0].Latency.Over {
		out = append(out, weekTable(r, fmt.Sprintf("share of calls over %s s, with its interval; lower is better", seconds(o.Limit)), func(a WeekArm) string {
			return shareText(a.Latency.Over[i].Share)
		}))
	}
	out = append(out, weekTable(r, "share of failed calls, with its interval; lower is better", func(a WeekArm) string { return shareText(a.Failures) }))
	out = append(out, weekJudge(r.Trend))
	for k, a := range r.Arms {
		out = append(out, weekProblems(r.Trend, a.Name, k))
	}
	return out
}

// weekTable has a row per week and a column per arm.
func weekTable(r Report, what string, cell func(WeekArm) string) section {
	s := section{title: "Trend by week: " + what, table: columnsFor("week", armNames(r)...)}
	for _, t := range r.Trend {
		line(&s.table, t.name(), t.Arms, func(a WeekArm) string {
			if a.Samples == 0 {
				return "no rows"
			}
			return cell(a)
		})
	}
	return s
}

// trendNotes say what the weeks are.
func trendNotes(weeks []TrendWeek) []string {
	out := []string{"weeks are ISO weeks in UTC, Monday to Sunday"}
	if slices.ContainsFunc(weeks, func(t TrendWeek) bool { return t.Incomplete != "" }) {
		out = append(out, "a week is incomplete where its days stand beside it: its figures are of these alone, and days may differ")
	}
	return out
}

// p95 is undefined where an arm was not called.
func (a WeekArm) p95() Quantile {
	for _, q := range a.Latency.Quantiles {
		if q.P == 0.95 {
			return q
		}
	}
	return Quantile{}
}

// plusMinus prints an estimate with its standard error.
func (e Estimate) plusMinus(number func(v float64, decimals int) string) string {
	if e.Value == nil {
		return undefined
	}
	d := decimals(e.SE)
	if e.SE == nil {
		return number(*e.Value, d) + " (no SE)"
	}
	return number(*e.Value, d) + " ± " + fixed(*e.SE, d)
}

// weekProblems has a row per problem and a column per week for one arm. A problem
// that the arm never has is left out.
func weekProblems(weeks []TrendWeek, arm shadow.Arm, k int) section {
	s := section{title: fmt.Sprintf("Trend by week: main problem of %s, share of graded answers; lower is better, but for none", arm)}
	s.table.head = []string{"problem"}
	var list []rubric.Problem
	for _, t := range weeks {
		_, number, _ := strings.Cut(t.Week, "-")
		s.table.head = append(s.table.head, number)
		for _, p := range t.Arms[k].Problems {
			if p.Share.X > 0 && !slices.Contains(list, p.Problem) {
				list = append(list, p.Problem)
			}
		}
	}
	for _, p := range list {
		line(&s.table, string(p), weeks, func(t TrendWeek) string {
			share := ArmReport{Problems: t.Arms[k].Problems}.problem(p)
			if share.N == 0 {
				return "-"
			}
			return or(share.Share, percent)
		})
	}
	return s
}

func weekDeltas(r Report) section {
	s := section{
		title: "Trend by week: grade difference to live, candidate - live ± SE, with the interval as if this were the only look; negative is better",
		table: table{head: []string{"week"}},
	}
	for _, c := range r.Comparisons {
		s.table.head = append(s.table.head, "pairs", forestName(c), "interval")
	}
	if len(r.Comparisons) == 0 {
		return s
	}
	for _, t := range r.Trend {
		row := []string{t.name()}
		for _, d := range t.Deltas {
			places := decimals(d.Delta.SE)
			row = append(row, number(d.Delta.N), d.Delta.plusMinus(signed), d.Fixed.text(func(v float64) string { return signed(v, places) }))
		}
		s.table.rows = append(s.table.rows, row)
	}
	return s
}
