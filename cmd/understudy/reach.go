package main

import (
	"errors"
	"fmt"
	"sort"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/stats"
)

// checkReach refuses limits that could not be passed even if nothing ever went
// wrong: with planned_pairs calls and not one bad among them, the interval's upper
// end would still lie above the limit.
func checkReach(cfg *config.Config, g reports.Gate) error {
	level, n := cfg.Report.Level, g.PlannedPairs
	own := func(n int) (float64, error) {
		iv, err := stats.Wilson(0, n, level)
		return iv.Upper, err
	}
	difference := func(n int) (float64, error) {
		_, iv, err := stats.NewcombePaired(0, 0, 0, n, level)
		return iv.Upper, err
	}
	var faults []error
	check := func(key string, limit float64, best func(int) (float64, error)) {
		upper, err := best(n)
		if err == nil && upper < limit {
			return
		}
		faults = append(faults, &config.Error{
			Position: cfg.At(key), Key: key,
			Problem: fmt.Sprintf("%d planned pairs cannot show a share as small as %.4g %%: without a single case the %g %% interval reaches %.2g %%", n, 100*limit, 100*level, 100*upper),
			Want:    fmt.Sprintf("gate.planned_pairs of %d or more, or a larger limit", enough(limit, best)),
		})
	}
	for _, l := range cfg.Gate.Over {
		check("gate.latency.over."+l.Limit.String(), l.Share, own)
	}
	for _, l := range cfg.Gate.FirstTokenOver {
		check("gate.latency.first_token.over."+l.Limit.String(), l.Share, own)
	}
	if g.FailuresIncrease != nil {
		check("gate.failures.increase", *g.FailuresIncrease, difference)
	}
	for _, p := range g.ProblemIncrease {
		check("gate.problems."+string(p.Problem)+".increase", p.Increase, difference)
	}
	return errors.Join(faults...)
}

// enough is the smallest number of calls with which a limit can be passed.
func enough(limit float64, best func(int) (float64, error)) int {
	const most = 10_000_000
	return 1 + sort.Search(most, func(i int) bool {
		upper, err := best(i + 1)
		return err == nil && upper < limit
	})
}
