package sinks

import (
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Row is what one arm did with one sample: the unit of every report. Pointers and
// empty strings are null in the file.
type Row struct {
	Sample     shadow.SampleID
	Arm        shadow.Arm
	Experiment string
	// Digest is the experiment's, see reports.Experiment.
	Digest string
	Seen   time.Time // UTC, microseconds
	// Tap is the process that took the sample, TapSeq the sample's number there from
	// 1 on: what links a row to the books of that process.
	Tap    string
	TapSeq *int64
	// Session is the cluster key of every standard error.
	Session string
	Route   string
	Dialect llm.Dialect
	Stream  bool
	// Rate is the chance that this arm was asked for this request: tap rate ×
	// share, in (0, 1]. JudgeRate is the chance that it was asked and its answer went
	// to the judge: tap rate × min(share, judge's share), because shares nest. Its
	// inverse is the weight of a grade.
	Rate      float64
	JudgeRate float64
	Redacted  bool
	// Tags are key=value, by key; nil when there are none.
	Tags []string

	// State is answered, failed or not_asked; Reason a value of the list that
	// belongs to it (llm.Reason, shadow.NotAsked), empty for answered.
	State  State
	Reason string

	Model           llm.Snapshot
	Status          *int32
	Attempts        *int32
	FirstToken      *time.Duration // first_token_us
	Took            *time.Duration // took_us; null when not asked, or recorded without it
	Censored        bool           // it took more than Took
	Queued          *time.Duration // queued_us; null for live
	Finish          llm.Finish
	TokensIn        *int64
	TokensOut       *int64
	TokensReasoning *int64
	TokensCached    *int64 // part of TokensIn
	// Cost is what the arm was paid for this sample, in 1e-9 USD at the price of the
	// day on which the row was made; nil when usage or price is unknown. A failed
	// call costs too, and of several attempts those count whose usage is known. Rows
	// of one answer (Repeat) all have it.
	Cost *int64
	// Conforms says whether the answer keeps to the schema or list that the request
	// sets; nil where it sets none, where it cannot be told, and without an answer.
	Conforms *bool
	// ToolNames are the functions that the answer called; nil when the arm did not answer.
	ToolNames []string
	// AnswerChars counts the characters (runes) of the answer's text; null when the arm did not answer.
	AnswerChars *int64

	// JudgeState is graded, not_graded or not_drawn; empty when there was no answer
	// to judge. JudgeReason is a judge.NotGraded.
	JudgeState  judge.State
	JudgeReason judge.NotGraded
	Grade       *rubric.Grade
	Problem     rubric.Problem
	Judge       string
	JudgePinned llm.Snapshot
	JudgeEcho   llm.Snapshot
	Rubric      rubric.Digest
	JudgeTook   *time.Duration // judge_took_us
	JudgeCalls  *int32
	// JudgeTokensIn, JudgeTokensOut and JudgeCost (in 1e-9 USD) are of all replies of
	// judges about this answer whose usage is known, also of one that dropped out
	// later in the trial; nil when none is.
	JudgeTokensIn  *int64
	JudgeTokensOut *int64
	JudgeCost      *int64
	Hedged         bool
	ContextCut     bool
	// Repeat is 0 for the verdict that counts; Purpose says what a further one is for,
	// Plant which planted instruction the judge was shown with the answer.
	Repeat  int32
	Purpose judge.Purpose
	Plant   string
	// Series names the yardstick of the ruling, see [judge.Ruling]; empty if no judge was asked.
	Series string
	// JudgeForm says how the verdict stood in the reply; empty without a verdict.
	JudgeForm judge.Form
	// Regraded: by this judge after the first had failed. Suspect: the answer looks
	// like an attack on its judge. Both are nil without a ruling.
	Regraded *bool
	Suspect  *bool
	// NotCarried is what was lost when the request was put into another dialect.
	NotCarried []string
}

// State says what became of an arm's answer.
type State string

// The states of a row.
const (
	Answered State = "answered"
	Failed   State = "failed"
	NotAsked State = "not_asked"
)
