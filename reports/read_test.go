package reports_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// trials deals n trials of sessions of any size over a week: answers, failures of
// every kind, answers that are not graded or not drawn, tags and routes.
func trials(n int) []judge.Graded {
	rng := rand.New(rand.NewPCG(7, 7))
	gs := make([]judge.Graded, n)
	for i := range gs {
		seen := monday.Add(time.Duration(i) * 7 * 24 * time.Hour / time.Duration(n))
		s := shadow.Sample{
			Experiment: "support-2026-10", Tap: fmt.Sprintf("tap-%d", i%3), Seq: uint64(i/3) + 1, Seen: seen,
			Session: fmt.Sprintf("s-%d", rng.IntN(n/4+1)), Route: []string{"/a", "/b"}[rng.IntN(2)], Rate: 0.01, Stream: i%3 == 0,
			Tags: map[string]string{"language": []string{"de", "en", "fr"}[rng.IntN(3)]}, Redacted: i%50 == 0,
		}
		binary.BigEndian.PutUint64(s.ID[8:], rng.Uint64())
		s.Live = dealtAnswer(rng, shadow.Live, s.Stream)
		cand := dealtAnswer(rng, "cand-a", s.Stream)
		cand.Queued = time.Duration(rng.IntN(1000)) * time.Millisecond
		g := judge.Graded{
			Trial: shadow.Trial{Sample: s, Candidates: []shadow.Answer{cand}}, Digest: digest, Share: 1, Rubric: rubricDigest,
		}
		for _, a := range []shadow.Answer{s.Live, cand} {
			if a.Failure == "" {
				g.Rulings = append(g.Rulings, dealtRuling(rng, a.Arm))
			}
		}
		gs[i] = g
	}
	return gs
}

func dealtAnswer(rng *rand.Rand, arm shadow.Arm, stream bool) shadow.Answer {
	a := shadow.Answer{
		Arm: arm, Share: 1, Snapshot: llm.Snapshot(arm) + "-2026", Text: "yes", Finish: llm.FinishStop, Attempts: 1, Status: 200,
		Took:  time.Duration(500_000+rng.ExpFloat64()*2_000_000) * time.Microsecond,
		Usage: llm.Usage{In: new(int64(rng.IntN(900))), Out: new(int64(rng.IntN(300))), Reasoning: new(int64(rng.IntN(9)))},
	}
	if stream {
		a.FirstToken = a.Took / 3
	}
	switch rng.IntN(40) {
	case 0:
		a.Failure, a.Censored, a.Took = llm.Timeout, true, 20*time.Second
	case 1:
		a.Failure = llm.Status5xx
	case 2:
		a.Failure, a.Censored = llm.ClientAbort, true
	}
	return a
}

func dealtRuling(rng *rand.Rand, arm shadow.Arm) judge.Ruling {
	grade := 1 + rng.IntN(6)
	r := judge.Ruling{
		Arm: arm, State: judge.StateGraded, Verdict: &rubric.Verdict{Grade: rubric.Grade(grade), Problem: problemOf(grade), Reason: "so"},
		Judge: "judge-a", Pinned: pinned, Echo: pinned, Took: time.Duration(rng.IntN(2000)) * time.Millisecond, Calls: 1,
	}
	switch rng.IntN(30) {
	case 0:
		r.State, r.Verdict, r.Reason = judge.StateNotGraded, nil, judge.NoMalformed
	case 1:
		r.State, r.Verdict, r.Judge, r.Pinned, r.Echo = judge.StateNotDrawn, nil, "", "", ""
	case 2:
		r.Judge, r.Pinned, r.Echo, r.Hedged = "judge-b", "judge-b-2026-02-02", "judge-b-2026-02-02", true
	}
	return r
}

// written writes trials in flushes of so many and gives the sink's folder.
func written(t testing.TB, gs []judge.Graded, flush int) string {
	t.Helper()
	dir := t.TempDir()
	w, err := sinks.Open(dir, sinks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(gs, flush) {
		if err := w.Write(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteBooks(t.Context(), booksFor(len(gs))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fuller is an experiment whose gate asks for everything.
func fuller() reports.Experiment {
	e := experiment()
	e.Gate.FirstTokenOver = []reports.ShareLimit{{Limit: time.Second, Share: 0.5}}
	return e
}

// TestRead: the report over columns is the report over rows, with redelivered trials,
// another verdict on some, and rows of another experiment among them.
func TestRead(t *testing.T) {
	gs := trials(3000)
	again := slices.Clone(gs[500:600])
	for i := range again {
		if again[i].Rulings = slices.Clone(again[i].Rulings); i%3 == 0 && len(again[i].Rulings) > 0 {
			again[i].Rulings[0] = dealtRuling(rand.New(rand.NewPCG(uint64(i), 1)), again[i].Rulings[0].Arm)
		}
		if i%7 == 0 {
			again[i].Trial.Sample.Experiment = "other"
		}
	}
	dir := os.DirFS(written(t, append(gs, again...), 900))
	for _, w := range []reports.Window{{}, {From: monday.AddDate(0, 0, 2), To: monday.AddDate(0, 0, 4)}, week(t, "2026-W41")} {
		want, err := reports.Build(sinks.Scan(dir), sinks.ScanBooks(dir), fuller(), w)
		if err != nil {
			t.Fatal(err)
		}
		got, err := reports.Read(dir, fuller(), w)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if w.From.IsZero() && (got.Rows.Used != 6000 || got.Rows.Conflicts == 0 || got.Rows.OtherExperiment == 0) {
			t.Errorf("rows %+v", got.Rows)
		}
	}
}

// TestReadErrors: a folder without rows and a damaged file are errors, not less data.
func TestReadErrors(t *testing.T) {
	if _, err := reports.Read(fstest.MapFS{}, experiment(), reports.Window{}); err == nil {
		t.Error("a folder without rows is no error")
	}
	if _, err := reports.Read(os.DirFS(t.TempDir()), experiment(), reports.Window{From: monday.Add(time.Hour)}); err == nil {
		t.Error("a window of half a day is no error")
	}
}
