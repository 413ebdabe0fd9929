package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/stats"
)

func newLabel() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "label",
		Short: "Have people grade a blind sample of the answers that the judge graded",
		Long: `label draws answers for people to grade, and reads their grades back. Reports then
hold the judge against people, and correct its deltas by them (PPI++).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLabelExport(), newLabelImport())
	for _, c := range cmd.Commands() {
		strictArgs(c)
	}
	return cmd
}

func newLabelExport() *cobra.Command {
	var n int
	var seed uint64
	var format, out string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Draw answers at random and write them as a sheet to fill in, without arm and judge",
		Long: `export draws requests at random, of those whose live answer and a candidate's were
graded and whose texts are kept (sinks.keep_text), and writes all their graded answers,
in shuffled order: an id, the conversation, the answer, and two empty columns, grade
(1 best to 6 worst) and problem (one of the rubric's list, or left empty). Which arm
answered stands in labels.key.jsonl in sinks.dir alone: keep that from who grades.

The same seed draws the same answers, and with a larger --pairs more beside them. Below
20 labelled pairs reports show the mean of the labels only; from 50 on the corrected
delta stands beside the judge's own.

In CSV a conversation or answer that begins like a formula (=, +, -, @, tab) has an
apostrophe before it, so that no spreadsheet computes it.`,
		Example: `  understudy label export --out sheet.csv
  understudy label export --pairs 100 --seed 7 --format jsonl --out sheet.jsonl`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case n < 1:
				return usageError{fmt.Errorf("--pairs %d: want at least 1", n)}
			case format != "csv" && format != "jsonl":
				return usageError{fmt.Errorf("--format %q: want csv or jsonl", format)}
			}
			cfg, e, err := loadRecorded(cmd)
			if err != nil {
				return err
			}
			d, err := drawLabels(cfg.Sinks.Dir, e, n, seed)
			if err != nil {
				return err
			}
			if err := keepKey(cfg.Sinks.Dir, d.items); err != nil {
				return err
			}
			err = toFile(out, cmd.OutOrStdout(), func(w io.Writer) error { return writeSheet(w, format, d.items) })
			if err != nil {
				return err
			}
			fmt.Fprint(cmd.ErrOrStderr(), d.words(n))
			return nil
		},
	}
	cmd.Flags().IntVar(&n, "pairs", 50, "how many requests to draw; each has two answers or more")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "which draw")
	cmd.Flags().StringVar(&format, "format", "csv", "csv or jsonl")
	cmd.Flags().StringVar(&out, "out", "", "write to `FILE` instead of standard output")
	return cmd
}

// words say what was drawn, and of what.
func (d draw) words(asked int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "drawn: %d requests with %d answers, at random of %d with kept texts\n", d.requests, len(d.items), d.eligible)
	if d.eligible < d.graded {
		fmt.Fprintf(&b, "of %d graded requests no text is kept: the labels do not speak for them\n", d.graded-d.eligible)
	}
	if d.requests < asked {
		fmt.Fprintf(&b, "fewer than the %d asked for: there are no more\n", asked)
	}
	if d.requests < stats.FewLabels {
		fmt.Fprintf(&b, "a correction needs %d labelled requests\n", stats.FewLabels)
	}
	return b.String()
}

func newLabelImport() *cobra.Command {
	var rater, format string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read a sheet with grades back",
		Long: `import reads a sheet that one person filled in and adds the grades to labels.jsonl in
sinks.dir, all of them or, where a line is wrong, none. A line with an empty grade is
passed over. Several people may grade the same sheet: import each one's copy with his or
her name. What the same rater gave before counts once; another grade than before is
refused.

The columns id and grade must be there, problem may be, and conversation and answer are
not read. Separated by commas; spaces around a value and a byte order mark do no harm.`,
		Example: `  understudy label import --rater anna sheet.csv`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rater = strings.TrimSpace(rater); rater == "" {
				return usageError{errors.New("--rater: who graded? Name the person, or a pseudonym")}
			}
			format, err := sheetFormat(args[0], format)
			if err != nil {
				return usageError{err}
			}
			cfg, e, err := loadRecorded(cmd)
			if err != nil {
				return err
			}
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			lines, err := readSheet(f, args[0], format)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
			got, err := importLabels(cfg.Sinks.Dir, e.Problems, args[0], rater, lines)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d grades by %s added, %d were there before, %d lines without a grade\n",
				args[0], got.added, rater, got.before, got.empty)
			return err
		},
	}
	cmd.Flags().StringVar(&rater, "rater", "", "`NAME` of the person who graded")
	cmd.Flags().StringVar(&format, "format", "", "csv or jsonl (default: by the file's name)")
	return cmd
}

func sheetFormat(file, format string) (string, error) {
	switch {
	case format == "csv" || format == "jsonl":
		return format, nil
	case format != "":
		return "", fmt.Errorf("--format %q: want csv or jsonl", format)
	case strings.HasSuffix(file, ".csv"):
		return "csv", nil
	case strings.HasSuffix(file, ".jsonl"):
		return "jsonl", nil
	}
	return "", fmt.Errorf("%s ends neither in .csv nor in .jsonl: say --format", file)
}
