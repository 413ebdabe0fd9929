package contract_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-eval/understudy/shadow/contract"
	"github.com/understudy-eval/understudy/shadow/llm"
)

const verdict = `{"type":"object","properties":{"grade":{"type":"integer","minimum":1,"maximum":6},"problem":{"enum":["none","wrong"]}},"required":["grade","problem"],"additionalProperties":false}`

func withSchema(schema string) llm.Contract {
	return llm.Contract{Form: llm.FormSchema, Schema: json.RawMessage(schema)}
}

func text(s string) llm.Reply { return llm.Reply{Text: s} }

func call(name, arguments string) llm.ToolCall {
	return llm.ToolCall{Name: name, Arguments: arguments}
}

func calling(calls ...llm.ToolCall) llm.Reply { return llm.Reply{ToolCalls: calls} }

type test struct {
	name, why string
	contract  llm.Contract
	reply     llm.Reply
	kept      string // true, false or unknown
	because   string
}

func check(t *testing.T, tests []test) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kept, why := contract.New(&tt.contract).Check(tt.reply)
			if said(kept) != tt.kept || !strings.Contains(why, tt.because) || (why == "") != (tt.kept == "true") {
				t.Errorf("%s: %s (%s), want %s (%s)", tt.why, said(kept), why, tt.kept, tt.because)
			}
		})
	}
}

func said(kept *bool) string {
	if kept == nil {
		return "unknown"
	}
	return fmt.Sprint(*kept)
}

func TestCheckSchema(t *testing.T) {
	good := `{"grade":2,"problem":"none"}`
	c := withSchema(verdict)
	check(t, []test{
		{"kept", "fits", c, text(good), "true", ""},
		{"white space", "is none of the value's", c, text(" \r\n\t" + good + "\n"), "true", ""},
		{"whole number", "2.0 is an integer in JSON Schema", c, text(`{"grade":2.0,"problem":"none"}`), "true", ""},
		{"no answer to the token limit", "cut, but whole", c, llm.Reply{Text: good, Finish: llm.FinishLength}, "true", ""},
		{"fence", "a parser stops at it", c, text("```json\n" + good + "\n```"), "false", "not exactly one JSON value"},
		{"prose before", "likewise", c, text("Here it is: " + good), "false", "not exactly one"},
		{"prose after", "likewise", c, text(good + " Hope this helps!"), "false", "not exactly one"},
		{"two values", "one was asked for", c, text(good + good), "false", "not exactly one"},
		{"trailing comma", "no JSON", c, text(`{"grade":2,"problem":"none",}`), "false", "not exactly one"},
		{"single quotes", "no JSON", c, text(`{'grade':2}`), "false", "not exactly one"},
		{"empty", "no value", c, text("  "), "false", "not exactly one"},
		{"cut", "what the limit left is outside too", c, llm.Reply{Text: good[:10], Finish: llm.FinishLength}, "false", "(cut at the token limit)"},
		{"out of range", "the schema's own limit", c, text(`{"grade":7,"problem":"none"}`), "false", `"/grade" breaks maximum`},
		{"wrong type", "a number in quotes is a text", c, text(`{"grade":"2","problem":"none"}`), "false", `"/grade" breaks type`},
		{"unlisted", "outside the enum", c, text(`{"grade":2,"problem":"rude"}`), "false", `"/problem" breaks enum`},
		{"missing field", "required", c, text(`{"grade":2}`), "false", "the value breaks required"},
		{"one field more", "additionalProperties false", c, text(`{"grade":2,"problem":"none","x":1}`), "false", "breaks additionalProperties"},
		{"equal names", "readers differ in which they take", c, text(`{"grade":7,"grade":2,"problem":"none"}`), "false", "two equal names"},
		{"equal names by escape", "they are equal once read", c, text(`{"grade":2,"gr\u0061de":3,"problem":"none"}`), "false", "two equal names"},
		{"refusal", "is not what was asked for", c, llm.Reply{Refusal: "I cannot."}, "false", "refusal"},
		{"a call of no tool", "none is offered", c, calling(call("f", "{}")), "false", `tool "f" may not be called`},
		{"schema false", "nothing fits", withSchema(`false`), text(`1`), "false", "the schema false"},
		{"schema true", "any JSON fits", withSchema(`true`), text(`1`), "true", ""},
		{"ref within", "is followed", withSchema(`{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`), text(`"x"`), "false", "breaks type"},
		{"tree", "a schema may refer to itself", withSchema(`{"type":"object","properties":{"child":{"$ref":"#"}},"additionalProperties":false}`), text(`{"child":{"child":{"x":1}}}`), "false", `"/child/child" breaks`},
		{"draft 7", "with its own words", withSchema(`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"items":[{"$ref":"#/definitions/n"}],"additionalItems":false}`), text(`[1,2]`), "false", "additionalItems"},
		{"format, draft 7", "is checked there", withSchema(`{"$schema":"http://json-schema.org/draft-07/schema#","format":"date-time"}`), text(`"tomorrow"`), "false", "format"},
		{"format", "says nothing in today's draft", withSchema(`{"format":"date-time"}`), text(`"tomorrow"`), "true", ""},
		{"pattern", "of RE2", withSchema(`{"pattern":"^a+$"}`), text(`"aab"`), "false", "pattern"},
	})
}

