package reports

import (
	"fmt"
	"math"
	"strings"
)

// sentence says a decision in words that need no statistics.
func sentence(d Decision, r Report, c Comparison) string {
	if d.Outcome == NoDecision {
		return clean("no decision: the books do not balance: " + strings.Join(r.Books.Wrong, "; "))
	}
	says := func(s string) string { return clean(string(d.Outcome) + ": " + s) }
	if words := unfitWords(d.Reasons, r, c); words != "" {
		return says(words)
	}
	failed, open := guardWords(d.Guards, Fail), guardWords(d.Guards, Unknown)
	quality := qualityWords(d.Quality, c.Quality)
	switch {
	case d.Quality.State == Fail:
		return says(joined(append([]string{quality}, failed...)))
	case len(failed) > 0 && d.Quality.State == Pass:
		return says(quality + ", but " + joined(failed))
	case len(failed) > 0:
		return says(joined(failed) + "; " + quality)
	case d.Outcome == Go:
		return says(quality + allHold(len(d.Guards)))
	}
	return says(openWords(d, r, c, quality, open))
}

func openWords(d Decision, r Report, c Comparison, quality string, open []string) string {
	words := quality
	if d.Outcome == NoGo {
		words = fmt.Sprintf("undecided at the stop date %s: %s", r.Experiment.Stop.UTC().Format(dayFormat), quality)
	}
	switch {
	case len(open) > 0 && d.Quality.Code == CodeBurnIn:
		words += "; still open: " + strings.Join(guardNames(d.Guards, Unknown), ", ")
	case len(open) > 0:
		words += "; still open: " + joined(open)
	}
	if c.Ungraded.Differ {
		words += fmt.Sprintf("; %s of its answers and %s of live's have no grade, more than %d point apart",
			percent(ratio(c.Ungraded.Candidate, c.Ungraded.Pairs)), percent(ratio(c.Ungraded.Live, c.Ungraded.Pairs)), maxLossPoints)
	}
	switch {
	case d.endsBurnIn(c.Quality):
		words += "; the burn-in ends after " + d.morePairs(r, c)
	case d.MorePairs != nil:
		words += "; " + d.morePairs(r, c) + " would settle " + d.settled()
	}
	return words
}

func ratio(x, n int) float64 { return float64(x) / float64(max(n, 1)) }

func allHold(guards int) string {
	switch guards {
	case 0:
		return ""
	case 1:
		return ", and the guard holds"
	}
	return fmt.Sprintf(", and all %d guards hold", guards)
}

// qualityWords says what is known of the grades.
func qualityWords(check Check, q Quality) string {
	d := decimals(q.Delta.SE)
	switch check.Code {
	case CodeBetter:
		return "better by " + fixed(math.Abs(*check.Value), d) + " grades" + inSE(q)
	case CodeWorse:
		return "worse by " + fixed(*check.Value, d) + " grades" + inSE(q) + ", margin " + limitNumber(check.Limit)
	case CodeNoWorse:
		return fmt.Sprintf("no worse: grade difference %s (negative is better), at most %s with margin %s",
			signed(*check.Value, d), beside(*check.Interval.Upper, check.Limit, d, signed), limitNumber(check.Limit))
	case CodeSeveral:
		return fmt.Sprintf("no worse if it were the only candidate (grade difference %s, at most %s with margin %s), but not yet beside the others: p %s by Holm, above %s",
			signed(*check.Value, d), beside(*check.Interval.Upper, check.Limit, d, signed), limitNumber(check.Limit), or(q.Tests.MarginHolm, pValue), limitNumber(1-q.Anytime.Level))
	case CodeBurnIn:
		return "too early: " + q.Burn.words()
	case CodeTooFew:
		return fmt.Sprintf("the grade difference has no interval yet (%s)", counted(check.N, "pair"))
	}
	return fmt.Sprintf("quality is open: grade difference %s%s over %s, between %s and %s, margin %s",
		signed(*check.Value, d), inSE(q), counted(check.N, "pair"), beside(*check.Interval.Lower, check.Limit, d, signed),
		beside(*check.Interval.Upper, check.Limit, d, signed), limitNumber(check.Limit))
}

// words says what the burn-in lacks.
func (b Burn) words() string {
	var lacks []string
	if b.Pairs < b.NeedPairs {
		lacks = append(lacks, fmt.Sprintf("%s of %s", number(b.Pairs), counted(b.NeedPairs, "pair")))
	}
	if b.Sessions < b.NeedSessions {
		lacks = append(lacks, fmt.Sprintf("%s of %s", number(b.Sessions), counted(b.NeedSessions, "session")))
	}
	return strings.Join(lacks, ", ") + " of the burn-in"
}

