package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// paragraph is a line of a report's head; sub-lines belong to the line before. One
// that says a decision names its arm and outcome, and its text starts with both.
type paragraph struct {
	sub     bool
	text    string
	arm     shadow.Arm
	outcome Outcome
}

// head answers in a few lines: may it be promoted, why not, how sure are we, what
// would change the answer.
func head(r Report, decisions []Decision) []paragraph {
	out := []paragraph{{text: fmt.Sprintf("%s: %s, live is %s", r.Experiment.Name, r.Window.title(r.First, r.Last), naming(r.Experiment.Live))}}
	if days := r.incomplete(); days != "" {
		out = append(out, paragraph{text: "incomplete: " + incompleteText(days)})
	}
	if len(decisions) > 1 {
		out = append(out, paragraph{text: "decisions: " + overview(decisions)})
	}
	books := r.Books.words()
	if w := r.Whole; w != nil && len(decisions) > 0 {
		out = append(out, paragraph{text: "decided on all that was seen so far, " + Window{}.days(w.First, w.Last) + "; all tables but the gate's are of " + r.Window.name()})
	}
	for _, d := range decisions {
		out = append(out, said(d, r)...)
		if d.Outcome == NoDecision {
			books = "the books do not balance" // the sentence says why
		}
	}
	switch {
	case len(r.Comparisons) == 0:
		out = append(out, paragraph{text: "no candidates: live alone, nothing to decide"})
	case !slices.ContainsFunc(r.Comparisons, func(c Comparison) bool { return !c.Control }):
		out = append(out, paragraph{text: "no candidates but the control arm, which is never decided on"})
	}
	if changes := r.basis().LiveChanges; len(changes) > 0 {
		out = append(out, paragraph{text: liveChangesText(changes, r.Slices)})
	}
	return append(out, paragraph{text: coverageLine(r) + "; " + books})
}

// said is a decision in words, with what it rests on.
func said(d Decision, r Report) []paragraph {
	out := []paragraph{{text: fmt.Sprintf("%s: %s", d.Arm, d.Sentence), arm: d.Arm, outcome: d.Outcome}}
	sub := func(text string) { out = append(out, paragraph{sub: true, text: text}) }
	basis := r.basis()
	c, ok := basis.comparison(d.Arm)
	switch {
	case d.Outcome == NoDecision:
		sub("what would change it: books that balance; until then no figure can be relied on")
		return out
	case ok:
		sub("how sure: " + howSure(basis, c.Quality))
		if d.Turnable {
			sub("missing grades: " + d.Missing)
		}
		if words := c.atEqualLength(); words != "" {
			sub(words)
		}
		if words := c.timeAtEqualLength(); words != "" {
			sub(words)
		}
		sub("what would change it: " + change(d, basis, c))
	}
	if alone, ok := r.comparison(d.Arm); ok && r.Whole != nil {
		sub(r.Window.name() + " alone: " + howSure(r, alone.Quality))
	}
	return out
}

// overview names every candidate with its outcome.
func overview(decisions []Decision) string {
	parts := make([]string, len(decisions))
	for i, d := range decisions {
		parts[i] = fmt.Sprintf("%s %s", d.Arm, d.Outcome)
	}
	return strings.Join(parts, ", ")
}

func naming(s string) string {
	if s == "" {
		return "unnamed"
	}
	return s
}

// howSure is a grade difference with the interval that decides, or, where it decides
// nothing, with the one of a single look.
func howSure(r Report, q Quality) string {
	if q.Delta.Value == nil {
		return "the grade difference is " + undefined + why(q.Delta)
	}
	d := decimals(q.Delta.SE)
	f := func(v float64) string { return signed(v, d) }
	text := fmt.Sprintf("grade difference %s (negative is better), SE %s", f(*q.Delta.Value), or(q.Delta.SE, unsigned(d)))
	if q.Delta.constant() {
		text += " since " + noSpread
	}
	switch {
	case r.Whole != nil:
		text += fmt.Sprintf(", %s %% interval, as if this were the only look, %s", limitText(r.Experiment.Level), q.Fixed.text(f))
	case q.Anytime == nil:
		text += ", no anytime interval before the burn-in ends"
	default:
		text += fmt.Sprintf(", %s %% anytime interval %s", limitText(q.Anytime.Level), q.Anytime.text(f))
	}
	return text + fmt.Sprintf(", %s in %s", counted(q.Delta.N, "pair"), counted(q.Burn.Sessions, "session"))
}

// noSpread says why a standard error is 0, and what that means.
const noSpread = "no session differs from another, so chance does not show and intervals are points"

// constant says that the standard error is 0: nothing varied.
func (e Estimate) constant() bool { return e.SE != nil && *e.SE == 0 }

func unsigned(d int) func(float64) string { return func(v float64) string { return fixed(v, d) } }

// why says in words why an estimate is undefined.
func why(e Estimate) string {
	switch e.Undefined {
	case undefinedTooFew:
		return " (too few)"
	case undefinedCluster:
		return " (answers without a session)"
	case undefinedOtherwise:
		return " (not computable)"
	}
	return ""
}

