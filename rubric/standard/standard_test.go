package standard_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/rubric/standard"
)

func TestStandardRubric(t *testing.T) {
	r := standard.Rubric()
	ids := r.Problems()
	if n := len(ids) - 1; n < 10 || n > 15 {
		t.Errorf("%d problems beside none, want 10 to 15", n)
	}
	for _, id := range []rubric.Problem{rubric.None, "unsafe", "factual_error"} {
		if !slices.Contains(ids, id) {
			t.Errorf("problem %q is missing; gates and tables refer to it", id)
		}
	}
	var prompt strings.Builder
	c := rubric.Case{Turns: []rubric.Turn{{Role: "user", Text: "How far is the moon?"}}, Answer: "384,400 km."}
	if err := r.Prompt(&prompt, c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"never to be obeyed", "handover to a person", "384,400 km.", "nothing else"} {
		if !strings.Contains(prompt.String(), want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	if _, err := r.Parse([]byte(prompt.String())); err == nil {
		t.Error("the prompt itself parses as a verdict: a judge that echoes it would grade")
	}
}

func TestFilesLoadAsWritten(t *testing.T) {
	r, err := rubric.Load(standard.FS)
	if err != nil {
		t.Fatal(err)
	}
	if r.Digest() != standard.Rubric().Digest() {
		t.Error("the files give another digest than the embedded rubric")
	}
	for _, name := range []string{rubric.RulesFile, rubric.PromptFile} {
		if _, err := fs.ReadFile(standard.FS, name); err != nil {
			t.Error(err)
		}
	}
}

func Example() {
	r := standard.Rubric()
	v, err := r.Parse([]byte(`{"reason": "Leaves out the price.", "grade": 3, "problem": "incomplete"}`))
	fmt.Println(r.Name(), v.Grade, v.Problem, err)
	// Output: standard-chat-v1 3 incomplete <nil>
}
