package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
)

func newGate() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Decide on a candidate: go, no-go or keep running, as an exit status for CI",
		Long: `gate decides by the rule that was fixed before the run. Its exit status is

  0  go
  1  error; also: the books do not balance, so there is no decision
  2  wrong usage; also: several candidates and none named
  3  no-go; also: undecided at the stop date
  4  keep running; also: the arms' losses differ by over one percentage point

The control arm is never decided on.`,
		Example: `  understudy gate
  understudy gate --candidate cand-a`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			e, err := recorded(cmd, cfg)
			if err != nil {
				return err
			}
			arm, err := pickCandidate(e, name)
			if err != nil {
				return usageError{err}
			}
			r, err := buildReport(cfg.Sinks.Dir, reports.Window{})
			if err != nil {
				return err
			}
			d, err := e.Gate.Decide(r, arm, time.Now().UTC())
			if err != nil {
				return err
			}
			if err := d.Text(cmd.OutOrStdout(), terminalWidth(cmd.OutOrStdout())); err != nil {
				return err
			}
			if code := d.ExitCode(); code != exitOK {
				return decided{code}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "candidate", "", "decide on this `NAME` (default: the only candidate)")
	return cmd
}

// pickCandidate is the arm to decide on: the named one, or the only one.
func pickCandidate(e reports.Experiment, name string) (shadow.Arm, error) {
	arms := candidates(e)
	var names []string
	for _, a := range arms {
		names = append(names, string(a))
	}
	known := strings.Join(names, ", ")
	isControl := slices.ContainsFunc(e.Candidates, func(a reports.Arm) bool { return string(a.Name) == name && a.Control })
	switch {
	case isControl:
		return "", fmt.Errorf("--candidate %s: the control arm measures noise and is never decided on", name)
	case len(arms) == 0:
		return "", fmt.Errorf("the experiment %s has no candidate to decide on", e.Name)
	case name != "" && !slices.Contains(names, name):
		return "", fmt.Errorf("--candidate %q: the experiment's candidates are %s", name, known)
	case name != "":
		return shadow.Arm(name), nil
	case len(arms) > 1:
		return "", fmt.Errorf("several candidates (%s): name one with --candidate", known)
	}
	return arms[0], nil
}
