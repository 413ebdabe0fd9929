package reports

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/understudy-eval/understudy/stats"
)

// Units of a Check.
const (
	unitGrades  = "grades"
	unitShare   = "share"
	unitSeconds = "s"
	unitTimes   = "relative" // an increase: 0.5 is half as much again
)

// quality holds the anytime interval of the grade difference to the margin. With
// several candidates what passes, and what is called better, must also hold by Holm.
func (g Gate) quality(c Comparison, candidates int) Check {
	q := c.Quality
	check := Check{
		State: q.Anytime.Against(g.Margin), Value: q.Delta.Value, Interval: q.Anytime, Limit: g.Margin,
		Unit: unitGrades, Against: "live", N: q.Delta.N, what: "grade difference",
	}
	switch {
	case check.State == Fail:
		check.Code = CodeWorse
	case check.State == Pass && !g.holds(q.Tests.MarginHolm):
		check.State, check.Code = Unknown, CodeSeveral
	case check.State == Pass && *q.Anytime.Upper < 0 && g.holds(q.Tests.EqualHolm):
		check.Code = CodeBetter
	case check.State == Pass:
		check.Code = CodeNoWorse
	case !q.Burn.Reached:
		check.Code = CodeBurnIn
	case q.Anytime == nil:
		check.Code = CodeTooFew
	default:
		check.Code = CodeQualityOpen
	}
	if check.State == Unknown {
		check.More = g.morePairs(q, candidates)
	}
	return check
}

// holds says whether an adjusted p-value is small enough. It is nil beside an
// interval only where that is a point, which no number of candidates widens.
func (g Gate) holds(p *float64) bool { return p == nil || *p <= g.Alpha }

// power with which the pairs that are still needed would settle the question.
const power = 0.8

// morePairs projects how many pairs would part the difference from the margin, if
// it stays as it is; at least what the burn-in still needs. Of several candidates
// the first to hold by Holm needs the most, so it is planned for.
func (g Gate) morePairs(q Quality, candidates int) *int {
	g.Alpha /= float64(max(candidates, 1))
	need := 0
	if !q.Burn.Reached {
		need = max(q.Burn.NeedPairs-q.Burn.Pairs, q.Burn.pairsForSessions(), 1)
	}
	if q.Delta.SE != nil && *q.Delta.SE > 0 {
		sd := *q.Delta.SE * math.Sqrt(float64(q.Delta.N))
		if n, err := g.dailyPairs(sd, g.Margin-*q.Delta.Value); err == nil && n < maxProjection {
			need = max(need, int(math.Ceil(n))-q.Delta.N)
		}
	}
	if need <= 0 {
		return nil
	}
	return &need
}

// pairsForSessions is how many more pairs bring the sessions of the burn-in, if these
// go on to have as many pairs as so far.
func (b Burn) pairsForSessions() int {
	if b.Sessions == 0 || b.Pairs > maxProjection/max(b.NeedSessions, 1) {
		return 0
	}
	return max(b.NeedSessions-b.Sessions, 0) * b.Pairs / b.Sessions
}

// dailyPairs is how many pairs show a difference to somebody who looks every day.
func (g Gate) dailyPairs(sd, difference float64) (float64, error) {
	alpha, err := lookAlpha(g.Alpha, 1, 1)
	if err != nil {
		return 0, err
	}
	return stats.PairsNeeded(sd, difference, alpha, power)
}

// maxProjection is where a projection stops: no experiment has that many pairs.
const maxProjection = 1 << 30

