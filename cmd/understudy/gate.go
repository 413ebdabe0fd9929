package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
)

func newGate() *cobra.Command {
	var name, format string
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Decide on a candidate: go, no-go or keep running, as an exit status for CI",
		Long: `gate decides by the rule that was fixed before the run. Its exit status is

  0  go
  1  error; also: the books do not balance, so there is no decision
  2  wrong usage; also: several candidates and none named
  3  no-go; also: undecided at the stop date
  4  keep running; also: the arms' losses differ by over one percentage point

With --format json the decision is the one that a report's JSON holds; its schema is
Decision in the output of "understudy report --format schema".

The control arm is never decided on.`,
		Example: `  understudy gate
  understudy gate --candidate cand-a
  understudy gate --format json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return usageError{fmt.Errorf("--format %q: want text or json", format)}
			}
			cfg, e, err := loadRecorded(cmd)
			if err != nil {
				return err
			}
			arm, err := pickCandidate(e, name)
			if err != nil {
				return usageError{err}
			}
			r, err := buildReport(cfg.Sinks.Dir, reports.Window{}, reports.ForDecision())
			if err != nil {
				return err
			}
			d, err := e.Gate.Decide(r, arm, time.Now().UTC())
			if err != nil {
				return err
			}
			if err := writeDecision(cmd.OutOrStdout(), format, d); err != nil {
				return err
			}
			if code := d.ExitCode(); code != exitOK {
				return decided{code}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "candidate", "", "decide on this `NAME` (default: the only candidate)")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func writeDecision(w io.Writer, format string, d reports.Decision) error {
	if format == "json" {
		return d.JSON(w)
	}
	return d.Text(w, terminalWidth(w))
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
