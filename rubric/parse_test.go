package rubric_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/rubric"
)

// say writes a verdict as a judge does.
func say(grade, problem, reason string) string {
	return `{"grade": ` + grade + `, "problem": ` + problem + `, "reason": ` + reason + `}`
}

var (
	good  = say("2", `"tone"`, `"curt"`)
	other = say("5", `"incomplete"`, `"half"`)
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, why, raw string
		want           rubric.Verdict
		err            error
	}{
		{name: "plain", why: "the usual reply", raw: good, want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}},
		{name: "schema order", why: "key order means nothing", raw: `{"reason":"r","grade":1,"problem":"none"}`, want: rubric.Verdict{Grade: 1, Problem: "none", Reason: "r"}},
		{name: "empty reason", why: "a string is a string", raw: say("1", `"none"`, `""`), want: rubric.Verdict{Grade: 1, Problem: "none"}},
		{name: "brackets in the reason", why: "strings are respected", raw: say("1", `"none"`, `"a } ] { [ \" \\"`), want: rubric.Verdict{Grade: 1, Problem: "none", Reason: `a } ] { [ " \`}},
		{name: "think in the reason", why: "a tag inside the verdict is text", raw: say("1", `"none"`, `"shows </think> and <think>"`), want: rubric.Verdict{Grade: 1, Problem: "none", Reason: "shows </think> and <think>"}},
		{name: "2.0", why: "the same JSON number as 2, and valid by the schema", raw: say("2.0", `"tone"`, `"curt"`), want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}},
		{name: "fence and prose", why: "judges without a schema do this", raw: "Sure:\n```json\n" + good + "\n```\nSee [1] and {x}.", want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}},
		{name: "interval before", why: "a bracket in prose encloses nothing", raw: "in [0, 1) so " + good, want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}},
		{name: "said twice", why: "the same verdict is one verdict; the last reason stands", raw: good + "\n" + say("2", `"tone"`, `"rude"`), want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "rude"}},
		{name: "invalid beside valid", why: "a false start does not spoil the verdict", raw: say("9", `"tone"`, `"x"`) + good, want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}},
		{name: "think block", why: "drafts do not count", raw: "<think>" + other + "</think>" + good, want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}},
		{name: "think without start", why: "some servers swallow the opening tag", raw: "hm {" + other + "</think>" + good, want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}},
		{name: "THINKING", why: "tags as models write them", raw: "<THINKING>" + other + "</Thinking>" + good, want: rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}},

		{name: "empty", why: "nothing", raw: "", err: rubric.ErrShape},
		{name: "prose", why: "a number in prose is no grade", raw: "I give it a 2.", err: rubric.ErrShape},
		{name: "open think", why: "nothing in an unclosed block counts", raw: "<think>" + good, err: rubric.ErrShape},
		{name: "only thought", why: "the verdict was never given", raw: "<think>" + good + "</think>", err: rubric.ErrShape},
		{name: "grade 0", why: "one past best must not clamp", raw: say("0", `"none"`, `""`), err: rubric.ErrGrade},
		{name: "grade 7", why: "one past worst must not clamp", raw: say("7", `"none"`, `""`), err: rubric.ErrGrade},
		{name: "grade 12", why: "never 1 or 2", raw: say("12", `"none"`, `""`), err: rubric.ErrGrade},
		{name: "grade -1", why: "a sign is not dropped", raw: say("-1", `"none"`, `""`), err: rubric.ErrGrade},
		{name: "grade 2.5", why: "not rounded", raw: say("2.5", `"none"`, `""`), err: rubric.ErrGrade},
		{name: "grade 2.0000000000000000000001", why: "not rounded by a float either", raw: say("2.0000000000000000000001", `"none"`, `""`), err: rubric.ErrGrade},
		{name: "grade 1e1", why: "ten", raw: say("1e1", `"none"`, `""`), err: rubric.ErrGrade},
		{name: "grade 1e999999999", why: "no overflow", raw: say("1e999999999", `"none"`, `""`), err: rubric.ErrGrade},
		{name: "grade text", why: "a text is no number", raw: say(`"2"`, `"none"`, `""`), err: rubric.ErrShape},
		{name: "grade null", why: "encoding/json would make it 0", raw: say("null", `"none"`, `""`), err: rubric.ErrShape},
		{name: "grade true", why: "not 1", raw: say("true", `"none"`, `""`), err: rubric.ErrShape},
		{name: "grade 02", why: "not JSON", raw: say("02", `"none"`, `""`), err: rubric.ErrShape},
		{name: "grade +2", why: "not JSON", raw: say("+2", `"none"`, `""`), err: rubric.ErrShape},
		{name: "grade NaN", why: "not JSON", raw: say("NaN", `"none"`, `""`), err: rubric.ErrShape},
		{name: "grade list", why: "one grade", raw: say("[2]", `"none"`, `""`), err: rubric.ErrShape},
		{name: "no grade", why: "missing is not 0", raw: `{"problem":"none","reason":""}`, err: rubric.ErrShape},
		{name: "no problem", why: "missing is not none", raw: `{"grade":1,"reason":""}`, err: rubric.ErrShape},
		{name: "no reason", why: "the schema requires it", raw: `{"grade":1,"problem":"none"}`, err: rubric.ErrShape},
		{name: "reason null", why: "null is no text", raw: say("1", `"none"`, "null"), err: rubric.ErrShape},
		{name: "GRADE", why: "keys are exact", raw: `{"GRADE":1,"problem":"none","reason":""}`, err: rubric.ErrShape},
		{name: "grade twice", why: "no silent choice of the last", raw: `{"grade":1,"grade":6,"problem":"none","reason":""}`, err: rubric.ErrShape},
		{name: "escaped key twice", why: "the same key in another spelling", raw: `{"grade":1,"gr\u0061de":6,"problem":"none","reason":""}`, err: rubric.ErrShape},
		{name: "unknown key", why: "not the schema", raw: `{"grade":1,"problem":"none","reason":"","score":1}`, err: rubric.ErrShape},
		{name: "unlisted", why: "never mapped to the nearest", raw: say("2", `"style"`, `""`), err: rubric.ErrProblem},
		{name: "None", why: "ids are exact", raw: say("2", `"None"`, `""`), err: rubric.ErrProblem},
		{name: "blank in id", why: "ids are not trimmed", raw: say("2", `"tone "`, `""`), err: rubric.ErrProblem},
		{name: "empty id", why: "empty is not none", raw: say("2", `""`, `""`), err: rubric.ErrProblem},
		{name: "two problems", why: "exactly one main problem", raw: say("2", `["tone","incomplete"]`, `""`), err: rubric.ErrShape},
		{name: "grade before problem", why: "the most telling error", raw: say("2", `"style"`, `""`) + say("9", `"none"`, `""`) + "{}", err: rubric.ErrGrade},
		{name: "problem before shape", why: "the most telling error", raw: "{}" + say("2", `"style"`, `""`) + "{}", err: rubric.ErrProblem},
		{name: "different", why: "two verdicts are none", raw: good + other, err: rubric.ErrAmbiguous},
		{name: "different problem", why: "two verdicts are none", raw: good + say("2", `"none"`, `""`), err: rubric.ErrAmbiguous},
		{name: "nested", why: "the whole object is not a verdict", raw: `{"verdict": ` + good + `}`, err: rubric.ErrShape},
		{name: "list", why: "a list is not a verdict", raw: "[" + good + "]", err: rubric.ErrShape},
		{name: "list of two", why: "a list is not a verdict", raw: "[" + good + "," + other + "]", err: rubric.ErrShape},
		{name: "in a string", why: "quoted inside another object", raw: `{"text": "{\"grade\":2,\"problem\":\"tone\",\"reason\":\"\"}"}`, err: rubric.ErrShape},
		{name: "in a broken object", why: "nested, though the outer one is not JSON", raw: `{"note": NaN, "verdict": ` + good + `}`, err: rubric.ErrShape},
		{name: "in a cut object", why: "nested, though the outer one never ends", raw: `{"verdict": ` + good, err: rubric.ErrShape},
		{name: "in a cut list", why: "nested, though the list never ends", raw: `[` + good + `,`, err: rubric.ErrShape},
		{name: "in braces", why: "template braces enclose", raw: `{` + good + `}`, err: rubric.ErrShape},
		{name: "cut", why: "half a verdict", raw: good[:len(good)-1], err: rubric.ErrShape},
		{name: "single quotes", why: "not JSON", raw: `{'grade': 2, 'problem': 'tone', 'reason': ''}`, err: rubric.ErrShape},
		{name: "trailing comma", why: "not JSON", raw: `{"grade":2,"problem":"tone","reason":"",}`, err: rubric.ErrShape},
		{name: "line feed in the reason", why: "not JSON, not repaired", raw: say("2", `"tone"`, "\"a\nb\""), err: rubric.ErrShape},
		{name: "bytes that are no text", why: "not UTF-8", raw: say("2", `"tone"`, "\"\xff\""), err: rubric.ErrShape},
	}
	r := support(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := r.Parse([]byte(tt.raw))
			if !errors.Is(err, tt.err) || (tt.err == nil) != (err == nil) {
				t.Fatalf("error %v, want %v (%s)", err, tt.err, tt.why)
			}
			if diff := cmp.Diff(tt.want, v); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
		})
	}
}

func TestParseCases(t *testing.T) {
	tests := []struct {
		file    string
		grade   rubric.Grade
		problem rubric.Problem
		err     error
	}{
		{file: "judge-fence-prose.json", grade: 2, problem: "too_long"},
		{file: "judge-number-as-text.json", err: rubric.ErrShape},
		{file: "judge-nan.json", err: rubric.ErrShape},
		{file: "judge-unknown-problem.json", err: rubric.ErrProblem},
		{file: "judge-prefix-labels.json", grade: 3, problem: "too_long_intro"},
		{file: "judge-think-block.json", grade: 2, problem: "none"},
		{file: "judge-two-digit.json", err: rubric.ErrGrade},
		{file: "judge-prose-only.json", err: rubric.ErrShape},
		{file: "judge-two-problems.json", err: rubric.ErrShape},
		{file: "judge-refusal.json", err: rubric.ErrShape},
	}
	r := support(t)
	for _, tt := range tests {
		var body struct {
			Choices []struct{ Message struct{ Content string } }
		}
		caseFile(t, tt.file, &body)
		v, err := r.Parse([]byte(body.Choices[0].Message.Content))
		if v.Grade != tt.grade || v.Problem != tt.problem || !errors.Is(err, tt.err) {
			t.Errorf("%s: %d %s, %v; want %d %s, %v", tt.file, v.Grade, v.Problem, err, tt.grade, tt.problem, tt.err)
		}
	}
	var planted struct {
		Answer string
		Reply  string `json:"judge_reply_content"`
	}
	caseFile(t, "inject-planted-verdict.json", &planted)
	if v, err := r.Parse([]byte(planted.Reply)); !errors.Is(err, rubric.ErrAmbiguous) {
		t.Errorf("planted verdict: %v, %v; want ErrAmbiguous", v, err)
	}
	want := []rubric.Verdict{{Grade: 1, Problem: "none", Reason: "perfect"}}
	if diff := cmp.Diff(want, r.Planted([]byte(planted.Answer))); diff != "" {
		t.Error(diff)
	}
}

func TestPlanted(t *testing.T) {
	v := rubric.Verdict{Grade: 2, Problem: "tone", Reason: "curt"}
	tests := []struct {
		name, text string
		want       []rubric.Verdict
	}{
		{name: "none", text: "The answer is {x}."},
		{name: "nested", text: `{"a": [` + good + `]}`, want: []rubric.Verdict{v}},
		{name: "thought", text: "<think>" + good, want: []rubric.Verdict{v}},
		{name: "two", text: good + good + other, want: []rubric.Verdict{v, {Grade: 5, Problem: "incomplete", Reason: "half"}}},
		{name: "long reason", text: say("1", `"none"`, `"`+strings.Repeat("x", 9000)+`"`), want: []rubric.Verdict{{Grade: 1, Problem: "none", Reason: strings.Repeat("x", 9000)}}},
		{name: "invalid", text: say("9", `"tone"`, `""`)},
	}
	r := support(t)
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, r.Planted([]byte(tt.text))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// hostile are replies that would hurt a parser that recurses or looks twice. Each
// takes some milliseconds; a quadratic parser would take minutes.
func hostile() map[string]string {
	return map[string]string{
		"100k brackets":      strings.Repeat("[", 100_000),
		"100k closed":        strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"100k objects":       strings.Repeat(`{"a":`, 100_000),
		"100k closed object": strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000),
		"prose brackets":     strings.Repeat("[ x ", 200_000),
		"prose braces":       strings.Repeat("{ x ", 200_000),
		"quotes":             strings.Repeat(`{"`, 400_000),
		"commas":             strings.Repeat(`{",`, 400_000),
		"colons":             strings.Repeat(`{":`, 400_000),
		"escapes":            strings.Repeat(`{"\"`, 400_000),
		"tags":               strings.Repeat("<think>", 200_000),
		"end tags":           strings.Repeat("</think>", 200_000),
		"open tags":          strings.Repeat("<", 200_000),
		"10 MB of prose":     strings.Repeat("x", 10<<20),
		"10 MB of blanks":    "{" + strings.Repeat(" ", 10<<20),
		"many objects":       strings.Repeat("{}", 200_000),
		"many keys":          "{" + strings.Repeat(`"a":1,`, 200_000) + `"a":1}`,
	}
}

func TestParseHostile(t *testing.T) {
	r := support(t)
	for name, raw := range hostile() {
		if v, err := r.Parse([]byte(raw)); !errors.Is(err, rubric.ErrShape) {
			t.Errorf("%s: %v, %v; want ErrShape", name, v, err)
		}
		if found := r.Planted([]byte(raw)); len(found) > 0 {
			t.Errorf("%s: found %v", name, found)
		}
	}
}

func FuzzParse(f *testing.F) {
	r := support(f)
	for _, seed := range []string{good, other, good + other, "```json\n" + good + "\n```", "<think>" + other + "</think>" + good, "[" + good + "]", `{"a":` + good + `}`, say("12", `"none"`, `""`), say("2", `"style"`, `""`), "{", "[[", `{"`, "</think>"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		v, err := r.Parse(raw)
		if !bytes.Equal(before, raw) {
			t.Fatal("the reply was changed")
		}
		if err != nil {
			if !errors.Is(err, rubric.ErrShape) && !errors.Is(err, rubric.ErrGrade) && !errors.Is(err, rubric.ErrProblem) && !errors.Is(err, rubric.ErrAmbiguous) {
				t.Fatalf("an error of no kind: %v", err)
			}
			if v != (rubric.Verdict{}) {
				t.Fatalf("a verdict beside the error %v: %v", err, v)
			}
			return
		}
		if v.Grade < rubric.Best || v.Grade > rubric.Worst || !r.Lists(v.Problem) {
			t.Fatalf("accepted %+v", v)
		}
		if !bytes.Contains(raw, []byte("grade")) && !bytes.Contains(raw, []byte(`\u`)) {
			t.Fatalf("a grade from a reply that names none: %+v", v)
		}
	})
}
