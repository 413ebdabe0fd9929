package main

import (
	"errors"
	"fmt"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
)

// checkReach refuses limits that could not be passed even if nothing ever went
// wrong: with planned_pairs calls and not one bad among them, the interval's upper
// end would still lie above the limit.
func checkReach(cfg *config.Config, g reports.Gate) error {
	level, n := cfg.Report.Level, g.PlannedPairs
	var faults []error
	check := func(key string, limit float64, least int) {
		want := "a larger limit"
		if least > 0 {
			want = fmt.Sprintf("gate.planned_pairs of %d or more, or a larger limit", least)
		}
		if least == 0 || n < least {
			faults = append(faults, &config.Error{
				Position: cfg.At(key), Key: key, Want: want,
				Problem: fmt.Sprintf("%d planned pairs cannot show a share as small as %.4g %%: without a single case the %g %% interval still reaches it", n, 100*limit, 100*level),
			})
		}
	}
	for _, l := range cfg.Gate.Over {
		check("gate.latency.over."+l.Limit.String(), l.Share, reports.LeastCalls(l.Share, level))
	}
	for _, l := range cfg.Gate.FirstTokenOver {
		check("gate.latency.first_token.over."+l.Limit.String(), l.Share, reports.LeastCalls(l.Share, level))
	}
	if g.FailuresIncrease != nil {
		check("gate.failures.increase", *g.FailuresIncrease, reports.LeastPairs(*g.FailuresIncrease, level))
	}
	for _, p := range g.ProblemIncrease {
		check("gate.problems."+string(p.Problem)+".increase", p.Increase, reports.LeastPairs(p.Increase, level))
	}
	return errors.Join(faults...)
}
