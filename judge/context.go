package judge

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// shown is a case with the verdicts that stand in its texts.
type shown struct {
	rubric.Case
	images  images
	planted []rubric.Verdict
	suspect bool // the answer looks like an attack on its judge
	test    bool // an instruction was planted by us
}

// answer is one answer of a trial, as text.
type answer struct {
	arm  shadow.Arm
	text string
}

// answersOf lists the answers that were given, in the order of Trial.Answers, as a
// judge reads them: tool calls are written out, so that no call is an empty answer.
func answersOf(t shadow.Trial) []answer {
	var list []answer
	for _, a := range t.Answers() {
		if a.Answered() {
			list = append(list, answer{a.Arm, llm.AnswerText(a.Text, a.Refusal, a.ToolCalls)})
		}
	}
	return list
}

// cases makes the case of each answer. All have the same turns: as many of the last
// ones as fit beside the longest answer, and every system turn. An answer that does
// not even fit beside the system turns and the last turn has no case, and its error
// says so; the others are not cut down for it.
func (j *Judge) cases(turns []rubric.Turn, all llm.Images, answers []answer) ([]shown, []error) {
	errs := make([]error, len(answers))
	least := cut(turns, 1)
	longest := ""
	for i, a := range answers {
		least.Answer = a.text
		if n := j.promptChars(least); n > j.o.MaxPromptChars {
			errs[i] = fmt.Errorf("the prompt would have %d characters with the last turn alone, the limit is %d", n, j.o.MaxPromptChars)
		} else if utf8.RuneCountInString(a.text) >= utf8.RuneCountInString(longest) {
			longest = a.text
		}
	}
	common := j.fit(turns, longest)
	seen := imagesOf(all, common.TurnsLeftOut > 0)
	var planted []rubric.Verdict
	for _, t := range common.Turns {
		planted = append(planted, j.rubric.Planted([]byte(t.Text))...)
	}
	list := make([]shown, len(answers))
	for i, a := range answers {
		list[i].Case, list[i].images = common, seen
		list[i].Answer = a.text
		list[i].suspect = j.suspect(a.text)
		list[i].planted = append(j.rubric.Planted([]byte(a.text)), planted...)
	}
	return list, errs
}

// fit keeps as many turns as fit beside an answer.
func (j *Judge) fit(turns []rubric.Turn, longest string) rubric.Case {
	whole := rubric.Case{Turns: turns, Answer: longest}
	if j.promptChars(whole) <= j.o.MaxPromptChars {
		return whole
	}
	// The least number of left-out turns that fits; it is known that one turn does.
	n := sort.Search(len(turns), func(leftOut int) bool {
		c := cut(turns, len(turns)-leftOut)
		c.Answer = longest
		return j.promptChars(c) <= j.o.MaxPromptChars
	})
	return cut(turns, max(1, len(turns)-n))
}

// cut keeps the last turns and, of those before, the ones with the system's text.
func cut(turns []rubric.Turn, keep int) rubric.Case {
	from := max(0, len(turns)-keep)
	var c rubric.Case
	for i, t := range turns {
		if i >= from || t.Role == "system" || t.Role == "developer" {
			c.Turns = append(c.Turns, t)
		}
	}
	c.TurnsLeftOut = len(turns) - len(c.Turns)
	return c
}

// promptChars counts the characters that a case takes at the judge.
func (j *Judge) promptChars(c rubric.Case) int {
	var b strings.Builder
	if err := j.rubric.Prompt(&b, c); err != nil {
		return j.o.MaxPromptChars + 1 // a builder does not fail; a case that could not be shown does not fit
	}
	return utf8.RuneCountInString(b.String()) + utf8.RuneCountInString(j.rubric.System())
}
