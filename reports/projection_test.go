package reports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

// TestMoreDays: the JSON form and the sentence say the same of how much longer it
// takes, and days only where there is a rate.
func TestMoreDays(t *testing.T) {
	type longer struct {
		Pairs, Days int // -1 is not known
		AfterStop   bool
		Settles     string
	}
	gradesOnly := func(e *reports.Experiment) {
		e.Gate = reports.Gate{Margin: 0.1, Alpha: 0.05, PlannedPairs: 900}
		e.Stop = time.Time{}
	}
	for _, c := range []struct {
		name, why  string
		rows       []sinks.Row
		change     func(*reports.Experiment)
		now        time.Time
		want       longer
		has, lacks []string
	}{
		{"open", "706 pairs at 30.1 a day, past the plan", spread(noisy(300), 30), gradesOnly, time.Time{}, longer{706, 24, false, "quality_open"},
			[]string{"about 710 more pairs (about 24 more days at the rate so far; planned: 900) would settle it"}, []string{"stop date"}},
		{"after the stop", "24 days from the 10th day on", spread(noisy(300), 30), func(e *reports.Experiment) { gradesOnly(e); e.Stop = monday.AddDate(0, 0, 33) }, time.Time{},
			longer{706, 24, true, "quality_open"}, []string{"(about 24 more days at the rate so far, which is after the stop date 2026-11-07; planned: 900)"}, nil},
		{"just before the stop", "the stop is exclusive", spread(noisy(300), 30), func(e *reports.Experiment) { gradesOnly(e); e.Stop = monday.AddDate(0, 0, 34) }, time.Time{},
			longer{706, 24, false, "quality_open"}, nil, []string{"stop date"}},
		{"within a day", "300 pairs in 5 hours are no rate of a day", noisy(300), gradesOnly, time.Time{}, longer{706, -1, false, "quality_open"},
			[]string{"about 710 more pairs (planned: 900) would settle it"}, []string{"more day"}},
		{"exactly a day", "the first and the last sample lie 24 hours apart", spread(noisy(301), 300), gradesOnly, time.Time{}, longer{643, 3, false, "quality_open"},
			[]string{"(about 3 more days at the rate so far; planned: 900)"}, nil},
		{"one day", "one is no plural", spread(noisy(600), 550), gradesOnly, time.Time{}, longer{404, 1, false, "quality_open"}, []string{"(about 1 more day at the rate so far; planned: 900)"}, []string{"1 more days"}},
		{"burn-in", "only its end can be foreseen without a standard error", plain(1, -1), nil, time.Time{}, longer{49, -1, false, "burn_in"},
			[]string{"the burn-in ends after about 49 more pairs"}, []string{"would settle"}},
		{"one session", "29 more sessions of 60 pairs", spread(oneSession(noisy(60)), 30), nil, time.Time{}, longer{1740, 58, true, "burn_in"},
			[]string{"the burn-in ends after about 1,800 more pairs (about 58 more days at the rate so far, which is after the stop date 2026-11-02; planned: 900)"}, nil},
		{"guard", "before the burn-in ends the guard that needs most is named", plain(40, -1), nil, time.Time{}, longer{360, -1, false, "tail_over_10s_open"},
			[]string{"would settle share of answers over 10 s"}, nil},
		{"go", "nothing is needed", spread(plain(600, -1), 30), nil, time.Time{}, longer{-1, -1, false, ""}, []string{"go: better"}, []string{"more pair", "more day"}},
		{"no-go", "more pairs would not help", spread(plain(600, 1), 30), nil, time.Time{}, longer{-1, -1, false, ""}, nil, []string{"more pair", "more day"}},
		{"undecided", "there is no more time", spread(noisy(300), 30), nil, monday.AddDate(0, 0, 28), longer{-1, -1, false, ""}, []string{"undecided"}, []string{"more pair", "more day"}},
		{"no rows", "no rate, no number", nil, nil, time.Time{}, longer{-1, -1, false, ""}, nil, []string{"more pair", "more day"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := experiment()
			if c.change != nil {
				c.change(&e)
			}
			r := build(t, e, c.rows, byDay(len(c.rows)/2, 30))
			d, err := e.Gate.Decide(r, "cand-a", c.now)
			if err != nil {
				t.Fatal(err)
			}
			known := func(n *int) int {
				if n == nil {
					return -1
				}
				return *n
			}
			got := longer{known(d.MorePairs), known(d.MoreDays), d.AfterStop, strings.Trim(fmt.Sprint(d.Settles), "[]")}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
			says(t, d.Sentence, c.has, c.lacks)
		})
	}
}
