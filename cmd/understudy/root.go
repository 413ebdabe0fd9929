package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (u usageError) Error() string { return u.err.Error() }
func (u usageError) Unwrap() error { return u.err }

// decided is a gate's answer other than go: not an error, but a status of its own.
type decided struct{ status int }

func (d decided) Error() string { return fmt.Sprintf("decision with exit status %d", d.status) }

// newRoot builds the command tree.
func newRoot(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "understudy",
		Short: "Shadow evaluation of LLMs: may a candidate take the stage?",
		Long: `understudy watches a live LLM service, lets other models answer a small sample of
the same requests in its shadow, has every answer graded by a pinned judge, and
says with standard errors and latency tails whether a candidate may be promoted.
A candidate's answer is never served.

Start with "understudy demo", then "understudy init".`,
		Version:       version(debug.ReadBuildInfo()),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.PersistentFlags().String("config", "understudy.yaml", "configuration `FILE`")
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{flagError(err)} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newDemo(), newInit(), newCheck(), newPlan(), newSimulate(), newRun(), newTap(), newReplay(), newSchema(), newReport(), newMark(), newGate(), newLabel(), newAgree(), newRubric())
	for _, c := range root.Commands() {
		strictArgs(c)
	}
	return root
}

// version is the module's, or else the revision that the program was built from.
func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	revision := setting["vcs.revision"]
	switch {
	case revision == "":
		return "unknown (built without its revision, as by go run)"
	case setting["vcs.modified"] == "true":
		return revision + ", modified"
	}
	return revision
}

// flagError says what a flag takes where the library would quote its parser.
func flagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	want := map[string]string{"float64": "a number", "bool": "true or false"}[invalid.GetFlag().Value.Type()]
	if want == "" {
		return err
	}
	return fmt.Errorf("--%s %q: want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
}

// strictArgs makes a wrong number of arguments a usage error.
func strictArgs(c *cobra.Command) {
	check := c.Args
	if check == nil {
		check = cobra.NoArgs
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}

// status turns the outcome of a command, named with its path, into an exit status, and prints what went wrong.
func status(command string, err error, stderr io.Writer) int {
	var d decided
	if err == nil {
		return exitOK
	}
	if errors.As(err, &d) {
		return d.status
	}
	fmt.Fprintln(stderr, "understudy:", err)
	if u := (usageError{}); errors.As(err, &u) || isUnknownCommand(err) {
		fmt.Fprintf(stderr, "see %q\n", command+" --help")
		return exitUsage
	}
	return exitError
}

// isUnknownCommand recognises cobra's only error for a command that does not
// exist; it has no type of its own.
func isUnknownCommand(err error) bool { return strings.HasPrefix(err.Error(), "unknown command ") }
