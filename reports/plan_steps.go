package reports

import (
	"fmt"
	"math"
	"sort"

	"github.com/understudy-eval/understudy/stats"
)

// Step is something that can be said from a number of pairs or calls on.
type Step struct {
	// Code is the check that can pass then; burn_in for its end, and p95 and p99
	// for their upper bounds.
	Code Code   `json:"code"`
	What string `json:"what"`
	// First is the least that will do: for a limit on a share, if not one case is
	// seen. Half is what it takes if the cases are half of what the limit allows;
	// nil where there is no such limit.
	First Size  `json:"first"`
	Half  *Size `json:"at_half_the_limit"`
}

// steps lists the end of the burn-in, the guards in the gate's order, and the
// quantiles.
func (p planner) steps() []Step {
	out := []Step{{Code: CodeBurnIn, What: "burn-in ends: grades can be decided", First: p.size(p.burnIn())}}
	share := func(code Code, what string, limit float64, upper upperBound) {
		half := p.sizeOrNone(upper.atHalf(limit))
		out = append(out, Step{code, what, p.sizeOrNone(upper.atNone(limit)), &half})
	}
	for _, l := range p.gate.Over {
		share(codeOver(codeTailOver, l.Limit), fmt.Sprintf("share of answers over %s s, limit %s %%", seconds(l.Limit), limitText(l.Share)), l.Share, ownUpper(p.level))
	}
	for _, l := range p.gate.FirstTokenOver {
		share(codeOver(codeFirstTokenOver, l.Limit), fmt.Sprintf("share of first tokens after %s s, limit %s %% (streamed calls)", seconds(l.Limit), limitText(l.Share)), l.Share, ownUpper(p.level))
	}
	if limit := p.gate.FailuresIncrease; limit != nil {
		share(CodeFailures, "increase of failures, limit "+inPoints(*limit), *limit, increaseUpper(p.level))
	}
	for _, l := range p.gate.ProblemIncrease {
		share(codeOfProblem(l.Problem), fmt.Sprintf("increase of problem %s, limit %s", clean(string(l.Problem)), inPoints(l.Increase)), l.Increase, increaseUpper(p.level))
	}
	for _, q := range []struct {
		p    float64
		name string
	}{{0.95, "p95"}, {0.99, "p99"}} {
		step := Step{Code: Code(q.name), What: q.name + " has an upper bound"}
		if q.p == 0.95 && p.gate.P95Increase != nil {
			step.Code, step.What = CodeP95Increase, fmt.Sprintf("p95 has an upper bound, so does its increase, limit %s s", limitNumber(p.gate.P95Increase.Seconds()))
		}
		if n, err := stats.MinNForUpper(q.p, p.level); err == nil {
			step.First = p.size(n)
		}
		out = append(out, step)
	}
	return out
}

// sizeOrNone is a size, or none for 0.
func (p planner) sizeOrNone(n int) Size {
	if n == 0 {
		return Size{}
	}
	return p.size(n)
}

// LeastCalls is the smallest number of calls after which a limit on a candidate's own
// share can pass: with not one case among them, the upper end of Wilson's interval lies
// below the limit. 0 if that takes over a billion, or if the limit is not above 0.
func LeastCalls(limit, level float64) int { return ownUpper(level).atNone(limit) }

// LeastPairs is the same for a limit on the increase of a share over another arm, by
// Newcombe's interval for pairs.
func LeastPairs(limit, level float64) int { return increaseUpper(level).atNone(limit) }

// upperBound is the upper end of a guard's interval with x cases among n.
type upperBound func(x, n int) (float64, error)

func ownUpper(level float64) upperBound {
	return func(x, n int) (float64, error) {
		iv, err := stats.Wilson(x, n, level)
		return iv.Upper, err
	}
}

func increaseUpper(level float64) upperBound {
	return func(x, n int) (float64, error) {
		_, iv, err := stats.NewcombePaired(0, 0, x, n-x, level)
		return iv.Upper, err
	}
}

// atNone is the smallest n with which a limit is kept if no case is seen; 0 if no n
// up to a billion does.
func (u upperBound) atNone(limit float64) int {
	return least(maxProjection, func(n int) bool { return u.below(limit, 0, n) })
}

// atHalf is the smallest n for whole numbers of cases that are half of the limit.
func (u upperBound) atHalf(limit float64) int {
	calls := func(cases int) int { return int(math.Ceil(2 * float64(cases) / limit)) }
	most := int(min(maxProjection*limit/2, maxProjection))
	cases := least(most, func(k int) bool { return u.below(limit, k, calls(k)) })
	if cases == 0 {
		return 0
	}
	return calls(cases)
}

func (u upperBound) below(limit float64, x, n int) bool {
	upper, err := u(x, n)
	return err == nil && upper < limit
}

// least is the smallest number from 1 to most that will do, where all larger ones
// do too; 0 if none does.
func least(most int, does func(int) bool) int {
	i := sort.Search(most, func(i int) bool { return does(i + 1) })
	if i == most {
		return 0
	}
	return i + 1
}
