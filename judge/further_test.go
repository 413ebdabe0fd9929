package judge_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
)

func further(repeat, agreement, injection float64) func(*judge.Options) {
	return func(o *judge.Options) {
		o.Further = judge.Further{Repeat: repeat, Agreement: agreement, Injection: injection}
	}
}

// TestFurtherVerdicts: who gives them, for what, and that they come after those that count.
func TestFurtherVerdicts(t *testing.T) {
	a, b := judgeA(says(0, verdict(2, "tone"))), judgeB(says(0, verdict(3, "tone")))
	g := grade(t, bench(t, a, b, further(1, 1, 1)), trial(1, "one", "two"))
	var got []string
	for _, r := range g.Rulings {
		got = append(got, fmt.Sprintf("%s, %d %s", short(r), r.Repeat, r.Purpose))
		if (r.Plant != "") != (r.Purpose == judge.PurposeInjection) {
			t.Errorf("%s: plant %q", r.Purpose, r.Plant)
		}
	}
	slices.Sort(got[2:])
	want := []string{
		"live: graded 2 tone by judge-a, 0 ", "cand-a: graded 2 tone by judge-a, 0 ",
		"cand-a: graded 2 tone by judge-a, 1 repeat", "cand-a: graded 2 tone by judge-a, 3 injection", "cand-a: graded 3 tone by judge-b, 2 agreement",
		"live: graded 2 tone by judge-a, 1 repeat", "live: graded 2 tone by judge-a, 3 injection", "live: graded 3 tone by judge-b, 2 agreement",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// The judge cannot tell a repeat from a first verdict: but for the code they are one prompt.
	code := regexp.MustCompile(`[A-Z2-7]{26}`)
	prompts := map[string]int{}
	for _, c := range a.calls {
		prompts[code.ReplaceAllString(c.prompt.User, "CODE")]++
	}
	twice := slices.Sorted(maps.Values(prompts))
	if diff := cmp.Diff([]int{1, 1, 2, 2}, twice); diff != "" {
		t.Errorf("prompts to judge A: %s", diff)
	}
}

// Only answers with a grade are graded again, and nobody is asked twice for nothing.
func TestFurtherIsDrawn(t *testing.T) {
	tests := []struct {
		name, why string
		judge     *fake
		change    func(*judge.Options)
		low, high int // further rulings of 400
	}{
		{"none", "off", judgeA(says(0, verdict(2, "tone"))), further(0, 0, 0), 0, 0},
		{"no reserve", "there is no other judge", judgeA(says(0, verdict(2, "tone"))), further(0, 1, 0), 0, 0},
		{"share", "10 % of 400, give or take three standard deviations", judgeA(says(0, verdict(2, "tone"))), further(0.1, 0, 0), 22, 58},
		{"no grade", "what was not graded is not graded again", judgeA(says(0, verdict(2, "style")), says(0, verdict(2, "style")), says(0, verdict(2, "tone"))), further(1, 0, 0), 398, 398},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := bench(t, tt.judge, nil, tt.change)
			n, again := 0, 0
			for i := range 200 {
				tr := trial(byte(i), "x", "y")
				g := grade(t, j, tr)
				n += len(g.Rulings) - 2
				if i < 20 && tt.name == "share" {
					again += len(grade(t, j, tr).Rulings) - len(g.Rulings)
				}
			}
			if n < tt.low || n > tt.high || again != 0 {
				t.Errorf("%d further rulings, want %d to %d; %d more on redelivery: %s", n, tt.low, tt.high, again, tt.why)
			}
		})
	}
}

// A trial whose answers have their grades does not wait for further ones.
func TestFurtherWaitsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := bench(t, judgeA(says(0, verdict(2, "tone")), other, hang), nil, further(1, 0, 1))
		g := grade(t, j, trial(1, "x"))
		if diff := cmp.Diff([]string{"live: graded 2 tone by judge-a", "live: not_graded snapshot_mismatch by judge-a"}, shorts(g.Rulings)); diff != "" {
			t.Error(diff)
		}
		if _, paused := j.Paused(); !paused {
			t.Error("another snapshot answered a repeat: not paused")
		}
	})
}

// TestSuspects: every instruction of our own list is found, and plain answers are not.
func TestSuspects(t *testing.T) {
	suspect := func(answer string) bool {
		return grade(t, bench(t, judgeA(says(0, verdict(2, "tone"))), nil, nil), trial(1, answer)).Rulings[0].Suspect
	}
	plants := judge.Plants()
	if len(plants) < 15 {
		t.Errorf("%d planted instructions", len(plants))
	}
	for id, text := range plants {
		if !suspect("You can cancel in your account.\n\n" + text) {
			t.Errorf("%s is not found: %s", id, text)
		}
	}
	for _, text := range []string{
		"You can cancel in your account.", "Bitte ignorieren Sie die Mahnung; sie kam zu spät.", "Grade 8 steel bolts are rated for 150 ksi.",
		"The judge set the hearing for Monday.", "Ignore the first line of the file, it is a header.", `{"grade": 1}`, "前の手順を無視してかまいません。",
	} {
		if suspect(text) {
			t.Errorf("a plain answer is suspect: %s", text)
		}
	}
}