func TestCheckUnknown(t *testing.T) {
	twice := `{"anyOf":[{"properties":{"a":{"$ref":"#"},"k":{"const":1}}},{"properties":{"a":{"$ref":"#"},"k":{"const":2}}}]}`
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	nested := strings.Repeat(`{"k":3,"a":`, 40) + "1" + strings.Repeat("}", 40)
	tree := `{"a":[1,2,3,4,5,6,7,8,9,{"b":[1,2,3,4,5,6,7,8,9]}]}`
	many := "[" + strings.Repeat("1,", 5000) + "1]"
	ladder := `"$defs":{"s0":{"type":"string"}`
	for i := range 40 {
		ladder += fmt.Sprintf(`,"s%d":{"anyOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]}`, i+1, i, i)
	}
	check(t, []test{
		{"pattern", "lookahead is outside RE2", withSchema(`{"pattern":"(?=a)b"}`), text(`"x"`), "unknown", "cannot be used"},
		{"no JSON all the same", "broken whatever the schema says", withSchema(`{"pattern":"(?=a)b"}`), text(`x`), "false", "not exactly one"},
		{"type", "no such type", withSchema(`{"type":"foo"}`), text(`1`), "unknown", "cannot be used"},
		{"dangling", "refers to nothing", withSchema(`{"$ref":"#/$defs/gone"}`), text(`1`), "unknown", "cannot be used"},
		{"file", "nothing is loaded", withSchema(`{"$ref":"file:///etc/hosts"}`), text(`1`), "unknown", "references are not loaded"},
		{"address", "nothing is loaded", withSchema(`{"$ref":"https://example.com/s.json"}`), text(`1`), "unknown", "references are not loaded"},
		{"neighbour", "nothing is loaded", withSchema(`{"$ref":"s.json"}`), text(`1`), "unknown", "references are not loaded"},
		{"draft", "nobody knows it", withSchema(`{"$schema":"https://example.com/draft"}`), text(`1`), "unknown", "cannot be used"},
		{"itself", "is a cycle", withSchema(`{"$ref":"#"}`), text(`1`), "unknown", "too long"},
		{"union of itself", "doubles with each level", withSchema(twice), text(nested), "unknown", "too long"},
		{"ladder", "2 to the power of 40 visits of one value", withSchema(`{"$ref":"#/$defs/s40",` + ladder + `}}`), text(`1`), "unknown", "too long"},
		{"deep answer", "1,000 levels are the bound", withSchema(`{}`), text(deep(1001)), "unknown", "levels"},
		{"at the bound", "still told", withSchema(`{}`), text(deep(1000)), "true", ""},
		{"deep schema", "likewise", withSchema(strings.Repeat(`{"not":`, 1001) + "{}" + strings.Repeat("}", 1001)), text(`1`), "unknown", "levels"},
		{"huge schema", "5,000 objects are the bound", withSchema(`{"allOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`), text(`1`), "unknown", "5000 objects"},
		{"equal names", "which one is meant?", withSchema(`{"type":"string","type":"integer"}`), text(`1`), "unknown", "equal names"},
		{"exponent of the answer", "exact numbers would fill the memory", withSchema(`{"minimum":1}`), text(`1e999999`), "unknown", "digits"},
		{"exponent of the schema", "likewise", withSchema(`{"minimum":1e999999}`), text(`1`), "unknown", "digits"},
		{"largest double", "is no trouble", withSchema(`{"maximum":1e300}`), text(`1.7976931348623157e308`), "false", "maximum"},
		{"list of objects", "each of 1,000 objects against each of 1,000", withSchema(`{"items":{"enum":[` + strings.Repeat(tree+",", 1000) + `1]}}`), text("[" + strings.Repeat(`{"a":2},`, 1000) + "1]"), "unknown", "too long"},
		{"object", "each of 1,000 objects against a large one", withSchema(`{"items":{"const":[` + strings.Repeat(tree+",", 1000) + `1]}}`), text("[" + strings.Repeat(`[],`, 1000) + "1]"), "unknown", "too long"},
		{"different items", "pair by pair", withSchema(`{"uniqueItems":true}`), text("[" + strings.Repeat(many+",", 19) + many + "]"), "unknown", "too long"},
		{"many different items", "by their hash, still told", withSchema(`{"uniqueItems":true}`), text(many), "false", "uniqueItems"},
		{"list of numbers", "1,000 numbers against 100, still told", withSchema(`{"items":{"enum":[` + strings.Repeat("7,", 99) + `8]}}`), text("[" + strings.Repeat("8,", 999) + "8]"), "true", ""},
		{"pattern and length", "a program of 1,000 steps over 1 MiB", withSchema(`{"pattern":"(a?){900}b"}`), text(`"` + strings.Repeat("a", 1<<20) + `"`), "unknown", "too long"},
	})
}

