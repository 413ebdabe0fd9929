package judge_test

import (
	"testing"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// TestReplyForms: each judge is asked by its own mechanism, without thoughts, with room
// for a verdict and, where it thinks all the same, for its thoughts beside it.
func TestReplyForms(t *testing.T) {
	call := play{reply: llm.Reply{ToolCalls: []llm.ToolCall{{Name: "verdict", Arguments: verdict(2, "tone")}}, Finish: llm.FinishToolCalls}}
	two := play{reply: llm.Reply{ToolCalls: []llm.ToolCall{{Name: "verdict", Arguments: verdict(2, "tone")}, {Name: "verdict", Arguments: verdict(3, "tone")}}}}
	tests := []struct {
		name, why string
		primary   llm.ReplyForm
		reserve   llm.ReplyForm
		play      play
		want      string
		form      judge.Form
	}{
		{name: "schema", why: "the default", play: says(0, verdict(2, "tone")), want: "live: graded 2 tone by judge-a", form: judge.FormBare},
		{name: "tool", why: "the call's arguments are the verdict", primary: llm.ReplyTool, play: call, want: "live: graded 2 tone by judge-a", form: judge.FormTool},
		{name: "two calls", why: "which one?", primary: llm.ReplyTool, play: two, want: "live: not_graded ambiguous by judge-a"},
		{name: "prompt", why: "words around the verdict are passed over, and counted", primary: llm.ReplyPrompt, play: says(0, "Sure:\n"+verdict(2, "tone")), want: "live: graded 2 tone by judge-a", form: judge.FormWrapped},
		{name: "reserve", why: "it has a mechanism of its own", primary: llm.ReplySchema, reserve: llm.ReplyTool, play: down, want: "live: graded 1 none by judge-b", form: judge.FormBare},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := judgeA(tt.play), judgeB(says(0, verdict(1, "none")))
			r := one(t, bench(t, a, b, func(o *judge.Options) { o.Primary.Reply, o.Reserve.Reply = tt.primary, tt.reserve }), "x")
			if got := short(r); got != tt.want || r.Form != tt.form {
				t.Errorf("%s, %s, want %s, %s: %s", got, r.Form, tt.want, tt.form, tt.why)
			}
			for f, want := range map[*fake]llm.ReplyForm{a: tt.primary, b: tt.reserve} {
				for _, c := range f.calls {
					if p := c.prompt; p.Form != want || p.Effort != "none" || !p.Steady || p.MaxTokens != judge.MaxReplyTokens || p.ThinkTokens != judge.ThinkTokens || p.SchemaName != "verdict" {
						t.Errorf("%s was asked %+v", f.name, p)
					}
				}
			}
		})
	}
	if _, err := judge.New(judge.Options{Primary: judge.Seat{Model: llm.Model{Snapshot: pinnedA, Complete: judgeA().seat().Model.Complete}, Reply: "json"}, Rubric: support(t)}); err == nil {
		t.Error("an unknown mechanism is taken")
	}
}
