package reports

import (
	"fmt"

	"github.com/understudy-eval/understudy/shadow"
)

// Vantage is where an arm's times were measured.
type Vantage string

// The vantages. Between them lie the way to the provider and the worker's load, so
// times of the two differ without any model being slower: the control arm, the live
// model asked by the worker, shows by how much.
const (
	AtTap    Vantage = "tap"
	AtWorker Vantage = "worker"
)

func vantageOf(arm int) Vantage {
	if arm == 0 {
		return AtTap
	}
	return AtWorker
}

// controlNote says how to read a control arm's differences; empty without one.
func controlNote(r Report) string {
	for _, c := range r.Comparisons {
		if c.Control {
			return fmt.Sprintf("%s is the live model asked by the worker: what it differs from live by is chance and the way of measuring; a candidate's difference less that is its own", c.Arm)
		}
	}
	return ""
}

// vantageNote names what was measured where, and the control arm's difference of p50.
func vantageNote(r Report) string {
	note := "live was measured at the tap, candidates from the worker that asked them"
	for _, c := range r.Comparisons {
		if c.Control {
			return note + fmt.Sprintf(": %s - live, p50 %s, is the vantage's difference", c.Arm, c.Quantiles[0].text())
		}
	}
	return note + "; without a control arm that difference is not known"
}

// comparisonNames are the heads of the columns of comparisons; they tell a control
// arm unless its name does.
func comparisonNames(r Report) []shadow.Arm {
	out := make([]shadow.Arm, len(r.Comparisons))
	for i, c := range r.Comparisons {
		if out[i] = c.Arm; c.Control && c.Arm != "control" {
			out[i] += " (control)"
		}
	}
	return out
}
