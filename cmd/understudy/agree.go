package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/reports"
)

func newAgree() *cobra.Command {
	return &cobra.Command{
		Use:   "agree",
		Short: "Print how the judge agrees with people, with itself and with its reserve",
		Long: `agree prints what is known of the judge by other grades of the same answers: people's
("understudy label"), with kappa, the table of grades, and means and deltas corrected by
them; people among themselves; its own when asked again (judge.repeat); and the reserve
judge's (judge.agreement). What was not measured is said to be so.`,
		Example: `  understudy agree`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := readReport(cmd, reports.Window{}, reports.AsOf(time.Now().UTC()))
			if err != nil {
				return err
			}
			if r.People == nil && r.Judge.Repeats == nil && r.Judge.Agreement == nil {
				return fmt.Errorf("%s: nobody but the judge graded these answers: draw some for people by \"understudy label export\", or set judge.repeat or judge.agreement", r.Experiment.Name)
			}
			return r.AgreementText(cmd.OutOrStdout(), terminalWidth(cmd.OutOrStdout()))
		},
	}
}
