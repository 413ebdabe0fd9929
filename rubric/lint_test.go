package rubric_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/rubric/standard"
)

// withProblems is a rubric with these ids (id=use) beside none.
func withProblems(t *testing.T, anchor1 string, ids ...string) *rubric.Rubric {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "name: x\ngrades:\n  1: %s\n", anchor1)
	for g := 2; g <= 6; g++ {
		fmt.Fprintf(&b, "  %d: what grade %d means here\n", g, g)
	}
	b.WriteString("problems:\n  - {id: none, use: nothing is wrong}\n")
	for _, id := range ids {
		name, use, _ := strings.Cut(id, "=")
		if use == "" {
			use = "when it is " + name
		}
		fmt.Fprintf(&b, "  - {id: %s, use: %s}\n", name, use)
	}
	r, err := rubric.Load(fstest.MapFS{
		rubric.RulesFile:  {Data: []byte(b.String())},
		rubric.PromptFile: {Data: []byte("{{.Code}}\n{{range .Grades}}{{.Anchor}}{{end}}{{range .Problems}}{{.ID}}{{.Use}}{{end}}\n{{.Conversation}}\n{{.Answer}}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRemarks(t *testing.T) {
	if got := standard.Rubric().Remarks(); got != nil {
		t.Errorf("the standard rubric: %q", got)
	}
	const anchor = "as good as it gets"
	for _, c := range []struct {
		name, anchor string
		ids          []string
		want         []string // how each remark begins
	}{
		{"fine", anchor, []string{"too_long", "too_short", "long_winded"}, nil},
		{"prefix", anchor, []string{"too_long_intro", "too_long"}, []string{"problems too_long and too_long_intro overlap"}},
		{"part of a word is none", anchor, []string{"too_long", "too_longish"}, nil},
		{"another order", anchor, []string{"tone_bad", "bad_tone"}, []string{"problems tone_bad and bad_tone overlap"}},
		{"inside", anchor, []string{"tone", "rude_tone"}, []string{"problems tone and rude_tone overlap"}},
		{"same use", anchor, []string{"a1=it is wrong", "b1=It is wrong"}, []string{"problems a1 and b1 have the same line of use"}},
		{"short anchor", "very good", []string{"a1"}, []string{"grade 1: its anchor has 2 of at least 4 words"}},
	} {
		got := withProblems(t, c.anchor, c.ids...).Remarks()
		var heads []string
		for i, g := range got {
			if i < len(c.want) {
				g = g[:min(len(g), len(c.want[i]))]
			}
			heads = append(heads, g)
		}
		if diff := cmp.Diff(c.want, heads); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestRichestSchema: the largest list that Load takes stays below the limits of every
// provider's strict mode.
func TestRichestSchema(t *testing.T) {
	var ids []string
	for i := range 39 {
		ids = append(ids, fmt.Sprintf("a%039d", i))
	}
	var s struct {
		Properties map[string]struct{ Enum []any }
	}
	if err := json.Unmarshal(withProblems(t, "as good as it gets", ids...).Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Properties["problem"].Enum); n != 40 || n > 250 {
		t.Errorf("%d values", n)
	}
}
