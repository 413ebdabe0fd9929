package reports

import (
	"fmt"
	"math"
	"strconv"
)

// text is a chance in percent with its interval.
func (c Chance) text() string {
	if c.Value == nil {
		return undefined
	}
	return percent(*c.Value) + " (" + c.Interval.text(percentNumber) + ")"
}

// leastP is the smallest p-value that is printed as a number.
const leastP = 0.0001

// pValue prints a p-value with two significant digits, or "< 0.0001". It never
// rounds to 0 or 1.
func pValue(p float64) string {
	switch {
	case p < leastP:
		return "< " + strconv.FormatFloat(leastP, 'f', -1, 64)
	case p == 1:
		return "1"
	}
	d := 1 - int(math.Floor(math.Log10(p)))
	if s := fixed(p, d); parse(s) < 1 {
		return s
	}
	return "0.99"
}

// addTests adds the anytime p-value, and by Holm where there are several candidates.
func addTests(t *table, r Report) {
	line(t, "p of no difference, anytime", r.Comparisons, func(c Comparison) string { return or(c.Quality.Tests.Equal, pValue) })
	n := candidates(r.Comparisons)
	if n < 2 {
		return
	}
	adjusted := func(name string, of func(AnytimeTests) *float64) {
		line(t, fmt.Sprintf("%s by Holm over %d candidates", name, n), r.Comparisons, func(c Comparison) string {
			if c.Control {
				return "not tested"
			}
			return or(of(c.Quality.Tests), pValue)
		})
	}
	adjusted("p", func(t AnytimeTests) *float64 { return t.EqualHolm })
	adjusted("p of worse by the margin,", func(t AnytimeTests) *float64 { return t.MarginHolm })
}

// disagreement says which arm the mean and the wins favour, and whether that may be
// chance: it may where one of the two intervals for a single look holds 0.
func disagreement(q Quality) string {
	mean, wins := "live", "the candidate"
	if *q.Delta.Value < 0 {
		mean, wins = wins, mean
	}
	text := mean + ", but the wins favour " + wins
	if q.Fixed.Against(0) == Unknown || q.Better.Interval.Against(0.5) == Unknown {
		return text + "; one of them is not clear of 0, so this may be chance"
	}
	return text + "; both are clear: many small gains stand against few large losses, or the other way round"
}
