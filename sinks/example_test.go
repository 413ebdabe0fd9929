package sinks_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

func Example() {
	dir, err := os.MkdirTemp("", "rows")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	w, err := sinks.Open(dir, sinks.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	seen := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	g := judge.Graded{
		Trial: shadow.Trial{
			Sample: shadow.Sample{ID: shadow.SampleID{1}, Seen: seen, Session: "s", Rate: 0.01,
				Live: shadow.Answer{Arm: shadow.Live, Share: 1, Took: 1200 * time.Millisecond}},
			Candidates: []shadow.Answer{{Arm: "terra", Share: 1, Failure: "timeout", Censored: true, Took: 20 * time.Second}},
		},
		Share:   1,
		Rulings: []judge.Ruling{{Arm: shadow.Live, State: judge.StateGraded, Verdict: &rubric.Verdict{Grade: 2, Problem: rubric.None}}},
	}
	for range 2 { // a redelivery
		if err := w.Write(context.Background(), []judge.Graded{g}); err != nil {
			fmt.Println(err) // and do not acknowledge
			return
		}
	}
	rows, duplicates := sinks.Once(sinks.Scan(os.DirFS(dir)))
	for r, err := range rows {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Arm, r.State, *r.Took, r.Censored, r.Grade != nil)
	}
	fmt.Println("duplicates", duplicates.Rows, "lost", sinks.Verify(os.DirFS(dir)))
	// Output:
	// live answered 1.2s false true
	// terra failed 20s true false
	// duplicates 0 lost <nil>
}

func ExampleRows() {
	g := judge.Graded{Trial: shadow.Trial{
		Sample:     shadow.Sample{Rate: 0.01, Live: shadow.Answer{Arm: shadow.Live, Share: 1, Text: "Gern."}},
		Candidates: []shadow.Answer{{Arm: "terra", Share: 0.3, NotAsked: shadow.NotAskedShare}},
	}}
	for _, r := range sinks.Rows(g) {
		fmt.Println(r.Arm, r.State, r.Reason, r.Rate, r.Took != nil)
	}
	// Output:
	// live answered  0.01 true
	// terra not_asked share 0.003 false
}
