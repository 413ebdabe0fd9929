package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRubric() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rubric",
		Short: "Look at a rubric before it grades",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	lint := &cobra.Command{
		Use:   "lint DIR",
		Short: "Say what cannot work in a rubric, and what may mislead a judge",
		Long: `lint reads rubric.yaml and prompt.tmpl in a folder, with no configuration and no
network. What cannot work is an error with file, line and column, as in check: a missing
or repeated grade anchor, a problem that comes twice, a list without none, a prompt that
leaves something out. What may mislead is a remark, and the exit status stays 0: ids
that overlap (too_long, too_long_intro), problems with the same line of use, an anchor
of under four words. A list that is read is never too long for a provider's schema.`,
		Example: `  understudy rubric lint rubric.d`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := loadFolder(args[0])
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			remarks := r.Remarks()
			for _, text := range remarks {
				fmt.Fprintf(out, "%s: %s\n", args[0], text)
			}
			if len(remarks) == 0 {
				fmt.Fprintf(out, "%s: nothing to remark\n", args[0])
			}
			_, err = fmt.Fprintf(out, "rubric %s, digest %.12s, %d problems\n", r.Name(), r.Digest(), len(r.Problems()))
			return err
		},
	}
	try := newRubricTry()
	strictArgs(lint)
	strictArgs(try)
	cmd.AddCommand(lint, try)
	return cmd
}
