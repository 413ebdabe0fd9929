package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric/standard"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// one grades a trial with a single answer and gives its ruling.
func one(t *testing.T, j *judge.Judge, text string) judge.Ruling {
	t.Helper()
	g := grade(t, j, trial(1, text))
	if len(g.Rulings) != 1 {
		t.Fatalf("%d rulings for one answer", len(g.Rulings))
	}
	return g.Rulings[0]
}

func TestGradeReplies(t *testing.T) {
	length := func(text string) play { return play{reply: llm.Reply{Text: text, Finish: llm.FinishLength}} }
	tests := []struct {
		name, why string
		play      play
		state     judge.State
		reason    judge.NotGraded
	}{
		{name: "verdict", why: "the usual reply", play: says(0, verdict(2, "tone")), state: judge.StateGraded},
		{name: "grade 7", why: "one past worst must not clamp", play: says(0, verdict(7, "none")), reason: judge.NoOutOfScale},
		{name: "unlisted", why: "no nearest problem", play: says(0, verdict(2, "style")), reason: judge.NoOutOfList},
		{name: "prose", why: "no verdict", play: says(0, "I say 2."), reason: judge.NoMalformed},
		{name: "two verdicts", why: "which one?", play: says(0, verdict(2, "tone")+verdict(3, "tone")), reason: judge.NoAmbiguous},
		{name: "refusal", why: "the judge refused", play: play{reply: llm.Reply{Refusal: "I can't."}}, reason: judge.NoRefusal},
		{name: "refusal beside text", why: "marked as refusal by the provider", play: play{reply: llm.Reply{Text: verdict(1, "none"), Refusal: "I can't."}}, reason: judge.NoRefusal},
		{name: "empty", why: "no text", play: says(0, " \n"), reason: judge.NoEmpty},
		{name: "tool call only", why: "no text", play: play{reply: llm.Reply{ToolCalls: []llm.ToolCall{{Name: "grade", Arguments: verdict(1, "none")}}}}, reason: judge.NoEmpty},
		{name: "length without text", why: "spent on reasoning", play: length(""), reason: judge.NoTruncated},
		{name: "length within the verdict", why: "cut", play: length(`{"reason": "beca`), reason: judge.NoTruncated},
		{name: "length after the verdict", why: "the verdict is whole", play: length(verdict(2, "tone") + " and furth"), state: judge.StateGraded},
		{name: "filtered reply", why: "withheld", play: play{reply: llm.Reply{Text: verdict(1, "none"), Finish: llm.FinishFiltered}}, reason: judge.NoFiltered},
		{name: "filtered failure", why: "the filter's 400", play: fails(llm.Invalid, llm.Filtered), reason: judge.NoFiltered},
		{name: "truncated failure", why: "as the decoder says it", play: fails(llm.Malformed, llm.Truncated), reason: judge.NoTruncated},
		{name: "empty failure", why: "as the decoder says it", play: fails(llm.Malformed, llm.Empty), reason: judge.NoEmpty},
		{name: "malformed failure", why: "no JSON from the provider", play: fails(llm.Malformed, llm.MalformedReason), reason: judge.NoMalformed},
		{name: "too large", why: "no verdict is that long", play: fails(llm.Malformed, llm.TooLarge), reason: judge.NoMalformed},
		{name: "bad request", why: "our own fault, no other judge can help", play: fails(llm.Invalid, llm.Status4xx), reason: judge.NoMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := judgeA(tt.play), judgeB(says(0, verdict(1, "none")))
			r := one(t, bench(t, a, b, nil), "By letter.")
			want := tt.state
			if want == "" {
				want = judge.StateNotGraded
			}
			if r.State != want || r.Reason != tt.reason {
				t.Errorf("%s %s (%s), want %s %s: %s", r.State, r.Reason, r.Detail, want, tt.reason, tt.why)
			}
			if r.Calls != 1 || len(b.calls) != 0 || r.Hedged || r.Judge != "judge-a" || r.Pinned != pinnedA {
				t.Errorf("calls %d, reserve asked %d times, %+v: a reply is final", r.Calls, len(b.calls), r)
			}
			if tt.reason != "" && r.Detail == "" {
				t.Error("no detail for the reader")
			}
		})
	}
}

