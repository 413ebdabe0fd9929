package judge

import (
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// NotGraded says why an answer has no grade: a closed list, counted in the books.
type NotGraded string

// The reasons why an answer is not graded.
const (
	NoTransport        NotGraded = "transport"
	NoRefusal          NotGraded = "refusal" // the judge refused, not the answer
	NoEmpty            NotGraded = "empty"
	NoTruncated        NotGraded = "truncated"
	NoFiltered         NotGraded = "filtered"
	NoMalformed        NotGraded = "malformed"
	NoAmbiguous        NotGraded = "ambiguous"
	NoOutOfScale       NotGraded = "out_of_scale"
	NoOutOfList        NotGraded = "out_of_list"
	NoSnapshotMismatch NotGraded = "snapshot_mismatch"
	NoSnapshotUnproven NotGraded = "snapshot_unproven"
	NoBudget           NotGraded = "budget"
	NoDuplicate        NotGraded = "duplicate"
	NoControl          NotGraded = "control"
)

// NotGradedReasons lists every reason in the order in which tables show them.
func NotGradedReasons() []NotGraded {
	return []NotGraded{
		NoTransport, NoRefusal, NoEmpty, NoTruncated, NoFiltered, NoMalformed, NoAmbiguous,
		NoOutOfScale, NoOutOfList, NoSnapshotMismatch, NoSnapshotUnproven, NoBudget, NoDuplicate, NoControl,
	}
}

// State says what became of an answer at the judge.
type State string

// The states of a ruling.
const (
	StateGraded    State = "graded"
	StateNotGraded State = "not_graded"
	StateNotDrawn  State = "not_drawn" // outside the judge's share
)

// Ruling is a verdict plus who gave it, or why there is none. There is one for
// each arm that answered; an arm that failed or was not asked has none.
type Ruling struct {
	Arm   shadow.Arm `json:"arm"`
	State State      `json:"state"`
	// Verdict is set when State is graded.
	Verdict *rubric.Verdict `json:"verdict,omitempty"`
	// Reason is set when State is not_graded; Detail is the cause for a reader.
	Reason NotGraded `json:"reason,omitempty"`
	Detail string    `json:"detail,omitempty"`
	// Judge is the configured name of the model that was asked, Pinned the snapshot
	// it is pinned to, Echo the one that its reply named.
	Judge  string       `json:"judge,omitempty"`
	Pinned llm.Snapshot `json:"pinned,omitempty"`
	Echo   llm.Snapshot `json:"echo,omitempty"`
	// Took is the time from the first call's start to the ruling. Calls counts
	// calls to judges for this answer, Hedged says that the reserve was asked
	// because the first judge was silent.
	Took   time.Duration `json:"took_ns"`
	Calls  int           `json:"calls"`
	Hedged bool          `json:"hedged,omitempty"`
	Usage  llm.Usage     `json:"usage"`
	// ContextCut says that the judge was not shown the whole conversation: turns were left
	// out to fit its context, or images that it cannot see or that are too many or too large.
	ContextCut bool `json:"context_cut,omitempty"`
	// Repeat numbers the verdicts on the same answer; 0 is the one that counts. Purpose
	// says what a further one is for, and is empty for Repeat 0. Plant names the planted
	// instruction that the judge was shown with the answer, if any.
	Repeat  int     `json:"repeat,omitempty"`
	Purpose Purpose `json:"purpose,omitempty"`
	Plant   string  `json:"plant,omitempty"`
	// Series names the yardstick: the snapshots of the judges, and the rubric with its
	// prompt. Rulings of two series enter no delta together. Empty if no judge was asked.
	Series string `json:"series,omitempty"`
	// Form says how the verdict stood in the reply; empty without a verdict.
	Form Form `json:"form,omitempty"`
	// Regraded says that the trial was graded anew by this judge, after the first one
	// had failed in transport on a later answer.
	Regraded bool `json:"regraded,omitempty"`
	// Suspect says that the answer looks like an attack on its judge.
	Suspect bool `json:"suspect,omitempty"`
	// Reply is what the judge said, word for word but for its end if it is very long;
	// empty without a reply.
	Reply string `json:"reply,omitempty"`
}

// Purpose says what a further verdict on an answer is for. None of them enters a
// grade, a delta or a coverage.
type Purpose string

// The purposes of further verdicts.
const (
	PurposeRepeat    Purpose = "repeat"    // by the same judge: how steady is it?
	PurposeAgreement Purpose = "agreement" // by the other judge: do the two agree?
	PurposeInjection Purpose = "injection" // by the same judge, with a planted instruction: does it obey?
)

// Form says how a verdict stood in a judge's reply.
type Form string

// The forms of a verdict.
const (
	FormBare    Form = "bare"    // the reply is the verdict's object and nothing else
	FormWrapped Form = "wrapped" // in a code fence, or with words around it
	FormTool    Form = "tool"    // as the arguments of a tool call
)

// Graded is a trial with its rulings.
type Graded struct {
	Trial shadow.Trial `json:"trial"`
	// Digest is the experiment's; Share is the judge's share of the samples, in (0, 1].
	Digest string        `json:"digest"`
	Share  float64       `json:"share"`
	Rubric rubric.Digest `json:"rubric"`
	// Rulings has one entry per arm that answered, in the order of Trial.Answers, and
	// after these the further ones (Repeat > 0).
	Rulings []Ruling `json:"rulings"`
	// Unused keeps verdicts of a judge that failed in transport later in the trial;
	// the other judge graded the whole trial anew. They enter no figure.
	Unused []Ruling `json:"unused,omitempty"`
}
