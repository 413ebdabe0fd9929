package stats_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What testdata must hold: 33 reference files with 276 cases, less missing_pairs
// and decision (4 and 10 cases), which are rules of a report and not statistics.
const goldenFiles, goldenCases = 31, 262

// checked holds file/case of every golden case of which a test compared a value.
var checked = map[string]bool{}

// TestMain fails a full run in which a golden case was not compared: a new file
// without a test, a case that a test leaves out or of which it skips every field.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if code == 0 && fullRun() {
		if err := allChecked(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

func fullRun() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return true
}

func allChecked() error {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil {
		return err
	}
	missing := map[string]bool{}
	cases := 0
	for _, path := range paths {
		file, err := readGolden(path)
		if err != nil {
			return err
		}
		cases += len(file.Cases)
		for _, c := range file.Cases {
			if id := file.Name + "/" + c.ID; !checked[id] {
				missing[id] = true
			}
		}
	}
	if len(paths) != goldenFiles || cases != goldenCases {
		return fmt.Errorf("testdata has %d files with %d cases, want %d and %d", len(paths), cases, goldenFiles, goldenCases)
	}
	if len(missing) > 0 {
		return fmt.Errorf("golden cases without a comparison: %v", slices.Sorted(maps.Keys(missing)))
	}
	return nil
}

type goldenFile struct {
	Name      string
	Tolerance struct{ Rel, Abs float64 }
	Cases     []struct {
		ID     string
		Input  map[string]json.RawMessage
		Expect json.RawMessage
	}
}

func readGolden(path string) (goldenFile, error) {
	var file goldenFile
	raw, err := os.ReadFile(path)
	if err != nil {
		return file, err
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}