func TestJudgeReplyCases(t *testing.T) {
	tests := map[string]string{
		"judge-fence-prose.json":        "live: graded 2 too_long by judge-a",
		"judge-number-as-text.json":     "live: not_graded malformed by judge-a",
		"judge-nan.json":                "live: not_graded malformed by judge-a",
		"judge-unknown-problem.json":    "live: not_graded out_of_list by judge-a",
		"judge-prefix-labels.json":      "live: graded 3 too_long_intro by judge-a",
		"judge-think-block.json":        "live: graded 2 none by judge-a",
		"judge-two-digit.json":          "live: not_graded out_of_scale by judge-a",
		"judge-prose-only.json":         "live: not_graded malformed by judge-a",
		"judge-two-problems.json":       "live: not_graded malformed by judge-a",
		"judge-refusal.json":            "live: not_graded refusal by judge-a",
		"snapshot-alias-echo.json":      "live: not_graded snapshot_unproven by judge-a",
		"judge-content-filter-400.json": "live: not_graded filtered by judge-a",
		"http-200-error-body.json":      "live: graded 1 none by judge-b",
	}
	for file, want := range tests {
		t.Run(file, func(t *testing.T) {
			status, body := 200, caseFile(t, file)
			if file == "judge-content-filter-400.json" || file == "http-200-error-body.json" {
				var c struct {
					Status int
					Body   any
				}
				caseJSON(t, file, &c)
				status, body = c.Status, mustJSON(t, c.Body)
			}
			a, b := judgeA(replied(t, status, body)), judgeB(says(0, verdict(1, "none")))
			r := one(t, bench(t, a, b, nil), "By letter.")
			if got := short(r); got != want {
				t.Errorf("%s (%s), want %s", got, r.Detail, want)
			}
			if wantB := strings.HasSuffix(want, "judge-b"); len(a.calls) != 1 || (len(b.calls) == 1) != wantB {
				t.Errorf("calls: judge-a %d, judge-b %d", len(a.calls), len(b.calls))
			}
		})
	}
}

func TestHangBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := judgeA(hang), judgeB(says(700*time.Millisecond, verdict(3, "tone")))
		r := one(t, bench(t, a, b, nil), "By letter.")
		if short(r) != "live: graded 3 tone by judge-b" || r.Took != 2200*time.Millisecond || !r.Hedged || r.Calls != 2 {
			t.Errorf("%s after %v, hedged %v, calls %d; want 3 tone by judge-b after 2.2s", short(r), r.Took, r.Hedged, r.Calls)
		}
		if !a.calls[0].cancelled {
			t.Error("the silent judge's call was not cancelled")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		a, b := judgeA(hang), judgeB(hang)
		r := one(t, bench(t, a, b, nil), "By letter.")
		if short(r) != "live: not_graded transport by judge-a" || r.Took != 20*time.Second || r.Calls != 2 || len(a.calls)+len(b.calls) != 2 {
			t.Errorf("%s after %v with %d calls; want transport after 20s with 2", short(r), r.Took, r.Calls)
		}
		if !strings.Contains(r.Detail, "judge-a: timeout") || !strings.Contains(r.Detail, "judge-b: timeout") {
			t.Errorf("detail %q names not both", r.Detail)
		}
	})
}

