package demo

// verdict is what a judge will say of an answer.
type verdict struct {
	grade   int
	problem string
	reason  string
}

// verdicts maps every answer's reference to what a judge says of it.
func verdicts(all []conversation) map[string]verdict {
	byRef := map[string]verdict{}
	for _, c := range all {
		for _, t := range c.turns {
			for _, dealt := range []card{t.live, t.control, t.cand} {
				byRef[dealt.ref] = judged(dealt)
			}
		}
	}
	return byRef
}

// judged chooses a problem that goes with the grade; the reference picks among them.
func judged(c card) verdict {
	choices := problemsByGrade()[c.grade-1]
	pick := choices[int(c.ref[len(c.ref)-1])%len(choices)]
	return verdict{grade: c.grade, problem: pick[0], reason: pick[1]}
}

// problemsByGrade lists problems of the standard rubric with a reason, by grade.
func problemsByGrade() [6][][2]string {
	return [6][][2]string{
		{{"none", "Complete, correct and brief."}},
		{{"none", "Good; one step could be clearer."}, {"too_long", "Right, but says it twice."}},
		{{"too_long", "The steps come after a long opening."}, {"incomplete", "Leaves out the second step."}},
		{{"incomplete", "Does not say where the setting is."}, {"unclear", "The order of the steps is hard to follow."}},
		{{"factual_error", "Names a setting that does not exist."}, {"off_topic", "Answers another question."}},
		{{"factual_error", "The advice makes it worse."}, {"off_topic", "Has nothing to do with the question."}},
	}
}
