package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// How long each role may go on when the process is told to end: together below the
// 30 s after which supervisors kill.
const (
	closeLimit = 5 * time.Second
	workGrace  = 5 * time.Second
)

// process is one understudy process: it plays some of an experiment's roles on one bus.
type process struct {
	*setup
	bus    *bus.Bus
	source string // names this process and start in samples and books
	ledger *shadow.Ledger
	log    *slog.Logger
	// inFlight bounds how many samples are asked at once.
	inFlight int
	changes  changes
	spend    *purses
	// bench is the judge once it is there, for the status.
	bench atomic.Pointer[judge.Judge]
	// listening is told the tap's address once it is open.
	listening func(address string)
}

// role is a part of the pipeline that a process can play.
type role struct {
	name string
	play func(*process, context.Context) error
}

// allRoles lists the roles in the order in which samples pass through them.
func allRoles() []role {
	return []role{
		{"tap", (*process).tap},
		{"candidates", (*process).candidates},
		{"judge", (*process).judge},
		{"sinks", (*process).sinks},
	}
}

// play plays the roles until ctx ends. They then end in the order of the pipeline,
// so that what is under way arrives: a role goes on until the one before it is done.
// When one fails, all end.
func (p *process) play(ctx context.Context, roles []role) error {
	all, failed := errgroup.WithContext(context.WithoutCancel(ctx))
	before := ctx.Done()
	for _, r := range roles {
		mine, end := context.WithCancel(failed)
		done, previous := make(chan struct{}), before
		all.Go(func() error {
			defer close(done)
			defer end()
			if err := r.play(p, mine); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			return nil
		})
		all.Go(func() error {
			select {
			case <-previous:
			case <-done:
			case <-failed.Done():
			}
			end()
			return nil
		})
		before = done
	}
	return all.Wait()
}

// tap taps the live traffic for the bus.
func (p *process) tap(ctx context.Context) error {
	t, err := openTap(p.setup, p.source, p.bus, p.log)
	if err != nil {
		return err
	}
	if err := p.changes.each(p.cfg, func(c *config.Config) error { return t.Redraw(c.Tap.Rate, c.Tap.Salt) }); err != nil {
		return err
	}
	upstream, err := upstreamOf(p.cfg)
	if err != nil {
		return err
	}
	intake, err := p.openIntake(t)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", p.cfg.Tap.Listen)
	if err != nil {
		return fmt.Errorf("%s: tap.listen: %w", p.cfg.At("tap.listen"), err)
	}
	p.log.InfoContext(ctx, "tap listens", "address", listener.Addr().String(), "upstream", upstream.Host,
		"tapped", t.Tapped(), "rate", p.cfg.Tap.Rate)
	if p.listening != nil {
		p.listening(listener.Addr().String())
	}
	return serveTap(ctx, t, upstream, listener, intake, p.log)
}

// candidates has every sample answered by every candidate.
func (p *process) candidates(ctx context.Context) error {
	asker, err := openCandidates(p.cfg, p.spend, p.log)
	if err != nil {
		return err
	}
	if err := p.changes.each(p.cfg, func(c *config.Config) error { return asker.SetShares(sharesOf(c)) }); err != nil {
		return err
	}
	logEndpoints(ctx, p.log, p.cfg)
	return p.bus.EachSample(ctx, func(ctx context.Context, s shadow.Sample) error {
		t, err := asker.Try(ctx, s)
		if err != nil {
			return err
		}
		return p.publishTrial(ctx, t)
	}, bus.Concurrency(p.inFlight), bus.Grace(workGrace))
}

// publishTrial stores a trial. One that is too large for the bus loses its longest
// candidate's answer, counted as failed, until it fits.
func (p *process) publishTrial(ctx context.Context, t shadow.Trial) error {
	for {
		err := p.bus.PublishTrial(ctx, t)
		if !errors.Is(err, shadow.ErrTooLarge) {
			return err
		}
		longest := -1
		for i, a := range t.Candidates {
			if a.Answered() && (longest < 0 || answerSize(a) > answerSize(t.Candidates[longest])) {
				longest = i
			}
		}
		if longest < 0 {
			return err
		}
		a := &t.Candidates[longest]
		a.Text, a.Refusal, a.ToolCalls, a.Failure = "", "", nil, llm.TooLarge
		p.log.WarnContext(ctx, "answer too large for the bus", "sample", t.Sample.ID, "arm", a.Arm)
	}
}

func answerSize(a shadow.Answer) int {
	size := len(a.Text) + len(a.Refusal)
	for _, c := range a.ToolCalls {
		size += len(c.Arguments) + len(c.Name)
	}
	return size
}

// judge has every trial graded.
func (p *process) judge(ctx context.Context) error {
	j, err := openJudge(ctx, p.setup, p.spend, p.countPause, p.log)
	if err != nil {
		return err
	}
	p.bench.Store(j)
	return p.bus.EachTrial(ctx, func(ctx context.Context, t shadow.Trial) error {
		graded, err := j.Grade(ctx, t)
		if err != nil {
			return err
		}
		data, err := judge.EncodeGraded(graded)
		if err != nil {
			return bus.Lasting(err)
		}
		return p.bus.PublishGraded(ctx, p.gradedID(t.Sample.ID), data)
	}, bus.Concurrency(p.cfg.Judge.Concurrency), bus.Grace(workGrace))
}

// gradedID names the fact "this sample, graded by this experiment's judge and rubric".
func (p *process) gradedID(id shadow.SampleID) string {
	return fmt.Sprintf("%s.%.16s", id, p.experiment.Digest)
}