func TestHedge(t *testing.T) {
	tests := []struct {
		name, why string
		a, b      play
		want      string
		took      time.Duration
		calls     int
		hedged    bool
	}{
		{name: "quick primary", why: "no second call", a: says(1499*time.Millisecond, verdict(1, "none")), b: says(0, verdict(6, "tone")), want: "live: graded 1 none by judge-a", took: 1499 * time.Millisecond, calls: 1},
		{name: "primary first", why: "the reserve is running, the first verdict counts", a: says(1600*time.Millisecond, verdict(1, "none")), b: says(time.Second, verdict(6, "tone")), want: "live: graded 1 none by judge-a", took: 1600 * time.Millisecond, calls: 2, hedged: true},
		{name: "reserve first", why: "the first verdict counts", a: says(5*time.Second, verdict(1, "none")), b: says(time.Second, verdict(6, "tone")), want: "live: graded 6 tone by judge-b", took: 2500 * time.Millisecond, calls: 2, hedged: true},
		{name: "invalid is final", why: "else the result would depend on who answers", a: says(5*time.Second, verdict(1, "none")), b: says(time.Second, "no idea"), want: "live: not_graded malformed by judge-b", took: 2500 * time.Millisecond, calls: 2, hedged: true},
		{name: "failure hands over at once", why: "no need to wait", a: down, b: says(time.Second, verdict(6, "tone")), want: "live: graded 6 tone by judge-b", took: time.Second, calls: 2},
		{name: "denied hands over at once", why: "lasting at this provider only", a: fails(llm.Denied, llm.DeniedReason), b: says(0, verdict(6, "tone")), want: "live: graded 6 tone by judge-b", calls: 2},
		{name: "error in 200", why: "transport, whatever its class", a: fails(llm.Invalid, llm.ErrorIn200), b: says(0, verdict(6, "tone")), want: "live: graded 6 tone by judge-b", calls: 2},
		{name: "reserve fails while primary is silent", why: "the primary may still answer", a: says(9*time.Second, verdict(1, "none")), b: down, want: "live: graded 1 none by judge-a", took: 9 * time.Second, calls: 2, hedged: true},
		{name: "both fail", why: "each is asked once, nothing is retried", a: down, b: down, want: "live: not_graded transport by judge-a", calls: 2},
		{name: "late failure", why: "the reserve is running already", a: play{after: 2 * time.Second, failure: down.failure}, b: says(3*time.Second, verdict(6, "tone")), want: "live: graded 6 tone by judge-b", took: 4500 * time.Millisecond, calls: 2, hedged: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := one(t, bench(t, judgeA(tt.a), judgeB(tt.b), nil), "By letter.")
				if short(r) != tt.want || r.Took != tt.took || r.Calls != tt.calls || r.Hedged != tt.hedged {
					t.Errorf("%s after %v, %d calls, hedged %v; want %s after %v, %d, %v: %s",
						short(r), r.Took, r.Calls, r.Hedged, tt.want, tt.took, tt.calls, tt.hedged, tt.why)
				}
			})
		})
	}
}

func TestSingleJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := bench(t, judgeA(says(0, verdict(1, "none")), hang, says(0, verdict(2, "tone"))), nil, nil)
		g := grade(t, j, trial(1, "x", "y", "z"))
		var transport, graded int
		for _, r := range g.Rulings {
			switch {
			case r.Reason == judge.NoTransport && r.Took == 20*time.Second && r.Calls == 1:
				transport++
			case r.State == judge.StateGraded:
				graded++
			}
		}
		if transport != 1 || graded != 2 || g.Unused != nil {
			t.Errorf("%q, unused %q; want two graded and one transport", shorts(g.Rulings), shorts(g.Unused))
		}
	})
}

