package judge_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// graded is a valid value with all kinds of rulings.
func graded() judge.Graded {
	tokens := int64(41)
	tr := trial(1, "a\u2028<&>", "b", "c")
	tr.Sample.Request = []byte("{\"model\" : \"x\",\n\"messages\":[]}\xff")
	tr.Candidates = append(tr.Candidates, shadow.Answer{Arm: "cand-c", Failure: llm.Timeout, Took: time.Second})
	return judge.Graded{
		Trial: tr, Digest: "e", Share: 0.3, Rubric: "r",
		Rulings: []judge.Ruling{
			{Arm: "live", State: judge.StateGraded, Verdict: &rubric.Verdict{Grade: 6, Problem: "unsafe", Reason: "<b>"}, Judge: "j", Pinned: pinnedA, Echo: pinnedA, Took: time.Second, Calls: 2, Hedged: true, Usage: llm.Usage{Out: &tokens}, ContextCut: true},
			{Arm: "live", State: judge.StateGraded, Verdict: &rubric.Verdict{Grade: 1, Problem: "none"}, Repeat: 1},
			{Arm: "cand-a", State: judge.StateNotGraded, Reason: judge.NoRefusal, Detail: "no"},
			{Arm: "cand-b", State: judge.StateNotDrawn},
		},
		Unused: []judge.Ruling{{Arm: "live", State: judge.StateNotGraded, Reason: judge.NoTransport}},
	}
}

func TestWireRoundTrip(t *testing.T) {
	want := graded()
	data, err := judge.EncodeGraded(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := judge.DecodeGraded(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(string(data), `{"v":2,`) {
		t.Errorf("message starts %.20q", data)
	}
}

func TestWireRefuses(t *testing.T) {
	tests := []struct {
		name, why string
		change    func(*judge.Graded)
	}{
		{name: "grade 0", why: "encoding/json makes a missing grade 0", change: func(g *judge.Graded) { g.Rulings[0].Verdict.Grade = 0 }},
		{name: "grade 7", why: "out of scale", change: func(g *judge.Graded) { g.Rulings[0].Verdict.Grade = 7 }},
		{name: "no problem", why: "half a verdict", change: func(g *judge.Graded) { g.Rulings[0].Verdict.Problem = "" }},
		{name: "graded without verdict", why: "no number from nowhere", change: func(g *judge.Graded) { g.Rulings[0].Verdict = nil }},
		{name: "graded with reason", why: "both", change: func(g *judge.Graded) { g.Rulings[0].Reason = judge.NoEmpty }},
		{name: "not graded with verdict", why: "both", change: func(g *judge.Graded) { g.Rulings[2].Verdict = &rubric.Verdict{Grade: 1, Problem: "none"} }},
		{name: "unknown reason", why: "a closed list", change: func(g *judge.Graded) { g.Rulings[2].Reason = "mood" }},
		{name: "no reason", why: "a loss has a reason", change: func(g *judge.Graded) { g.Rulings[2].Reason = "" }},
		{name: "not drawn with reason", why: "nobody was asked", change: func(g *judge.Graded) { g.Rulings[3].Reason = judge.NoEmpty }},
		{name: "unknown state", why: "a closed list", change: func(g *judge.Graded) { g.Rulings[3].State = "pending" }},
		{name: "unknown arm", why: "not of this trial", change: func(g *judge.Graded) { g.Rulings[2].Arm = "cand-z" }},
		{name: "arm that failed", why: "a failed answer has no grade", change: func(g *judge.Graded) { g.Rulings[2].Arm = "cand-c" }},
		{name: "arm twice", why: "counted once", change: func(g *judge.Graded) { g.Rulings[1].Repeat = 0 }},
		{name: "purpose of the first", why: "it counts, it measures nothing", change: func(g *judge.Graded) { g.Rulings[0].Purpose = judge.PurposeRepeat }},
		{name: "unknown purpose", why: "a closed list", change: func(g *judge.Graded) { g.Rulings[1].Purpose = "fun" }},
		{name: "unused checked too", why: "the same rules", change: func(g *judge.Graded) { g.Unused[0].Arm = "cand-z" }},
		{name: "negative time", why: "no clock runs back", change: func(g *judge.Graded) { g.Rulings[0].Took = -1 }},
		{name: "share 0", why: "no chance, no weight", change: func(g *judge.Graded) { g.Share = 0 }},
		{name: "no id", why: "the key of everything", change: func(g *judge.Graded) { g.Trial.Sample.ID = shadow.SampleID{} }},
		{name: "no session", why: "clusters", change: func(g *judge.Graded) { g.Trial.Sample.Session = "" }},
		{name: "rate 0", why: "out of range", change: func(g *judge.Graded) { g.Trial.Sample.Rate = 0 }},
		{name: "live arm", why: "live is live", change: func(g *judge.Graded) { g.Trial.Sample.Live.Arm = "cand-x" }},
		{name: "two arms of one name", why: "which one?", change: func(g *judge.Graded) { g.Trial.Candidates[0].Arm = "cand-b" }},
	}
	for _, tt := range tests {
		g := graded()
		tt.change(&g)
		if _, err := judge.EncodeGraded(g); !errors.Is(err, shadow.ErrMalformed) {
			t.Errorf("%s: error %v, want ErrMalformed: %s", tt.name, err, tt.why)
		}
	}
}

func TestDecodeGradedForeign(t *testing.T) {
	good, err := judge.EncodeGraded(graded())
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, with string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("the message has no %s", old)
		}
		return strings.Replace(string(good), old, with, 1)
	}
	tests := []struct {
		name, raw string
		want      error
	}{
		{name: "empty", raw: "", want: shadow.ErrMalformed},
		{name: "no JSON", raw: "\x00\xff", want: shadow.ErrMalformed},
		{name: "null", raw: "null", want: shadow.ErrMalformed},
		{name: "no version", raw: `{"graded":{}}`, want: shadow.ErrMalformed},
		{name: "version 3", raw: `{"v":3,"anything":[]}`, want: shadow.ErrVersion},
		{name: "version 1", raw: `{"v":1,"graded":{}}`, want: shadow.ErrVersion},
		{name: "nothing in it", raw: `{"v":2}`, want: shadow.ErrMalformed},
		{name: "a trial", raw: "{\"v\":2,\"body\":0,\"trial\":{}}\n", want: shadow.ErrMalformed},
		{name: "empty graded", raw: "{\"v\":2,\"body\":0,\"graded\":{}}\n", want: shadow.ErrMalformed},
		{name: "a second request", raw: change(`"sample":{`, `"sample":{"request":"e30=",`), want: shadow.ErrMalformed},
		{name: "grade null", raw: change(`"grade":6`, `"grade":null`), want: shadow.ErrMalformed},
		{name: "grade 2.5", raw: change(`"grade":6`, `"grade":2.5`), want: shadow.ErrMalformed},
		{name: "grade text", raw: change(`"grade":6`, `"grade":"6"`), want: shadow.ErrMalformed},
		{name: "grade 300", raw: change(`"grade":6`, `"grade":300`), want: shadow.ErrMalformed},
		{name: "unknown key", raw: change(`"digest"`, `"digets"`), want: shadow.ErrMalformed},
		{name: "cut", raw: string(good[:len(good)/2]), want: shadow.ErrMalformed},
		{name: "more after it", raw: string(good) + "{}", want: shadow.ErrMalformed},
	}
	for _, tt := range tests {
		if g, err := judge.DecodeGraded([]byte(tt.raw)); !errors.Is(err, tt.want) || len(g.Rulings) != 0 {
			t.Errorf("%s: %v, want %v and nothing beside it", tt.name, err, tt.want)
		}
	}
}