// limitNumber prints a margin with at least two decimals.
func limitNumber(v float64) string {
	for d := 2; d < 9; d++ {
		if s := fixed(v, d); math.Abs(v-parse(s)) < 1e-12 {
			return s
		}
	}
	return fixed(v, 9)
}

func inSE(q Quality) string {
	if q.Delta.InSE == nil {
		return ""
	}
	return " (" + fixed(math.Abs(*q.Delta.InSE), 1) + " SE)"
}

// guardWords says every guard in the given state.
func guardWords(guards []Check, state State) []string {
	var out []string
	for _, g := range guards {
		if g.State == state {
			out = append(out, g.words())
		}
	}
	return out
}

// guardNames names every guard in the given state: early intervals say nothing.
func guardNames(guards []Check, state State) []string {
	var out []string
	for _, g := range guards {
		if g.State == state {
			out = append(out, g.what)
		}
	}
	return out
}

// words says a guard's figure and limit; if it is open, the interval too.
func (c Check) words() string {
	value, interval, limit := c.figures()
	if c.State == Unknown {
		if c.Code == CodeCostUnknown {
			return fmt.Sprintf("%s over %s: not known, limit %s", c.what, c.Against, limit)
		}
		if c.Value == nil && c.Interval == nil {
			return fmt.Sprintf("%s: nothing measured, limit %s", c.what, limit)
		}
		return fmt.Sprintf("%s: %s (%s), limit %s", c.what, value, interval, limit)
	}
	over, tail := strings.CutPrefix(string(c.Code), codeTailOver)
	after, first := strings.CutPrefix(string(c.Code), codeFirstTokenOver)
	switch {
	case tail:
		return fmt.Sprintf("%s of its answers take over %s s, limit %s", value, strings.TrimSuffix(over, "s"), limit)
	case first:
		return fmt.Sprintf("%s of its first tokens come after %s s, limit %s", value, strings.TrimSuffix(after, "s"), limit)
	case c.Code == CodeP95Increase && c.Value != nil:
		return fmt.Sprintf("its p95 lies %s from %s's, limit %s", value, c.Against, limit)
	case c.Against != "":
		return fmt.Sprintf("%s over %s: %s, limit %s", c.what, c.Against, value, limit)
	}
	return fmt.Sprintf("%s: %s, limit %s", c.what, value, limit)
}

// figures prints value, interval and limit in the check's unit.
func (c Check) figures() (value, interval, limit string) {
	switch {
	case c.Unit == unitGrades:
		f := func(v float64) string { return beside(v, c.Limit, 2, signed) }
		return or(c.Value, f), c.Interval.text(f), limitNumber(c.Limit)
	case c.Unit == unitSeconds:
		f := func(v float64) string { return beside(v, c.Limit, 2, signed) + " s" }
		return c.valueText(f), c.Interval.text(f), limitNumber(c.Limit) + " s"
	case c.Unit == unitTimes:
		limit = limitText(c.Limit) + " %"
		switch {
		case c.Value == nil && c.State == Fail:
			return "from nothing", undefined, limit
		case c.Value == nil:
			return unknownCost, undefined, limit
		}
		return points(*c.Value) + " %", relativeInterval(c.Interval), limit
	case c.Against != "":
		f := func(v float64) string { return points(v) + " points" }
		return or(c.Value, f), c.Interval.text(points), inPoints(c.Limit)
	}
	return or(c.Value, percent), percentInterval(c.Interval), limitText(c.Limit) + " %"
}

// valueText prints the value, or what the interval still says of one that lies
// among failed calls.
func (c Check) valueText(f func(float64) string) string {
	switch {
	case c.Value != nil || c.Interval == nil:
		return or(c.Value, f)
	case c.Interval.Lower != nil:
		return "at least " + f(*c.Interval.Lower)
	case c.Interval.Upper != nil:
		return "at most " + f(*c.Interval.Upper)
	}
	return undefined
}

// unfitWords says why the input allows no decision, or nothing if it does.
func unfitWords(codes []Code, r Report, c Comparison) string {
	var out []string
	for _, code := range codes {
		switch code {
		case CodeNoData:
			out = append(out, "no pair of answers with both grades"+noPairs(r, c.Arm))
		case CodeSnapshot:
			out = append(out, "another judge snapshot or rubric than the pinned one answered")
		case CodeClusterKey:
			out = append(out, "answers without a session, so the standard error is not known")
		case CodeInvalidRows:
			out = append(out, contradict(r.Rows.Invalid))
		}
	}
	return strings.Join(out, "; ")
}

func contradict(n int) string {
	if n == 1 {
		return "1 row contradicts itself"
	}
	return number(n) + " rows contradict themselves"
}

// percentInterval prints the unit once.
func percentInterval(iv *Interval) string {
	if iv == nil {
		return undefined
	}
	return iv.text(percentNumber) + " %"
}