func TestTrialIsGradedByOneJudge(t *testing.T) {
	tests := []struct {
		name, why string
		a, b      []play
		want      [3]string // in the order of asking
		unused    []string
	}{
		{name: "primary throughout", why: "the usual trial", a: []play{says(0, verdict(1, "none"))}, b: []play{down},
			want: [3]string{"graded 1 none by judge-a", "graded 1 none by judge-a", "graded 1 none by judge-a"}},
		{name: "reserve throughout", why: "it gave the first verdict", a: []play{down, says(0, verdict(1, "none"))}, b: []play{says(0, verdict(2, "tone"))},
			want: [3]string{"graded 2 tone by judge-b", "graded 2 tone by judge-b", "graded 2 tone by judge-b"}},
		{name: "invalid first", why: "an invalid reply chooses the judge too", a: []play{says(0, "hm"), says(0, verdict(1, "none"))}, b: []play{says(0, verdict(2, "tone"))},
			want: [3]string{"not_graded malformed by judge-a", "graded 1 none by judge-a", "graded 1 none by judge-a"}},
		{name: "slow later answer", why: "silence moves no later answer to the other judge", a: []play{says(0, verdict(1, "none")), says(10*time.Second, verdict(3, "tone"))}, b: []play{says(0, verdict(2, "tone"))},
			want: [3]string{"graded 1 none by judge-a", "graded 3 tone by judge-a", "graded 3 tone by judge-a"}},
		{name: "lost at the second", why: "the whole trial anew", a: []play{says(0, verdict(1, "none")), down}, b: []play{says(0, verdict(2, "tone"))},
			want:   [3]string{"graded 2 tone by judge-b", "graded 2 tone by judge-b", "graded 2 tone by judge-b"},
			unused: []string{"graded 1 none by judge-a", "not_graded transport by judge-a"}},
		{name: "silent at the third", why: "a time-out is a transport failure", a: []play{says(0, verdict(1, "none")), says(0, verdict(1, "none")), hang}, b: []play{says(0, verdict(2, "tone"))},
			want:   [3]string{"graded 2 tone by judge-b", "graded 2 tone by judge-b", "graded 2 tone by judge-b"},
			unused: []string{"graded 1 none by judge-a", "graded 1 none by judge-a", "not_graded transport by judge-a"}},
		{name: "lost by both", why: "the failed answer has no grade, the others keep the second judge's", a: []play{says(0, verdict(1, "none")), down}, b: []play{says(0, verdict(2, "tone")), down, says(0, verdict(3, "tone"))},
			want:   [3]string{"graded 2 tone by judge-b", "not_graded transport by judge-b", "graded 3 tone by judge-b"},
			unused: []string{"graded 1 none by judge-a", "not_graded transport by judge-a"}},
		{name: "nobody at the first", why: "the judge is chosen by the first verdict, not by the first answer", a: []play{down, says(0, verdict(1, "none"))}, b: []play{down},
			want: [3]string{"not_graded transport by judge-a", "graded 1 none by judge-a", "graded 1 none by judge-a"}},
		{name: "reserve is lost", why: "the rule holds both ways", a: []play{down, says(0, verdict(1, "none"))}, b: []play{says(0, verdict(2, "tone")), down},
			want:   [3]string{"graded 1 none by judge-a", "graded 1 none by judge-a", "graded 1 none by judge-a"},
			unused: []string{"graded 2 tone by judge-b", "not_graded transport by judge-b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := judgeA(tt.a...), judgeB(tt.b...)
				g := grade(t, bench(t, a, b, nil), trial(7, "first", "second", "third"))
				arms := askedOrder(t, a, b)
				var want, unused []string
				for _, arm := range []string{"live", "cand-a", "cand-b"} {
					for i := range arms {
						if arms[i] == arm {
							want = append(want, arm+": "+tt.want[i])
						}
					}
				}
				for i, u := range tt.unused {
					unused = append(unused, arms[i]+": "+u)
				}
				if diff := cmp.Diff(want, shorts(g.Rulings)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.why, diff)
				}
				if diff := cmp.Diff(unused, shorts(g.Unused)); diff != "" {
					t.Errorf("unused (-want +got):\n%s", diff)
				}
				calls := 0
				for _, r := range append(g.Rulings, g.Unused...) {
					calls += r.Calls
				}
				if calls != len(a.calls)+len(b.calls) {
					t.Errorf("rulings count %d calls, judges got %d", calls, len(a.calls)+len(b.calls))
				}
			})
		})
	}
}

// askedOrder tells in which order the answers of trial 7 were asked about.
func askedOrder(t *testing.T, judges ...*fake) []string {
	t.Helper()
	byText := map[string]string{"\nfirst\nEND ANSWER": "live", "\nsecond\nEND ANSWER": "cand-a", "\nthird\nEND ANSWER": "cand-b"}
	var order []string
	seen := map[string]bool{}
	for _, j := range judges {
		for _, c := range j.calls {
			for text, arm := range byText {
				if strings.Contains(c.prompt.User, text) && !seen[arm] {
					seen[arm] = true
					order = append(order, arm)
				}
			}
		}
	}
	if len(order) != 3 {
		t.Fatalf("asked about %v", order)
	}
	return order
}

