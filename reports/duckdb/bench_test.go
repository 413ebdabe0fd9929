package duckdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// keepVariable names a folder that keeps the made files for the next run.
const keepVariable = "UNDERSTUDY_BENCH_DIR"

func BenchmarkReport1M(b *testing.B) { benchmark(b, dataset{seed: 1, pairs: 500_000, failed: 0.009}) }
func BenchmarkReport10M(b *testing.B) {
	benchmark(b, dataset{seed: 1, pairs: 5_000_000, failed: 0.009})
}

// benchmark runs both sides in turn, each first every other time, and reports the
// medians over the iterations.
func benchmark(b *testing.B, d dataset) {
	dir, err := d.kept(b)
	if err != nil {
		b.Fatal(err)
	}
	runs := map[side][]run{}
	for i := 0; b.Loop(); i++ {
		sides := []side{duckDB, report}
		if i%2 == 1 {
			slices.Reverse(sides)
		}
		for _, s := range sides {
			r, err := start(b.Context(), s, dir)
			if err != nil {
				b.Fatal(err)
			}
			runs[s] = append(runs[s], r)
		}
		if d := diff(runs[duckDB][i].Figures, runs[report][i].Figures); d != "" {
			b.Fatalf("DuckDB and report differ (-DuckDB +report):\n%s", d)
		}
	}
	for _, m := range []struct {
		name  string
		value func(run) float64
	}{
		{"s", func(r run) float64 { return r.Wall.Seconds() }},
		{"cpu-s", func(r run) float64 { return r.CPU.Seconds() }},
		{"MiB", func(r run) float64 { return float64(r.Peak) / (1 << 20) }},
	} {
		var ratios []float64
		for i, r := range runs[report] {
			ratios = append(ratios, m.value(r)/m.value(runs[duckDB][i]))
		}
		b.ReportMetric(median(ratios), m.name+"-ratio")
		for s, rs := range runs {
			var values []float64
			for _, r := range rs {
				values = append(values, m.value(r))
			}
			b.ReportMetric(median(values), string(s)+"-"+m.name)
		}
	}
	b.ReportMetric(0, "ns/op") // says nothing: both sides together
}

// kept makes the files once, or finds them where an earlier run kept them.
func (d dataset) kept(b *testing.B) (string, error) {
	parent := os.Getenv(keepVariable)
	if parent == "" {
		parent = b.TempDir()
	}
	dir := filepath.Join(parent, fmt.Sprintf("%d-pairs-seed-%d", d.pairs, d.seed))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(parent, "unfinished-")
	if err != nil {
		return "", err
	}
	if err := d.write(b.Context(), made); err != nil {
		return "", err
	}
	return dir, os.Rename(made, dir)
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
