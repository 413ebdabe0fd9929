package reports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(reports.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// jsonOf is the JSON form of a report, decided by its gate.
func jsonOf(t *testing.T, r reports.Report) []byte {
	t.Helper()
	decisions, err := r.Experiment.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.JSON(&b, decisions); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSchemaHolds: reports with much and with nothing are what the schema says.
func TestSchemaHolds(t *testing.T) {
	s := compiled(t)
	mixed := foundingRows(t)
	mixed[0] = failed(0, shadow.Live, llm.ClientAbort, time.Second)
	for i := 1; i < len(mixed); i += 4 {
		mixed[i] = failed(i/2, "cand-a", llm.Timeout, 20*time.Second)
	}
	mixed[3].Redacted = true
	mixed[8].Route, mixed[9].Route, mixed[8].Model = "/other", "/other", "live-2027"
	everything := experiment()
	everything.Candidates = append(everything.Candidates, reports.Arm{Name: "control", Control: true})
	everything.Gate.P95Increase = new(time.Second)
	everything.Gate.FirstTokenOver = everything.Gate.Over
	for name, r := range map[string]reports.Report{
		"founding": build(t, experiment(), foundingRows(t), booksFor(600)), "nothing": build(t, reports.Experiment{Name: "x"}, nil, nil),
		"no rows": build(t, experiment(), nil, nil), "live alone": build(t, liveOnly(), plain(3, 0)[:1], nil),
		"mixed": build(t, everything, mixed, booksFor(600)), "burn-in": build(t, experiment(), plain(1, -1), booksFor(1)),
	} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(jsonOf(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaIsClosed: at every level, a member too many or one too few is an error,
// and so are figures that cannot be.
func TestSchemaIsClosed(t *testing.T) {
	s := compiled(t)
	founding := string(jsonOf(t, build(t, experiment(), foundingRows(t), booksFor(600))))
	for _, c := range []struct{ name, old, new string }{
		{"another version", `"format": 1`, `"format": 2`},
		{"a member too many", `"format": 1`, `"format": 1, "more": 1`},
		{"deep down", `"p": 0.5,`, `"p": 0.5, "more": 1,`},
		{"a member too few", `"balanced": true,`, ``},
		{"no outcome of ours", `"outcome": "no-go"`, `"outcome": "maybe"`},
		{"a share over 1", `"share": 0.33,`, `"share": 33,`},
		{"a float for a time", `"time_ns": 700000000`, `"time_ns": 0.7`},
		{"no time", `"first": "2026-10-05T00:00:00Z"`, `"first": "monday"`},
	} {
		changed := strings.Replace(founding, c.old, c.new, 1)
		if changed == founding {
			t.Fatalf("%s: no %s in the report", c.name, c.old)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(changed))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := s.Validate(doc); err == nil {
			t.Errorf("%s: %s for %s is valid", c.name, c.new, c.old)
		}
	}
}

// definition is what a test reads of the schema.
type definition struct {
	Description, Type    string
	Properties           map[string]map[string]any
	Required             []string
	AdditionalProperties *bool
}

// TestSchemaIsWhole: the schema and the Go types have the same members, of the same
// kind, and each is described, figures with their unit.
func TestSchemaIsWhole(t *testing.T) {
	var file struct {
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(reports.Schema(), &file); err != nil {
		t.Fatal(err)
	}
	types := map[string]reflect.Type{}
	gather(reflect.TypeFor[reports.Report](), types)
	gather(reflect.TypeFor[reports.Decision](), types)
	for name := range file.Defs {
		if types[name] == nil {
			t.Errorf("the schema defines %s, which is no type of a report", name)
		}
	}
	for name, of := range types {
		def, ok := file.Defs[name]
		if !ok {
			t.Errorf("report.schema.json has no %s: add it to $defs, with descriptions that end in units", name)
			continue
		}
		if def.Description == "" || def.Type != "object" || def.AdditionalProperties == nil || *def.AdditionalProperties {
			t.Errorf("%s: not described, no object, or not closed", name)
		}
		compare(t, name, of, def)
	}
}

// gather collects the structs of a type by name.
func gather(of reflect.Type, into map[string]reflect.Type) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Array {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() || into[of.Name()] != nil {
		return
	}
	into[of.Name()] = of
	for _, f := range members(of) {
		gather(f.Type, into)
	}
}

// members are the fields with a name in JSON, those of embedded structs too.
func members(of reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for i := range of.NumField() {
		switch f := of.Field(i); {
		case f.Anonymous:
			out = append(out, members(f.Type)...)
		case f.Tag.Get("json") != "" && f.Tag.Get("json") != "-":
			out = append(out, f)
		}
	}
	return out
}

func compare(t *testing.T, name string, of reflect.Type, def definition) {
	required, all := []string{}, []string{}
	for _, f := range members(of) {
		member, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, member)
		optional := strings.Contains(options, "omit")
		if !optional {
			required = append(required, member)
		}
		p, ok := def.Properties[member]
		if !ok {
			t.Errorf("report.schema.json: %s has no %s (Go: %s): add it, with a description that ends in its unit", name, member, f.Type)
			continue
		}
		kind := kindOf(f.Type, optional)
		if diff := gocmp.Diff(kind, kindIn(p)); diff != "" {
			t.Errorf("%s.%s, -Go +schema: %s", name, member, diff)
		}
		description, _ := p["description"].(string)
		_, unit, _ := strings.Cut(description, "unit: ")
		figure := strings.Contains(kind, "integer") || strings.Contains(kind, "number")
		if description == "" || (figure && unit == "") || (strings.HasSuffix(member, "_ns") && unit != "nanoseconds") {
			t.Errorf("%s.%s is described without its unit: %q", name, member, description)
		}
	}
	for member := range def.Properties {
		if !slices.Contains(all, member) {
			t.Errorf("the schema has %s.%s, the report has not", name, member)
		}
	}
	slices.Sort(required)
	slices.Sort(def.Required)
	if diff := gocmp.Diff(required, def.Required); diff != "" {
		t.Errorf("%s: required, -Go +schema: %s", name, diff)
	}
}

// kindOf is a Go type as the schema's words: a pointer may be null unless it is
// then left out.
func kindOf(of reflect.Type, optional bool) string {
	switch of.Kind() {
	case reflect.Pointer:
		if optional {
			return kindOf(of.Elem(), false)
		}
		return kindOf(of.Elem(), false) + " or null"
	case reflect.Slice, reflect.Array:
		return "array of " + kindOf(of.Elem(), false)
	case reflect.Struct:
		if of == reflect.TypeFor[time.Time]() {
			return "string"
		}
		return of.Name()
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float64:
		return "number"
	}
	return "integer"
}

func kindIn(p map[string]any) string {
	if ref, ok := p["$ref"].(string); ok {
		return strings.TrimPrefix(ref, "#/$defs/")
	}
	if either, ok := p["anyOf"].([]any); ok {
		return kindIn(either[0].(map[string]any)) + " or " + kindIn(either[1].(map[string]any))
	}
	if items, ok := p["items"].(map[string]any); ok {
		return "array of " + kindIn(items)
	}
	if list, ok := p["type"].([]any); ok {
		return fmt.Sprintf("%s or %s", list...)
	}
	return fmt.Sprint(p["type"])
}
