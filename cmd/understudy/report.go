package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

func newReport() *cobra.Command {
	var format, out string
	var asked windowAsked
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Compare the candidates with the live model on the rows so far",
		Long: `report reads the Parquet rows and the experiment record in sinks.dir and prints
the decision, the grade deltas with their standard errors, the latency tails, the
problems and the books. Deltas are candidate minus live: negative is better.

--week is a week of ISO 8601 in UTC, Monday to Sunday. It comes with the trend of up
to eight weeks that end with it. Whatever the first day, what is decided rests on all
rows since the experiment's start.

The same rows and the same experiment give the same bytes. Text is as wide as COLUMNS
says, else as the terminal, else 120 columns; no figure is cut at any width.`,
		Example: `  understudy report
  understudy report --format markdown --out report.md
  understudy report --format html --out report.html
  understudy report --week last
  understudy report --from 2026-10-05 --to 2026-10-12`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			now := time.Now().UTC()
			window, err := asked.window(now)
			if err != nil {
				return usageError{err}
			}
			if err := checkFormat(format, out == "" && isTerminal(cmd.OutOrStdout())); err != nil {
				return usageError{err}
			}
			if window.From.After(now) {
				return fmt.Errorf("%s has not begun: its first day is %s, and today is %s (UTC)", asked.name(), window.From.Format(time.DateOnly), now.Format(time.DateOnly))
			}
			if format == "schema" { // it needs no rows
				return toFile(out, cmd.OutOrStdout(), func(w io.Writer) error {
					_, err := w.Write(reports.Schema())
					return err
				})
			}
			r, err := readReport(cmd, window, reports.AsOf(now))
			if err != nil {
				return err
			}
			return toFile(out, cmd.OutOrStdout(), func(w io.Writer) error {
				return writeReport(w, format, r, now)
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown, html (one file with plots), png (the main plot, for a message), json, or schema (JSON Schema of json)")
	cmd.Flags().StringVar(&out, "out", "", "write to `FILE` instead of standard output")
	asked.flags(cmd)
	return cmd
}

func checkFormat(format string, terminal bool) error {
	switch {
	case !slices.Contains([]string{"text", "markdown", "html", "png", "json", "schema"}, format):
		return fmt.Errorf("--format %q: want text, markdown, html, png, json or schema", format)
	case format == "png" && terminal:
		return errors.New("--format png: an image is no text for a terminal; name a file with --out")
	}
	return nil
}

// readReport builds the report from the rows that the configuration points to.
func readReport(cmd *cobra.Command, w reports.Window, options ...reports.Option) (reports.Report, error) {
	cfg, _, err := loadRecorded(cmd)
	if err != nil {
		return reports.Report{}, err
	}
	marks, err := readMarks(cfg.Sinks.Dir)
	if err != nil {
		return reports.Report{}, err
	}
	labels, err := readLabels(cfg.Sinks.Dir)
	if err != nil {
		return reports.Report{}, err
	}
	return buildReport(cfg.Sinks.Dir, w, append(options, reports.WithMarks(marks), reports.WithLabels(labels))...)
}

// buildReport reads a folder of rows: first that every booked file is there and
// whole, then the rows.
func buildReport(dir string, w reports.Window, options ...reports.Option) (reports.Report, error) {
	if os.Getenv("GOGC") == "" {
		// Nearly all that a report allocates stays, without pointers: to collect often
		// costs little and saves a third of the peak. Measured at 10 million rows.
		defer debug.SetGCPercent(debug.SetGCPercent(30))
	}
	exp, err := readExperiment(dir)
	if err != nil {
		return reports.Report{}, err
	}
	fsys := os.DirFS(dir)
	if err := sinks.Verify(fsys); err != nil {
		return reports.Report{}, fmt.Errorf("rows in %s: %w%s", dir, err, mending(err))
	}
	if _, err := os.Stat(filepath.Join(dir, "rows")); errors.Is(err, fs.ErrNotExist) {
		return reports.Report{}, fmt.Errorf("no rows in %s yet: the first come when sinks.flush of a run is due; if there were some, put the folder back from a copy", dir)
	}
	if err := endsTooEarly(fsys, w); err != nil {
		return reports.Report{}, fmt.Errorf("rows in %s: %w", dir, err)
	}
	r, err := reports.Read(fsys, exp, w, options...)
	if err != nil {
		return reports.Report{}, fmt.Errorf("rows in %s: %w%s", dir, err, mending(err))
	}
	return r, nil
}

// mending says what to do about files that are damaged, gone or not ours.
func mending(err error) string {
	missing := &sinks.MissingError{}
	if errors.Is(err, sinks.ErrForeign) {
		return "; move it out of the folder: what a run wrote there is all that is read"
	}
	if !errors.Is(err, sinks.ErrDamaged) && !errors.As(err, &missing) {
		return ""
	}
	return "; nothing is decided without these rows: put the file back from a copy, or go on with a new experiment.name and sinks.dir"
}

// endsTooEarly refuses a window that ends before the first day with rows: a report
// without a row would look as if there were nothing to decide on.
func endsTooEarly(fsys fs.FS, w reports.Window) error {
	days, err := fs.Glob(fsys, "rows/date=*")
	if err != nil || len(days) == 0 || w.To.IsZero() {
		return err
	}
	first := strings.TrimPrefix(slices.Min(days), "rows/date=")
	if last := w.To.AddDate(0, 0, -1).Format(time.DateOnly); last < first {
		return fmt.Errorf("none up to %s, where the window ends; the first are of %s", last, first)
	}
	return nil
}

// toFile writes to a file, or to standard output where no file is named.
func toFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "" {
		return write(stdout)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// candidates lists the arms of an experiment that a decision can be made on.
func candidates(e reports.Experiment) []shadow.Arm {
	var arms []shadow.Arm
	for _, a := range e.Candidates {
		if !a.Control {
			arms = append(arms, a.Name)
		}
	}
	return arms
}

// writeReport renders a report with the decisions on its candidates.
func writeReport(w io.Writer, format string, r reports.Report, now time.Time) error {
	decisions, err := r.Experiment.Gate.DecideAll(r, now)
	if err != nil {
		return err
	}
	switch format {
	case "markdown":
		return r.Markdown(w, decisions)
	case "html":
		return r.HTML(w, decisions)
	case "png":
		return r.PNG(w, decisions)
	case "json":
		return r.JSON(w, decisions)
	default:
		return r.Text(w, terminalWidth(w), decisions)
	}
}
