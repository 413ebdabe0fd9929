package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// LiveChange says that another version of the model began to answer live.
type LiveChange struct {
	From string `json:"from"`
	To   string `json:"to"`
	// At is when the first sample answered by To arrived.
	At time.Time `json:"at"`
	// Mixed: From still answered after that.
	Mixed bool `json:"mixed,omitempty"`
}

// liveChanges are in order of time. Answers that name no version change nothing.
func liveChanges(v view) []LiveChange {
	type span struct {
		name        string
		first, last uint32 // samples
	}
	spans := map[uint32]*span{} // by the code of the name
	for _, s := range v.index {
		a := v.answer(0, int(s))
		if !a.answered() || a.model == 0 {
			continue
		}
		x := spans[a.model]
		switch {
		case x == nil:
			spans[a.model] = &span{v.word(a.model), s, s}
		case v.earlier(s, x.first) < 0:
			x.first = s
		case v.earlier(s, x.last) > 0:
			x.last = s
		}
	}
	rising := slices.SortedFunc(maps.Values(spans), func(a, b *span) int { return v.earlier(a.first, b.first) })
	var out []LiveChange
	for i := 1; i < len(rising); i++ {
		from, to := rising[i-1], rising[i]
		at := timeOf(v.samples.at(int(to.first)).seen)
		out = append(out, LiveChange{From: from.name, To: to.name, At: at, Mixed: v.earlier(from.last, to.first) > 0})
	}
	return out
}

// liveChangesText warns that the figures are of more than one live model.
func liveChangesText(changes []LiveChange, list []Slice) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		day := c.At.Format(dayFormat)
		if parts[i] = fmt.Sprintf("live changed from %s to %s on %s", c.From, c.To, day); c.Mixed {
			parts[i] = fmt.Sprintf("live answered as %s and, from %s on, also as %s", c.From, day, c.To)
		}
	}
	text := "warning: " + strings.Join(parts, "; ")
	if slices.ContainsFunc(list, func(s Slice) bool { return s.Dimension == liveDimension }) {
		text += ": each has its own figures in the slices"
	}
	return text
}
