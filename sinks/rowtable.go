package sinks

import (
	"fmt"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// need and may make a column of the rows that always has a value, or may be null.
func need(name, unit, meaning string) Column {
	return Column{Set: SetRows, Name: name, Unit: unit, Meaning: meaning}
}

func may(name, unit, meaning string) Column {
	return Column{Set: SetRows, Name: name, Nullable: true, Unit: unit, Meaning: meaning}
}

// rowTable is the one list of a row's columns: files, printed schema and proof follow it.
func rowTable() table[Row] {
	var all []field[Row]
	all = append(all, sampleFields()...)
	all = append(all, answerFields()...)
	all = append(all, judgeFields()...)
	all = append(all, since(2, laterFields()...)...)
	all = append(all, since(3, yardstickFields()...)...)
	return table[Row]{set: SetRows, version: 3, fields: all, check: checkRow}
}

func sampleFields() []field[Row] {
	return []field[Row]{
		id(need("sample", "", "sample id"), func(r *Row) *shadow.SampleID { return &r.Sample }),
		text(need("arm", "", "live, or a candidate's name"), func(r *Row) *shadow.Arm { return &r.Arm }),
		text(may("experiment", "", "experiment's name"), func(r *Row) *string { return &r.Experiment }),
		text(may("digest", "", "experiment's digest"), func(r *Row) *string { return &r.Digest }),
		instant(need("seen", "", "arrival of the request; its day is the folder's date"), func(r *Row) *time.Time { return &r.Seen }),
		text(may("tap", "", "process that took the sample: the source of its books"), func(r *Row) *string { return &r.Tap }),
		plain(count(may("tap_seq", "", "sample's number in that process, from 1 on"), func(r *Row) **int64 { return &r.TapSeq })),
		text(may("session", "", "conversation: the cluster of every standard error"), func(r *Row) *string { return &r.Session }),
		text(may("route", "", "what reports can be split by"), func(r *Row) *string { return &r.Route }),
		text(may("dialect", "", "wire format of the client"), func(r *Row) *llm.Dialect { return &r.Dialect }),
		flag(need("stream", "", "the client asked for a stream"), func(r *Row) *bool { return &r.Stream }),
		share(need("rate", "0..1", "chance that this arm was asked for this request"), func(r *Row) *float64 { return &r.Rate }),
		share(need("judge_rate", "0..1", "chance that this arm was asked and its answer went to the judge"), func(r *Row) *float64 { return &r.JudgeRate }),
		flag(need("redacted", "", "request or answer was changed before it left the tap"), func(r *Row) *bool { return &r.Redacted }),
	}
}

func answerFields() []field[Row] {
	return []field[Row]{
		text(need("state", "", "answered, failed or not_asked"), func(r *Row) *State { return &r.State }),
		text(may("reason", "", "why it failed or was not asked"), func(r *Row) *string { return &r.Reason }),
		text(may("model", "", "model version that the answer names"), func(r *Row) *llm.Snapshot { return &r.Model }),
		small(may("status", "", "HTTP status"), func(r *Row) **int32 { return &r.Status }),
		small(may("attempts", "calls", "calls made for this answer"), func(r *Row) **int32 { return &r.Attempts }),
		micros(may("first_token_us", "us", "time to the first content of a stream"), func(r *Row) **time.Duration { return &r.FirstToken }),
		micros(may("took_us", "us", "time to the last byte or the failure; null when not asked, or recorded without it"), func(r *Row) **time.Duration { return &r.Took }),
		flag(need("censored", "", "it took more than took_us: a limit or the user cut it off"), func(r *Row) *bool { return &r.Censored }),
		micros(may("queued_us", "us", "wait in the pipeline before the arm was asked; null for live"), func(r *Row) **time.Duration { return &r.Queued }),
		text(may("finish", "", "why the answer ended"), func(r *Row) *llm.Finish { return &r.Finish }),
		count(may("tokens_in", "tokens", "tokens of the request"), func(r *Row) **int64 { return &r.TokensIn }),
		count(may("tokens_out", "tokens", "tokens of the answer"), func(r *Row) **int64 { return &r.TokensOut }),
		count(may("tokens_reasoning", "tokens", "of them for reasoning"), func(r *Row) **int64 { return &r.TokensReasoning }),
		texts(may("tool_names", "", "functions that the answer called; null when the arm did not answer"), func(r *Row) *[]string { return &r.ToolNames }),
		count(may("answer_chars", "characters", "length of the answer's text; null when the arm did not answer"), func(r *Row) **int64 { return &r.AnswerChars }),
	}
}

func judgeFields() []field[Row] {
	return []field[Row]{
		text(may("judge_state", "", "graded, not_graded or not_drawn; null without a ruling"), func(r *Row) *judge.State { return &r.JudgeState }),
		text(may("judge_reason", "", "why it was not graded"), func(r *Row) *judge.NotGraded { return &r.JudgeReason }),
		small(may("grade", "1..6", "grade, 1 is best"), func(r *Row) **rubric.Grade { return &r.Grade }),
		text(may("problem", "", "the one main problem, or none"), func(r *Row) *rubric.Problem { return &r.Problem }),
		text(may("judge", "", "judge's configured name"), func(r *Row) *string { return &r.Judge }),
		text(may("judge_pinned", "", "snapshot that the judge is pinned to"), func(r *Row) *llm.Snapshot { return &r.JudgePinned }),
		text(may("judge_echo", "", "snapshot that its reply named"), func(r *Row) *llm.Snapshot { return &r.JudgeEcho }),
		text(may("rubric", "", "rubric's digest"), func(r *Row) *rubric.Digest { return &r.Rubric }),
		micros(may("judge_took_us", "us", "time from the first call to the ruling"), func(r *Row) **time.Duration { return &r.JudgeTook }),
		small(may("judge_calls", "calls", "calls to judges for this answer"), func(r *Row) **int32 { return &r.JudgeCalls }),
		flag(need("hedged", "", "the reserve judge was asked because the first was silent"), func(r *Row) *bool { return &r.Hedged }),
		flag(need("context_cut", "", "the judge was not shown all: turns left out to fit its context, or images"), func(r *Row) *bool { return &r.ContextCut }),
		ordinal(need("repeat", "", "0 is the verdict that counts; others measure the judge"), func(r *Row) *int32 { return &r.Repeat }),
	}
}

// laterFields came with schema 2.
func laterFields() []field[Row] {
	return []field[Row]{
		texts(may("tags", "", "key=value, by key: what reports can be split by"), func(r *Row) *[]string { return &r.Tags }),
		count(may("tokens_cached", "tokens", "tokens of the request that the provider had in its cache"), func(r *Row) **int64 { return &r.TokensCached }),
		count(may("cost_nusd", "1e-9 USD", "cost of the call, failed or not; null when usage or price is unknown"), func(r *Row) **int64 { return &r.Cost }),
		maybe(may("conforms", "", "the answer keeps to the schema or list that the request sets; null where it sets none or it cannot be told"), func(r *Row) **bool { return &r.Conforms }),
		count(may("judge_tokens_in", "tokens", "tokens of judges' requests about this answer, as far as known"), func(r *Row) **int64 { return &r.JudgeTokensIn }),
		count(may("judge_tokens_out", "tokens", "tokens of judges' replies about this answer, as far as known"), func(r *Row) **int64 { return &r.JudgeTokensOut }),
		count(may("judge_cost_nusd", "1e-9 USD", "cost of judging, as far as known; null when no usage or price is"), func(r *Row) **int64 { return &r.JudgeCost }),
	}
}

// yardstickFields came with schema 3: what shows how far a judge can be trusted.
func yardstickFields() []field[Row] {
	return []field[Row]{
		text(may("purpose", "", "what a further verdict (repeat > 0) is for: repeat, agreement or injection"), func(r *Row) *judge.Purpose { return &r.Purpose }),
		text(may("plant", "", "planted instruction that the judge was shown with the answer"), func(r *Row) *string { return &r.Plant }),
		text(may("series", "", "the yardstick: judges' snapshots, and rubric with prompt; null if nobody was asked"), func(r *Row) *string { return &r.Series }),
		text(may("judge_form", "", "how the verdict stood in the reply: bare, wrapped or tool"), func(r *Row) *judge.Form { return &r.JudgeForm }),
		maybe(may("regraded", "", "the first judge failed on a later answer, and this one graded the trial anew; null without a ruling"), func(r *Row) **bool { return &r.Regraded }),
		maybe(may("suspect", "", "the answer looks like an attack on its judge; null without a ruling"), func(r *Row) **bool { return &r.Suspect }),
		texts(may("not_carried", "", "what was lost when the request was put into another dialect"), func(r *Row) *[]string { return &r.NotCarried }),
	}
}

// checkRow refuses what Rows never makes.
func checkRow(r *Row) error {
	if !validState(r.State) {
		return fmt.Errorf("%w: sample %s: state %q", ErrDamaged, r.Sample, r.State)
	}
	if r.Grade != nil && !validGrade(int64(*r.Grade)) {
		return fmt.Errorf("%w: sample %s: grade %d is not in 1..6", ErrDamaged, r.Sample, *r.Grade)
	}
	return nil
}

func validState(s State) bool { return s == Answered || s == Failed || s == NotAsked }

func validGrade(n int64) bool { return n >= int64(rubric.Best) && n <= int64(rubric.Worst) }
