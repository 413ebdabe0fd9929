//go:build linux

package duckdb_test

import (
	"errors"
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

// benchmark runs the sides in turn, each first every fourth time, and holds their figures
// against each other.
func benchmark(b *testing.B, d dataset) {
	dir, err := d.kept(b)
	if err != nil {
		b.Fatal(err)
	}
	sides, runs := []side{duckDBListed, decision, duckDBWhole, report}, map[side][]run{}
	for i := 0; b.Loop(); i++ {
		for k := range sides {
			s := sides[(i+k)%len(sides)]
			r, err := start(b.Context(), s, dir)
			if err != nil {
				b.Fatal(err)
			}
			runs[s] = append(runs[s], r)
		}
		listed, whole, got := runs[duckDBListed][i].Figures, runs[duckDBWhole][i].Figures, runs[report][i].Figures
		if d := diff(listed, runs[decision][i].Figures) + diff(listed, got.listed()) + diff(whole, got); d != "" {
			b.Fatalf("DuckDB and report differ (-DuckDB +report):\n%s", d)
		}
	}
	b.ReportMetric(0, "ns/op") // all sides together: says nothing
	measure(b, runs, "time", "s", func(r run) float64 { return r.Wall.Seconds() })
	measure(b, runs, "cpu", "cpu-s", func(r run) float64 { return r.CPU.Seconds() })
	measure(b, runs, "memory", "MiB", func(r run) float64 { return float64(r.Peak) / (1 << 20) })
}

// measure reports the medians of a value for each side, and of its ratios: the decision
// against the listed queries, the report against either set.
func measure(b *testing.B, runs map[side][]run, name, unit string, value func(run) float64) {
	values := map[side][]float64{}
	for s, rs := range runs {
		for _, r := range rs {
			values[s] = append(values[s], value(r))
		}
		b.ReportMetric(median(values[s]), string(s)+"-"+unit)
	}
	for _, c := range [][2]side{{decision, duckDBListed}, {report, duckDBListed}, {report, duckDBWhole}} {
		var ratios []float64
		for i, v := range values[c[0]] {
			ratios = append(ratios, v/values[c[1]][i])
		}
		b.ReportMetric(median(ratios), name+"-"+string(c[0])+"-to-"+string(c[1]))
	}
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
		return "", errors.Join(err, os.RemoveAll(made))
	}
	return dir, os.Rename(made, dir)
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