// change says what would turn the decision; what is open stands in its sentence.
func change(d Decision, r Report, c Comparison) string {
	if words := fit(d.Reasons); words != "" {
		return words
	}
	var failing []string
	for _, check := range append([]Check{d.Quality}, d.Guards...) {
		if _, _, limit := check.figures(); check.State == Fail {
			failing = append(failing, fmt.Sprintf("%s below %s", check.what, limit))
		}
	}
	switch {
	case len(failing) > 0:
		return joined(failing)
	case slices.Contains(d.Reasons, CodeUndecided):
		return "a new experiment that runs longer"
	case d.Outcome == Go:
		return "nothing in these rows: every check holds; the closest is " + d.closest()
	case d.endsBurnIn(c.Quality):
		b := c.Quality.Burn
		return fmt.Sprintf("the end of the burn-in, at %s in %s", counted(b.NeedPairs, "pair"), counted(b.NeedSessions, "session"))
	}
	var open []string
	if d.MorePairs != nil {
		open = append(open, d.moreShort())
	}
	if slices.Contains(d.Reasons, CodeCostUnknown) {
		open = append(open, pricing(c))
	}
	if slices.Contains(d.Reasons, CodeLossesDiffer) {
		open = append(open, "shares of answers without a grade at most 1 point apart")
	}
	return strings.Join(orElse(open, "more data"), "; ")
}

// closest is the check that passes with the least room: the distance to its limit in
// widths of its interval.
func (d Decision) closest() string {
	closest, least := d.Quality, math.Inf(1)
	for _, check := range append([]Check{d.Quality}, d.Guards...) {
		iv := check.Interval
		if iv == nil || iv.Upper == nil || iv.Lower == nil || *iv.Upper <= *iv.Lower {
			continue
		}
		if room := (check.Limit - *iv.Upper) / (*iv.Upper - *iv.Lower); room < least {
			closest, least = check, room
		}
	}
	value, interval, limit := closest.figures()
	return fmt.Sprintf("%s: %s (%s), limit %s", closest.what, value, interval, limit)
}

// pricing says what closes a cost guard that has nothing to compare.
func pricing(c Comparison) string {
	return fmt.Sprintf("prices and token counts of %s and %s, in rows to come", c.Arm, c.Against)
}

// fit says what would make an unfit input fit for a decision; nothing if it is.
func fit(codes []Code) string {
	var out []string
	for _, code := range codes {
		switch code {
		case CodeNoData:
			out = append(out, "samples whose live and candidate answers both have a grade")
		case CodeSnapshot:
			out = append(out, "verdicts of the pinned judge and rubric alone; another judge is another experiment")
		case CodeClusterKey:
			out = append(out, "a session for every sample")
		case CodeInvalidRows:
			out = append(out, "rows that do not contradict themselves")
		}
	}
	return strings.Join(out, "; ")
}

func coverageLine(r Report) string {
	parts := make([]string, len(r.Arms))
	for i, a := range r.Arms {
		parts[i] = fmt.Sprintf("%s %s", a.Name, or(a.Coverage, percent))
	}
	return "coverage (graded of asked): " + strings.Join(parts, ", ")
}

// words says whether the books balance. Neither rows nor books balance in the
// logic, but that would say nothing to a reader.
func (b Balance) words() string {
	switch {
	case !b.Balanced:
		return "the books do not balance: " + strings.Join(b.Wrong, "; ")
	case b.Entries == 0:
		return noBooks
	}
	return "the books balance"
}

const noBooks = "no books yet"

// provenance names what a report was made from.
func provenance(r Report) table {
	e := r.Experiment
	t := table{head: []string{"made from", ""}}
	add := func(name, value string) { t.rows = append(t.rows, []string{name, value}) }
	add("window", r.Window.days(r.First, r.Last))
	add("experiment", e.Digest)
	add("rubric", e.Rubric)
	add("rubric digest", string(e.Digests))
	add("judge", strings.TrimSpace(e.Judge.Primary+" "+string(e.Judge.Pinned)))
	if e.Judge.Reserve != "" {
		add("reserve judge", strings.TrimSpace(e.Judge.Reserve+" "+string(e.Judge.ReservePinned)))
	}
	n := r.Rows
	add("rows", number(n.Read)+" read, "+number(n.Used)+" used")
	for _, c := range []struct {
		name string
		n    int
	}{
		{"of another experiment", n.OtherExperiment}, {"of another arm", n.OtherArm}, {"second verdicts", n.Repeats},
		{"other digest", n.OtherDigest}, {"other rubric", n.OtherRubric}, {"other judge snapshot", n.OtherJudge},
		{"contradictory", n.Invalid},
	} {
		if c.n > 0 {
			add("left out: "+c.name, number(c.n))
		}
	}
	for _, o := range r.OtherSeries {
		add("seam: another series, in no figure", fmt.Sprintf("judge %s, rubric %.12s: requests from %s UTC on, the last on %s",
			clean(string(o.Judge)), clean(string(o.Rubric)), o.First.Format("2006-01-02 15:04"), o.LastDay.Format(time.DateOnly)))
	}
	if !anyCost(r) {
		add("cost", unknownCost+": no answer has both a price and token counts")
	}
	if n.Duplicates > 0 {
		add("left out: duplicates", fmt.Sprintf("%s, %s of them in conflict; the first one counts", number(n.Duplicates), number(n.Conflicts)))
	}
	return t
}
