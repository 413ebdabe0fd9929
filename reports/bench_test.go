package reports_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// BenchmarkBuild is a report on 100,000 samples of 30,000 sessions.
func BenchmarkBuild(b *testing.B) {
	const n = 100_000
	rows := make([]sinks.Row, 0, 2*n)
	for i := range n {
		live := graded(i, shadow.Live, 1+i%6, time.Duration(500+i*7%2500)*time.Millisecond)
		cand := graded(i, "cand-a", 1+i*7%6, time.Duration(500+i*11%4500)*time.Millisecond)
		live.Session = fmt.Sprintf("s-%d", i*3/10)
		cand.Session = live.Session
		rows = append(rows, live, cand)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reports.Build(seq(rows), seq(booksFor(n)), experiment(), reports.Window{}); err != nil {
			b.Fatal(err)
		}
	}
}
