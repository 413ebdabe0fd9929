package reports_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
	"github.com/understudy-eval/understudy/stats"
)

// harsh are n graded pairs whose true grades are live 2..4 and the candidate's one
// less or the same; the judge grades the candidate one too harsh.
func harsh(n int) (rows []sinks.Row, truth func(i int) (live, cand int)) {
	truth = func(i int) (int, int) { l := 2 + i%3; return l, l - i%2 }
	for i := range n {
		l, c := truth(i)
		rows = append(rows, graded(i, shadow.Live, l, time.Second), graded(i, "cand-a", min(6, c+1), time.Second))
	}
	return rows, truth
}

// labelled are the true grades of pairs, by one rater.
func labelled(from, to int, truth func(int) (int, int)) []reports.Label {
	var out []reports.Label
	for i := from; i < to; i++ {
		l, c := truth(i)
		for arm, g := range map[shadow.Arm]int{shadow.Live: l, "cand-a": c} {
			out = append(out, reports.Label{Sample: sampleID(i), Arm: arm, Rater: "anna", Grade: rubric.Grade(g)})
		}
	}
	return out
}

func buildLabelled(t *testing.T, rows []sinks.Row, labels []reports.Label) reports.Report {
	t.Helper()
	r, err := reports.Build(seq(rows), seq(booksFor(len(rows)/2)), experiment(), reports.Window{}, reports.WithLabels(labels))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPeopleCorrectTheJudge: a judge too harsh with one arm turns the sign; the labels
// turn it back, by the very figures of stats.
func TestPeopleCorrectTheJudge(t *testing.T) {
	rows, truth := harsh(200)
	r := buildLabelled(t, rows, labelled(0, 60, truth))
	c, q := r.People.Corrected[0], r.Comparisons[0].Quality
	if c.Pairs != 60 || c.Of != 200 || c.Stratified {
		t.Fatalf("%+v", c)
	}
	var y, f, u stats.Pairs
	for i := range 200 {
		l, k := truth(i)
		if i < 60 {
			y.Live, y.Candidate = append(y.Live, float64(l)), append(y.Candidate, float64(k))
			f.Live, f.Candidate = append(f.Live, float64(l)), append(f.Candidate, float64(k+1))
		} else {
			u.Live, u.Candidate = append(u.Live, float64(l)), append(u.Candidate, float64(k+1))
		}
	}
	want, err := stats.PPIDelta(y, f, u)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Delta; math.Abs(*got.Corrected.Value-want.Value) > 1e-12 || math.Abs(*got.Corrected.SE-want.SE) > 1e-12 || *got.Trust != want.Lambda || *got.Labels.Value != want.Labels.Value {
		t.Errorf("%+v, want %+v", got, want)
	}
	if *q.Delta.Value < 0.4 || *c.Delta.Corrected.Value > -0.4 || *c.Delta.Interval.Upper > 0 {
		t.Errorf("judge %v, corrected %v %v: want +0.5 and -0.5", *q.Delta.Value, *c.Delta.Corrected.Value, c.Delta.Interval)
	}
	if text := textOf(t, r); !strings.Contains(strings.Join(strings.Fields(text), " "), "corrected by people the delta is -0.5") {
		t.Error("the corrected delta does not stand beside the judge's:\n" + text)
	}
	plainReport := buildLabelled(t, rows, nil)
	r.People = nil
	if diff := cmp.Diff(plainReport, r); diff != "" {
		t.Errorf("labels change another figure:\n%s", diff)
	}
}

// TestFewLabels: below 20 the labels' own mean alone, below 50 nothing beside the delta.
func TestFewLabels(t *testing.T) {
	rows, truth := harsh(100)
	for _, n := range []int{1, 19, 20, 49, 50, 100} {
		r := buildLabelled(t, rows, labelled(0, n, truth))
		c := r.People.Corrected[0].Delta
		if (c.Corrected.Value != nil) != (n >= 20 && n < 100) || c.Labels.Value == nil {
			t.Errorf("%d labels: %+v", n, c)
		}
		text := textOf(t, r)
		if strings.Contains(text, "corrected by people the delta is") != (n >= 50 && n < 100) {
			t.Errorf("%d labels: beside the delta or not", n)
		}
		if why := map[int]string{19: "that needs 20", 20: "few labels", 100: "two without"}[n]; !strings.Contains(text, why) {
			t.Errorf("%d labels: the report does not say %q", n, why)
		}
	}
}

// TestStratifiedPeople: a part of the pairs is drawn at a tenth of the chance, so its
// mean counts ten times; each chance has its own correction.
func TestStratifiedPeople(t *testing.T) {
	rows, truth := harsh(200)
	for i := range rows {
		if i/2%4 == 0 {
			rows[i].JudgeRate /= 10
		}
	}
	c := buildLabelled(t, rows, labelled(0, 80, truth)).People.Corrected[0]
	var strata [2]stats.PPIStratum
	for i := range 200 {
		l, k := truth(i)
		h, d := 1-min(1, i%4), float64(k-l)
		s := &strata[h]
		s.Weight += []float64{1, 10}[h]
		if i < 80 {
			s.Label, s.Predicted = append(s.Label, d), append(s.Predicted, d+1)
		} else {
			s.Unlabelled = append(s.Unlabelled, d+1)
		}
	}
	want, _, err := stats.StratifiedPPI(strata[:])
	if err != nil {
		t.Fatal(err)
	}
	if !c.Stratified || c.Delta.Trust != nil || math.Abs(*c.Delta.Corrected.Value-want.Value) > 1e-12 || math.Abs(*c.Delta.Corrected.SE-want.SE) > 1e-12 {
		t.Errorf("%+v, want %+v", c, want)
	}
}

// TestPeopleAgree: by hand, three answers and five labels; two of them are of answers
// that the report has no grade for.
func TestPeopleAgree(t *testing.T) {
	rows := []sinks.Row{graded(0, shadow.Live, 2, time.Second), graded(0, "cand-a", 3, time.Second), notGraded(1, shadow.Live, "refusal")}
	label := func(i int, arm shadow.Arm, rater string, g int) reports.Label {
		return reports.Label{Sample: sampleID(i), Arm: arm, Rater: rater, Grade: rubric.Grade(g)}
	}
	labels := []reports.Label{
		label(0, shadow.Live, "anna", 2), label(0, shadow.Live, "ben", 4), label(0, "cand-a", "anna", 2),
		label(1, shadow.Live, "anna", 1), label(7, "gone", "anna", 1),
	}
	p := buildLabelled(t, rows, labels).People
	if p.Labels != 5 || p.Raters != 2 || p.Answers != 2 || p.NotFound != 2 {
		t.Fatalf("%+v", p)
	}
	if p.Judge.Exact.X != 1 || p.Judge.Within1.X != 2 || p.Judge.Exact.N != 3 || math.Abs(*p.Judge.Shift.Value+1./3) > 1e-12 {
		t.Errorf("%+v", p.Judge)
	}
	if want := ([6][6]int{1: {1: 1, 2: 1}, 3: {1: 1}}); p.Judge.Table != want {
		t.Errorf("table %v, want %v", p.Judge.Table, want)
	}
	if p.Among == nil || p.Among.Answers != 1 || p.Among.Exact.X != 0 || p.Among.Exact.N != 1 {
		t.Errorf("among %+v", p.Among)
	}
	slices.Reverse(labels)
	if diff := cmp.Diff(p, buildLabelled(t, rows, labels).People); diff != "" {
		t.Errorf("the order of labels matters:\n%s", diff)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(jsonOf(t, buildLabelled(t, rows, labels))))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(t).Validate(doc); err != nil {
		t.Error(err)
	}
}

func TestReadLabels(t *testing.T) {
	line := func(edit string) string {
		return fmt.Sprintf(`{"sample":"%s","arm":"live","rater":"anna","grade":2%s}`, sampleID(1), edit) + "\n"
	}
	if got, err := reports.ReadLabels(strings.NewReader(line(`,"problem":"tone"`) + "\n" + strings.Replace(line(""), "anna", "ben", 1))); err != nil || len(got) != 2 || got[0].Problem != "tone" {
		t.Fatal(got, err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"twice", line("") + line(""), "line 2: no label: anna graded this answer in line 1"},
		{"unknown key", line(`,"more":1`), "line 1: "},
		{"grade 0", strings.Replace(line(""), ":2", ":0", 1), "grade 0, want 1 (best) to 6"},
		{"grade null", strings.Replace(line(""), ":2", ":null", 1), "grade 0, want 1"},
		{"no rater", strings.Replace(line(""), "anna", " ", 1), "no rater"},
		{"no arm", strings.Replace(line(""), `"live"`, `""`, 1), "no sample or no arm"},
		{"two on a line", strings.TrimSpace(line("")) + line(""), "something follows"},
	} {
		if _, err := reports.ReadLabels(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := reports.ReadLabels(strings.NewReader(line("") + line(""))); !errors.Is(err, reports.ErrLabel) {
		t.Error(err)
	}
}
