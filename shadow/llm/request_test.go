package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestConversation(t *testing.T) {
	var odd []string
	if err := json.Unmarshal(caseFile(t, "id-surrogate-request.json"), &odd); err != nil {
		t.Fatal(err)
	}
	one := func(text string) []llm.Turn { return []llm.Turn{{Role: "user", Text: text}} }
	user := func(content string) string { return `{"messages":[{"role":"user","content":` + content + `}]}` }
	tests := []struct {
		name, why, body string
		want            []llm.Turn
		err             error
	}{
		{name: "tool turn", why: "null content, a call, its result, an image", body: string(caseFile(t, "content-null-toolcalls.json")), want: []llm.Turn{
			{Role: "system", Text: "Be brief."},
			{Role: "user", Text: "Where is order 4711?"},
			{Role: "assistant", Text: `[tool call t1: find_order({"id":4711})]`},
			{Role: "tool", Text: `[result of t1] {"state":"shipped"}`},
			{Role: "user", Text: "And when?\n[image: image/png, 3 bytes]"},
		}},
		{name: "lone surrogate", why: "readable all the same", body: odd[0], want: one("Log: \ufffd")},
		{name: "no messages", why: "never an answer beside an empty conversation", body: odd[1], err: llm.ErrNoMessages},
		{name: "huge number", why: "does not matter here", body: odd[2], want: one("x")},
		{name: "trailing comma", why: "strict", body: odd[3], err: llm.ErrRequest},
		{name: "only blank turns", why: "as good as none", body: user(`" "`), err: llm.ErrNoMessages},
		{name: "messages of the wrong type", why: "as good as none", body: `{"messages":{"role":"user"}}`, err: llm.ErrNoMessages},
		{name: "list", why: "not an object", body: `[]`, err: llm.ErrRequest},
		{name: "zero bytes", why: "not an object", body: ``, err: llm.ErrRequest},
		{name: "url image", why: "a URL may be private", body: user(`[{"type":"image_url","image_url":{"url":"https://a.example/x.png"}}]`), want: one("[image: url]")},
		{name: "audio", why: "a placeholder with size", body: user(`[{"type":"input_audio","input_audio":{"data":"AAA=","format":"wav"}}]`), want: one("[audio: wav, 2 bytes]")},
		{name: "file", why: "a placeholder with name", body: user(`[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAAAA=="}}]`), want: one("[file: a.pdf, 4 bytes]")},
		{name: "file id", why: "nothing is known of it", body: user(`[{"type":"file","file":{"file_id":"f1"}}]`), want: one("[file: id]")},
		{name: "unknown part", why: "later parts leave a mark", body: user(`[{"type":"hologram"},"bare"]`), want: one("[hologram]\nbare")},
		{name: "developer", why: "the role as the client wrote it", body: `{"messages":[{"role":"developer","content":"d"}]}`, want: []llm.Turn{{Role: "developer", Text: "d"}}},
		{name: "refusal", why: "an earlier refusal is a turn", body: `{"messages":[{"role":"assistant","content":null,"refusal":"No."}]}`, want: []llm.Turn{{Role: "assistant", Text: "[refusal] No."}}},
		{name: "equal messages keys", why: "the last counts, as servers have it", body: `{"messages":[],"messages":[{"role":"user","content":"x"}]}`, want: one("x")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := llm.Conversation(llm.OpenAIChat, []byte(tt.body))
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: error %v, want %v", tt.why, err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: turns (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

func TestRequestInfo(t *testing.T) {
	got, err := llm.RequestInfo(llm.OpenAIChat, []byte(`{"model":"a","model":"b","stream":true,"stream_options":{"include_usage":true},"n":3,"max_tokens":9}`))
	want := llm.Info{Model: "b", Stream: true, IncludeUsage: true, N: 3, MaxTokens: num(9)}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if got, err = llm.RequestInfo(llm.OpenAIChat, []byte(`{"model":7,"stream":"true","n":null}`)); !reflect.DeepEqual(got, llm.Info{N: 1}) || err != nil {
		t.Errorf("wrong types: %+v, %v", got, err)
	}
	if _, err = llm.RequestInfo(llm.OpenAIChat, []byte(`{"model":`)); !errors.Is(err, llm.ErrRequest) {
		t.Errorf("cut: %v", err)
	}
	if _, err = llm.RequestInfo("telegraph", []byte(`{}`)); !errors.Is(err, llm.ErrDialect) {
		t.Errorf("other dialect: %v", err)
	}
}

func TestUnsupported(t *testing.T) {
	tests := []struct {
		body string
		yes  bool
	}{
		{`{}`, false},
		{`{"n":1}`, false},
		{`{"n":2}`, true},
		{`{"n":null,"audio":null,"web_search_options":null}`, false},
		{`{"web_search_options":{}}`, true},
		{`{"modalities":["text"]}`, false},
		{`{"modalities":["text","audio"],"audio":{"voice":"x"}}`, true},
		{`{"tools":[{"type":"function","function":{"name":"f"}},{"type":"custom"}]}`, false},
		{`{"tools":[{"type":"web_search"}]}`, true},
		{`{"previous_response_id":"r"}`, true},
		{`{"background":false}`, false},
		{`{"messages":[{"content":[{"type":"image_url","image_url":{"url":"data:,"}}]}]}`, false},
		{`{"messages":[{"content":[{"type":"input_audio","input_audio":{}}]}]}`, true},
		{`{"messages":[{"content":[{"type":"file","file":{"file_id":"f"}}]}]}`, true},
		{`{"messages":[{"role":"assistant","audio":{"id":"a"}}]}`, true},
		{`{"store":true,"metadata":{}}`, false},
		{`not JSON`, true},
	}
	for _, tt := range tests {
		if why, yes := llm.Unsupported(llm.OpenAIChat, []byte(tt.body)); yes != tt.yes || (why != "") != tt.yes {
			t.Errorf("%s: %q, %v", tt.body, why, yes)
		}
	}
}

func TestSameDialectBody(t *testing.T) {
	tests := []struct {
		name, why, body string
		edits           []llm.Edit
		want            string
		notes           []string
	}{
		{name: "only the model", why: "blanks, order, numbers and escapes stay", body: "\n{ \"seed\" : 123456789012345678901234567890 ,\n\t\"model\": \"live-1\", \"x\":\"\\ud83d <\\u003c\" , \"temperature\":1.0e0}\n",
			want: "\n{ \"seed\" : 123456789012345678901234567890 ,\n\t\"model\": \"cand\", \"x\":\"\\ud83d <\\u003c\" , \"temperature\":1.0e0}\n"},
		{name: "two models", why: "servers differ in which they read", body: `{"model":"a","mod\u0065l":"b","Model":1}`, want: `{"model":"cand","mod\u0065l":"cand","Model":"cand"}`},
		{name: "no model", why: "a candidate needs one", body: `{ }`, want: `{ "model":"cand"}`, notes: []string{"model added"}},
		{name: "side effects", why: "nothing of the end user reaches another provider", body: `{"store":true,"model":"a", "metadata":{"a":[1,"}"]} ,"n":1,"user":"u"}`, want: `{"model":"cand" ,"n":1}`, notes: []string{"store removed", "metadata removed", "user removed"}},
		{name: "store false", why: "has no side effect", body: `{"model":"a","store":false}`, want: `{"model":"cand","store":false}`},
		{name: "inside", why: "only the top level counts", body: `{"messages":[{"model":"a","user":"u"}],"model":"a"}`, want: `{"messages":[{"model":"a","user":"u"}],"model":"cand"}`},
		{name: "stream", why: "without it a stream has no token counts", body: `{"model":"a","stream":true}`, want: `{"model":"cand","stream":true,"stream_options":{"include_usage":true}}`, notes: []string{"stream_options.include_usage added"}},
		{name: "stream with usage", why: "nothing to do", body: `{"model":"a","stream":true,"stream_options":{"include_usage":true}}`, want: `{"model":"cand","stream":true,"stream_options":{"include_usage":true}}`},
		{name: "stream without usage", why: "the other options stay", body: `{"stream":true,"stream_options":{"include_usage":false, "include_obfuscation":false},"model":"a"}`, want: `{"stream":true,"stream_options":{"include_usage":true, "include_obfuscation":false},"model":"cand"}`, notes: []string{"stream_options.include_usage added"}},
		{name: "stream with null options", why: "null is none", body: `{"stream":true,"stream_options":null,"model":"a"}`, want: `{"stream":true,"stream_options":{"include_usage":true},"model":"cand"}`, notes: []string{"stream_options.include_usage added"}},
		{name: "edits", why: "set, replaced and taken out", body: `{"model":"a","top_k":1,"seed":2}`, edits: []llm.Edit{{Key: "top_k", Value: json.RawMessage("20")}, {Key: "x", Value: json.RawMessage("[]")}, {Key: "seed"}, {Key: "gone"}}, want: `{"model":"cand","top_k":20,"x":[]}`, notes: []string{"top_k set", "x set", "seed removed"}},
		{name: "edit of an object", why: "a patch leaves the other members and their bytes alone", body: `{"model":"a","text":{ "format":1.0e0,"verbosity":"low","a":{"b":1}}}`, edits: []llm.Edit{{Key: "text", Value: json.RawMessage(`{"verbosity":null,"x":{"y":null,"z":1},"a":{"c":2}}`)}}, want: `{"model":"cand","text":{ "format":1.0e0,"a":{"b":1,"c":2},"x":{"z":1}}}`, notes: []string{"text set"}},
		{name: "edit of an edit", why: "the later one adds to the earlier", body: `{"model":"a"}`, edits: []llm.Edit{{Key: "o", Value: json.RawMessage(`{"a":1}`)}, {Key: "o", Value: json.RawMessage(`{"b":2}`)}}, want: `{"model":"cand","o":{"a":1,"b":2}}`, notes: []string{"o set", "o set"}},
		{name: "edit of what was added", why: "a server that knows no stream_options", body: `{"model":"a","stream":true}`, edits: []llm.Edit{{Key: "stream_options"}}, want: `{"model":"cand","stream":true}`, notes: []string{"stream_options.include_usage added", "stream_options removed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := strings.Clone(tt.body)
			body := []byte(tt.body)
			got, notes, err := llm.SameDialectBody(llm.OpenAIChat, body, "cand", tt.edits...)
			if err != nil || string(got) != tt.want {
				t.Errorf("%s:\n got %s\nwant %s\nerror %v", tt.why, got, tt.want, err)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("%s: notes (-want +got)\n%s", tt.why, diff)
			}
			if string(body) != before {
				t.Error("the client's body was changed")
			}
		})
	}
	for _, body := range []string{"", "[]", `{"model":"a",}`, `{"model":"a"} x`, "null"} {
		if _, _, err := llm.SameDialectBody(llm.OpenAIChat, []byte(body), "m"); !errors.Is(err, llm.ErrRequest) {
			t.Errorf("%q: error %v", body, err)
		}
	}
	if _, _, err := llm.SameDialectBody(llm.OpenAIChat, []byte("{}"), "m", llm.Edit{Key: "x", Value: json.RawMessage("{")}); err == nil {
		t.Error("an edit that is no JSON is accepted")
	}
}

func ExampleSameDialectBody() {
	body := []byte(`{"model": "live-1", "store": true, "seed": 12345678901234567890}`)
	out, notes, err := llm.SameDialectBody(llm.OpenAIChat, body, "cand-a")
	fmt.Println(string(out), notes, err)
	// Output: {"model": "cand-a", "seed": 12345678901234567890} [store removed] <nil>
}

// FuzzSameDialectBody says that valid stays valid, and that nothing but the edits changes.
func FuzzSameDialectBody(f *testing.F) {
	for _, s := range []string{`{"model":"a","stream":true,"x":[{"y":"\"}"}]}`, `{ "store":true , "a" : 1e9 }`, `{}`, `[1]`, `{"model":1,}`, "\xef\xbb\xbf{\"user\":{}}", "{\"\\ud800\":\"\\ud800\"}"} {
		f.Add([]byte(s), "m")
	}
	skip := map[string]bool{"model": true, "store": true, "metadata": true, "prompt_cache_key": true, "prompt_cache_retention": true,
		"safety_identifier": true, "user": true, "models": true, "fallback_models": true, "fallbacks": true, "stream_options": true}
	strip := func(m map[string]any) {
		maps.DeleteFunc(m, func(k string, _ any) bool {
			for name := range skip {
				if strings.EqualFold(k, name) {
					return true
				}
			}
			return false
		})
	}
	f.Fuzz(func(t *testing.T, body []byte, model string) {
		out, _, err := llm.SameDialectBody(llm.OpenAIChat, body, model)
		before, valid := object(strings.TrimPrefix(string(body), "\xef\xbb\xbf"))
		if valid != (err == nil) {
			t.Fatalf("valid %v, error %v", valid, err)
		}
		if !valid {
			return
		}
		after, ok := object(string(out))
		if !ok {
			t.Fatalf("result %q is no object", out)
		}
		if utf8.ValidString(model) && after["model"] != model {
			t.Errorf("model %q, want %q", after["model"], model)
		}
		strip(before)
		strip(after)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("other fields changed (-before +after)\n%s", diff)
		}
	})
}

// object reads one JSON object and keeps its numbers as they are written.
func object(text string) (map[string]any, bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var m map[string]any
	if !json.Valid([]byte(text)) || dec.Decode(&m) != nil {
		return nil, false
	}
	return m, m != nil
}
