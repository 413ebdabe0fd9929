package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// The figures that people plan with, as published or printed to so many digits:
// the standard errors that a sequence asks for, what looking every day costs, and
// how many values a tail needs.
func TestFiguresToPlanWith(t *testing.T) {
	multiplier := func(alpha, share float64) float64 {
		s, err := stats.NewSequence(alpha, 1000)
		ok(t, s, err)
		m, err := s.Multiplier(1000 * share)
		return ok(t, m, err)
	}
	// atEnd is the alpha of one look that is as strict as the sequence at its end.
	atEnd, err := stats.Estimate{N: 9, Value: multiplier(0.05, 1), SE: 1, DF: 1e15}.PValue(0)
	ok(t, atEnd, err)
	mde := func(n, alpha float64) float64 {
		d, err := stats.MDE(1.2, n, alpha, 0.8)
		return ok(t, d, err)
	}
	pairs := func(alpha float64) float64 {
		n, err := stats.PairsNeeded(1.2, 0.1, alpha, 0.8)
		return ok(t, n, err)
	}
	values := func(p float64) float64 {
		n, err := stats.MinNForUpper(p, 0.95)
		return float64(ok(t, n, err))
	}
	repeats, err := stats.Wilson(131, 147, 0.95)
	ok(t, repeats, err)
	for _, c := range []struct {
		why       string
		got, want float64
		digits    int
	}{
		{"a twentieth of the plan", multiplier(0.05, 0.05), 4.67, 2},
		{"a tenth: four standard errors still hold", multiplier(0.05, 0.1), 3.82, 2},
		{"a quarter", multiplier(0.05, 0.25), 3.25, 2},
		{"half", multiplier(0.05, 0.5), 3.08, 2},
		{"the plan: peeking-safe from about 3", multiplier(0.05, 1), 3.04, 2},
		{"twice the plan", multiplier(0.05, 2), 3.06, 2},
		{"ten times the plan", multiplier(0.05, 10), 3.25, 2},
		{"alpha 0.10", multiplier(0.10, 1), 2.76, 2},
		{"alpha 0.01", multiplier(0.01, 1), 3.57, 2},
		{"a week of 209 pairs", mde(209, 0.05), 0.23, 2},
		{"a month of 894 pairs", mde(894, 0.05), 0.11, 2},
		{"a week, looked at daily", mde(209, atEnd), 0.32, 2},
		{"a month, looked at daily", mde(894, atEnd), 0.16, 2},
		{"the price of looking daily", mde(894, atEnd) / mde(894, 0.05), 1.38, 2},
		{"pairs for a margin of 0.1", pairs(0.05), 1130, 0},
		{"pairs for it, looked at daily", pairs(atEnd), 2164, 0},
		{"an upper bound for p95", values(0.95), 72, 0},
		{"for p99", values(0.99), 368, 0},
		{"for p99.9", values(0.999), 3688, 0},
		{"131 of 147 repeated verdicts, lower", repeats.Lower, 0.831, 3},
		{"131 of 147 repeated verdicts, upper", repeats.Upper, 0.932, 3},
	} {
		scale := math.Pow10(c.digits)
		if math.Round(c.got*scale) != math.Round(c.want*scale) {
			t.Errorf("%s: %v, want %v", c.why, c.got, c.want)
		}
	}
}
