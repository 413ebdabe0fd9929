package policy_test

import (
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/policy"
)

func TestRate(t *testing.T) {
	table := "| a | b |\n| --- | --- |\n" + strings.Repeat("| 1 | 2 |\n", 3)
	tests := []struct {
		name  string
		body  string
		reply llm.Reply
		want  policy.Rating
	}{
		{"an answer", question, llm.Reply{Text: first}, policy.IsPlausible},
		{"nothing", question, llm.Reply{Text: " \n"}, policy.IsEmpty},
		{"a dot", question, llm.Reply{Text: "..."}, policy.IsNearEmpty},
		{"one letter", question, llm.Reply{Text: "I"}, policy.IsNearEmpty},
		{"yes", question, llm.Reply{Text: "No."}, policy.IsPlausible},
		{"a number", question, llm.Reply{Text: "7"}, policy.IsPlausible},
		{"an ideograph", question, llm.Reply{Text: "是"}, policy.IsPlausible},
		{"a thumb", question, llm.Reply{Text: "👍"}, policy.IsPlausible},
		{"a loop of words", question, llm.Reply{Text: "Sure. " + strings.Repeat("the the ", 50)}, policy.IsRepetition},
		{"a loop of a sentence", question, llm.Reply{Text: strings.Repeat("I will check that for you. ", 9)}, policy.IsRepetition},
		{"a loop without blanks", question, llm.Reply{Text: strings.Repeat("我不知道", 30)}, policy.IsRepetition},
		{"a loop that ends a long text", question, llm.Reply{Text: strings.Repeat("a b c d ", 2) + strings.Repeat("x", 6000)}, policy.IsRepetition},
		{"a table", question, llm.Reply{Text: table}, policy.IsPlausible},
		{"a line of dashes", question, llm.Reply{Text: "Title\n" + strings.Repeat("-", 200)}, policy.IsPlausible},
		{"a refrain", question, llm.Reply{Text: strings.Repeat("La la la, hey! ", 3) + "This is the song that we sing when we go home at night, and nobody knows why."}, policy.IsPlausible},
		{"a refusal", question, llm.Reply{Refusal: "I cannot help with that."}, policy.IsPlausible},
		{"a tool's call", question, llm.Reply{ToolCalls: []llm.ToolCall{{Name: "f", Arguments: "{}"}}}, policy.IsPlausible},
		{"in its form", form, llm.Reply{Text: `{"ok":true}`}, policy.IsPlausible},
		{"out of its form", form, llm.Reply{Text: `{"ok":1}`}, policy.IsOutside},
		{"a refusal for a form", form, llm.Reply{Refusal: "no"}, policy.IsPlausible},
		{"no JSON", "{", llm.Reply{Text: first}, policy.IsPlausible},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := llm.Request{Dialect: llm.OpenAIChat, Body: []byte(tt.body)}
			if got := policy.Rate(req, tt.reply); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzRate(f *testing.F) {
	f.Add(first)
	f.Add(strings.Repeat("ab", 100))
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		got := policy.Rate(ask(false), llm.Reply{Text: text})
		if (strings.TrimSpace(text) == "") != (got == policy.IsEmpty) {
			t.Errorf("%q is %s", text, got)
		}
	})
}
