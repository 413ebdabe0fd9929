package rubric

import (
	"fmt"
	"slices"
	"strings"
)

// shortAnchor is below how many words an anchor hardly tells two judges apart what an
// answer must be like; a judgement of ours.
const shortAnchor = 4

// Remarks are what may mislead a judge in a rubric that works; nil if nothing does.
//
//   - an id whose words stand in another's (too_long in too_long_intro), or with the
//     same words in another order: which of the two is the main problem?
//   - two problems with the same line of use
//   - an anchor of under four words
//
// What cannot work at all is refused by [Load]: a missing or repeated anchor, an id that
// comes twice, a list without None. The schema is never too rich for a provider: a list
// has at most 40 ids of at most 40 characters, where the tightest strict mode, OpenAI's,
// takes 250 values in one enum without looking at their length.
func (r *Rubric) Remarks() []string {
	var out []string
	for i, a := range r.anchors {
		if n := len(strings.Fields(a)); n < shortAnchor {
			out = append(out, fmt.Sprintf("grade %d: its anchor has %d of at least %d words; say what such an answer does and does not do", i+1, n, shortAnchor))
		}
	}
	for i, p := range r.problems {
		for _, q := range r.problems[i+1:] {
			inner, outer := p.ID, q.ID
			if len(inner) > len(outer) {
				inner, outer = outer, inner
			}
			if overlap(string(inner), string(outer)) {
				out = append(out, fmt.Sprintf("problems %s and %s overlap: name each after what only it means", inner, outer))
			}
			if strings.EqualFold(p.Use, q.Use) {
				out = append(out, fmt.Sprintf("problems %s and %s have the same line of use: say when it is the one and when the other", p.ID, q.ID))
			}
		}
	}
	return out
}

// overlap says that every word of one id is in the other.
func overlap(inner, outer string) bool {
	words := strings.Split(outer, "_")
	for _, w := range strings.Split(inner, "_") {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return true
}