func FuzzDecodeGraded(f *testing.F) {
	good, err := judge.EncodeGraded(graded())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("{\"v\":2,\"body\":0,\"graded\":{\"rulings\":[{\"arm\":\"live\",\"state\":\"graded\"}]}}\n"))
	f.Add([]byte(`{"v":3}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		g, err := judge.DecodeGraded(raw)
		if err != nil {
			if !errors.Is(err, shadow.ErrVersion) && !errors.Is(err, shadow.ErrMalformed) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		if _, err := judge.EncodeGraded(g); err != nil {
			t.Fatalf("read, but not to be written: %v", err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	ok := func() judge.Options {
		return judge.Options{Primary: judgeA(hang).seat(), Reserve: judgeB(hang).seat(), Rubric: support(t)}
	}
	tests := []struct {
		want   string
		change func(*judge.Options)
	}{
		{want: "no primary model", change: func(o *judge.Options) { o.Primary = judge.Seat{} }},
		{want: "no rubric", change: func(o *judge.Options) { o.Rubric = nil }},
		{want: "primary is not pinned", change: func(o *judge.Options) { o.Primary.Model.Snapshot = "" }},
		{want: "reserve is not pinned", change: func(o *judge.Options) { o.Reserve.Model.Snapshot = "" }},
		{want: "share 1.5", change: func(o *judge.Options) { o.Share = 1.5 }},
		{want: "share -0.1", change: func(o *judge.Options) { o.Share = -0.1 }},
		{want: "leaves nothing of the budget", change: func(o *judge.Options) { o.Budget = time.Second }},
		{want: "budget -1s is negative", change: func(o *judge.Options) { o.Budget = -time.Second }},
		{want: "hedge after -1s is negative", change: func(o *judge.Options) { o.HedgeAfter = -time.Second }},
		{want: "breaker -1 failures", change: func(o *judge.Options) { o.Breaker.Failures = -1 }},
		{want: "prompt limit of -1", change: func(o *judge.Options) { o.MaxPromptChars = -1 }},
	}
	for _, tt := range tests {
		o := ok()
		tt.change(&o)
		if j, err := judge.New(o); err == nil || j != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	if _, err := judge.New(judge.Options{Share: 2}); err == nil || strings.Count(err.Error(), "\n") < 2 {
		t.Errorf("error %v does not list everything", err)
	}
}
