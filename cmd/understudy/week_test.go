package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// sixteenDays writes the record, the rows and the books of an experiment that ran
// from Monday, 2026-10-05 for sixteen days, twenty samples a day: two whole weeks and
// two days. On the second Monday live was released anew, and is a grade worse since.
func sixteenDays(file string) error {
	cfg, err := config.Load(file)
	if err != nil {
		return err
	}
	s, err := newSetup(cfg)
	if err != nil {
		return err
	}
	data, err := record(s.experiment)
	if err != nil {
		return err
	}
	w, err := sinks.Open(cfg.Sinks.Dir, sinks.Options{KeepText: cfg.Sinks.KeepText > 0})
	if err != nil {
		return err
	}
	const perDay, days = 20, 16
	var gs []judge.Graded
	books := shadow.Books{Experiment: s.experiment.Name, Source: "tap", Number: 1}
	for i := range perDay * days {
		seen := time.Date(2026, 10, 5, 0, i%perDay*30, 0, 0, time.UTC).AddDate(0, 0, i/perDay)
		gs = append(gs, s.weekly(i, seen))
		for _, entry := range []shadow.Entry{shadow.Seen, shadow.EntrySampled, shadow.EntryPublished} {
			books.Lines = append(books.Lines, shadow.Line{Day: seen.Format(time.DateOnly), Endpoint: "/v1/chat/completions", Entry: entry, Count: 1})
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(cfg.Sinks.Dir, experimentFile), data, 0o644),
		w.Write(context.Background(), gs), w.WriteBooks(context.Background(), []shadow.Books{books}))
}

// weekly is one graded sample.
func (s *setup) weekly(i int, seen time.Time) judge.Graded {
	e := s.experiment
	answer := func(arm shadow.Arm, model llm.Snapshot, took time.Duration) shadow.Answer {
		return shadow.Answer{Arm: arm, Share: 1, Snapshot: model, Text: "yes", Finish: llm.FinishStop, Attempts: 1, Status: 200, Took: took}
	}
	model, grade := llm.Snapshot("live-1"), 1+i%3
	if !seen.Before(time.Date(2026, 10, 12, 0, 0, 0, 0, time.UTC)) {
		model, grade = "live-2", 2+i%3
	}
	g := judge.Graded{Digest: e.Digest, Share: 1, Rubric: e.Digests, Trial: shadow.Trial{
		Sample: shadow.Sample{
			Experiment: e.Name, Tap: "tap", Seq: uint64(i + 1), Seen: seen, Session: fmt.Sprint("s-", i), Route: "/v1/chat/completions",
			Rate: 0.01, Live: answer(shadow.Live, model, time.Second), Dialect: llm.OpenAIChat,
			Request: fmt.Appendf(nil, `{"model":"live-1","messages":[{"role":"user","content":"question %d"}]}`, i),
		},
		Candidates: []shadow.Answer{answer(e.Candidates[0].Name, "cand-1", time.Duration(1+i%4)*time.Second)},
	}}
	binary.BigEndian.PutUint64(g.Trial.Sample.ID[8:], uint64(i+1))
	for k, a := range g.Trial.Answers() {
		verdict := &rubric.Verdict{Grade: rubric.Grade([]int{grade, 1 + i%5%3}[k]), Problem: rubric.None}
		g.Rulings = append(g.Rulings, judge.Ruling{
			Arm: a.Arm, State: judge.StateGraded, Verdict: verdict, Judge: e.Judge.Primary, Pinned: e.Judge.Pinned, Echo: e.Judge.Pinned,
			Took: time.Duration(400+i) * time.Millisecond, Calls: 1,
		})
	}
	return g
}
