package sinks

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
)

// Text is what was said to one arm and by it: the optional second data set, for
// reading pairs. Empty strings are null in the file.
type Text struct {
	Sample     shadow.SampleID
	Arm        shadow.Arm
	Experiment string
	Seen       time.Time // UTC, microseconds
	Session    string
	// Conversation is the client's request body, Answer the text of the answer, also
	// of one that failed half-way. NUL and control characters are kept as they are.
	Conversation string
	Answer       string
	Refusal      string
	// ToolCalls is a JSON array of {id, name, arguments}; empty without a call.
	ToolCalls string
	// Reason is the judge's, of the verdict that counts.
	Reason string
	// JudgeReplies is a JSON array of {judge, repeat, unused, text}: what judges said
	// about this answer, word for word; empty if none said anything.
	JudgeReplies string
	Redacted     bool
	// Replaced says that bytes of the request body were no UTF-8 and are U+FFFD here.
	Replaced bool
}

// Texts gives the texts of a graded trial: one per arm that was asked, live first.
func Texts(g judge.Graded) []Text {
	s := g.Trial.Sample
	conversation := clean(string(s.Request))
	replaced := !utf8.Valid(s.Request)
	var all []Text
	for _, a := range g.Trial.Answers() {
		if a.NotAsked != "" {
			continue
		}
		all = append(all, Text{
			Sample: s.ID, Arm: clean(a.Arm), Experiment: clean(s.Experiment), Seen: micro(s.Seen),
			Session: clean(s.Session), Conversation: conversation, Answer: clean(a.Text), Refusal: clean(a.Refusal),
			ToolCalls: toolCalls(a), Reason: reason(g, a.Arm), JudgeReplies: judgeReplies(g, a.Arm),
			Redacted: s.Redacted, Replaced: replaced,
		})
	}
	return all
}

func toolCalls(a shadow.Answer) string {
	if len(a.ToolCalls) == 0 {
		return ""
	}
	data, err := json.Marshal(a.ToolCalls)
	if err != nil { // three strings: there is no such error
		return fmt.Sprintf("[] (%v)", err)
	}
	return string(data)
}

func reason(g judge.Graded, arm shadow.Arm) string {
	for _, r := range g.Rulings {
		if r.Arm == arm && r.Repeat == 0 && r.Verdict != nil {
			return clean(r.Verdict.Reason)
		}
	}
	return ""
}

// judgeReply is an entry of [Text.JudgeReplies].
type judgeReply struct {
	Judge  string `json:"judge"`
	Repeat int    `json:"repeat"`
	Unused bool   `json:"unused,omitempty"`
	Text   string `json:"text"`
}

// judgeReplies lists the replies about an arm's answer: those that count or measure
// first, then those of a judge that dropped out.
func judgeReplies(g judge.Graded, arm shadow.Arm) string {
	var all []judgeReply
	for i, list := range [][]judge.Ruling{g.Rulings, g.Unused} {
		for _, r := range list {
			if r.Arm == arm && r.Reply != "" {
				all = append(all, judgeReply{Judge: clean(r.Judge), Repeat: r.Repeat, Unused: i == 1, Text: clean(r.Reply)})
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	data, err := json.Marshal(all)
	if err != nil { // strings and numbers: there is no such error
		return fmt.Sprintf("[] (%v)", err)
	}
	return string(data)
}

func (t *Text) size() int {
	return len(t.Conversation) + len(t.Answer) + len(t.Refusal) + len(t.ToolCalls) + len(t.Reason) + len(t.JudgeReplies)
}

func textTable() table[Text] {
	col := func(nullable bool, name, meaning string) Column {
		return Column{Set: SetTexts, Name: name, Nullable: nullable, Meaning: meaning}
	}
	return table[Text]{
		set: SetTexts, version: 2, check: func(*Text) error { return nil },
		fields: append([]field[Text]{
			id(col(false, "sample", "sample id"), func(t *Text) *shadow.SampleID { return &t.Sample }),
			text(col(false, "arm", "live, or a candidate's name"), func(t *Text) *shadow.Arm { return &t.Arm }),
			text(col(true, "experiment", "experiment's name"), func(t *Text) *string { return &t.Experiment }),
			instant(col(false, "seen", "arrival of the request"), func(t *Text) *time.Time { return &t.Seen }),
			text(col(true, "session", "conversation"), func(t *Text) *string { return &t.Session }),
			text(col(true, "conversation", "the client's request body"), func(t *Text) *string { return &t.Conversation }),
			text(col(true, "answer", "text of the answer"), func(t *Text) *string { return &t.Answer }),
			text(col(true, "refusal", "refusal that the provider marked as such"), func(t *Text) *string { return &t.Refusal }),
			text(col(true, "tool_calls", "JSON array of id, name and arguments"), func(t *Text) *string { return &t.ToolCalls }),
			text(col(true, "judge_text", "the judge's reason"), func(t *Text) *string { return &t.Reason }),
			flag(col(false, "redacted", "request or answer was changed before it left the tap"), func(t *Text) *bool { return &t.Redacted }),
			flag(col(false, "replaced", "bytes of the request that are no UTF-8 are U+FFFD here"), func(t *Text) *bool { return &t.Replaced }),
		}, since(2,
			text(col(true, "judge_replies", "JSON array of judge, repeat, unused and text: the judges' replies word for word"), func(t *Text) *string { return &t.JudgeReplies }),
		)...),
	}
}
