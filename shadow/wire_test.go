package shadow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

func sample() shadow.Sample {
	out := int64(3)
	return shadow.Sample{
		ID: shadow.SampleID{1, 2, 0xfe}, Experiment: "e", Tap: "tap-1", Seq: 7,
		Seen:    time.Date(2026, 10, 5, 23, 59, 59, 123456789, time.UTC),
		Session: "c-1", Route: "/v1/chat/completions", Rate: 0.01, Draw: 0.001,
		Dialect: llm.OpenAIChat, Request: []byte("{ \"a\":1e999,\"<&>\":\"\\ud83d\",\n \"a\":2 }\x00\xff"),
		Header: map[string][]string{"Openai-Beta": {"x", "y"}}, Stream: true,
		Live: shadow.Answer{
			Arm: shadow.Live, Share: 1, Snapshot: "m-1", Text: "a\x00<b>\u2028 😀", Finish: llm.FinishStop,
			ToolCalls:  []llm.ToolCall{{ID: "t", Name: "f", Arguments: `{"x": 1}`}},
			Started:    time.Date(2026, 10, 5, 23, 59, 59, 123456789, time.UTC),
			FirstToken: 300 * time.Millisecond, Took: time.Second, Usage: llm.Usage{Out: &out}, Attempts: 1, Status: 200,
		},
		Redacted: true, Tags: map[string]string{"k": "v"},
	}
}

func trial() shadow.Trial {
	return shadow.Trial{Sample: sample(), Candidates: []shadow.Answer{
		{Arm: "cand-a", Share: 1, Text: "x", Started: sample().Seen, Took: 2 * time.Second, Queued: 1, Attempts: 1},
		{Arm: "cand-b", Share: 0.3, NotAsked: shadow.NotAskedShare, Started: sample().Seen},
		{Arm: "cand-c", Share: 1, Failure: llm.Timeout, Censored: true, Started: sample().Seen, Took: time.Minute, Attempts: 1},
	}}
}

