package reports

import (
	"fmt"
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
		first, last int // places in the view
	}
	var spans []span
	current := -1
	for k, s := range v.index {
		name := v.live(int(s))
		if name == "" {
			continue
		}
		if current < 0 || spans[current].name != name {
			if current = slices.IndexFunc(spans, func(s span) bool { return s.name == name }); current < 0 {
				current = len(spans)
				spans = append(spans, span{name: name, first: k})
			}
		}
		spans[current].last = k
	}
	var out []LiveChange
	for i := 1; i < len(spans); i++ {
		from, to := spans[i-1], spans[i]
		at := timeOf(v.samples.at(int(v.index[to.first])).seen)
		out = append(out, LiveChange{From: from.name, To: to.name, At: at, Mixed: from.last > to.first})
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
