package stats_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// published is a folder of published data beside this module. It is not part of
// the module (one set may not be copied), so its tests are left out where it is
// absent.
func published(t *testing.T, folder string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", "data", folder)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("published data %s is not beside the module", folder)
	}
	return path
}

type row map[string]string

func (r row) num(t *testing.T, key string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[key], 64)
	if err != nil {
		t.Fatalf("column %s: %v", key, err)
	}
	return v
}

func table(t *testing.T, folder, file string) []row {
	t.Helper()
	f, err := os.Open(filepath.Join(published(t, folder), file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, line := range lines[1:] {
		r := row{}
		for i, v := range line {
			r[lines[0][i]] = v
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatalf("%s/%s is empty", folder, file)
	}
	return rows
}

// recomputed reads what R made of the same data.
func recomputed(t *testing.T, folder string, v any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(published(t, folder), "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatal(err)
	}
}

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*max(1e-3, math.Abs(want))) {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}
