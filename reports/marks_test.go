package reports_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

func markTexts(r reports.Report) []string {
	var out []string
	for _, m := range r.Marks {
		out = append(out, fmt.Sprintf("%s %s %s %s", m.Time.Format("01-02 15:04"), m.Kind, m.Arm, m.Text))
	}
	return out
}

// TestMarksInRows: what comes that was not there the day before is marked, with the
// time of its first row; what was there first is not.
func TestMarksInRows(t *testing.T) {
	days := []string{"2026-10-05", "2026-10-06", "2026-10-07", "2026-10-09", "2026-10-12"}
	for _, c := range []struct {
		name, why string
		change    func(day int, r *sinks.Row)
		want      []string
	}{
		{"nothing", "rows that are all alike", func(int, *sinks.Row) {}, nil},
		{"release", "live has another snapshot from the third day on", func(day int, r *sinks.Row) {
			if r.Arm == shadow.Live && day >= 2 {
				r.Model = "live-2027"
			}
		}, []string{"10-07 12:00 snapshot live answers come from live-2027"}},
		{"rolled back", "the old one again is a release too", func(day int, r *sinks.Row) {
			if r.Arm == "cand-a" && day == 2 {
				r.Model = "cand-b"
			}
		}, []string{"10-07 12:00 snapshot cand-a answers come from cand-b", "10-09 12:00 snapshot cand-a answers come from cand-a-2026 again"}},
		{"rates", "more is sampled, less is judged", func(day int, r *sinks.Row) {
			if day >= 1 {
				r.Rate = 0.02
			}
			if r.Arm == "cand-a" && day >= 4 {
				r.JudgeRate = 0.005
			}
		}, []string{"10-06 12:00 rate cand-a asked at 2.0 %", "10-06 12:00 rate live asked at 2.0 %", "10-12 12:00 judge_rate cand-a judged at 0.5 %"}},
		{"another experiment", "its rows are left out, its seam is seen", func(day int, r *sinks.Row) {
			if day < 2 {
				r.Digest = "an-older-one"
			}
		}, []string{"10-07 12:00 experiment  rows of the experiment digest " + digest}},
		{"rubric and judge", "left out too", func(day int, r *sinks.Row) {
			if day == 4 {
				r.Rubric, r.JudgePinned = "another", "judge-mini-2026-09-01"
			}
		}, []string{"10-12 12:00 judge  rulings of the judge snapshot judge-mini-2026-09-01", "10-12 12:00 rubric  rows under the rubric another"}},
		{"the reserve judge", "one of the experiment's judges stands in: no change", func(day int, r *sinks.Row) {
			if day == 2 {
				r.JudgePinned = "judge-b-2026-02-02"
			}
		}, nil},
		{"rate NaN", "no rate at all", func(day int, r *sinks.Row) { r.Rate = math.NaN() }, nil},
		{"another's rows", "they share the folder only", func(day int, r *sinks.Row) {
			if day == 3 {
				r.Experiment, r.Model = "x", "y"
			}
		}, nil},
	} {
		rows := on(days...)
		for i := range rows {
			c.change(i/2, &rows[i])
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for range 3 {
			rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			r := build(t, experiment(), rows, nil)
			if diff := cmp.Diff(c.want, markTexts(r)); diff != "" {
				t.Errorf("%s: %s: %s", c.name, c.why, diff)
			}
		}
	}
}

// TestMarksOfAWeek: those of the weeks of its trend are there, later ones are not, and
// one that was given twice is there once.
func TestMarksOfAWeek(t *testing.T) {
	rows := twoWeeks()
	given := func(day, text string) reports.Mark {
		m, err := reports.NewMark(timeAt(t, day), text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	marks := []reports.Mark{
		given("2026-10-19T00:00:00Z", "after the week"), given("2026-10-13T08:30:00Z", "new prompt | v2\n\x1b[31mred"),
		given("2026-10-13T08:30:00Z", "new prompt | v2 red"), given("2026-10-05T00:00:00Z", "start"), given("2026-10-04T23:59:59Z", "before the start"),
	}
	var first string
	for range 2 {
		marks[0], marks[3] = marks[3], marks[0]
		r, err := reports.Build(seq(rows), nil, experiment(), week(t, "2026-W42"), reports.WithMarks(marks))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"10-05 00:00 given  start", "10-13 08:30 given  new prompt | v2 red"}, markTexts(r)); diff != "" {
			t.Error(diff)
		}
		all := everyForm(t, r)
		if first == "" {
			first = all
		}
		if all != first {
			t.Error("the order of marks changes bytes")
		}
		for _, part := range []string{
			"\nMarks: what changed, and when (UTC)\n2026-10-05 00:00  start\n2026-10-13 08:30  new prompt | v2 red\n",
			"marked in these weeks: 2026-10-05 start; 2026-10-13 new", `new prompt \| v2 red`, `"kind": "given"`,
		} {
			if !strings.Contains(all, part) {
				t.Errorf("no %q", part)
			}
		}
	}
}

func timeAt(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestNewMark(t *testing.T) {
	noon := time.Date(2026, 10, 5, 14, 0, 0, 123, time.FixedZone("", 2*60*60))
	m, err := reports.NewMark(noon, "  a\tb\r\nc\x00\u202e ")
	if want := (reports.Mark{Time: time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC), Kind: reports.MarkGiven, Text: "a b c"}); err != nil || m != want {
		t.Errorf("%+v, %v", m, err)
	}
	for _, c := range []struct {
		at   time.Time
		text string
	}{{noon, ""}, {noon, " \n\x07"}, {noon, strings.Repeat("é", 301)}, {time.Time{}, "x"}, {noon.AddDate(9000, 0, 0), "x"}} {
		if m, err := reports.NewMark(c.at, c.text); !errors.Is(err, reports.ErrMark) {
			t.Errorf("%v %.10q is %+v, %v", c.at, c.text, m, err)
		}
	}
	if _, err := reports.NewMark(noon, strings.Repeat("é", 300)); err != nil {
		t.Error(err)
	}
}

func TestReadMarks(t *testing.T) {
	var file bytes.Buffer
	var want []reports.Mark
	for i, text := range []string{"released", `a "quoted" <b>`, "日本"} {
		m, err := reports.NewMark(monday.Add(time.Duration(i)*time.Hour), text)
		if err != nil {
			t.Fatal(err)
		}
		line, err := m.Line()
		if err != nil || bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("%q, %v", line, err)
		}
		file.Write(line)
		want = append(want, m)
	}
	got, err := reports.ReadMarks(strings.NewReader("\n" + file.String() + "  \n"))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, c := range []struct{ text, want string }{
		{`{"time":"2026-10-05T00:00:00Z","text":"x"}` + "\n" + `{"time":"2026-10-05T00:00:00Z","text":""}`, "line 2: not a mark: no text"},
		{`{"text":"x"}`, "line 1: not a mark: no time"}, {`{"time":"yesterday","text":"x"}`, "line 1: "}, {"released", "line 1: "},
		{`{"time":"2026-10-05T00:00:00Z","text":"x","by":"me"}`, `line 1: json: unknown field "by"`},
		{`{"time":"2026-10-05T00:00:00Z","text":"x"} {}`, "line 1: something follows the mark"}, {`{"time":"2026-10-05`, "line 1: "},
	} {
		if marks, err := reports.ReadMarks(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) || marks != nil {
			t.Errorf("%s: %v, %v, want %s", c.text, marks, err, c.want)
		}
	}
}

// FuzzReadMarks: what is read comes back from the lines that are written for it.
func FuzzReadMarks(f *testing.F) {
	for _, seed := range []string{
		`{"time":"2026-10-05T00:00:00Z","text":"released"}`, `{"time":"2026-10-05T02:00:00.5+02:00","text":"a\u0000\nb"}` + "\n\n", `{"text":`, "\xff", "null",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		marks, err := reports.ReadMarks(bytes.NewReader(data))
		if err != nil {
			return
		}
		var file bytes.Buffer
		for _, m := range marks {
			line, err := m.Line()
			if err != nil {
				t.Fatal(err)
			}
			file.Write(line)
		}
		again, err := reports.ReadMarks(&file)
		if diff := cmp.Diff(marks, again); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})
}