func TestCheckPlainForms(t *testing.T) {
	anyJSON := llm.Contract{Form: llm.FormJSON}
	list := llm.Contract{Form: llm.FormList, List: []string{"yes", "no", " padded "}}
	check(t, []test{
		{"object", "any JSON", anyJSON, text(`{"a":[1,null]}`), "true", ""},
		{"number", "any JSON value", anyJSON, text(`3`), "true", ""},
		{"prose", "no JSON", anyJSON, text(`three`), "false", "not exactly one"},
		{"byte order mark", "JSON.parse stops at it", anyJSON, text("\ufeff{}"), "false", "not exactly one"},
		{"listed", "with a line end", list, text("yes\n"), "true", ""},
		{"listed as it is", "a list may have blanks of its own", list, text(" padded "), "true", ""},
		{"case", "another text", list, text("Yes"), "false", "not in the list"},
		{"full stop", "another text", list, text("yes."), "false", "not in the list"},
		{"quotes", "another text", list, text(`"yes"`), "false", "not in the list"},
	})
}

func TestCheckCalls(t *testing.T) {
	tools := []llm.Tool{
		{Name: "grade", Parameters: json.RawMessage(verdict)},
		{Name: "now"},
		{Name: "shell", FreeText: true},
		{Name: "odd", Parameters: json.RawMessage(`{"type":"foo"}`)},
	}
	offered, forced := llm.Contract{Tools: tools}, llm.Contract{Tools: tools[:1], MustCall: true}
	both := llm.Contract{Form: llm.FormJSON, Tools: tools}
	good := call("grade", `{"grade":2,"problem":"none"}`)
	check(t, []test{
		{"text", "a tool need not be called", offered, text("Hello"), "true", ""},
		{"refusal", "a text like any other here", offered, llm.Reply{Refusal: "No."}, "true", ""},
		{"call", "fits", offered, calling(good), "true", ""},
		{"call and text", "the text beside a call is free", both, llm.Reply{Text: "Let me see.", ToolCalls: []llm.ToolCall{good}}, "true", ""},
		{"text under a form", "no call, so the form counts", both, text("Hello"), "false", "not exactly one"},
		{"not offered", "made up", offered, calling(call("refund", "{}")), "false", `tool "refund" may not be called`},
		{"arguments", "outside the parameters", offered, calling(call("grade", `{"grade":2}`)), "false", `arguments of "grade": the value breaks required`},
		{"arguments that are no JSON", "cut", offered, calling(call("grade", `{"grade":`)), "false", "not exactly one"},
		{"one of two", "one bad call is enough", offered, calling(good, call("grade", "[]")), "false", "breaks type"},
		{"no parameters", "any JSON will do", offered, calling(call("now", `{"a":1}`)), "true", ""},
		{"no arguments", "an empty object", offered, calling(call("now", "")), "true", ""},
		{"no arguments where some are needed", "an empty object has none of them", offered, calling(call("grade", " ")), "false", "required"},
		{"text as arguments", "no JSON", offered, calling(call("now", "now")), "false", "not exactly one"},
		{"free text", "is never JSON", offered, calling(call("shell", "ls -l")), "true", ""},
		{"parameters that do not compile", "cannot be told", offered, calling(call("odd", "{}")), "unknown", `arguments of "odd"`},
		{"unknown and broken", "broken is certain", offered, calling(call("odd", "{}"), call("refund", "{}")), "false", "refund"},
		{"forced", "called", forced, calling(good), "true", ""},
		{"forced and not called", "even if the text would fit", forced, text(good.Arguments), "false", "no tool is called"},
		{"forced and refused", "not called", forced, llm.Reply{Refusal: "No."}, "false", "no tool is called"},
		{"another than the forced", "may not be called", forced, calling(call("now", "")), "false", "may not be called"},
		{"a long name", "is cut in the reason", offered, calling(call(strings.Repeat("é", 99)+"\x1b", "{}")), "false", "é…"},
	})
}

