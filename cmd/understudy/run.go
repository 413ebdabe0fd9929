package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
)

const (
	// defaultInFlight is how many samples are with the candidates at once. A sample
	// waits for its slowest candidate, up to a minute, so there have to be many.
	defaultInFlight = 64
	// booksEvery is how often counted dead letters are written to the books.
	booksEvery = 5 * time.Second
	// statusEvery is how often a run says what waits.
	statusEvery = time.Minute
)

func newRun() *cobra.Command {
	var names []string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Tap, ask, judge and write rows until interrupted",
		Long: `run plays the experiment in one process with the embedded bus, until it is
interrupted: the tap in front of the live service, the candidates, the judge and
the sinks. Point your client's base_url at tap.listen; nothing else changes.

With --roles it plays only some of them, so that several processes share the work
over one NATS server (bus.url). Roles: tap, candidates, judge, sinks.

tap.rate, tap.salt and the shares of candidates may change while it runs: edit the
file, or send SIGHUP to have it read at once. No connection is dropped, rows keep
the rate that held for them, and reports mark the change. A file with a fault, or
in which anything else was changed, is refused with its lines, and the old values
stay in force.`,
		Example: `  understudy run
  understudy run --roles tap
  understudy run --roles candidates,judge,sinks`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("roles") && len(names) == 0 {
				return usageError{errors.New("--roles names none; leave it out to play all")}
			}
			roles, err := pickRoles(names)
			if err != nil {
				return usageError{err}
			}
			s, err := loadSetup(cmd)
			if err != nil {
				return err
			}
			return runRoles(cmd.Context(), s, roles, newLog(cmd.ErrOrStderr()))
		},
	}
	cmd.Flags().StringSliceVar(&names, "roles", nil, "play only these `ROLES`, with commas (default: all)")
	return cmd
}

func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// pickRoles finds the named roles, in the order of the pipeline; none names all.
func pickRoles(names []string) ([]role, error) {
	all := allRoles()
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, r := range all {
		known = append(known, r.name)
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if !slices.Contains(known, names[i]) {
			return nil, fmt.Errorf("--roles: %q is no role; roles are %s", names[i], strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(r role) bool { return !slices.Contains(names, r.name) }), nil
}

// runRoles checks what only a run needs, opens the bus, and plays.
func runRoles(ctx context.Context, s *setup, roles []role, log *slog.Logger) (err error) {
	if s.cfg.Bus.Embedded() && len(roles) < len(allRoles()) {
		return fmt.Errorf("%s: bus.url: the embedded bus is in this process alone, so some of the roles would never see a sample; name a NATS server (nats://host:4222) to share the work, or leave --roles out", s.cfg.At("bus.url"))
	}
	for _, warning := range s.warnings {
		log.WarnContext(ctx, "configuration", "warning", warning)
	}
	if missing := s.cfg.Secrets(os.LookupEnv); len(missing) > 0 {
		return errors.Join(missing...)
	}
	if slices.ContainsFunc(roles, func(r role) bool { return r.name == "sinks" }) {
		if err := checkRows(s); err != nil {
			return err
		}
	}
	p, stop, err := newProcess(ctx, s, log)
	if err != nil && ctx.Err() != nil {
		log.InfoContext(ctx, "interrupted before the bus was there")
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	log.InfoContext(ctx, "experiment runs", "name", s.experiment.Name, "digest", s.experiment.Digest,
		"judge", s.experiment.Judge.Pinned, "rubric", s.experiment.Rubric)
	watching, endWatch := context.WithCancel(context.WithoutCancel(ctx))
	watched, followed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		p.watch(watching)
	}()
	go func() {
		defer close(followed)
		p.follow(watching)
	}()
	err = p.play(ctx, roles)
	endWatch()
	<-followed
	<-watched
	p.say("stopped; what waits on the bus is worked on by the next run")
	return err
}

// watch says once a minute what the bus holds.
func (p *process) watch(ctx context.Context) {
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	p.say("waiting on the bus")
	for {
		select {
		case <-tick.C:
			p.say("waiting on the bus")
		case <-ctx.Done():
			return
		}
	}
}

// say logs how many messages wait for each role, and nothing if the bus gives no answer.
func (p *process) say(message string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	left, err := p.bus.Backlog(ctx)
	if err != nil {
		return
	}
	facts := []any{
		"for_candidates", left.Samples.Left(), "for_judge", left.Trials.Left(),
		"for_files", left.Graded.Left(), "dead_letters", left.Dead(),
	}
	if j := p.bench.Load(); j != nil {
		if pause, paused := j.Paused(); paused {
			facts = append(facts, "judge_paused", string(pause.Cause), "since", pause.Since.Format(time.RFC3339))
		}
	}
	p.log.InfoContext(ctx, message, facts...)
}

// newProcess opens the bus and makes sure that it carries this very experiment. The
// function that it returns writes the last books and ends the bus.
func newProcess(ctx context.Context, s *setup, log *slog.Logger) (*process, func() error, error) {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, nil, err
	}
	p := &process{setup: s, source: hex.EncodeToString(id[:]), log: log, inFlight: defaultInFlight}
	p.ledger = shadow.NewLedger(s.experiment.Name, p.source+"-work")
	b, closeBus, err := openBus(ctx, s.cfg, p.countDead, log)
	if err != nil {
		return nil, nil, err
	}
	p.bus, p.spend = b, newPurses(b, log)
	if err := p.announce(ctx); err != nil {
		return nil, nil, errors.Join(err, closeBus())
	}
	booking, endBooking := context.WithCancel(context.WithoutCancel(ctx))
	booked := make(chan struct{})
	go func() {
		defer close(booked)
		p.bookDead(booking)
	}()
	return p, func() error {
		endBooking()
		<-booked
		p.spend.close()
		return closeBus()
	}, nil
}

// announce stores the experiment's record on the bus, or checks the one that is there.
func (p *process) announce(ctx context.Context) error {
	data, err := record(p.experiment)
	if err != nil {
		return err
	}
	stored, err := p.bus.PutExperiment(ctx, p.experiment.Name, data)
	if err != nil {
		return fmt.Errorf("store the experiment's record on the bus: %w", err)
	}
	return sameExperiment(stored, "the bus", p.experiment)
}

// countDead counts a dead letter.
func (p *process) countDead(stage, reason string) {
	p.ledger.Count(time.Now(), stage, shadow.EntryDead, stage+": "+reason)
	p.log.Warn("message became a dead letter", "stage", stage, "reason", reason)
}

// countPause counts a pause of the judge.
func (p *process) countPause(pause judge.Pause) {
	p.ledger.Count(time.Now(), "judge", shadow.EntryPaused, string(pause.Cause))
}

// bookDead publishes the counted dead letters and pauses until ctx ends, and then once more.
func (p *process) bookDead(ctx context.Context) {
	tick := time.NewTicker(booksEvery)
	defer tick.Stop()
	for more := true; more; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			more = false
		}
		entry, ok := p.ledger.Take(time.Now())
		if !ok {
			continue
		}
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), booksEvery)
		err := p.bus.PublishBooks(limit, entry)
		cancel()
		if err != nil {
			p.log.Warn("books not published yet", "entry", entry.Number, "error", err)
			continue
		}
		p.ledger.Taken(entry.Number)
	}
}
