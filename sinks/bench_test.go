package sinks_test

import (
	"context"
	"os"
	"testing"

	"github.com/understudy-eval/understudy/sinks"
)

// 25,000 trials of four arms: 100,000 rows.
const benchTrials = 25_000

func BenchmarkWrite100k(b *testing.B) {
	gs := many(benchTrials)
	for b.Loop() {
		w, err := sinks.Open(b.TempDir(), sinks.Options{})
		if err == nil {
			err = w.Write(context.Background(), gs)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan100k(b *testing.B) {
	dir, _, data := oneFile(b, benchTrials)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		n := 0
		for _, err := range sinks.Scan(os.DirFS(dir)) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 4*benchTrials {
			b.Fatalf("%d rows", n)
		}
	}
}

func BenchmarkOnce100k(b *testing.B) {
	rows := rowsOf(many(benchTrials))
	for b.Loop() {
		once, _ := sinks.Once(stream(rows))
		for range once {
			continue
		}
	}
}
