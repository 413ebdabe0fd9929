package config

// CheckRubric refuses limits of gate.problems for problems that are not on the
// rubric's list. problems is that list, with or without none. nil if all are on
// it, else faults joined as by [Parse].
func (c *Config) CheckRubric(problems []string) error {
	known := map[string]bool{}
	for _, p := range problems {
		if p != "none" {
			known[p] = true
		}
	}
	var faults []*Error
	for _, l := range c.Gate.Problems {
		if !known[l.Problem] {
			key := "gate.problems." + printable(l.Problem)
			faults = append(faults, &Error{Position: c.At(key), Key: key, Problem: "this problem is not on the rubric's list", Want: suggest(l.Problem, known)})
		}
	}
	return join(faults)
}
