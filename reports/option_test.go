package reports_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

// guarded is an experiment with a control arm whose gate has every guard.
func guarded() reports.Experiment {
	e := fuller()
	e.Candidates = append(e.Candidates, reports.Arm{Name: "live-again", Control: true})
	e.Gate.P95Increase, e.Gate.CostIncrease = new(time.Second), new(0.5)
	return e
}

// TestForDecision: what the gate says of a report that is for decisions alone is byte
// for byte what it says of the whole one, from rows and from files.
func TestForDecision(t *testing.T) {
	equal, gs := trials(900), unequal(trials(900))
	unpriced := guarded()
	unpriced.Gate.CostIfKnown = true
	for _, c := range []struct {
		name, why string
		dir       string
		e         reports.Experiment
		w         reports.Window
	}{
		{"some guards", "columns that no guard needs are not read", written(t, equal, 400), experiment(), reports.Window{}},
		{"every guard", "costs that are not known must fail to decide", written(t, equal, 400), guarded(), reports.Window{}},
		{"cost where known", "a guard left out is said", written(t, equal, 400), unpriced, reports.Window{}},
		{"unequal chances", "weights need routes", written(t, gs, 400), guarded(), reports.Window{}},
		{"a window", "it rests on the days before, too", written(t, equal, 400), guarded(), reports.Window{From: monday.AddDate(0, 0, 3)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := os.DirFS(c.dir)
			want := decisions(t, c.e, func() (reports.Report, error) {
				return reports.Read(dir, c.e, c.w)
			})
			for source, make := range map[string]func() (reports.Report, error){
				"files": func() (reports.Report, error) {
					return reports.Read(dir, c.e, c.w, reports.ForDecision())
				},
				"rows": func() (reports.Report, error) {
					return reports.Build(sinks.Scan(dir), sinks.ScanBooks(dir), c.e, c.w, reports.ForDecision())
				},
			} {
				if diff := cmp.Diff(want, decisions(t, c.e, make)); diff != "" {
					t.Errorf("%s from %s:\n%s", c.why, source, diff)
				}
			}
		})
	}
}

// decisions are those on a report, as JSON.
func decisions(t *testing.T, e reports.Experiment, report func() (reports.Report, error)) string {
	t.Helper()
	r, err := report()
	if err != nil {
		t.Fatal(err)
	}
	list, err := e.Gate.DecideAll(r, monday.AddDate(0, 0, 7))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDecisionOnlyIsNotPrinted: figures that are not there must not look like zeros.
func TestDecisionOnlyIsNotPrinted(t *testing.T) {
	r, err := reports.Build(nil, nil, experiment(), reports.Window{}, reports.ForDecision())
	if err != nil {
		t.Fatal(err)
	}
	for name, print := range map[string]func() error{
		"text":     func() error { return r.Text(io.Discard, 0, nil) },
		"markdown": func() error { return r.Markdown(io.Discard, nil) },
		"html":     func() error { return r.HTML(io.Discard, nil) },
		"png":      func() error { return r.PNG(io.Discard, nil) },
		"json":     func() error { return r.JSON(io.Discard, nil) },
	} {
		if err := print(); !errors.Is(err, reports.ErrDecisionOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