func TestRoundTrip(t *testing.T) {
	data, err := shadow.EncodeTrial(trial())
	if err != nil {
		t.Fatal(err)
	}
	back, err := shadow.DecodeTrial(data)
	if diff := cmp.Diff(trial(), back); err != nil || diff != "" {
		t.Error(err, diff)
	}
	data, err = shadow.EncodeSample(sample())
	if err != nil {
		t.Fatal(err)
	}
	one, err := shadow.DecodeSample(data)
	if diff := cmp.Diff(sample(), one); err != nil || diff != "" {
		t.Error(err, diff)
	}
	books := shadow.Books{Experiment: "e", Source: "tap-1", Number: 1, From: sample().Seen, To: sample().Seen,
		Lines: []shadow.Line{{Day: "2026-10-05", Endpoint: "/x", Entry: shadow.EntryDropped, Reason: "queue_full", Count: 4}}}
	data, err = shadow.EncodeBooks(books)
	if err != nil {
		t.Fatal(err)
	}
	got, err := shadow.DecodeBooks(data)
	if diff := cmp.Diff(books, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestEncodeRefusesWhatJSONCannotSay(t *testing.T) {
	s := sample()
	s.Rate = math.NaN()
	if _, err := shadow.EncodeSample(s); err == nil {
		t.Error("a rate of NaN was encoded")
	}
}

func TestPoison(t *testing.T) {
	raw, err := os.ReadFile("testdata/bus-poison-envelope.json")
	if err != nil {
		t.Fatal(err)
	}
	var c struct{ Messages []string }
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Messages) != 6 {
		t.Fatalf("%d messages", len(c.Messages))
	}
	for _, m := range c.Messages {
		want := shadow.ErrMalformed
		if strings.Contains(m, `"v":`) { // 999, and the first version, which no process reads any more
			want = shadow.ErrVersion
		}
		_, err1 := shadow.DecodeSample([]byte(m))
		_, err2 := shadow.DecodeTrial([]byte(m))
		_, err3 := shadow.DecodeBooks([]byte(m))
		for _, err := range []error{err1, err2, err3} {
			if !errors.Is(err, want) {
				t.Errorf("%q: %v, want %v", m, err, want)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	broken := func(change func(*shadow.Trial)) string {
		tr := trial()
		change(&tr)
		data, err := shadow.EncodeTrial(tr)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, c := range []struct{ name, why, data string }{
		{"no id", "the key of everything", broken(func(x *shadow.Trial) { x.Sample.ID = shadow.SampleID{} })},
		{"no time", "day and window hang on it", broken(func(x *shadow.Trial) { x.Sample.Seen = time.Time{} })},
		{"no session", "standard errors cluster by it", broken(func(x *shadow.Trial) { x.Sample.Session = "" })},
		{"rate 0", "a weight would be infinite", broken(func(x *shadow.Trial) { x.Sample.Rate = 0 })},
		{"rate 1.5", "no probability", broken(func(x *shadow.Trial) { x.Sample.Rate = 1.5 })},
		{"draw 1", "outside [0, 1)", broken(func(x *shadow.Trial) { x.Sample.Draw = 1 })},
		{"live arm", "a candidate's answer in the live place", broken(func(x *shadow.Trial) { x.Sample.Live.Arm = "cand-a" })},
		{"negative time", "a clock that was set back", broken(func(x *shadow.Trial) { x.Candidates[0].Took = -1 })},
		{"live twice", "an arm named live", broken(func(x *shadow.Trial) { x.Candidates[0].Arm = shadow.Live })},
		{"arm twice", "answers are found by arm", broken(func(x *shadow.Trial) { x.Candidates[1].Arm = "cand-a" })},
		{"no arm", "an answer of nobody", broken(func(x *shadow.Trial) { x.Candidates[0].Arm = "" })},
		{"short id", "not 32 digits", strings.Replace(broken(func(*shadow.Trial) {}), `"0102fe`, `"02fe`, 1)},
		{"unknown field", "of a newer writer", strings.Replace(broken(func(*shadow.Trial) {}), `{"id"`, `{"new":1,"id"`, 1)},
		{"unknown field outside", "of a newer writer", strings.Replace(broken(func(*shadow.Trial) {}), `"v":2`, `"v":2,"new":1`, 1)},
		{"body cut", "a request that was never sent so", cut(broken(func(*shadow.Trial) {}), 1)},
		{"body longer", "likewise", broken(func(*shadow.Trial) {}) + "x"},
		{"no body", "likewise", cut(broken(func(*shadow.Trial) {}), len(trial().Sample.Request))},
		{"no end of the line", "cut before the body", cut(broken(func(x *shadow.Trial) { x.Sample.Request = nil }), 1)},
		{"two requests", "which one?", strings.Replace(broken(func(*shadow.Trial) {}), `{"id"`, `{"request":"e30=","id"`, 1)},
		{"two values", "which one?", strings.Replace(broken(func(*shadow.Trial) {}), "}\n", "}{}\n", 1)},
		{"a sample", "it holds no trial", func() string { d, _ := shadow.EncodeSample(sample()); return string(d) }()},
	} {
		if _, err := shadow.DecodeTrial([]byte(c.data)); !errors.Is(err, shadow.ErrMalformed) {
			t.Errorf("%s (%s): %v", c.name, c.why, err)
		}
	}
}

func cut(s string, n int) string { return s[:len(s)-n] }

func FuzzDecodeSample(f *testing.F) {
	data, err := shadow.EncodeSample(sample())
	if err != nil {
		f.Fatal(err)
	}
	seedWire(f, data)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := shadow.DecodeSample(data)
		if err != nil {
			wireError(t, err)
			return
		}
		again, err := shadow.EncodeSample(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := shadow.DecodeSample(again)
		if err != nil || !cmp.Equal(s, back) {
			t.Fatalf("%v: %s", err, cmp.Diff(s, back))
		}
	})
}

func FuzzDecodeTrial(f *testing.F) {
	data, err := shadow.EncodeTrial(trial())
	if err != nil {
		f.Fatal(err)
	}
	seedWire(f, data)
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := shadow.DecodeTrial(data)
		if err != nil {
			wireError(t, err)
			return
		}
		if len(x.Answers()) != 1+len(x.Candidates) {
			t.Fatal("answers are missing")
		}
		if _, err := shadow.EncodeTrial(x); err != nil {
			t.Fatal(err)
		}
	})
}

func seedWire(f *testing.F, whole []byte) {
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	for _, s := range []string{"", "null", "[]", `{"v":1}`, `{"v":null}`, `{"v":1,"sample":{}}`, `{"v":1,"trial":{"candidates":null}}`, `{"v":1.5}`, `{"v":2}`, "{\"v\":2,\"body\":2,\"sample\":{}}\n{}"} {
		f.Add([]byte(s))
	}
}

func wireError(t *testing.T, err error) {
	if !errors.Is(err, shadow.ErrMalformed) && !errors.Is(err, shadow.ErrVersion) {
		t.Fatalf("neither malformed nor of another version: %v", err)
	}
}

func ExampleDecodeSample() {
	_, err := shadow.DecodeSample([]byte(`{"v":999}`))
	fmt.Println(errors.Is(err, shadow.ErrVersion), err)
	// Output: true unknown wire version: 999, this process reads 2
}
