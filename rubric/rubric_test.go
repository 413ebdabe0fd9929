package rubric_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/understudy-eval/understudy/rubric"
)

const promptText = `Code {{.Code}}.{{range .Grades}}
{{.Grade}} {{.Anchor}}{{end}}{{range .Problems}}
- {{.ID}}: {{.Use}}{{end}}
{{.Guidance}}
{{.Conversation}}
{{.Answer}}
Reply with one JSON object.
`

// rules writes a rubric.yaml with the given problems.
func rules(ids ...string) string {
	var b strings.Builder
	b.WriteString("name: support-answers-v1\ngrades:\n")
	for g := 1; g <= 6; g++ {
		fmt.Fprintf(&b, "  %d: anchor of grade %d\n", g, g)
	}
	b.WriteString("problems:\n")
	for _, id := range ids {
		fmt.Fprintf(&b, "  - id: %s\n    use: when to use %s\n", id, id)
	}
	b.WriteString("guidance: |\n  Be fair.\n")
	return b.String()
}

func folder(rulesText, prompt string) fstest.MapFS {
	return fstest.MapFS{
		rubric.RulesFile:  {Data: []byte(rulesText)},
		rubric.PromptFile: {Data: []byte(prompt)},
	}
}

func load(t testing.TB, rulesText, prompt string) *rubric.Rubric {
	t.Helper()
	r, err := rubric.Load(folder(rulesText, prompt))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// caseFile reads a file of testdata/cases.
func caseFile(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// support is the rubric that the case files are written for.
func support(t testing.TB) *rubric.Rubric {
	var c struct{ Problems []string }
	caseFile(t, "rubric.json", &c)
	return load(t, rules(c.Problems...), promptText)
}

func TestAccessors(t *testing.T) {
	r := support(t)
	if r.Name() != "support-answers-v1" || r.Guidance() != "Be fair." || r.System() != "" {
		t.Errorf("name %q, guidance %q, system %q", r.Name(), r.Guidance(), r.System())
	}
	if got := r.Anchors(); len(got) != 6 || got[0] != "anchor of grade 1" || got[5] != "anchor of grade 6" {
		t.Errorf("anchors %q", got)
	}
	if r.Use("tone") != "when to use tone" || r.Use("style") != "" || r.Lists("style") || !r.Lists(rubric.None) {
		t.Error("Use or Lists answers wrongly")
	}
	r.Problems()[0], r.Anchors()[0] = "changed", "changed"
	if r.Problems()[0] != rubric.None || r.Anchors()[0] != "anchor of grade 1" {
		t.Error("a caller can change the rubric through a returned slice")
	}
}

func TestSchema(t *testing.T) {
	var s struct {
		Type                 string
		AdditionalProperties *bool
		Required             []string
		Properties           map[string]struct {
			Type string
			Enum []any
		}
	}
	if err := json.Unmarshal(support(t).Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Type != "object" || s.AdditionalProperties == nil || *s.AdditionalProperties || len(s.Required) != 3 || len(s.Properties) != 3 {
		t.Errorf("schema is not strict: %+v", s)
	}
	for _, key := range s.Required {
		if s.Properties[key].Type == "" {
			t.Errorf("required key %s has no property", key)
		}
	}
	if g := s.Properties["grade"]; g.Type != "integer" || fmt.Sprint(g.Enum) != "[1 2 3 4 5 6]" {
		t.Errorf("grade: %+v", g)
	}
	if p := s.Properties["problem"]; p.Type != "string" || fmt.Sprint(p.Enum) != "[none incomplete factual_error off_topic too_long too_long_intro tone unsafe]" {
		t.Errorf("problem: %+v", p)
	}
}

func TestDigest(t *testing.T) {
	base := load(t, rules("none", "tone", "unsafe"), promptText)
	if d := string(base.Digest()); len(d) != 64 || strings.Trim(d, "0123456789abcdef") != "" {
		t.Errorf("digest %q is not 64 hexadecimal digits", d)
	}
	same := map[string]*rubric.Rubric{
		"loaded again": load(t, rules("none", "tone", "unsafe"), promptText),
		"name":         load(t, strings.Replace(rules("none", "tone", "unsafe"), "answers-v1", "answers-v2", 1), promptText),
		"comment":      load(t, "# a comment\n"+rules("none", "tone", "unsafe"), promptText),
		"line ends":    load(t, strings.ReplaceAll(rules("none", "tone", "unsafe"), "\n", "\r\n"), strings.ReplaceAll(promptText, "\n", "\r\n")),
	}
	for what, r := range same {
		if r.Digest() != base.Digest() {
			t.Errorf("%s: digest differs, though no verdict can", what)
		}
	}
	seen := map[rubric.Digest]string{base.Digest(): "base"}
	for what, r := range map[string]*rubric.Rubric{
		"order":    load(t, rules("none", "unsafe", "tone"), promptText),
		"problem":  load(t, rules("none", "tone", "unsafe", "off_topic"), promptText),
		"use":      load(t, strings.Replace(rules("none", "tone", "unsafe"), "when to use tone", "whenever tone", 1), promptText),
		"anchor":   load(t, strings.Replace(rules("none", "tone", "unsafe"), "anchor of grade 4", "so-so", 1), promptText),
		"guidance": load(t, strings.Replace(rules("none", "tone", "unsafe"), "Be fair.", "Be strict.", 1), promptText),
		"template": load(t, rules("none", "tone", "unsafe"), promptText+"!"),
	} {
		if other, ok := seen[r.Digest()]; ok {
			t.Errorf("%s and %s have the same digest", what, other)
		}
		seen[r.Digest()] = what
	}
}
