package reports

// wants is what a report needs of a row.
type wants struct {
	decision   bool // only what a decision rests on
	quantities []quantity
	kept       []quantity // those that a report goes over, too
}

func wantsOf(e Experiment, g given) wants {
	w := wants{decision: g.decision}
	for q := range quantities {
		if !w.decision || q == tookUS || q == firstTokenUS || (q == costNUSD && e.Gate.CostIncrease != nil) {
			w.quantities = append(w.quantities, q)
			if !w.decision || q != firstTokenUS || len(e.Gate.FirstTokenOver) > 0 {
				w.kept = append(w.kept, q)
			}
		}
	}
	return w
}

// columns are the columns of a row that a report needs.
func (w wants) columns() []string {
	names := []string{
		"sample", "arm", "experiment", "digest", "seen", "tap", "tap_seq", "session", "route", "stream", "rate", "judge_rate",
		"state", "reason", "censored", "judge_state", "judge_reason", "grade", "problem", "judge", "judge_pinned", "rubric", "repeat",
	}
	if !w.decision {
		names = append(names, "redacted", "tags", "model", "conforms", "judge_echo", "hedged", "context_cut", "purpose", "suspect", "judge_form")
	}
	for _, q := range w.quantities {
		names = append(names, q.column())
	}
	return names
}
