package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/rubric"
)

// named warns of configured names that stand in what a judge is shown beside the data:
// with them it could tell whose answer it grades, or favour it. The judge's prompt is
// made of the rubric, the conversation and one answer; so the rubric is the only place
// where a name could come in.
func named(cfg *config.Config, r *rubric.Rubric) []error {
	var b strings.Builder
	if err := r.Prompt(&b, rubric.Case{}); err != nil {
		return nil // a builder does not fail
	}
	text := strings.ToLower(r.System() + "\n" + b.String())
	var out []error
	seen := map[string]bool{}
	look := func(key, what, name string) {
		if name == "" || seen[name] || !hasWord(text, strings.ToLower(name)) {
			return
		}
		seen[name] = true
		out = append(out, &config.Error{
			Position: cfg.At(key), Key: key, Problem: fmt.Sprintf("the rubric's prompt has the word %q, which is the name of %s: the judge is not to know whose answer it grades", name, what),
			Want: "another name, or another word in the rubric",
		})
	}
	look("experiment.name", "the experiment", cfg.Experiment.Name)
	for _, c := range cfg.Candidates {
		look("candidates."+c.Name, "an arm", c.Name)
	}
	for _, m := range cfg.Models {
		if m.Name != cfg.Judge.Primary && m.Name != cfg.Judge.Reserve {
			look("models."+m.Name, "a model", m.Name)
		}
		look("models."+m.Name+".model", "a model", m.Model)
	}
	for _, p := range cfg.Policies {
		look("policies."+p.Name, "a policy", p.Name)
	}
	return out
}

// hasWord says whether a word stands in a text with no letter or digit beside it.
func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(word):])
		if !partOfWord(before) && !partOfWord(after) {
			return true
		}
		at += i + len(word)
	}
}

func partOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
