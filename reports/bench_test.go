package reports_test

import (
	"os"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

// BenchmarkBuild is a report on rows in memory: 100,000 samples of two arms.
func BenchmarkBuild(b *testing.B) {
	var rows []sinks.Row
	for _, g := range trials(100_000) {
		rows = append(rows, sinks.Rows(g)...)
	}
	books := booksFor(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reports.Build(seq(rows), seq(books), experiment(), reports.Window{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkRead is a report on a million rows in files. times-batches is how long it
// takes against the bare reading of the columns, in the same run.
func BenchmarkRead(b *testing.B) {
	const n = 500_000
	dir := os.DirFS(written(b, trials(n), n))
	var bare, whole time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		err := sinks.EachGroup(dir, reports.ColumnsRead(), 0,
			func(g *sinks.Group) (int, error) { return g.Rows, nil }, func(int, *sinks.Batch) error { return nil }, func(int) error { return nil })
		bare += time.Since(start)
		if err != nil {
			b.Fatal(err)
		}
		start = time.Now()
		if _, err := reports.Read(dir, experiment(), reports.Window{}); err != nil {
			b.Fatal(err)
		}
		whole += time.Since(start)
	}
	b.ReportMetric(2*n*float64(b.N)/whole.Seconds(), "rows/s")
	b.ReportMetric(whole.Seconds()/bare.Seconds(), "times-batches")
}
