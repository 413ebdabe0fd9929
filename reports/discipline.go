package reports

import (
	"fmt"
	"slices"
)

// disciplineOf is the share of an arm's answers outside the contract that their
// request itself sets: a schema, a list, the tools that may be called. It is over the
// answers that are known to keep or to break one.
func disciplineOf(v view, arm int, level float64) Share {
	return v.share(arm, func(a answer) (bool, bool) { return a.outside(), a.bound() }).report(level)
}

// disciplineDelta is over the pairs of which it can be told of both answers.
func disciplineDelta(all pairs, level float64) ShareDelta {
	known := all.filter(func(p pair) bool { return p.base.bound() && p.cand.bound() })
	return shareDelta(known, answer.outside, level)
}

// bound says that an answer is known to keep or to break its request's contract.
func (a answer) bound() bool {
	_, known := a.conforms()
	return known && a.answered()
}

func (a answer) outside() bool {
	kept, _ := a.conforms()
	return a.bound() && !kept
}

// disciplineSection is there if any request set a contract.
func disciplineSection(r Report) section {
	s := section{
		title: "Answers outside the request's own schema or list, in % of those that can be checked; lower is better",
		table: columnsFor("", armNames(r)...),
	}
	if !slices.ContainsFunc(r.Arms, func(a ArmReport) bool { return a.Discipline.N > 0 }) {
		return s
	}
	line(&s.table, "checked", r.Arms, func(a ArmReport) string { return fmt.Sprint(a.Discipline.N) })
	line(&s.table, "outside", r.Arms, func(a ArmReport) string { return fmt.Sprint(a.Discipline.X) })
	line(&s.table, "share outside", r.Arms, func(a ArmReport) string { return shareText(a.Discipline) })
	if len(r.Comparisons) == 0 {
		return s
	}
	compared := func(name string, cell func(Comparison) string) {
		line(&s.table, name, r.Arms, func(a ArmReport) string {
			c, ok := r.comparison(a.Name)
			if !ok {
				return ""
			}
			return cell(c)
		})
	}
	compared("compared with", func(c Comparison) string { return string(c.Against) })
	compared("pairs checked", func(c Comparison) string { return fmt.Sprint(c.Discipline.Pairs) })
	compared("difference in points", func(c Comparison) string { return shareDeltaCell(c.Discipline) })
	s.notes = []string{"a call of a tool that was not offered, or with arguments outside its parameters, is outside too, and so is a refusal where a form was demanded"}
	return s
}
