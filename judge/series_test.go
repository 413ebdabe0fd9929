package judge_test

import (
	"testing"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric/standard"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// TestSeries: rulings carry the name of their yardstick. It is the same in every process,
// also for what the reserve says, and another one after any change of what grades.
func TestSeries(t *testing.T) {
	ok := says(0, verdict(1, "none"))
	first := bench(t, judgeA(ok), judgeB(ok), nil).Series()
	if len(first) != 12 || bench(t, judgeA(ok), judgeB(ok), func(o *judge.Options) { o.Share, o.Primary.Reply = 0.5, llm.ReplySchema }).Series() != first {
		t.Errorf("series %q; what grades is the same", first)
	}
	seen := map[string]string{first: "itself"}
	for name, change := range map[string]func(*judge.Options){
		"another snapshot":             func(o *judge.Options) { o.Primary.Pinned = "judge-mini-2026-06-01" },
		"another snapshot in reserve":  func(o *judge.Options) { o.Reserve.Pinned = "other-2026-06-01" },
		"no reserve":                   func(o *judge.Options) { o.Reserve = judge.Seat{} },
		"another rubric":               func(o *judge.Options) { o.Rubric = standard.Rubric() },
		"images":                       func(o *judge.Options) { o.Primary.Images = true },
		"another mechanism of replies": func(o *judge.Options) { o.Primary.Reply = llm.ReplyTool },
	} {
		s := bench(t, judgeA(ok), judgeB(ok), change).Series()
		if other, there := seen[s]; there {
			t.Errorf("%s has the series of %s", name, other)
		}
		seen[s] = name
	}
	for name, a := range map[string][]play{"primary": {ok}, "reserve": {down}, "no verdict": {says(0, "hm")}} {
		j := bench(t, judgeA(a...), judgeB(ok), func(o *judge.Options) { o.Further.Repeat = 1 })
		for _, r := range grade(t, j, trial(1, "x", "y")).Rulings {
			if r.Series != first {
				t.Errorf("%s: a ruling of the series %q, want %q", name, r.Series, first)
			}
		}
	}
}
