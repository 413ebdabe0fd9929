package reports

import (
	"fmt"
	"strings"
)

// answers counts what became of every sample of an arm.
func answers(r Report) section {
	s := section{title: "Samples, answers and coverage, counts per arm", table: columnsFor("", armNames(r)...)}
	count := func(name string, of func(ArmReport) int) {
		line(&s.table, name, r.Arms, func(a ArmReport) string { return number(of(a)) })
	}
	count("samples", func(a ArmReport) int { return a.Samples })
	count("not asked", func(a ArmReport) int { return a.NotAsked })
	reasons(&s.table, "not asked: ", r.Arms, func(a ArmReport) []Count { return a.NotAskedBy })
	count("answered", func(a ArmReport) int { return a.Answered })
	count("failed", func(a ArmReport) int { return a.Failed })
	reasons(&s.table, "failed: ", r.Arms, func(a ArmReport) []Count { return a.FailedBy })
	count("not drawn for the judge", func(a ArmReport) int { return a.NotDrawn })
	count("graded", func(a ArmReport) int { return a.Graded })
	count("not graded", func(a ArmReport) int { return a.NotGraded })
	reasons(&s.table, "not graded: ", r.Arms, func(a ArmReport) []Count { return a.NotGradedBy })
	count("pending", func(a ArmReport) int { return a.Pending })
	count("rows left out", func(a ArmReport) int { return a.LeftOut })
	line(&s.table, "in flight", r.Arms, func(a ArmReport) string {
		if a.InFlight == nil {
			return undefined
		}
		return number(*a.InFlight)
	})
	line(&s.table, "coverage (graded of asked)", r.Arms, func(a ArmReport) string { return or(a.Coverage, percent) })
	for _, a := range r.Arms {
		s.notes = append(s.notes, fmt.Sprintf("%s is %s; answered by %s", a.Name, naming(a.Model), named(a.Snapshots)))
	}
	if len(r.Arms) > 0 && r.Arms[0].Samples > 0 && disciplineSection(r).isEmpty() {
		s.notes = append(s.notes, "no answer's request is known to set a schema or list, so whether answers keep to theirs is "+undefined)
	}
	return s
}

func named(counts []Count) string {
	parts := make([]string, len(counts))
	for i, c := range counts {
		name := c.Name
		if name == "" {
			name = "a model that gave no version"
		}
		parts[i] = fmt.Sprintf("%s (%s)", name, number(c.N))
	}
	return strings.Join(orElse(parts, "nobody"), ", ")
}

// reasons adds a row for every reason that any arm has, in the order of the lists.
func reasons(t *table, prefix string, arms []ArmReport, of func(ArmReport) []Count) {
	listed := map[string]bool{}
	for _, a := range arms {
		for _, c := range of(a) {
			if listed[c.Name] {
				continue
			}
			listed[c.Name] = true
			line(t, prefix+c.Name, arms, func(a ArmReport) string {
				for _, x := range of(a) {
					if x.Name == c.Name {
						return number(x.N)
					}
				}
				return "0"
			})
		}
	}
}

func booksSection(r Report) section {
	b := r.Books
	s := section{title: "Books: requests that the taps counted", table: table{head: []string{"", "requests"}}}
	if b.Entries == 0 {
		s.table.rows = [][]string{{noBooks, ""}}
		return s
	}
	add := func(name string, n int64) { s.table.rows = append(s.table.rows, []string{name, number(n)}) }
	each := func(prefix string, list []Count) {
		for _, c := range list {
			add(prefix+c.Name, c.N)
		}
	}
	add("seen", b.Seen)
	each("not sampled: ", b.NotSampled)
	add("sampled", b.Sampled)
	each("dropped: ", b.Dropped)
	add("still inside the tap", b.Inside)
	add("published", b.Published)
	if b.Unbooked > 0 {
		add("  not in the books yet", b.Unbooked)
	}
	if b.Late > 0 {
		add("  arrived although given up", b.Late)
	}
	each("dead letter: ", b.Dead)
	each("times grading paused: ", b.Paused)
	s.notes = []string{b.words()}
	return s
}

func orElse(list []string, instead string) []string {
	if len(list) == 0 {
		return []string{instead}
	}
	return list
}