// guards are the checks of the gate, in its order.
func (g Gate) guards(a ArmReport, c Comparison, level float64) []Check {
	checks := []Check{}
	for _, l := range g.Over {
		share, _ := a.Latency.limitOver(l.Limit)
		what := fmt.Sprintf("share of answers over %s s", seconds(l.Limit))
		checks = append(checks, shareCheck(codeOver(codeTailOver, l.Limit), what, share, l.Share, level))
	}
	for _, l := range g.FirstTokenOver {
		var share Share
		if a.FirstToken != nil {
			share, _ = a.FirstToken.limitOver(l.Limit)
		}
		what := fmt.Sprintf("share of first tokens after %s s", seconds(l.Limit))
		checks = append(checks, shareCheck(codeOver(codeFirstTokenOver, l.Limit), what, share, l.Share, level))
	}
	if g.P95Increase != nil {
		checks = append(checks, p95Check(c, *g.P95Increase))
	}
	if g.FailuresIncrease != nil {
		checks = append(checks, deltaCheck(CodeFailures, "increase of failures", c, c.Failures, *g.FailuresIncrease, level))
	}
	for _, p := range g.ProblemIncrease {
		what := "increase of problem " + clean(string(p.Problem))
		checks = append(checks, deltaCheck(codeOfProblem(p.Problem), what, c, problemDelta(c, p), p.Increase, level))
	}
	if g.CostIncrease != nil && !g.leavesCostOut(c) {
		checks = append(checks, costCheck(c.CostIncrease, *g.CostIncrease))
	}
	for i := range checks {
		switch {
		case checks[i].State != Unknown:
			checks[i].More = nil
		case checks[i].Code != CodeCostUnknown:
			checks[i].Code += openEnding
		}
	}
	return checks
}

func problemDelta(c Comparison, p ProblemLimit) ShareDelta {
	for _, d := range c.Problems {
		if d.Problem == p.Problem {
			return d.Delta
		}
	}
	return ShareDelta{}
}

func shareCheck(code Code, what string, s Share, limit, level float64) Check {
	check := Check{
		Code: code, State: s.Interval.Against(limit), Value: s.Share, Interval: s.Interval,
		Limit: limit, Unit: unitShare, N: s.N, what: what,
	}
	switch {
	case s.N == 0:
	case s.Clustered && s.X > 0 && s.X < s.N:
		check.More = check.moreByWidth()
	default:
		x, n := s.X, s.N
		if s.extreme() {
			n = max(1, int(*s.EffectiveN))
			x = n * one(s.X > 0)
		}
		check.More = grown(s.N, func(k int) State {
			return intervalOf(stats.Wilson(k*x, k*n, level)).Against(limit)
		})
	}
	return check
}

func deltaCheck(code Code, what string, c Comparison, d ShareDelta, limit, level float64) Check {
	check := Check{
		Code: code, State: d.Interval.Against(limit), Value: d.Delta, Interval: d.Interval,
		Limit: limit, Unit: unitShare, Against: c.Against, N: d.Pairs, what: what,
	}
	if d.Pairs > 0 {
		check.More = grown(d.Pairs, func(k int) State {
			_, iv, err := d.newcombe(k, level)
			return intervalOf(iv, err).Against(limit)
		})
	}
	return check
}

func p95Check(c Comparison, limit time.Duration) Check {
	check := Check{
		Code: CodeP95Increase, Limit: limit.Seconds(), Unit: unitSeconds, Against: c.Against,
		N: c.P95.Calls, Value: inSeconds(c.P95.Delta), what: "increase of p95",
	}
	if c.P95.Lower != nil || c.P95.Upper != nil {
		check.Interval = &Interval{Lower: inSeconds(c.P95.Lower), Upper: inSeconds(c.P95.Upper), Level: c.P95.Level}
	}
	check.State = check.Interval.Against(check.Limit)
	return check
}

func inSeconds(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	return new(d.Seconds())
}

// grown is how many more observations settle a check if all counts grow alike: the
// smallest multiple k that is not Unknown. nil if none up to maxMultiple is.
func grown(n int, state func(k int) State) *int {
	settled := func(k int) bool { return state(k) != Unknown }
	if settled(1) || n > maxProjection/maxMultiple || !settled(maxMultiple) {
		return nil
	}
	k := sort.Search(maxMultiple, func(k int) bool { return settled(k + 1) }) + 1
	return new((k - 1) * n)
}

const maxMultiple = 1000
