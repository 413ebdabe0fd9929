package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/cmd/understudy/demo"
	"github.com/understudy-eval/understudy/reports"
)

// demoInFlight leaves room for every sample of the demo that waits for a slow candidate.
const demoInFlight = 300

func newDemo() *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play a whole evaluation on this machine, in about a minute",
		Long: `demo plays the founding case on loopback: a chat service with about 6,000 real HTTP
requests, a candidate that is better by about four standard errors and too slow in
the tail, the live model again as a control arm, and two judges. Models are played
by fakes that really wait; everything else is the real thing: tap, NATS JetStream,
judging, Parquet, report and decision. It needs no network and no key.

With --keep it leaves configuration, bus, rows and report in a folder, so that the
other commands can be tried on them.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDemo(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), keep)
		},
	}
	cmd.Flags().StringVar(&keep, "keep", "", "keep configuration, bus, rows and report in `DIR`, which must be new or empty")
	return cmd
}

// runDemo plays the founding case and prints report and decision.
func runDemo(ctx context.Context, stdout, stderr io.Writer, keep string) (err error) {
	dir, cleanup, err := demoFolder(keep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanup()) }()
	play, err := demo.Start()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, play.Close()) }()
	path := filepath.Join(dir, configFile)
	if err := os.WriteFile(path, []byte(play.Configuration()), 0o644); err != nil {
		return err
	}
	cfg, err := config.Load(path)
	if err != nil {
		return err
	}
	s, err := newSetup(cfg)
	if err != nil {
		return err
	}
	if err := playThrough(ctx, s, play, stderr); err != nil {
		return err
	}
	r, err := buildReport(cfg.Sinks.Dir, reports.Window{})
	if err != nil {
		return err
	}
	if err := writeReport(stdout, "text", r, time.Now().UTC()); err != nil {
		return err
	}
	return farewell(stdout, r, keep)
}

// demoFolder is the folder to keep, or a temporary one with its removal.
func demoFolder(keep string) (string, func() error, error) {
	if keep == "" {
		dir, err := os.MkdirTemp("", "understudy-demo-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	entries, err := os.ReadDir(keep)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("--keep %s: %w", keep, err)
	}
	if len(entries) > 0 {
		return "", nil, usageError{fmt.Errorf("--keep %s: the folder is not empty; name a new one", keep)}
	}
	return keep, func() error { return nil }, os.MkdirAll(keep, 0o755)
}

// playThrough runs all roles while the users send their requests, then waits until
// the last sample has become a row.
func playThrough(ctx context.Context, s *setup, play *demo.Play, stderr io.Writer) (err error) {
	p, stop, err := newProcess(ctx, s, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	p.inFlight = demoInFlight
	address := make(chan string, 1)
	p.listening = func(a string) { address <- a }

	all, ctx := errgroup.WithContext(ctx)
	tapping, endTap := context.WithCancel(ctx)
	working, endWork := context.WithCancel(ctx)
	tapped := make(chan struct{})
	roles := allRoles()
	all.Go(func() error {
		defer close(tapped)
		return p.play(tapping, roles[:1])
	})
	all.Go(func() error { return p.play(working, roles[1:]) })
	all.Go(func() error {
		defer endWork()
		defer endTap()
		show := newProgress(stderr, p.bus, play.Traffic())
		return show.during(ctx, func(ctx context.Context) error {
			if err := sendAll(ctx, show.traffic, address); err != nil {
				return err
			}
			endTap() // publishes what is queued, and the last books
			<-tapped
			return p.untilEmpty(ctx)
		})
	})
	return all.Wait()
}

// sendAll sends the users' requests once the tap says where it listens.
func sendAll(ctx context.Context, traffic *demo.Traffic, address <-chan string) error {
	select {
	case a := <-address:
		return traffic.Send(ctx, "http://"+a+"/v1")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// farewell says where the report is and what to try next.
func farewell(w io.Writer, r reports.Report, keep string) error {
	if keep == "" {
		_, err := fmt.Fprintln(w, "\nNothing was kept. Next: \"understudy demo --keep DIR\" to look at rows and report, \"understudy init\" to begin with your own service.")
		return err
	}
	path := filepath.Join(keep, "report.md")
	err := toFile(path, w, func(f io.Writer) error { return writeReport(f, "markdown", r, time.Now().UTC()) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nThe report is in %s. Next: understudy gate --config %s --candidate %s\n",
		path, filepath.Join(keep, configFile), candidates(r.Experiment)[0])
	return err
}
