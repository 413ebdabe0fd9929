package sinks_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

func textsOf(gs []judge.Graded) []sinks.Text {
	var all []sinks.Text
	for _, g := range gs {
		all = append(all, sinks.Texts(g)...)
	}
	return all
}

func TestTexts(t *testing.T) {
	got := sinks.Texts(graded(1, monday))
	if len(got) != 3 {
		t.Fatalf("%d texts, want one per arm that was asked", len(got))
	}
	want := []string{
		"Gern, 日本.", "fine", `[{"id":"c1","name":"find_order","arguments":"{\"order\":1}"},{"name":"refund","arguments":""}]`,
		`[{"judge":"judge","repeat":0,"text":"{…}"}]`, "",
	}
	if diff := cmp.Diff(want, []string{got[0].Answer, got[0].Reason, got[1].ToolCalls, got[0].JudgeReplies, got[2].JudgeReplies}); diff != "" {
		t.Error(diff)
	}
}

func TestTextsRoundTrip(t *testing.T) {
	data, err := os.ReadFile("testdata/nul-byte.json")
	if err != nil {
		t.Fatal(err)
	}
	var nul struct{ Answer string }
	if err := json.Unmarshal(data, &nul); err != nil {
		t.Fatal(err)
	}
	gs := many(40)
	gs[3].Trial.Sample.Live.Text = nul.Answer
	gs[4].Trial.Sample.Request = []byte("{\"a\":\"\xff\x00\"}")
	gs[5].Trial.Sample.Request = []byte(`{"content":"Log: \ud83d"}`)
	gs[6].Trial.Sample.Redacted = true
	gs[7].Trial.Sample.Request = []byte(strings.Repeat("long ", 2<<20))
	dir := t.TempDir()
	if err := openIn(t, dir, sinks.Options{KeepText: true}).Write(context.Background(), gs); err != nil {
		t.Fatal(err)
	}
	got := collect(t, sinks.ScanTexts(os.DirFS(dir)))
	if diff := cmp.Diff(textsOf(gs), got); diff != "" {
		t.Fatal(diff)
	}
	for _, c := range []struct {
		why       string
		got, want any
	}{
		{"NUL and control characters stay", got[9].Answer, nul.Answer},
		{"what is no UTF-8 is replaced, and said to be", []any{got[12].Conversation, got[12].Replaced}, []any{"{\"a\":\"\ufffd\x00\"}", true}},
		{"a lone surrogate is an escape: byte for byte", []any{got[15].Conversation, got[15].Replaced}, []any{`{"content":"Log: \ud83d"}`, false}},
		{"redacted", got[18].Redacted, true},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s\n%s", c.why, diff)
		}
	}
}

// Many large conversations go into files that can be read whole.
func TestLargeTextsAreSplit(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 75 MB")
	}
	gs := many(5)
	for i := range gs {
		gs[i].Trial.Sample.Request = []byte(strings.Repeat(string(rune('a'+i)), 5<<20))
	}
	dir := t.TempDir()
	if err := openIn(t, dir, sinks.Options{KeepText: true}).Write(context.Background(), gs); err != nil {
		t.Fatal(err)
	}
	if n := len(filesIn(t, dir, "texts/*/*.parquet")); n != 2 {
		t.Errorf("%d files, want 2 for 75 MiB in pieces of at most 64", n)
	}
	n := 0
	for text, err := range sinks.ScanTexts(os.DirFS(dir)) {
		if err != nil || text.Conversation != string(gs[n/3].Trial.Sample.Request) {
			t.Fatalf("text %d: %v", n, err)
		}
		n++
	}
	if n != 15 {
		t.Errorf("%d texts, want 15", n)
	}
}

func TestNoTextsUnlessAsked(t *testing.T) {
	dir := t.TempDir()
	gs := many(2)
	gs[0].Trial.Sample.Request = []byte("CANARY")
	gs[0].Trial.Sample.Live.Text = "CANARY"
	write(t, dir, gs)
	if n := len(collect(t, sinks.ScanTexts(os.DirFS(dir)))); n != 0 {
		t.Errorf("%d texts", n)
	}
	if _, err := os.Stat(dir + "/texts"); !os.IsNotExist(err) {
		t.Errorf("folder of texts: %v", err)
	}
}

// Null, empty and two entries are told apart; also lists of any length around
// the sizes in which columns are read.
func TestToolNames(t *testing.T) {
	data, err := os.ReadFile("testdata/parquet-null-list.json")
	if err != nil {
		t.Fatal(err)
	}
	var samples []struct {
		Sample    string
		ToolNames []string `json:"tool_names"`
	}
	if err := json.Unmarshal(data, &samples); err != nil {
		t.Fatal(err)
	}
	lists := [][]string{}
	for _, s := range samples {
		lists = append(lists, s.ToolNames)
	}
	for _, n := range []int{1, 255, 256, 257, 1023, 1025, 5000} {
		lists = append(lists, make([]string, n), []string{}, nil, []string{"x", ""})
	}
	var gs []judge.Graded
	for i, list := range lists {
		g := graded(i, monday)
		g.Trial.Candidates, g.Rulings = nil, nil
		if list == nil {
			g.Trial.Sample.Live.Failure = llm.Timeout // an arm without answer has no list
		}
		for _, name := range list {
			g.Trial.Sample.Live.ToolCalls = append(g.Trial.Sample.Live.ToolCalls, llm.ToolCall{Name: name})
		}
		gs = append(gs, g)
	}
	dir := t.TempDir()
	write(t, dir, gs)
	got := [][]string{}
	for _, r := range collect(t, sinks.Scan(os.DirFS(dir))) {
		if r.Arm == shadow.Live {
			got = append(got, r.ToolNames)
		}
	}
	if diff := cmp.Diff(lists, got); diff != "" {
		t.Error(diff)
	}
}
