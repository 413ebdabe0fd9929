package reports_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// longPairs are pairs of grades with the output tokens of both answers.
func longPairs(list ...[4]int) []sinks.Row {
	var rows []sinks.Row
	for i, x := range list {
		live, cand := graded(i, shadow.Live, x[0], time.Second), graded(i, "cand-a", x[1], 2*time.Second)
		live.TokensOut, cand.TokensOut = new(int64(x[2])), new(int64(x[3]))
		rows = append(rows, live, cand)
	}
	return rows
}

// TestEqualLength: less than a fifth of the longer answer apart.
func TestEqualLength(t *testing.T) {
	for _, c := range []struct {
		name, why  string
		live, cand int
		want       int
	}{
		{"the same", "no difference", 100, 100, 1},
		{"19 % shorter", "less than 20 %", 100, 81, 1},
		{"20 % shorter", "not less", 100, 80, 0},
		{"19 % less than the candidate", "of the longer one, whichever it is", 81, 100, 1},
		{"nothing said", "0 tokens are as long as 0 tokens", 0, 0, 1},
		{"one word and none", "all of it apart", 0, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := build(t, experiment(), longPairs([4]int{2, 3, c.live, c.cand}), nil).Comparisons[0].Length
			if l.Equal.N != c.want || l.EqualTimes[0].Calls != c.want {
				t.Errorf("%s: %d graded pairs, %d calls", c.why, l.Equal.N, l.EqualTimes[0].Calls)
			}
		})
	}
}

// TestLengthOfGrades: long answers are better, and the candidate's are longer; at
// equal length nothing is left of the difference.
func TestLengthOfGrades(t *testing.T) {
	rows := longPairs([4]int{3, 3, 100, 100}, [4]int{2, 2, 200, 200}, [4]int{1, 1, 300, 310}, [4]int{3, 1, 100, 300}, [4]int{3, 2, 100, 200})
	untold := graded(5, "cand-a", 6, time.Second)
	untold.TokensOut = nil
	notJudged := longPairs([4]int{1, 1, 50, 50})
	for i := range notJudged {
		r := &notJudged[i]
		r.Sample, r.JudgeState, r.Grade, r.Problem = sampleID(6), "", nil, ""
	}
	rows = append(rows, graded(5, shadow.Live, 1, time.Second), untold, notJudged[0], notJudged[1])
	r := build(t, experiment(), rows, nil)
	l := r.Comparisons[0].Length
	nearly(t, "delta at equal length", l.Equal.Value, 0)
	if l.Equal.N != 3 || l.EqualTimes[0].Calls != 4 || *l.EqualTimes[0].Delta != time.Second {
		t.Errorf("over %d graded pairs; times %+v", l.Equal.N, l.EqualTimes[0])
	}
	bands := []string{}
	for _, b := range l.Bands {
		bands = append(bands, fmt.Sprintf("%d-%d: %v of %d", b.From, b.To, *b.Delta.Value, b.Delta.N))
	}
	if diff := cmp.Diff([]string{"100-100: -1 of 3", "200-200: 0 of 1", "300-300: 0 of 1"}, bands); diff != "" {
		t.Errorf("bands: %s", diff)
	}
	if g := r.Arms[1].GradeLength; g == nil || *g > -0.99 {
		t.Errorf("correlation of grade and length %v", show(g))
	}
	same := build(t, experiment(), longPairs([4]int{3, 3, 100, 100}, [4]int{2, 2, 100, 100}), nil)
	if g := same.Arms[1].GradeLength; g != nil {
		t.Errorf("no length varies: %v", *g)
	}
	if text := everyForm(t, same); !strings.Contains(text, "all of one length") || !strings.Contains(text, "live undefined, cand-a undefined") {
		t.Error("one length is not said")
	}
}

// TestLengthBands: fifths of the pairs, in rising order, whatever the candidate did.
func TestLengthBands(t *testing.T) {
	var list [][4]int
	for i := range 10 {
		list = append(list, [4]int{2, 3, 100 - 10*i, 1000})
	}
	want := []reports.LengthBand{{From: 10, To: 20}, {From: 30, To: 40}, {From: 50, To: 60}, {From: 70, To: 80}, {From: 90, To: 100}}
	got := build(t, experiment(), longPairs(list...), nil).Comparisons[0].Length.Bands
	for i := range got {
		if got[i].Delta.N != 2 || *got[i].Delta.Value != 1 {
			t.Errorf("band %+v", got[i])
		}
		got[i].Delta = reports.Estimate{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLengthInTheHeadline: a difference that stands out over all pairs and not over
// those of equal length, where it would if it were the same, is said in the head.
func TestLengthInTheHeadline(t *testing.T) {
	head := func(equallyBetter bool) string {
		var rows []sinks.Row
		for i := range 400 {
			live, cand := graded(i, shadow.Live, 3, time.Second), graded(i, "cand-a", 2+i/2%2*2, time.Second)
			live.TokensOut, cand.TokensOut = new(int64(100)), new(int64(100))
			if i%2 == 0 { // longer and better; the others are equally long and as often better as worse
				cand.TokensOut = new(int64(300))
			}
			if i%2 == 0 || equallyBetter {
				cand.Grade = new(rubric.Grade(1 + i/2%2))
			}
			rows = append(rows, live, cand)
		}
		r := build(t, experiment(), rows, booksFor(400))
		decisions, err := r.Experiment.Gate.DecideAll(r, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Text(&b, 0, decisions); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(b.String(), "\n\n")
		return head
	}
	const caveat = "  at equal length: 0.00 (SE 0.07) over 200 pairs, so part of the difference may be one of length"
	if got := head(false); !strings.Contains(got, caveat) {
		t.Errorf("no %q in\n%s", caveat, got)
	}
	if got := head(true); strings.Contains(got, "at equal length") {
		t.Errorf("a caveat in\n%s", got)
	}
}

// TestTimeAtEqualLength: a candidate that is slower only where its answers are longer is
// said to be so in the head; one that is slower anyway is not.
func TestTimeAtEqualLength(t *testing.T) {
	head := func(equal time.Duration) string {
		var rows []sinks.Row
		for i := range 400 {
			spread := time.Duration(i*37%100) * time.Millisecond
			live, cand := graded(i, shadow.Live, 3, time.Second+spread), graded(i, "cand-a", 3, equal+spread)
			live.TokensOut, cand.TokensOut = new(int64(100)), new(int64(100))
			if i%2 == 0 {
				cand.TokensOut, cand.Took = new(int64(300)), new(3*time.Second+spread)
			}
			rows = append(rows, live, cand)
		}
		r := build(t, experiment(), rows, booksFor(400))
		decisions, err := r.Experiment.Gate.DecideAll(r, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Text(&b, 0, decisions); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(b.String(), "\n\n")
		return head
	}
	const caveat = "time at equal length: p95 0.000 s ("
	if got := head(time.Second); !strings.Contains(got, caveat) {
		t.Errorf("no %q in\n%s", caveat, got)
	}
	if got := head(3 * time.Second); strings.Contains(got, "equal length") {
		t.Errorf("a caveat in\n%s", got)
	}
}
