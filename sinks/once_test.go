package sinks_test

import (
	"encoding/json"
	"errors"
	"iter"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

func stream(rows []sinks.Row) iter.Seq2[sinks.Row, error] {
	return func(yield func(sinks.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func verdict(sample, arm, judgedBy, digest string, repeat int32, grade rubric.Grade) sinks.Row {
	r := sinks.Row{Arm: shadow.Arm(arm), State: sinks.Answered, JudgeState: judge.StateGraded, Grade: &grade,
		JudgePinned: llm.Snapshot(judgedBy), Rubric: rubric.Digest(digest), Repeat: repeat}
	copy(r.Sample[:], sample)
	return r
}

// Five verdicts, two of them redelivered, one of those with another grade.
func TestOnceDuplicateVerdicts(t *testing.T) {
	data, err := os.ReadFile("testdata/stats-duplicate-verdicts.json")
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []struct {
		Sample, Arm, Snapshot string
		Grade                 rubric.Grade
	}
	if err := json.Unmarshal(data, &verdicts); err != nil {
		t.Fatal(err)
	}
	var rows []sinks.Row
	for _, v := range verdicts {
		rows = append(rows, verdict(v.Sample, v.Arm, v.Snapshot, "r", 0, v.Grade))
	}
	once, duplicates := sinks.Once(stream(rows))
	for range 2 { // reading again gives the same
		var grades []rubric.Grade
		for _, r := range collect(t, once) {
			grades = append(grades, *r.Grade)
		}
		if diff := cmp.Diff([]rubric.Grade{2, 3, 1}, grades); diff != "" {
			t.Errorf("the first verdict is final\n%s", diff)
		}
		if diff := cmp.Diff(sinks.Duplicates{Rows: 2, Conflicts: 1}, *duplicates); diff != "" {
			t.Error(diff)
		}
	}
}

func TestOnceKey(t *testing.T) {
	first := verdict("s", "a", "j", "r", 0, 2)
	for _, c := range []struct {
		name, why string
		second    sinks.Row
		want      sinks.Duplicates
	}{
		{"same", "redelivered", verdict("s", "a", "j", "r", 0, 2), sinks.Duplicates{Rows: 1}},
		{"other grade", "redelivered and judged again", verdict("s", "a", "j", "r", 0, 3), sinks.Duplicates{Rows: 1, Conflicts: 1}},
		{"other sample", "another fact", verdict("t", "a", "j", "r", 0, 2), sinks.Duplicates{}},
		{"other arm", "another fact", verdict("s", "b", "j", "r", 0, 2), sinks.Duplicates{}},
		{"other rubric", "another yardstick", verdict("s", "a", "j", "q", 0, 2), sinks.Duplicates{}},
		{"other repeat", "measures the judge", verdict("s", "a", "j", "r", 1, 2), sinks.Duplicates{}},
		{"other judge", "passes, and is counted: the report must choose", verdict("s", "a", "k", "r", 0, 2), sinks.Duplicates{OtherJudge: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			once, duplicates := sinks.Once(stream([]sinks.Row{first, c.second}))
			passed := collect(t, once)
			if got := int64(len(passed)); got != 2-c.want.Rows {
				t.Errorf("%s: %d rows passed", c.why, got)
			}
			if diff := cmp.Diff(c.want, *duplicates); diff != "" {
				t.Errorf("%s\n%s", c.why, diff)
			}
		})
	}
}

func TestOncePassesErrors(t *testing.T) {
	broken := errors.New("broken")
	once, _ := sinks.Once(func(yield func(sinks.Row, error) bool) {
		for range 2 {
			if !yield(sinks.Row{}, broken) {
				return
			}
		}
	})
	n := 0
	for _, err := range once {
		if !errors.Is(err, broken) {
			t.Error(err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d errors, want 2: an error is no duplicate of another", n)
	}
}
