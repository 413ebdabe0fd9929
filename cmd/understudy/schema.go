package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/shadow/tap"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema sample",
		Short: "Print the JSON Schema of what other services send",
		Long: `schema sample prints the JSON Schema (draft 2020-12) of a sample document: one
request to a model with the answer that the user got, for services that cannot
stand behind the tap. They post it to tap.ingest.listen (POST /samples: one as
application/json, several as application/x-ndjson, one a line), send it over NATS
(subject understudy.in.<experiment>, with tap.ingest.nats), or write it to a file for
"understudy replay". The report's schema is "understudy report --format schema".`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != "sample" {
				return errors.New("there is one schema here: understudy schema sample")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(tap.Schema())
			return err
		},
	}
}
