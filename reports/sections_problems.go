package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/rubric"
)

// problemsPerArm has a row for every problem that an arm has; a note names the rest.
func problemsPerArm(r Report) section {
	s := section{
		title: "Main problem of an answer, share of graded answers in % with its interval; lower is better, but for none",
		table: columnsFor("", armNames(r)...),
	}
	var list, absent []rubric.Problem
	for _, a := range r.Arms {
		for _, p := range a.Problems {
			if !slices.Contains(list, p.Problem) {
				list = append(list, p.Problem)
			}
		}
	}
	for _, p := range list {
		if p != rubric.None && nobodyHas(r.Arms, p) {
			absent = append(absent, p)
			continue
		}
		line(&s.table, string(p), r.Arms, func(a ArmReport) string { return shareText(a.problem(p)) })
	}
	if len(list) > 0 {
		s.notes = []string{"every answer has one main problem or none, so where one gets rarer others rise"}
	}
	if slices.ContainsFunc(r.Arms, func(a ArmReport) bool {
		return slices.ContainsFunc(a.Problems, func(p ProblemShare) bool { return p.Share.extreme() })
	}) {
		s.notes = append(s.notes, extremeNote("grades"))
	}
	if len(absent) > 0 {
		s.notes = append(s.notes, absentNote(r.Arms, absent))
	}
	return s
}

// problem is the share of an arm's answers with a problem; zero if it does not list it.
func (a ArmReport) problem(p rubric.Problem) Share {
	for _, x := range a.Problems {
		if x.Problem == p {
			return x.Share
		}
	}
	return Share{}
}

// nobodyHas reports whether every arm has graded answers and none with the problem.
func nobodyHas(arms []ArmReport, p rubric.Problem) bool {
	return !slices.ContainsFunc(arms, func(a ArmReport) bool {
		share := a.problem(p)
		return share.N == 0 || share.X > 0
	})
}

// absentNote names the problems that no arm has, with the largest share that is
// still compatible with that: the highest upper bound of the arms' intervals.
func absentNote(arms []ArmReport, absent []rubric.Problem) string {
	names := make([]string, len(absent))
	for i, p := range absent {
		names[i] = string(p)
	}
	var seen []string
	var upper float64
	for _, a := range arms {
		share := a.problem(absent[0])
		if of := "0 of " + number(share.N); !slices.Contains(seen, of) {
			seen = append(seen, of)
		}
		if share.Interval != nil && share.Interval.Upper != nil {
			upper = max(upper, *share.Interval.Upper)
		}
	}
	return fmt.Sprintf("no arm has: %s (%s; up to %s is compatible with that)",
		strings.Join(names, ", "), strings.Join(seen, ", "), percent(upper))
}
