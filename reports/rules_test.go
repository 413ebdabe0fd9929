package reports_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
)

// TestCombineGolden runs the truth table of the three-way rule.
func TestCombineGolden(t *testing.T) {
	type bounds [2]*float64
	type ruleCase struct {
		ID    string
		Input struct {
			Quality bounds  `json:"quality_interval"`
			Margin  float64 `json:"quality_margin"`
			Guards  []struct {
				Interval bounds
				Limit    float64
			}
		}
		Expect struct {
			Quality  reports.State
			Guards   []reports.State
			Decision string
		}
	}
	state := func(b bounds, limit float64) reports.State {
		return (&reports.Interval{Lower: b[0], Upper: b[1]}).Against(limit)
	}
	for _, c := range readCases[ruleCase](t, "decision.json") {
		t.Run(c.ID, func(t *testing.T) {
			quality := state(c.Input.Quality, c.Input.Margin)
			guards := make([]reports.State, len(c.Input.Guards))
			for i, g := range c.Input.Guards {
				guards[i] = state(g.Interval, g.Limit)
			}
			outcome := string(reports.Combine(quality, guards...))
			if outcome == string(reports.KeepRunning) {
				outcome = "not enough data" // the file's name for it
			}
			if quality != c.Expect.Quality || outcome != c.Expect.Decision {
				t.Errorf("quality %s, %s; want %s, %s", quality, outcome, c.Expect.Quality, c.Expect.Decision)
			}
			if diff := cmp.Diff(c.Expect.Guards, guards); diff != "" {
				t.Error(diff)
			}
		})
	}
	var none *reports.Interval
	if got := none.Against(1); got != reports.Unknown {
		t.Errorf("no interval is %s", got)
	}
}

// TestMissingPairsGolden runs the worst-case bounds.
func TestMissingPairsGolden(t *testing.T) {
	type bound struct {
		ID    string
		Input struct{ Live, Cand []*rubric.Grade }
		// The names are those of the file.
		Expect struct {
			Planned         int
			Complete        int      `json:"complete_pairs"`
			MissingCand     int      `json:"missing_cand"`
			MissingLive     int      `json:"missing_live"`
			DeltaBoundLow   *float64 `json:"delta_bound_low"`
			DeltaBoundHigh  *float64 `json:"delta_bound_high"`
			DeltaOfComplete *float64 `json:"delta_complete"`
		}
	}
	for _, c := range readCases[bound](t, "missing_pairs.json") {
		t.Run(c.ID, func(t *testing.T) {
			got := reports.MissingPairs(c.Input.Live, c.Input.Cand)
			want := reports.Bounds{
				Planned: c.Expect.Planned, Complete: c.Expect.Complete, MissingLive: c.Expect.MissingLive,
				MissingCandidate: c.Expect.MissingCand, Low: c.Expect.DeltaBoundLow, High: c.Expect.DeltaBoundHigh,
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12+1e-9*math.Abs(b) })
			if diff := cmp.Diff(want, got, near); diff != "" {
				t.Error(diff)
			}
		})
	}
}
