package tap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/tap"
)

const whole = `{"id":"r-1","endpoint":"/v1/chat/completions","seen":"2026-11-30T12:00:00.5+01:00","session":"s","route":"help",
"tags":{"lang":"de","plan":null},"rate":0.25,"header":{"anthropic-version":"2023-06-01"},"request": { "n":1e400, "messages":[] },
"answer":{"text":"Hi","refusal":null,"tool_calls":[{"id":"c","name":"f","arguments":"{}"}],"finish":"stop","model":"m-1","usage":{"in":3,"out":2.0}},
"status":200,"failure":null,"took_ms":1234.5,"first_token_ms":10,"attempts":2,"redacted":true}`

func TestReadDocument(t *testing.T) {
	got, err := tap.ReadDocument([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := tap.Document{
		ID: "r-1", Endpoint: "/v1/chat/completions", Seen: time.Date(2026, 11, 30, 11, 0, 0, 5e8, time.UTC), Session: "s", Route: "help",
		Tags: map[string]string{"lang": "de"}, Rate: 0.25, Header: map[string][]string{"Anthropic-Version": {"2023-06-01"}},
		Request: []byte(`{ "n":1e400, "messages":[] }`), Status: 200, Took: new(1234500 * time.Microsecond), FirstToken: 10 * time.Millisecond,
		Attempts: 2, Redacted: true,
		Answer: &llm.Reply{
			Text: "Hi", ToolCalls: []llm.ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}, Finish: "stop", Model: "m-1",
			Usage: llm.Usage{In: new(int64(3)), Out: new(int64(2))},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text, err := tap.ReadDocument([]byte(`{"endpoint":"/v1/messages","request":"{\"a\":\"\\ud800\"}","response":"data: x\n\n"}`))
	if err != nil || string(text.Request) != `{"a":"\ud800"}` || string(text.Response) != "data: x\n\n" || text.Took != nil {
		t.Errorf("bodies as texts: %q, %q, %v", text.Request, text.Response, err)
	}
}

const least = `"endpoint":"/v1/messages","request":{},"failure":"timeout"`

// documents are in the schema or not; at is where the reader finds the first fault.
var documents = []struct{ name, doc, at string }{
	{"least", `{` + least + `}`, ""},
	{"all", whole, ""},
	{"all null", `{` + least + `,"id":null,"seen":null,"session":null,"route":null,"tags":null,"rate":null,"header":null,"response":null,"status":null,"answer":null,"took_ms":null,"first_token_ms":null,"attempts":null,"redacted":null}`, ""},
	{"list as response", `{"endpoint":"/x:generateContent","request":{},"response":[]}`, ""},
	{"unknown", `{` + least + `,"latency":3}`, "/latency"},
	{"unknown, null", `{` + least + `,"latency":null}`, "/latency"},
	{"case", `{` + least + `,"Session":"s"}`, "/Session"},
	{"unknown below", `{` + least + `,"answer":{"txt":""}}`, "/answer/txt"},
	{"unknown tokens", `{` + least + `,"answer":{"usage":{"total":1}}}`, "/answer/usage/total"},
	{"odd name", `{` + least + `,"a/b~":1}`, "/a~1b~0"},
	{"credential", `{` + least + `,"header":{"authorization":"Bearer k"}}`, "/header/authorization"},
	{"no endpoint", `{"request":{},"failure":"timeout"}`, "/endpoint"},
	{"endpoint null", `{"endpoint":null,"request":{},"failure":"timeout"}`, "/endpoint"},
	{"address", `{"endpoint":"https://api.openai.com/v1/messages","request":{},"failure":"timeout"}`, "/endpoint"},
	{"no request", `{"endpoint":"/v1/messages","failure":"timeout"}`, "/request"},
	{"request a list", `{"endpoint":"/v1/messages","request":[],"failure":"timeout"}`, "/request"},
	{"request null", `{"endpoint":"/v1/messages","request":null,"failure":"timeout"}`, "/request"},
	{"no answer", `{"endpoint":"/v1/messages","request":{}}`, ""},
	{"answer null", `{"endpoint":"/v1/messages","request":{},"answer":null}`, ""},
	{"both", `{"endpoint":"/v1/messages","request":{},"answer":{},"response":{}}`, "/answer"},
	{"reason", `{"endpoint":"/v1/messages","request":{},"failure":"slow"}`, "/failure"},
	{"rate 0", `{` + least + `,"rate":0}`, "/rate"},
	{"rate 1.1", `{` + least + `,"rate":1.1}`, "/rate"},
	{"rate as text", `{` + least + `,"rate":"0.1"}`, "/rate"},
	{"negative", `{` + least + `,"took_ms":-1}`, "/took_ms"},
	{"too long", `{` + least + `,"took_ms":1e10}`, "/took_ms"},
	{"status", `{` + least + `,"status":99}`, "/status"},
	{"half a status", `{` + least + `,"status":200.5}`, "/status"},
	{"attempts", `{` + least + `,"attempts":0}`, "/attempts"},
	{"tag's name", `{` + least + `,"tags":{"a=b":"c"}}`, "/tags/a=b"},
	{"tag's value", `{` + least + `,"tags":{"a":1}}`, "/tags/a"},
	{"nine tags", `{` + least + `,"tags":{"a":"1","b":"1","c":"1","d":"1","e":"1","f":"1","g":"1","h":"1","i":"1"}}`, "/tags"},
	{"tool call", `{` + least + `,"answer":{"tool_calls":[{"name":"f"},{"arguments":"{}"}]}}`, "/answer/tool_calls/1/name"},
	{"no object", `[]`, ""},
	{"text", `"x"`, ""},
	{"long id", `{` + least + `,"id":"` + strings.Repeat("é", 201) + `"}`, "/id"},
	{"id at the limit", `{` + least + `,"id":"` + strings.Repeat("é", 200) + `"}`, ""},
}

// The schema and the reader refuse the same documents, and the reader says where.
func TestSchemaIsWhatTheReaderTakes(t *testing.T) {
	schema := compile(t)
	for _, tt := range documents {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.doc))
		if err != nil {
			t.Fatal(err)
		}
		invalid := schema.Validate(value)
		_, err = tap.ReadDocument([]byte(tt.doc))
		if (invalid == nil) != (err == nil) {
			t.Errorf("%s: schema says %v, reader says %v", tt.name, invalid, err)
		}
		var faults tap.Faults
		if errors.As(err, &faults) && faults[0].At != tt.at {
			t.Errorf("%s: fault at %q, want %q: %v", tt.name, faults[0].At, tt.at, err)
		} else if err == nil && tt.at != "" {
			t.Errorf("%s: no fault, want one at %q", tt.name, tt.at)
		}
	}
}

func compile(t testing.TB) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(tap.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sample.schema.json", value); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sample.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The schema lists the same reasons as the package of failures.
func TestSchemaListsTheReasons(t *testing.T) {
	var s struct {
		Properties struct{ Failure struct{ Enum []*llm.Reason } }
	}
	if err := json.Unmarshal(tap.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	var got []llm.Reason
	for _, r := range s.Properties.Failure.Enum {
		if r != nil {
			got = append(got, *r)
		}
	}
	if diff := cmp.Diff(llm.Reasons(), got); diff != "" {
		t.Error(diff)
	}
}

// What no schema can say is refused all the same.
func TestReadDocumentBeyondTheSchema(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"equal names", `{` + least + `,"session":"a","session":"b"}`, "/session: is there twice; want each name once"},
		{"equal names below", `{` + least + `,"tags":{"a":"x","a":"y"}}`, "/tags/a: is there twice"},
		{"cut", `{` + least, "ends too early"},
		{"no JSON", `{` + least + `,}`, "is no JSON, at byte"},
		{"two", `{` + least + `}{}`, "something follows the document at byte 61"},
		{"empty", ``, "ends too early"},
		{"no time", `{` + least + `,"seen":"noon"}`, "/seen: is no time; want RFC 3339"},
		{"token after the end", `{` + least + `,"took_ms":1,"first_token_ms":2}`, "/first_token_ms: is after took_ms"},
		{"several", `{` + least + `,"rate":2,"status":1}`, "/rate: is no rate; want the chance with which you drew, over 0 and at most 1; leave it out if you send everything; /status:"},
		{"deep", `{` + least + `,"x":` + strings.Repeat("[", 20000) + `}`, "is no JSON"},
		{"control characters", `{` + least + `,"a\u001b[2Jb":1}`, "/a\uFFFD[2Jb: is not known"},
	} {
		if _, err := tap.ReadDocument([]byte(tt.doc)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestDocumentSampleID(t *testing.T) {
	for _, tt := range []struct{ id, want string }{
		{"0123456789abcdef0123456789ABCDEF", "0123456789abcdef0123456789abcdef"},
		{"123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000"},
		{"request-1", "19f1064b619d49d35392eac7261cd726"},
		{"", "00000000000000000000000000000000"},
	} {
		d := tap.Document{ID: tt.id}
		if got := d.SampleID().String(); got != tt.want {
			t.Errorf("id %q is %s, want %s", tt.id, got, tt.want)
		}
	}
}

// Whatever bytes come, the reader and the schema agree on all that both can see.
func FuzzReadDocument(f *testing.F) {
	for _, tt := range documents {
		f.Add([]byte(tt.doc))
	}
	schema := compile(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := tap.ReadDocument(data)
		var faults tap.Faults
		if err != nil {
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("error without faults: %v", err)
			}
			return
		}
		if d.Request == nil || d.Endpoint == "" || d.Response == nil && d.Answer == nil && d.Failure == "" {
			t.Fatalf("incomplete: %+v", d)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Fatalf("read, but not in the schema: %v", err)
		}
	})
}
