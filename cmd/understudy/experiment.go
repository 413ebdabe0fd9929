package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
)

// experimentFile is the record of what was fixed before the run, beside the rows.
const experimentFile = "experiment.json"

// record is the experiment as it is stored: on the bus and beside the rows.
func record(e reports.Experiment) ([]byte, error) { return json.MarshalIndent(e, "", "  ") }

// sameExperiment refuses a record that was made by another configuration.
func sameExperiment(stored []byte, where string, e reports.Experiment) error {
	var old reports.Experiment
	if err := json.Unmarshal(stored, &old); err != nil {
		return fmt.Errorf("%s: the experiment record is damaged: %w", where, err)
	}
	switch {
	case old.Name != e.Name:
		return fmt.Errorf("%s holds the experiment %s, the configuration names %s; give each experiment its own sinks.dir", where, old.Name, e.Name)
	case old.Digest != e.Digest:
		return fmt.Errorf("%s: the experiment %s began with another configuration (digest %.12s, now %.12s); "+
			"what was fixed before the run cannot change in it: undo the change, or start a new experiment with another experiment.name and sinks.dir",
			where, e.Name, old.Digest, e.Digest)
	}
	return nil
}

// checkRows refuses to run into a folder that holds another experiment's rows.
func checkRows(s *setup) error {
	path := filepath.Join(s.cfg.Sinks.Dir, experimentFile)
	stored, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return sameExperiment(stored, path, s.experiment)
}

// readExperiment reads the record that the sinks wrote when the run began.
func readExperiment(dir string) (reports.Experiment, error) {
	path := filepath.Join(dir, experimentFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return reports.Experiment{}, fmt.Errorf("%s: no experiment was run yet; start one with \"understudy run\"", path)
	}
	if err != nil {
		return reports.Experiment{}, err
	}
	e, err := decodeRecord(data)
	if err != nil {
		return reports.Experiment{}, fmt.Errorf("%s is damaged: %w; put it back from a copy: nothing is decided without the record", path, err)
	}
	return e, nil
}

var digestText = regexp.MustCompile(`^[0-9a-f]{64}$`)

// decodeRecord reads one whole record and refuses what no configuration can have fixed.
func decodeRecord(data []byte) (reports.Experiment, error) {
	var e reports.Experiment
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return e, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return e, errors.New("something follows the record")
	}
	for _, part := range []struct {
		name string
		ok   bool
	}{
		{"name", e.Name != ""},
		{"digest", digestText.MatchString(e.Digest)},
		{"judge", e.Judge.Primary != "" && e.Judge.Pinned != ""},
		{"rubric_digest", e.Digests != ""},
		{"problems", len(e.Problems) > 0},
		{"limits_ns", len(e.Limits) > 0},
		{"level", e.Level > 0.5 && e.Level < 1},
		{"gate.margin", e.Gate.Margin > 0 && e.Gate.Margin < 5},
		{"gate.alpha", e.Gate.Alpha > 0 && e.Gate.Alpha <= 0.5},
		{"gate.planned_pairs", e.Gate.PlannedPairs >= 2},
	} {
		if !part.ok {
			return e, fmt.Errorf("%s has no value that a run writes", part.name)
		}
	}
	return e, nil
}

// loadRecorded reads the file that --config names and the record beside its rows.
func loadRecorded(cmd *cobra.Command) (*config.Config, reports.Experiment, error) {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, reports.Experiment{}, err
	}
	e, err := recorded(cmd, cfg)
	return cfg, e, err
}

// recorded is the record beside the rows. Rows of another experiment than the
// configuration's are refused; where the configuration was changed since the run
// began, that is said, and what was fixed then stays.
func recorded(cmd *cobra.Command, cfg *config.Config) (reports.Experiment, error) {
	e, err := readExperiment(cfg.Sinks.Dir)
	if err != nil {
		return e, err
	}
	if e.Name != cfg.Experiment.Name {
		return e, fmt.Errorf("%s: experiment.name: %s holds the experiment %s, the configuration names %s",
			cfg.At("experiment.name"), cfg.Sinks.Dir, e.Name, cfg.Experiment.Name)
	}
	r, err := loadRubric(cfg)
	switch {
	case err != nil:
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: the rubric cannot be read now; the one that the run began with counts:\n%v\n", err)
	case cfg.Digest(string(r.Digest())) != e.Digest:
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s was changed since the run began; what was fixed then counts\n", cfg.File)
	}
	return e, nil
}
