package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/reports"
)

func newMark() *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use:   "mark TEXT",
		Short: "Write down what happened, e.g. a release, to be shown in the weekly report",
		Long: `mark adds a line with its time to marks.jsonl in sinks.dir. Reports show it beside
what they find in the rows themselves: new snapshots of live and candidates, changed
rates, another experiment, rubric or judge.`,
		Example: `  understudy mark "released the new system prompt"
  understudy mark --at 2026-10-07T09:30:00Z "raised the retrieval limit to 12 passages"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			when, err := markTime(at, time.Now().UTC())
			if err != nil {
				return usageError{err}
			}
			m, err := reports.NewMark(when, strings.Join(args, " "))
			if err != nil {
				return usageError{err}
			}
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			if _, err := readExperiment(cfg.Sinks.Dir); err != nil {
				return err
			}
			if err := appendMark(cfg.Sinks.Dir, m); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "marked %s UTC: %s\n", m.Time.Format(time.DateTime), m.Text)
			return err
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "when it happened: a UTC `TIME` such as 2026-10-07T09:30:00Z, or a day (default: now)")
	return cmd
}

// markTime reads --at; what has not happened cannot be marked.
func markTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	switch {
	case err != nil:
		return at, fmt.Errorf("--at %q: want a time such as 2026-10-07T09:30:00Z or a day such as 2026-10-07", text)
	case at.After(now):
		return at, fmt.Errorf("--at %s: it has not happened yet", text)
	}
	return at, nil
}

func marksPath(dir string) string { return filepath.Join(dir, "marks.jsonl") }

// appendMark adds a line, and returns when it is on the disk. A file that ends within
// a line, or that holds something else, is left as it is.
func appendMark(dir string, m reports.Mark) error {
	if _, err := readMarks(dir); err != nil {
		return err
	}
	line, err := m.Line()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(marksPath(dir), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a new name in a folder last.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// readMarks reads the marks beside the rows; none if nobody wrote one.
func readMarks(dir string) ([]reports.Mark, error) {
	path := marksPath(dir)
	data, err := wholeLines(path)
	if err != nil || data == nil {
		return nil, err
	}
	marks, err := reports.ReadMarks(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; mend that line or take it out", path, err)
	}
	return marks, nil
}
