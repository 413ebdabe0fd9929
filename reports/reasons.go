package reports

import (
	"strconv"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/rubric"
)

// Code says in one word what a decision rests on: a closed list, for machines. A
// guard has its own code, which the ending "_open" turns into "not known yet".
type Code string

// The codes that are not those of a guard.
const (
	CodeBetter  Code = "better"   // quality holds, and the candidate is better
	CodeNoWorse Code = "no_worse" // quality holds: at most the margin worse
	CodeWorse   Code = "worse"    // worse by more than the margin
	// CodeSeveral: quality would hold for this candidate alone, but not yet beside
	// the experiment's other candidates (Holm).
	CodeSeveral Code = "several_candidates"
	// CodeBurnIn, CodeTooFew and CodeQualityOpen: quality is not known yet, because
	// the burn-in is not over, there is no standard error, or the interval still
	// holds the margin.
	CodeBurnIn      Code = "burn_in"
	CodeTooFew      Code = "too_few"
	CodeQualityOpen Code = "quality_open"
	// CodeLossesDiffer: the arms' shares of ungraded answers differ by more than one
	// percentage point. It blocks a go.
	CodeLossesDiffer Code = "losses_differ"
	// CodeUndecided: the stop date has come and something is still open.
	CodeUndecided Code = "undecided_at_stop"
	// What makes the input unfit for anything but keep running: no graded pair, a
	// judge that is not the pinned one, pairs without a session, rows that
	// contradict themselves.
	CodeNoData      Code = "no_data"
	CodeSnapshot    Code = "snapshot_changed"
	CodeClusterKey  Code = "cluster_key_missing"
	CodeInvalidRows Code = "invalid_rows"
	// CodeBooks: the books do not balance, so there is no decision at all.
	CodeBooks Code = "books"
)

// The codes of guards; the first three take the limit or the problem at their end,
// as tail_over_3s, first_token_over_0.5s, problem_unsafe.
const (
	codeTailOver       = "tail_over_"
	codeFirstTokenOver = "first_token_over_"
	codeProblem        = "problem_"

	CodeP95Increase Code = "p95_increase"
	CodeFailures    Code = "failures"
	// CodeCostUnknown: the cost guard is open because there is no pair of which both
	// costs are known.
	CodeCostIncrease Code = "cost_increase"
	CodeCostUnknown  Code = "cost_unknown"
)

const openEnding = "_open"

func codeOver(prefix string, limit time.Duration) Code {
	return Code(prefix + seconds(limit) + "s")
}

func codeOfProblem(p rubric.Problem) Code { return Code(codeProblem + string(p)) }

// seconds prints a limit without trailing zeros: 3, 2.5, 0.05.
func seconds(d time.Duration) string {
	s := strconv.FormatFloat(d.Seconds(), 'f', 9, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
