package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// setup is a configuration that has passed every check that needs no network.
type setup struct {
	cfg        *config.Config
	rubric     *rubric.Rubric
	experiment reports.Experiment
	warnings   []error
}

// loadConfig reads the file that --config names.
func loadConfig(cmd *cobra.Command) (*config.Config, error) {
	path, err := cmd.Flags().GetString("config")
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, usageError{errors.New("--config names no file")}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name the file in it: --config %s", path, filepath.Join(path, configFile))
	}
	cfg, err := config.Load(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; \"understudy init\" writes one, --config FILE names another", path)
	}
	return cfg, err
}

// loadSetup reads configuration and rubric and refuses what cannot work.
func loadSetup(cmd *cobra.Command) (*setup, error) {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	return newSetup(cfg)
}

func newSetup(cfg *config.Config) (*setup, error) {
	r, err := loadRubric(cfg)
	faults := config.Join(cfg.CheckSelf(ownNames()), err, checkReach(cfg, gateOf(cfg.Gate)), checkFolders(cfg), checkSpend(cfg))
	if err != nil {
		return nil, faults
	}
	var ids []string
	for _, p := range r.Problems() {
		ids = append(ids, string(p))
	}
	if err := config.Join(cfg.CheckRubric(ids), faults); err != nil {
		return nil, err
	}
	s := &setup{cfg: cfg, rubric: r, experiment: experimentOf(cfg, r)}
	s.warnings = append(slices.Clip(cfg.Warnings), append(overdue(cfg, time.Now()), named(cfg, r)...)...)
	return s, nil
}

// overdue warns of an experiment whose stop date is over.
func overdue(cfg *config.Config, now time.Time) []error {
	if stop := cfg.Experiment.Stop; stop.IsZero() || now.Before(stop) {
		return nil
	}
	return []error{&config.Error{
		Position: cfg.At("experiment.stop"), Key: "experiment.stop",
		Problem: "this day has come: what is still open is decided as no-go, and a run still samples and pays",
		Want:    "a later day, fixed before the experiment starts",
	}}
}

// experimentOf is the record of what the configuration fixes before the run.
func experimentOf(cfg *config.Config, r *rubric.Rubric) reports.Experiment {
	e := reports.Experiment{
		Name:       cfg.Experiment.Name,
		Digest:     cfg.Digest(string(r.Digest())),
		Start:      cfg.Experiment.Start,
		Stop:       cfg.Experiment.Stop,
		Live:       upstreamHost(cfg.Tap.Upstream),
		Judge:      reports.Judge{Primary: cfg.Judge.Primary, Reserve: cfg.Judge.Reserve},
		Rubric:     r.Name(),
		Digests:    r.Digest(),
		Problems:   r.Problems(),
		Limits:     cfg.Report.Limits,
		Level:      cfg.Report.Level,
		Gate:       gateOf(cfg.Gate),
		Candidates: armsOf(cfg),
	}
	if m, ok := cfg.Model(cfg.Judge.Primary); ok {
		e.Judge.Pinned = pinned(m)
	}
	if m, ok := cfg.Model(cfg.Judge.Reserve); ok {
		e.Judge.ReservePinned = pinned(m)
	}
	return e
}

// armsOf are the candidates of a configuration, control arms too.
func armsOf(cfg *config.Config) []reports.Arm {
	var out []reports.Arm
	for _, c := range cfg.Candidates {
		out = append(out, reports.Arm{Name: shadow.Arm(c.Name), Model: idOf(cfg, c.Model), Control: c.Control, Timeout: c.Timeout})
	}
	return out
}

// idOf is the id that a model is asked for by; a policy's is its name.
func idOf(cfg *config.Config, name string) string {
	if m, ok := cfg.Model(name); ok {
		return m.Model
	}
	return name
}

// pinned is the snapshot under which a judge's verdicts are counted: its id, and
// with a self-hosted one the digest of its weights.
func pinned(m config.Model) llm.Snapshot {
	if m.Digest == "" {
		return llm.Snapshot(m.Model)
	}
	return llm.Snapshot(m.Model + "@sha256:" + m.Digest)
}

func upstreamHost(upstream string) string {
	u, err := url.Parse(upstream)
	if err != nil {
		return ""
	}
	return u.Host
}

func gateOf(g config.Gate) reports.Gate {
	out := reports.Gate{
		Margin: g.Margin, Alpha: g.Alpha, PlannedPairs: g.PlannedPairs, BurnIn: reports.BurnIn(g.BurnIn),
		P95Increase: g.P95Increase, FailuresIncrease: g.FailuresIncrease, CostIncrease: g.CostIncrease, CostIfKnown: g.CostIncrease != nil && !g.CostGiven,
	}
	for _, l := range g.Over {
		out.Over = append(out.Over, reports.ShareLimit(l))
	}
	for _, l := range g.FirstTokenOver {
		out.FirstTokenOver = append(out.FirstTokenOver, reports.ShareLimit(l))
	}
	for _, p := range g.Problems {
		out.ProblemIncrease = append(out.ProblemIncrease, reports.ProblemLimit{
			Problem: rubric.Problem(p.Problem), Increase: p.Increase,
		})
	}
	return out
}
