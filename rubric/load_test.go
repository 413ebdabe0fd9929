package rubric_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/rubric/standard"
)

func TestLoadRefusesRules(t *testing.T) {
	base := rules("none", "tone", "unsafe")
	replace := func(old, with string) string { return strings.Replace(base, old, with, 1) }
	tests := []struct {
		name, why, yaml string
		want            []string // all of them in the error
	}{
		{name: "empty", why: "nothing to read", yaml: "", want: []string{"rubric.yaml:1:1: the file is empty"}},
		{name: "comment only", why: "nothing to read", yaml: "# x\n", want: []string{"rubric.yaml:1:1:"}},
		{name: "text", why: "not a mapping", yaml: "hello", want: []string{"rubric.yaml:1:1: the file is a text; want the keys name, grades, problems, guidance"}},
		{name: "list", why: "not a mapping", yaml: "- a", want: []string{"the file is a list"}},
		{name: "broken", why: "no YAML", yaml: "name: [", want: []string{"rubric.yaml:1:", "not YAML"}},
		{name: "two documents", why: "the second would be ignored", yaml: base + "---\nname: x\n", want: []string{"rubric.yaml:19:1: a second document"}},
		{name: "unknown key", why: "a typing error changes nothing in silence", yaml: base + "guidence: x\n", want: []string{`rubric.yaml:18:1: unknown key "guidence"`, "want name, grades, problems, guidance"}},
		{name: "duplicate key", why: "no silent choice of the last", yaml: base + "name: b\n", want: []string{`rubric.yaml:18:1: key "name" is there twice`}},
		{name: "no name", why: "reports print it", yaml: replace("name: support-answers-v1\n", ""), want: []string{`key "name" is missing`}},
		{name: "odd name", why: "it becomes part of file names", yaml: replace("support-answers-v1", "'a b/c'"), want: []string{`rubric.yaml:1:7: name "a b/c"`, "support-answers-v1"}},
		{name: "missing anchor", why: "six anchors", yaml: replace("  4: anchor of grade 4\n", ""), want: []string{`key "4" is missing in grades; want 1, 2, 3, 4, 5, 6`}},
		{name: "empty anchor", why: "a grade must mean something", yaml: replace("  4: anchor of grade 4\n", "  4:\n"), want: []string{"rubric.yaml:6:", "the anchor of grade 4 is empty"}},
		{name: "grade 7", why: "the scale ends at 6", yaml: replace("  6: anchor of grade 6\n", "  6: six\n  7: seven\n"), want: []string{`rubric.yaml:9:3: unknown key "7" in grades`}},
		{name: "grade twice", why: "which one holds?", yaml: replace("  6: anchor of grade 6\n", "  6: six\n  6: more\n"), want: []string{`rubric.yaml:9:3: key "6" is there twice`}},
		{name: "same anchors", why: "two grades that mean the same", yaml: replace("anchor of grade 4", "anchor of grade 3"), want: []string{"grade 4 has the same anchor as grade 3"}},
		{name: "anchor number", why: "YAML makes 5 a number", yaml: replace("anchor of grade 5", "5"), want: []string{"rubric.yaml:7:6: the anchor of grade 5 is a number; want a text"}},
		{name: "grades list", why: "not a mapping", yaml: "name: a\ngrades: [a, b]\nproblems: []\n", want: []string{"rubric.yaml:2:9: grades is a list; want the keys 1, 2, 3, 4, 5, 6", "rubric.yaml:3:11: problems is an empty list"}},
		{name: "no none", why: "an answer without a problem needs it", yaml: rules("tone", "unsafe"), want: []string{`problem "none" is missing`}},
		{name: "only none", why: "nothing to choose", yaml: rules("none"), want: []string{`no problem but "none"`}},
		{name: "duplicate id", why: "one line for one id", yaml: rules("none", "tone", "tone"), want: []string{`rubric.yaml:14:5: problem "tone" is there twice`}},
		{name: "upper case id", why: "None would stand beside none", yaml: rules("none", "Tone"), want: []string{`rubric.yaml:12:9: problem id "Tone"`, "too_long"}},
		{name: "odd ids", why: "ids become columns", yaml: rules("none", "too-long", "a__b", "x "+strings.Repeat("y", 50)), want: []string{`"too-long"`, `"a__b"`, `"x yy`}},
		{name: "id true", why: "YAML makes true a boolean", yaml: rules("none", "true"), want: []string{"id is true or false"}},
		{name: "missing use", why: "a judge has to know when", yaml: replace("    use: when to use tone\n", ""), want: []string{`rubric.yaml:12:5: key "use" is missing in a problem`}},
		{name: "plain ids", why: "a list of names is not enough", yaml: replace("  - id: none\n    use: when to use none\n", "  - none\n"), want: []string{"rubric.yaml:10:5: a problem is a text; want the keys id, use"}},
		{name: "too many", why: "a judge cannot choose among hundreds", yaml: rules(many(41)...), want: []string{"41 problems; want at most 40"}},
		{name: "alias", why: "one place for one text", yaml: replace("anchor of grade 1", "&a x") + "x: *a\n", want: []string{"rubric.yaml:3:", "anchor of grade 1", `unknown key "x"`}},
		{name: "merge", why: "not a key of ours", yaml: base + "<<: {name: b}\n", want: []string{"rubric.yaml:18:1: unknown key \"<<\""}},
		{name: "long use", why: "a line, not a page", yaml: replace("when to use tone", strings.Repeat("x", 501)), want: []string{"use has 501 bytes; want at most 500"}},
		{name: "escape in a text", why: "terminals and prompts", yaml: replace("anchor of grade 1", `"\x1b[31m"`), want: []string{"control character"}},
		{name: "no UTF-8", why: "no text", yaml: replace("anchor", "\xff"), want: []string{"rubric.yaml:3:6: byte 0xff is no text"}},
		{name: "deep flow", why: "no recursion without end", yaml: strings.Repeat("[", 50_000), want: []string{"nested too deeply"}},
		{name: "deep blocks", why: "no recursion without end", yaml: strings.Repeat("- ", 30_000), want: []string{"nested too deeply"}},
		{name: "huge", why: "every prompt carries it", yaml: strings.Repeat("#", 300_000), want: []string{"larger than 65536 bytes"}},
		{name: "many faults", why: "a list that can be read", yaml: strings.Repeat("a: b\n", 100), want: []string{"rubric.yaml:40:1: unknown key", "rubric.yaml:41:1: and there is more wrong"}},
		{name: "all at once", why: "one run shows every fault", yaml: "name: a b\ngrades: {1: x}\nproblems:\n  - id: Tone\n    use: u\nextra: 1\n",
			want: []string{`name "a b"`, `key "2" is missing`, `key "6" is missing`, `problem id "Tone"`, `"none" is missing`, `unknown key "extra"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refused(t, tt.why, folder(tt.yaml, promptText), tt.want)
		})
	}
}

func many(n int) []string {
	ids := []string{"none"}
	for len(ids) < n {
		ids = append(ids, "p"+strings.Repeat("x", len(ids)%30)+string(rune('a'+len(ids)/30)))
	}
	return ids
}

func refused(t *testing.T, why string, fsys fstest.MapFS, want []string) {
	t.Helper()
	r, err := rubric.Load(fsys)
	if err == nil || r != nil {
		t.Fatalf("accepted: %s", why)
	}
	for _, part := range want {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q (%s):\n%v", part, why, err)
		}
	}
}

func TestLoadRefusesPrompts(t *testing.T) {
	replace := func(old, with string) string { return strings.Replace(promptText, old, with, 1) }
	tests := []struct {
		name, why, prompt string
		want              []string
	}{
		{name: "empty", why: "no prompt", prompt: " \n", want: []string{"prompt.tmpl:1:1: the file is empty"}},
		{name: "syntax", why: "an open action", prompt: promptText + "{{if", want: []string{"prompt.tmpl:8:", "the fields are"}},
		{name: "unknown field", why: "a typing error", prompt: promptText + "{{.Answr}}", want: []string{"prompt.tmpl:8:2:", "Answr", "the fields are"}},
		{name: "unknown function", why: "no functions of ours", prompt: promptText + "{{env `HOME`}}", want: []string{"prompt.tmpl:8:1:", "env"}},
		{name: "no answer", why: "a judge would grade nothing", prompt: replace("{{.Answer}}", ""), want: []string{"{{.Answer}} is placed 0 times"}},
		{name: "answer twice", why: "the answer stands once", prompt: promptText + "{{.Answer}}", want: []string{"{{.Answer}} is placed 2 times"}},
		{name: "no conversation", why: "an answer to nothing", prompt: replace("{{.Conversation}}", ""), want: []string{"{{.Conversation}} is placed 0 times"}},
		{name: "answer in part", why: "a cut answer is another answer", prompt: promptText + "{{slice .Answer 0 9}}", want: []string{"placed in part"}},
		{name: "answer in a line", why: "markers are lines", prompt: replace("{{.Answer}}", "Answer: {{.Answer}}"), want: []string{"want each on a line of its own"}},
		{name: "answer only when whole", why: "some cases would lack it", prompt: replace("{{.Answer}}", "{{if not .TurnsLeftOut}}{{.Answer}}{{end}}"), want: []string{"{{.Answer}} is placed 0 times"}},
		{name: "no code", why: "the judge cannot tell marks from data", prompt: replace("{{.Code}}", ""), want: []string{"want {{.Code}}"}},
		{name: "no anchors", why: "the judge would invent the scale", prompt: replace("{{.Anchor}}", ""), want: []string{"anchor of grade 1 is not in the prompt", "anchor of grade 6"}},
		{name: "no problems", why: "the judge would invent ids", prompt: replace("{{.ID}}: {{.Use}}", ""), want: []string{`problem "tone"`}},
		{name: "no guidance", why: "written, but not said", prompt: replace("{{.Guidance}}", ""), want: []string{"want {{.Guidance}}"}},
		{name: "answer in system", why: "system is the same for every case", prompt: promptText + `{{define "system"}}{{.Answer}}{{end}}`, want: []string{`the template "system" uses`}},
		{name: "code in system", why: "system is the same for every case", prompt: promptText + `{{define "system"}}{{.Code}}{{end}}`, want: []string{`the template "system" uses`}},
		{name: "endless", why: "a template that calls itself", prompt: promptText + `{{define "a"}}x{{template "a"}}{{end}}{{template "a"}}`, want: []string{"prompt.tmpl:"}},
		{name: "too much", why: "a prompt nobody can pay", prompt: promptText + `{{range 10000000}}xxxxxxxx{{end}}`, want: []string{"larger than"}},
		{name: "control character", why: "placeholders rely on it", prompt: promptText + "\x01", want: []string{"prompt.tmpl:8:1: byte 0x01"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refused(t, tt.why, folder(rules("none", "tone", "unsafe"), tt.prompt), tt.want)
		})
	}
	refused(t, "both files are checked", folder("name: x", "{{"), []string{"rubric.yaml:1:1:", "prompt.tmpl:1:"})
	refused(t, "no files", fstest.MapFS{}, []string{"rubric.yaml", "prompt.tmpl"})
}

func TestLoadAccepts(t *testing.T) {
	for name, r := range map[string]*rubric.Rubric{
		"byte order mark": load(t, "\ufeff"+rules("none", "tone"), "\ufeff"+promptText),
		"no guidance":     load(t, strings.Split(rules("none", "tone"), "guidance")[0], promptText),
		"flow style":      load(t, `{name: a, grades: {1: a1, 2: a2, 3: a3, 4: a4, 5: a5, 6: "6 a"}, problems: [{id: none, use: u}, {id: tone, use: v}]}`, promptText),
		"answer first":    load(t, rules("none", "tone"), strings.Replace(promptText, "{{.Conversation}}\n{{.Answer}}", "{{.Answer}}\n{{.Conversation}}", 1)),
		"system":          load(t, rules("none", "tone"), promptText+`{{define "system"}} You grade. {{.Guidance}}{{end}}`),
	} {
		c := rubric.Case{Turns: []rubric.Turn{{Role: "user", Text: "why?"}}, Answer: "so"}
		checkBlocks(t, prompt(t, r, c), c)
		if want := map[bool]string{true: "You grade. Be fair."}[name == "system"]; r.System() != want {
			t.Errorf("%s: system %q, want %q", name, r.System(), want)
		}
	}
	if _, err := rubric.Load(os.DirFS("standard")); err != nil {
		t.Error("a folder on disk: ", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(rules("none", "tone"), promptText)
	f.Add("name: [", "{{")
	f.Add("? a\n: b\n<<: *x\n---\n", "{{define \"system\"}}{{end}}")
	f.Add("{name: a, grades: {1: a}, problems: [{id: none, use: u}]}", "{{.Answer}}")
	f.Add("!!str a: &x !!map {}\n", "{{.Conversation}}")
	f.Fuzz(func(t *testing.T, rulesText, promptTmpl string) {
		if strings.Contains(promptTmpl, "range") || strings.Contains(promptTmpl, "template") || strings.Contains(promptTmpl, "printf") {
			t.Skip("a template may loop as long as its author likes")
		}
		r, err := rubric.Load(folder(rulesText, promptTmpl))
		if (err == nil) == (r == nil) {
			t.Fatalf("rubric %v, error %v", r, err)
		}
		if err != nil {
			return
		}
		c := rubric.Case{Answer: "a"}
		checkBlocks(t, prompt(t, r, c), c)
	})
}

func ExampleLoad() {
	r, err := rubric.Load(standard.FS) // or os.DirFS of a folder of your own
	if err != nil {
		fmt.Println(err)
		return
	}
	var prompt strings.Builder
	err = r.Prompt(&prompt, rubric.Case{
		Turns:  []rubric.Turn{{Role: "user", Text: "What is 2 + 2?"}},
		Answer: "4",
	})
	fmt.Println(err, strings.Contains(prompt.String(), "\n4\nEND ANSWER "))
	// Output: <nil> true
}
