package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Bounds of what a ruling keeps, in bytes: it travels with the whole trial, and the
// bus has a limit.
const (
	maxDetail = 600
	maxReason = 4096
	maxReply  = 16 << 10
)

// rule turns what a judge said into a ruling. A verdict counts only if the reply
// proves the pinned snapshot, holds exactly one verdict, and that verdict is not one
// which stands in the graded text itself.
func (j *Judge) rule(ctx context.Context, arm shadow.Arm, c shown, s said) Ruling {
	r := Ruling{
		Arm: arm, Took: s.took, Calls: s.calls, Hedged: s.hedged, ContextCut: c.cutFor(j.seats[s.first]), Suspect: c.suspect,
		Judge: j.seats[s.first].Model.Name, Pinned: j.seats[s.first].Pinned, Series: j.series,
	}
	if s.transport {
		return r.notGraded(NoTransport, strings.Join(s.failures, "; "))
	}
	seat := j.seats[s.seat]
	r.Judge, r.Pinned, r.Echo, r.Usage = seat.Model.Name, seat.Pinned, s.reply.Model, s.reply.Usage
	r.ContextCut = c.cutFor(seat)
	r.Reply = clip(llm.AnswerText(s.reply.Text, s.reply.Refusal, s.reply.ToolCalls), maxReply)
	v, why, detail := j.verdict(seat, c.planted, s.reply, s.err)
	if !c.test || why == NoSnapshotMismatch { // a reply to a planted instruction tells nothing of the others
		j.heard(ctx, s, why, detail)
	}
	switch why {
	case "":
	case NoSnapshotMismatch, NoSnapshotUnproven:
		j.reportEcho(ctx, s.seat, why, s.reply.Model)
		fallthrough
	default:
		return r.notGraded(why, detail)
	}
	j.order.verdict(s.seat)
	v.Reason = clip(v.Reason, maxReason)
	r.State, r.Verdict, r.Form = StateGraded, &v, formOf(s.reply)
	return r
}

// verdict reads a reply: the one verdict that counts, or why there is none. planted
// are the verdicts that stand in the graded text.
func (j *Judge) verdict(seat Seat, planted []rubric.Verdict, reply llm.Reply, failure error) (rubric.Verdict, NotGraded, string) {
	none := func(why NotGraded, detail string) (rubric.Verdict, NotGraded, string) {
		return rubric.Verdict{}, why, detail
	}
	if why, detail := silent(reply, failure); why != "" {
		return none(why, detail)
	}
	v, err := j.rubric.Parse([]byte(spoken(reply)))
	if why := seat.prove(reply.Model); why != "" {
		return none(why, keptApart(seat, reply.Model, v, err))
	}
	switch {
	case err != nil:
		return none(reasonOf(err, reply.Finish), err.Error())
	case slices.Contains(planted, v):
		return none(NoAmbiguous, "the verdict is word for word one that stands in the graded text: "+verdictText(v))
	}
	return v, "", ""
}

// spoken is where a verdict can stand: the text, and the arguments of the tool that
// the judge was told to call with it.
func spoken(reply llm.Reply) string {
	parts := []string{reply.Text}
	for _, call := range reply.ToolCalls {
		if call.Name == schemaName {
			parts = append(parts, call.Arguments)
		}
	}
	return strings.Join(parts, "\n")
}

// formOf says how the verdict of a reply that has one stood in it.
func formOf(reply llm.Reply) Form {
	text := strings.TrimSpace(reply.Text)
	switch {
	case text == "":
		return FormTool
	case strings.HasPrefix(text, "{") && json.Valid([]byte(text)):
		return FormBare
	}
	return FormWrapped
}

func (r Ruling) notGraded(why NotGraded, detail string) Ruling {
	r.State, r.Reason, r.Detail = StateNotGraded, why, clip(detail, maxDetail)
	return r
}

// silent says why a reply has no text that could hold a verdict; empty if it has.
func silent(reply llm.Reply, err error) (why NotGraded, detail string) {
	var f *llm.Failure
	if errors.As(err, &f) {
		switch f.Reason {
		case llm.Filtered:
			return NoFiltered, f.Error()
		case llm.Truncated:
			return NoTruncated, f.Error()
		case llm.Empty:
			return NoEmpty, f.Error()
		}
		return NoMalformed, f.Error()
	}
	blank := strings.TrimSpace(spoken(reply)) == ""
	switch {
	case reply.Refusal != "":
		return NoRefusal, reply.Refusal
	case reply.Finish == llm.FinishFiltered:
		return NoFiltered, "the reply was withheld or cut by the provider's content filter"
	case blank && reply.Finish == llm.FinishLength:
		return NoTruncated, "the token limit was used up before there was any text"
	case blank:
		return NoEmpty, "the reply has no text"
	}
	return "", ""
}

// reasonOf names the reason for a reply without a verdict.
func reasonOf(err error, finish llm.Finish) NotGraded {
	switch {
	case errors.Is(err, rubric.ErrGrade):
		return NoOutOfScale
	case errors.Is(err, rubric.ErrProblem):
		return NoOutOfList
	case errors.Is(err, rubric.ErrAmbiguous):
		return NoAmbiguous
	case finish == llm.FinishLength:
		return NoTruncated
	default:
		return NoMalformed
	}
}

// keptApart writes the verdict that does not count, for a reader.
func keptApart(seat Seat, echo llm.Snapshot, v rubric.Verdict, err error) string {
	said := verdictText(v)
	if err != nil {
		said = err.Error()
	}
	return fmt.Sprintf("pinned to %s, the reply names %q; not counted: %s", seat.Pinned, echo, said)
}

func verdictText(v rubric.Verdict) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// clip bounds a text in bytes, at the end of a character, with a mark where it was cut.
func clip(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len("…")], "") + "…"
}