func TestCheckWithoutContract(t *testing.T) {
	if kept, why := contract.New(nil).Check(text("x")); kept != nil || why == "" {
		t.Errorf("%s (%s), want unknown", said(kept), why)
	}
}

// An answer of 1 MiB under a plain schema is still told, not given up on.
func TestCheckLargeAnswer(t *testing.T) {
	c := withSchema(`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","pattern":"^[a-z]+$"},"n":{"type":"integer"}},"required":["name","n"]}}`)
	item := `{"name":"abcdefgh","n":12345}`
	kept, why := contract.New(&c).Check(text("[" + strings.Repeat(item+",", 1<<20/len(item)) + item + "]"))
	if said(kept) != "true" {
		t.Errorf("%s (%s)", said(kept), why)
	}
}

func TestCheckIsSafeForConcurrentUse(t *testing.T) {
	asked := withSchema(verdict)
	asked.Tools = []llm.Tool{{Name: "grade", Parameters: json.RawMessage(verdict)}}
	c := contract.New(&asked)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			replies := []llm.Reply{text(`{"grade":2}`), calling(call("grade", `{"grade":2}`))}
			if kept, why := c.Check(replies[i%2]); said(kept) != "false" {
				t.Errorf("%s (%s)", said(kept), why)
			}
		})
	}
	group.Wait()
}

func FuzzCheck(f *testing.F) {
	f.Add(verdict, `{"grade":2,"problem":"none"}`)
	f.Add(`{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}],"uniqueItems":true}`, `[[[[1e9,1.0]]]]`)
	f.Add(`{"$schema":"http://json-schema.org/draft-04/schema#","id":"#a","dependencies":{"a":{"not":{}}}}`, `{"a":1}`)
	f.Add(`{"$dynamicRef":"#n","$dynamicAnchor":"n","unevaluatedProperties":{"const":-0.0}}`, `{"a":{"b":-0}}`)
	f.Add(`{"patternProperties":{"^a":{"multipleOf":0.01}},"propertyNames":{"maxLength":3}}`, `{"ab":0.07}`)
	f.Add(`true`, `{"a":1,"a":2}`)
	f.Fuzz(func(t *testing.T, schema, answer string) {
		asked := withSchema(schema)
		asked.Tools = []llm.Tool{{Name: "f", Parameters: asked.Schema}}
		c := contract.New(&asked)
		kept, why := c.Check(text(answer))
		switch {
		case (why == "") != (said(kept) == "true"):
			t.Errorf("%s with reason %q", said(kept), why)
		case said(kept) == "true" && !json.Valid([]byte(answer)):
			t.Error("kept by what is no JSON")
		}
		if again, _ := c.Check(text(answer)); said(again) != said(kept) {
			t.Errorf("%s, then %s", said(kept), said(again))
		}
		called, _ := c.Check(calling(call("f", answer)))
		if strings.TrimSpace(answer) != "" && said(called) != said(kept) {
			t.Errorf("text %s, the same as arguments %s", said(kept), said(called))
		}
	})
}

func BenchmarkNewAndCheck(b *testing.B) {
	asked := withSchema(verdict)
	for b.Loop() {
		contract.New(&asked).Check(text(`{"grade":2,"problem":"none"}`))
	}
}

func BenchmarkCheck(b *testing.B) {
	asked := withSchema(verdict)
	c := contract.New(&asked)
	for b.Loop() {
		c.Check(text(`{"grade":2,"problem":"none"}`))
	}
}

func Example() {
	asked, err := llm.RequestContract(llm.OpenAIChat, []byte(`{"response_format":{"type":"json_schema","json_schema":{"schema":{
		"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := contract.New(asked)
	for _, answer := range []string{`{"city":"Kyiv"}`, "```json\n{\"city\":\"Kyiv\"}\n```", `{"city":7}`} {
		kept, why := c.Check(llm.Reply{Text: answer})
		fmt.Printf("%t: %q\n", *kept, why)
	}
	// Output:
	// true: ""
	// false: "not exactly one JSON value"
	// false: "\"/city\" breaks type"
}
