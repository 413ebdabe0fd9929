package reports

import (
	"fmt"
	"strings"

	"github.com/understudy-eval/understudy/shadow"
)

// noPairs says why no sample has a grade for both live and an arm: what became of the
// answers of either. It starts with what joins it to a sentence.
func noPairs(r Report, arm shadow.Arm) string {
	var why []string
	rows := 0
	for _, name := range []shadow.Arm{arm, shadow.Live} {
		a, _ := r.arm(name)
		rows += a.Samples + a.LeftOut
		if words := a.noGrades(); words != "" {
			why = append(why, words)
		}
	}
	switch {
	case rows == 0:
		return ": there are no rows of the two"
	case len(why) == 0:
		return ": no sample has one for each, or different judges gave them"
	}
	return ": " + strings.Join(why, "; ")
}

// noGrades says why an arm has no grade at all; empty if it has one.
func (a ArmReport) noGrades() string {
	all := func(n int, noun string) string {
		if n == 1 {
			return fmt.Sprintf("the only %s of %s", noun, a.Name)
		}
		return fmt.Sprintf("all %s of %s", counted(n, noun), a.Name)
	}
	switch {
	case a.Graded > 0:
		return ""
	case a.Samples == 0 && a.LeftOut > 0:
		return fmt.Sprintf("every row of %s was left out", a.Name)
	case a.Samples == 0:
		return fmt.Sprintf("%s has no rows", a.Name)
	case a.Asked == 0:
		return fmt.Sprintf("%s was never asked (%s)", a.Name, countsText(a.NotAskedBy))
	case a.Answered == 0:
		return all(a.Failed, "call") + fmt.Sprintf(" failed (%s)", countsText(a.FailedBy))
	case a.NotGraded > 0:
		return fmt.Sprintf("no answer of %s has a grade (%s)", a.Name, countsText(a.NotGradedBy))
	case a.Pending > 0:
		return all(a.Pending, "answer") + " still waiting for the judge"
	}
	return all(a.Answered, "answer") + " not drawn for the judge"
}

// countsText lists reasons with how often each occurred.
func countsText(counts []Count) string {
	parts := make([]string, len(counts))
	for i, c := range counts {
		parts[i] = fmt.Sprintf("%s %s", c.Name, number(c.N))
	}
	return strings.Join(parts, ", ")
}