func TestShare(t *testing.T) {
	a := judgeA(says(0, verdict(1, "none")))
	j := bench(t, a, nil, func(o *judge.Options) { o.Share = 0.5 })
	tr := trial(1, "x", "y")
	tr.Candidates = append(tr.Candidates, shadow.Answer{Arm: "cand-b", Failure: llm.Timeout}, shadow.Answer{Arm: "cand-c", NotAsked: shadow.NotAskedShare})
	for draw, want := range map[float64]string{
		0.5:    "[live: not_drawn  by cand-a: not_drawn  by]",
		0.4999: "[live: graded 1 none by judge-a cand-a: graded 1 none by judge-a]",
	} {
		tr.Sample.Draw = draw
		g := grade(t, j, tr)
		if got := fmt.Sprint(shorts(g.Rulings)); got != want {
			t.Errorf("draw %v: %s, want %s; arms that did not answer have no ruling", draw, got, want)
		}
		if g.Share != 0.5 || g.Digest != "experiment" || g.Rubric != support(t).Digest() {
			t.Errorf("share %v, digest %q, rubric %q", g.Share, g.Digest, g.Rubric)
		}
	}
	tr.Sample.Live.Failure, tr.Candidates = llm.Reset, nil
	if g := grade(t, j, tr); g.Rulings != nil {
		t.Errorf("rulings %q for a trial without an answer", shorts(g.Rulings))
	}
}

func TestConversationThatCannotBeRead(t *testing.T) {
	for name, body := range map[string]string{
		"no JSON": "x", "trailing comma": `{"messages":[{"role":"user","content":"a"},]}`, "no messages": `{}`, "empty turn": `{"messages":[{"role":"user","content":""}]}`,
	} {
		a := judgeA(says(0, verdict(1, "none")))
		tr := trial(1, "x", "y")
		tr.Sample.Request = []byte(body)
		g := grade(t, bench(t, a, nil, nil), tr)
		if got := fmt.Sprint(shorts(g.Rulings)); got != "[live: not_graded malformed by cand-a: not_graded malformed by]" || len(a.calls) != 0 || g.Rulings[0].Detail == "" {
			t.Errorf("%s: %s (%s) with %d calls; an answer is never graded beside an empty conversation", name, got, g.Rulings[0].Detail, len(a.calls))
		}
	}
}

func TestGradeErrors(t *testing.T) {
	bug := errors.New("no failure of ours")
	a := judgeA(hang)
	seat := a.seat()
	seat.Model.Complete = func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, bug }
	j, err := judge.New(judge.Options{Primary: seat, Rubric: standard.Rubric()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Grade(context.Background(), trial(1, "x")); !errors.Is(err, bug) {
		t.Errorf("error %v, want the bug", err)
	}
	synctest.Test(t, func(t *testing.T) {
		a, b := judgeA(hang), judgeB(hang)
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(context.Background())
		j := bench(t, a, b, nil)
		time.AfterFunc(3*time.Second, func() { cancel(stopped) })
		start := time.Now()
		if _, err := j.Grade(ctx, trial(1, "x", "y")); !errors.Is(err, stopped) || time.Since(start) != 3*time.Second {
			t.Errorf("error %v after %v, want the cause at once", err, time.Since(start))
		}
		if !a.calls[0].cancelled || !b.calls[0].cancelled {
			t.Error("a call outlives the context")
		}
		if _, err := j.Grade(ctx, trial(1, "x")); !errors.Is(err, stopped) || len(a.calls) != 1 {
			t.Errorf("error %v with %d calls; nobody is asked after the end", err, len(a.calls))
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	a, b := judgeA(down, says(0, verdict(1, "none"))), judgeB(says(0, verdict(2, "tone")))
	j := bench(t, a, b, nil)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			g, err := j.Grade(context.Background(), trial(byte(i+1), "x", "y", "z"))
			if err != nil || len(g.Rulings) != 3 {
				t.Errorf("%d rulings, %v", len(g.Rulings), err)
			}
		})
	}
	wg.Wait()
}

func Example() {
	model := llm.Model{Name: "judge-a", Snapshot: "judge-2026-03-01", Complete: func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: `{"reason": "Names no notice period.", "grade": 3, "problem": "incomplete"}`, Model: "judge-2026-03-01"}, nil
	}}
	j, err := judge.New(judge.Options{Primary: judge.Seat{Model: model}, Rubric: standard.Rubric()})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := j.Grade(context.Background(), trial(1, "By letter."))
	fmt.Println(g.Rulings[0].Arm, g.Rulings[0].State, g.Rulings[0].Verdict.Grade, g.Rulings[0].Verdict.Problem, err)
	// Output: live graded 3 incomplete <nil>
}
