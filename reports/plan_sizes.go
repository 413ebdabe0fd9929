package reports

import (
	"math"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/stats"
)

// lookAlpha is the alpha of one single look whose interval is as wide as the anytime
// interval of level 1 − alpha after n of the planned pairs: P(|Z| > m(n)). With it
// the formulas for one look plan for daily ones. At n = planned the number of pairs
// does not matter, and 1130 pairs for one look at 5 % become 2164.
func lookAlpha(alpha, n, planned float64) (float64, error) {
	seq, err := stats.NewSequence(alpha, planned)
	if err != nil {
		return 0, err
	}
	m, err := seq.Multiplier(n)
	if err != nil {
		return 0, err
	}
	return math.Erfc(m / math.Sqrt2), nil
}

// Shows is the smallest true difference of mean grades, in grades, that the gate's
// anytime interval shows with 80 % power after so many pairs, whose differences have
// the standard deviation sd (inflated where sessions have several pairs). It is for a
// look at that moment; daily looks before it see a little more. The burn-in is not
// looked at. Errors: those of [stats.MDE] and [stats.NewSequence].
func (g Gate) Shows(sd float64, pairs int) (float64, error) {
	alpha, err := lookAlpha(g.Alpha, float64(pairs), float64(g.PlannedPairs))
	if err != nil {
		return 0, err
	}
	return stats.MDE(sd, float64(pairs), alpha, power)
}

func (p planner) visible() ([]Visible, error) {
	var out []Visible
	for week := 1; week <= weeksPlanned; week++ {
		out = append(out, Visible{Week: week, Day: new(7 * week), Pairs: p.pairs(7 * week)})
	}
	planned := Visible{Pairs: p.gate.PlannedPairs, Day: p.day(p.gate.PlannedPairs)}
	at, _ := slices.BinarySearchFunc(out, planned.Pairs, func(v Visible, n int) int { return v.Pairs - n })
	out = slices.Insert(out, at, planned)
	for i := range out {
		if err := p.fill(&out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fill computes the differences that a number of pairs shows.
func (p planner) fill(v *Visible) error {
	if v.Pairs < 2 {
		return nil
	}
	n := float64(v.Pairs)
	once, err := stats.MDE(p.sd, n, p.gate.Alpha, power)
	if err != nil {
		return err
	}
	v.Once = &once
	if v.Pairs < p.burnIn() {
		return nil
	}
	own := p.gate
	own.PlannedPairs = v.Pairs
	daily, err := own.Shows(p.sd, v.Pairs)
	if err != nil {
		return err
	}
	gate, err := p.gate.Shows(p.sd, v.Pairs)
	if err != nil {
		return err
	}
	v.Daily, v.Gate = &daily, &gate
	return nil
}

// needed lists the price of "no worse" for a candidate that is as good, and of
// "better" for candidates that are.
func (p planner) needed() ([]Needed, error) {
	daily, err := lookAlpha(p.gate.Alpha, 1, 1)
	if err != nil {
		return nil, err
	}
	out := []Needed{{Shows: CodeNoWorse}}
	for _, d := range betterBy {
		out = append(out, Needed{Shows: CodeBetter, Difference: -d})
	}
	for i := range out {
		limit := 0.0
		if out[i].Shows == CodeNoWorse {
			limit = p.gate.Margin
		}
		gap := limit - out[i].Difference
		if out[i].Once, err = p.toShow(gap, p.gate.Alpha, 2); err != nil {
			return nil, err
		}
		if out[i].Daily, err = p.toShow(gap, daily, p.burnIn()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// toShow is how many pairs show a difference, at least as many as given.
func (p planner) toShow(difference, alpha float64, least int) (Size, error) {
	n, err := stats.PairsNeeded(p.sd, difference, alpha, power)
	if err != nil {
		return Size{}, err
	}
	if n > maxProjection {
		return Size{}, nil
	}
	return p.size(max(int(math.Ceil(n)), least)), nil
}

// end says what is known on the last day before the stop, or with the planned pairs.
func (p planner) end(start, stop time.Time) (End, error) {
	end := End{Pairs: p.gate.PlannedPairs, Day: p.day(p.gate.PlannedPairs)}
	if !start.IsZero() && !stop.IsZero() {
		days := int(stop.Sub(start) / (24 * time.Hour))
		end = End{Pairs: p.pairs(days), Day: &days}
	}
	if end.Pairs < p.burnIn() {
		return end, nil
	}
	alpha, err := lookAlpha(p.gate.Alpha, float64(end.Pairs), float64(p.gate.PlannedPairs))
	if err != nil {
		return end, err
	}
	chance, err := stats.Power(p.sd, float64(end.Pairs), p.gate.Margin, alpha)
	if err != nil {
		return end, err
	}
	shows, err := p.gate.Shows(p.sd, end.Pairs)
	end.PassAsGood, end.PassFrom = &chance, new(p.gate.Margin-shows)
	return end, err
}
