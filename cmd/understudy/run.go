package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
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

Users never wait for what is behind the tap. If the bus is not there two seconds
after the start, they are served without it and what could not be sampled is counted;
a role that fails while live traffic passes through the process is begun again, with
an alarm in the log. Wrong configuration that shows at the start still ends it there.

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
	p := bareProcess(s, log)
	stop, err := p.linkBefore(ctx, hasTap(roles))
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil && ctx.Err() != nil {
		log.InfoContext(ctx, "interrupted before the bus was there")
		return nil
	}
	if err != nil {
		return err
	}
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

// watch says once a minute what the bus holds, once it is there.
func (p *process) watch(ctx context.Context) {
	if p.await(ctx) != nil {
		return
	}
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

// say logs how many messages wait for each role, and nothing if the bus is not there or
// gives no answer.
func (p *process) say(message string) {
	if !p.linked() {
		return
	}
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
