package reports

import (
	"cmp"
	"slices"
	"time"
)

// extremes is how many calls or pairs are named at each end, for people to look up.
const extremes = 2

// Call is a call to look up.
type Call struct {
	Sample string        `json:"sample"`
	Took   time.Duration `json:"took_ns"`
	// Longer: it was cut off or left at that time, and took longer.
	Longer bool `json:"longer,omitempty"`
}

// GradedPair is a pair to look up, with the grades of live and of the candidate.
type GradedPair struct {
	Sample    string `json:"sample"`
	Live      int    `json:"live"`
	Candidate int    `json:"candidate"`
}

// calls names an arm's slowest and fastest calls. One that failed otherwise than by
// a time-out has no time that says anything; the fastest are answers.
func (v view) calls(arm int) (slowest, fastest []Call) {
	var slow, fast []answer
	for a := range v.answers(arm) {
		switch a.latency().kind {
		case exact:
			fast = insert(fast, a, v.faster)
		case cut, left:
		default:
			continue
		}
		slow = insert(slow, a, v.slower)
	}
	return v.called(slow), v.called(fast)
}

// faster orders the fastest first, slower the slowest.
func (c *collection) faster(a, b answer) int {
	if order := cmp.Compare(a.latency().us, b.latency().us); order != 0 {
		return order
	}
	return c.earlierAnswer(a, b)
}

func (c *collection) slower(a, b answer) int {
	if order := cmp.Compare(b.latency().us, a.latency().us); order != 0 {
		return order
	}
	return c.earlierAnswer(a, b)
}

// earlierAnswer orders equal ones by time.
func (c *collection) earlierAnswer(a, b answer) int {
	return c.earlier(uint32(a.sample), uint32(b.sample))
}

// insert keeps the first few by order.
func insert[T any](list []T, x T, order func(a, b T) int) []T {
	at := len(list)
	for at > 0 && order(x, list[at-1]) < 0 {
		at--
	}
	if at == extremes {
		return list
	}
	list = slices.Insert(list, at, x)
	return list[:min(len(list), extremes)]
}

func (c *collection) called(list []answer) []Call {
	out := []Call{}
	for _, a := range list {
		t := a.latency()
		out = append(out, Call{c.ids.at(a.sample).String(), micros(float64(t.us)), t.kind != exact})
	}
	return out
}

// extremePairs names the pairs in which the candidate is better and worse by most
// grades; of equal ones those with the better, or the worse, grade of the candidate.
func extremePairs(graded pairs) (best, worst []GradedPair) {
	var up, down []pair
	for _, p := range graded.all() {
		switch d := gained(p); {
		case d < 0:
			up = insert(up, p, func(x, y pair) int {
				return cmp.Or(cmp.Compare(gained(x), gained(y)), cmp.Compare(x.cand.grade, y.cand.grade), graded.earlierAnswer(x.cand, y.cand))
			})
		case d > 0:
			down = insert(down, p, func(x, y pair) int {
				return cmp.Or(cmp.Compare(gained(y), gained(x)), cmp.Compare(y.cand.grade, x.cand.grade), graded.earlierAnswer(x.cand, y.cand))
			})
		}
	}
	return graded.listed(up), graded.listed(down)
}

// gained is a pair's grade difference; negative is better.
func gained(p pair) int { return int(p.cand.grade) - int(p.base.grade) }

func (c *collection) listed(list []pair) []GradedPair {
	out := []GradedPair{}
	for _, p := range list {
		out = append(out, GradedPair{c.ids.at(p.base.sample).String(), int(p.base.grade), int(p.cand.grade)})
	}
	return out
}
