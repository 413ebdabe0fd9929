package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
)

// Rows wait for the books of their tap, as long as these may still come.
func TestRowsWaitForTheirBooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sampled := func(seq uint64, ago time.Duration) []judge.Graded {
			s := shadow.Sample{Tap: "tap", Seq: seq, Seen: time.Now().Add(-ago)}
			s.Live.Took = time.Second
			return []judge.Graded{{Trial: shadow.Trial{Sample: s}}}
		}
		published := func(number uint64, n int64) shadow.Books {
			return shadow.Books{Source: "tap", Number: number, Lines: []shadow.Line{{Entry: shadow.EntryPublished, Count: n}}}
		}
		r := newReach()
		r.add([]shadow.Books{published(1, 3)})
		r.add([]shadow.Books{published(1, 3)}) // delivered twice, counted once
		wait := func(graded []judge.Graded) time.Duration {
			t.Helper()
			began := time.Now()
			if err := r.await(t.Context(), graded, time.Minute); err != nil {
				t.Error(err)
			}
			return time.Since(began)
		}
		if got := wait(sampled(3, 0)); got != 0 {
			t.Errorf("booked, yet waited %s", got)
		}
		if got := wait(sampled(4, 0)); got != time.Minute+time.Second {
			t.Errorf("not booked: waited %s, want a minute from the live answer's end", got)
		}
		if got := wait(sampled(4, time.Hour)); got != 0 {
			t.Errorf("its tap was killed an hour ago, yet waited %s", got)
		}
		go func() {
			time.Sleep(10 * time.Second)
			r.add([]shadow.Books{published(2, 1)})
		}()
		if got := wait(sampled(4, 0)); got != 10*time.Second {
			t.Errorf("booked after 10 s, waited %s", got)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := r.await(ended, sampled(9, 0), time.Minute); !errors.Is(err, context.Canceled) {
			t.Errorf("an ended context: %v", err)
		}
	})
}
