package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

func newReplay() *cobra.Command {
	var answers string
	var rate float64
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Bring recorded traffic into the experiment",
		Long: `replay takes requests with the answers that users got from a file, and has them
answered, judged and written like live ones. FILE is
  a file of sample documents, one a line (see "understudy schema sample"),
  the request file of an OpenAI batch, with its output file as --answers, or
  the folder of an experiment's rows that kept its texts (sinks.dir).

With the embedded bus it plays candidates, judge and sinks itself and ends when all is
written; no "understudy run" may run beside it. With a NATS server as bus.url it only
brings the samples there, and "understudy run" does the rest.

Every request is taken unless --rate says otherwise; a document's own rate stays its
weight. Times stay as recorded (tag vantage=recorded); where a file has none, as an
OpenAI batch, the live arm is in no tail, so give the experiment a control arm. A request
is counted once however often it is replayed: an interrupted replay is started again.
Without an id it is known by its line's content.`,
		Example: `  understudy replay traffic.jsonl
  understudy replay requests.jsonl --answers output.jsonl
  understudy replay ../pilot/data/rows --rate 0.1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(rate > 0 && rate <= 1) {
				return usageError{fmt.Errorf("--rate %v: want a share over 0 and at most 1, such as 0.1", rate)}
			}
			s, err := loadSetup(cmd)
			if err != nil {
				return err
			}
			requests, err := openRecorded(args[0], answers, s.cfg.Sinks.Dir)
			if err != nil {
				return err
			}
			return runReplay(cmd.Context(), s, args[0], requests, rate, cmd.OutOrStdout(), newLog(cmd.ErrOrStderr()))
		},
	}
	cmd.Flags().StringVar(&answers, "answers", "", "output `FILE` of the OpenAI batch")
	cmd.Flags().Float64Var(&rate, "rate", 1, "take this `SHARE` of the sessions or requests")
	return cmd
}

// openRecorded finds out what a path holds, and refuses what would be read in vain.
func openRecorded(path, answers, own string) (iter.Seq2[recording, error], error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() || strings.HasSuffix(path, ".parquet") {
		return openRecordedRows(path, info.IsDir(), answers, own)
	}
	batch, err := isBatch(path)
	switch {
	case err != nil:
		return nil, err
	case !batch && answers != "":
		return nil, usageError{fmt.Errorf("--answers is for an OpenAI batch, whose lines have custom_id; %s has none", path)}
	case !batch:
		return readDocuments(path), nil
	case answers == "":
		return nil, usageError{fmt.Errorf("%s is the file of an OpenAI batch: give its requests, and its output file as --answers FILE", path)}
	}
	joined, err := readAnswers(answers)
	if err != nil {
		return nil, err
	}
	return readBatch(path, joined), nil
}

func openRecordedRows(path string, folder bool, answers, own string) (iter.Seq2[recording, error], error) {
	switch {
	case answers != "":
		return nil, usageError{errors.New("--answers is for an OpenAI batch; rows have their answers")}
	case !folder:
		return nil, fmt.Errorf("%s: name the folder that holds rows and texts (sinks.dir), not one of its files", path)
	case sameFolder(path, own):
		return nil, fmt.Errorf("%s is this experiment's own sinks.dir: replay it into an experiment with another name and folders", path)
	}
	return readRows(path), nil
}

func sameFolder(a, b string) bool {
	one, errA := os.Stat(a)
	two, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, two) || filepath.Clean(a) == filepath.Clean(b)
}

// runReplay feeds the requests and, where the bus is in this process, works them off.
func runReplay(ctx context.Context, s *setup, path string, requests iter.Seq2[recording, error], rate float64, out io.Writer, log *slog.Logger) (err error) {
	embedded := s.cfg.Bus.Embedded()
	if embedded {
		if missing := s.cfg.Secrets(os.LookupEnv); len(missing) > 0 {
			return errors.Join(missing...)
		}
		if err := checkRows(s); err != nil {
			return err
		}
	}
	p, stop, err := newProcess(ctx, s, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	f, err := openFeed(ctx, p, rate)
	if err != nil {
		return err
	}
	defer func() { f.say(out, path) }()
	if !embedded {
		return f.all(ctx, requests)
	}
	return p.workOff(ctx, func(ctx context.Context) error { return f.all(ctx, requests) })
}

// workOff plays all roles but the tap while something is fed, and until nothing waits.
func (p *process) workOff(ctx context.Context, feed func(context.Context) error) error {
	all, ctx := errgroup.WithContext(ctx)
	working, end := context.WithCancel(ctx)
	all.Go(func() error { return p.play(working, allRoles()[1:]) })
	all.Go(func() error {
		defer end()
		if err := feed(ctx); err != nil {
			return err
		}
		return p.untilEmpty(ctx)
	})
	return all.Wait()
}

// untilEmpty waits until no stage has anything left.
func (p *process) untilEmpty(ctx context.Context) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		left, err := p.bus.Backlog(ctx)
		if err == nil && left.Left() == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
