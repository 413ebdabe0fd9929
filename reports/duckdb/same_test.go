package duckdb_test

import "testing"

// TestSameFigures: both sets of SQL over the files and the report agree on every figure.
func TestSameFigures(t *testing.T) {
	for _, c := range []struct {
		name, why string
		data      dataset
	}{
		{"200,000 rows", "every figure is a number", dataset{seed: 1, pairs: 100_000, failed: 0.009}},
		{"many failures", "p99 lies among failed calls and is none", dataset{seed: 2, pairs: 10_000, failed: 0.03}},
		{"20 sessions", "few degrees of freedom", dataset{seed: 3, pairs: 100, failed: 0.009}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.data.write(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			got, err := byReport(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			decided, err := byDecision(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			listed, err := byListed(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if d := diff(listed, decided) + diff(listed, got.listed()); d != "" {
				t.Errorf("%s: the listed figures differ (-DuckDB +report):\n%s", c.why, d)
			}
			whole, err := byWhole(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if d := diff(whole, got); d != "" {
				t.Errorf("%s: the report's figures differ (-DuckDB +report):\n%s", c.why, d)
			}
		})
	}
}
