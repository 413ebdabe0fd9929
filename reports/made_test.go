package reports_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

const (
	digest       = "5f1c0d3a9be27846f09d11c2a4b85e6733cf0a92d8417be5601f2c9d3ea47b80"
	rubricDigest = "a90b4c7d12e3f5068897a6b5c4d3e2f100112233445566778899aabbccddeeff"
	pinned       = "judge-mini-2026-03-01"
)

var monday = time.Date(2026, 10, 5, 0, 0, 0, 0, time.UTC)

// experiment is the founding case's: one candidate, a gate on its tail.
func experiment() reports.Experiment {
	return reports.Experiment{
		Name: "support-2026-10", Digest: digest, Start: monday, Stop: monday.AddDate(0, 0, 28),
		Live: "api.openai.com", Candidates: []reports.Arm{{Name: "cand-a", Model: "gemini-4-flash", Timeout: time.Minute}},
		Judge:  reports.Judge{Primary: "judge-a", Pinned: pinned, Reserve: "judge-b", ReservePinned: "judge-b-2026-02-02"},
		Rubric: "standard", Digests: rubricDigest,
		Problems: []rubric.Problem{rubric.None, "incomplete", "factual_error", "tone", "unsafe"},
		Limits:   []time.Duration{3 * time.Second, 6 * time.Second, 10 * time.Second}, Level: 0.95,
		Gate: reports.Gate{
			Margin: 0.10, Alpha: 0.05, PlannedPairs: 900, BurnIn: reports.BurnIn{Pairs: 50, Sessions: 30},
			Over:             []reports.ShareLimit{{Limit: 3 * time.Second, Share: 0.05}, {Limit: 10 * time.Second, Share: 0.01}},
			FailuresIncrease: new(0.02),
			ProblemIncrease:  []reports.ProblemLimit{{Problem: "unsafe", Increase: 0.02}},
		},
	}
}

func sampleID(i int) shadow.SampleID {
	var id shadow.SampleID
	binary.BigEndian.PutUint64(id[8:], uint64(i)+1)
	return id
}

// answered is a row of an answer that has no grade yet: one minute after the other,
// each its own session.
func answered(i int, arm shadow.Arm, took time.Duration) sinks.Row {
	return sinks.Row{
		Sample: sampleID(i), Arm: arm, Experiment: "support-2026-10", Digest: digest,
		Seen: monday.Add(time.Duration(i) * time.Minute), Session: fmt.Sprintf("s-%d", i), Route: "/v1/chat/completions",
		Dialect: llm.OpenAIChat, Rate: 0.01, JudgeRate: 0.01, State: sinks.Answered,
		Model: llm.Snapshot(arm) + "-2026", Took: new(took), Attempts: new(int32(1)), TokensOut: new(int64(100 + i%7)),
		Rubric: rubricDigest,
	}
}

func graded(i int, arm shadow.Arm, grade int, took time.Duration) sinks.Row {
	r := answered(i, arm, took)
	r.JudgeState, r.Grade, r.Problem = judge.StateGraded, new(rubric.Grade(grade)), problemOf(grade)
	r.Judge, r.JudgePinned, r.JudgeEcho = "judge-a", pinned, pinned
	return r
}

func problemOf(grade int) rubric.Problem {
	return [...]rubric.Problem{rubric.None, rubric.None, "incomplete", "incomplete", "tone", "factual_error"}[grade-1]
}

func notGraded(i int, arm shadow.Arm, why judge.NotGraded) sinks.Row {
	r := answered(i, arm, time.Second)
	r.JudgeState, r.JudgeReason, r.Judge, r.JudgePinned = judge.StateNotGraded, why, "judge-a", pinned
	return r
}

func failed(i int, arm shadow.Arm, why llm.Reason, took time.Duration) sinks.Row {
	r := answered(i, arm, took)
	r.State, r.Reason, r.TokensOut = sinks.Failed, string(why), nil
	r.Censored = why == llm.Timeout || why == llm.ClientAbort
	return r
}

func seq[T any](values []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// booksFor are books that balance with rows of n samples on the first day.
func booksFor(n int) []shadow.Books {
	day := monday.Format("2006-01-02")
	line := func(e shadow.Entry, reason string, count int) shadow.Line {
		return shadow.Line{Day: day, Endpoint: "/v1/chat/completions", Entry: e, Reason: reason, Count: int64(count)}
	}
	return []shadow.Books{{
		Experiment: "support-2026-10", Source: "tap-1", Number: 1,
		Lines: []shadow.Line{
			line(shadow.Seen, "", 101*n+2), line(shadow.EntryNotSampled, "rate", 100*n), line(shadow.EntrySampled, "", n+2),
			line(shadow.EntryPublished, "", n), line(shadow.EntryDropped, "queue_full", 2),
		},
	}}
}

func build(t *testing.T, e reports.Experiment, rows []sinks.Row, books []shadow.Books) reports.Report {
	t.Helper()
	r, err := reports.Build(seq(rows), seq(books), e, reports.Window{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readCases reads a golden file of rules or figures.
func readCases[T any](t testing.TB, name string) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []T }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

// foundingRows deals the grades of the founding case to 600 samples, the two arms
// independently of each other; a third of the candidate's calls take over 3 s.
func foundingRows(t testing.TB) []sinks.Row {
	t.Helper()
	type founding struct {
		ID    string
		Input struct {
			Live []int `json:"live_counts_1_to_6"`
			Cand []int `json:"cand_counts_1_to_6"`
		}
	}
	for _, c := range readCases[json.RawMessage](t, "founding_case.json") {
		var f founding
		if err := json.Unmarshal(c, &f); err == nil && f.ID == "unpaired_600_each" {
			return dealt(deck(f.Input.Live), deck(f.Input.Cand))
		}
	}
	t.Fatal("no case unpaired_600_each")
	return nil
}

func deck(counts []int) []int {
	var out []int
	for i, n := range counts {
		for range n {
			out = append(out, i+1)
		}
	}
	return out
}

func dealt(live, cand []int) []sinks.Row {
	var rows []sinks.Row
	n := len(live)
	for i := range n {
		a := graded(i, shadow.Live, live[i*97%n], liveTime(i))
		b := graded(i, "cand-a", cand[i*263%n], candTime(i*7%n))
		for _, r := range []*sinks.Row{&a, &b} {
			r.Session = fmt.Sprintf("s-%d", i*2/3)
			if r.Stream = i%3 == 0; r.Stream {
				r.FirstToken = new(*r.Took / 4)
			}
		}
		rows = append(rows, a, b)
	}
	return rows
}

// liveTime has 9 of 600 over 3 s, candTime 198 over 3 s and 81 over 6 s.
func liveTime(i int) time.Duration {
	if i%67 == 3 {
		return 3200*time.Millisecond + time.Duration(i)*time.Millisecond
	}
	return 700*time.Millisecond + time.Duration(i*37%600)*3*time.Millisecond
}

func candTime(i int) time.Duration {
	switch {
	case i < 402: // up to 3 s, its median makes 2.3 s over all
		return 1400*time.Millisecond + time.Duration(i)*3*time.Millisecond
	case i < 519:
		return 3010*time.Millisecond + time.Duration(i-402)*25*time.Millisecond
	}
	return 6050*time.Millisecond + time.Duration(i-519)*110*time.Millisecond
}
