package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
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

// When a role that failed behind live traffic is begun again.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// role is a part of the pipeline that a process can play.
type role struct {
	name string
	// open makes ready what the role needs; play goes on until ctx ends.
	open func(*process, context.Context) (play func(context.Context) error, err error)
}

const (
	roleTap        = "tap"
	roleCandidates = "candidates"
)

// allRoles lists the roles in the order in which samples pass through them.
func allRoles() []role {
	return []role{
		{roleTap, (*process).tap},
		{roleCandidates, (*process).candidates},
		{"judge", (*process).judge},
		{"sinks", (*process).sinks},
	}
}

// hasTap says whether live traffic passes through a process of these roles.
func hasTap(roles []role) bool {
	return slices.ContainsFunc(roles, func(r role) bool { return r.name == roleTap })
}

// play opens the roles, the last one first, so that no user is served before it is sure
// that all can begin, and plays them until ctx ends. They then end in the order of the
// pipeline, so that what is under way arrives: a role goes on until the one before it is
// done. When one fails, all end; but with live traffic in front only the tap's own
// failure ends anything, and the others are begun again, see persist.
//
// While the bus is not there only the tap is opened, the others once it is.
func (p *process) play(ctx context.Context, roles []role) error {
	plays := make([]func(context.Context) error, len(roles))
	for i, r := range slices.Backward(roles) {
		var err error
		if behind := hasTap(roles) && r.name != roleTap; behind && !p.linked() {
			plays[i] = p.persist(r, nil)
			continue
		} else if plays[i], err = r.open(p, ctx); behind && (err == nil || isFull(err)) {
			plays[i] = p.persist(r, plays[i])
		} else if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	all, failed := errgroup.WithContext(context.WithoutCancel(ctx))
	before := ctx.Done()
	for i, r := range roles {
		mine, end := context.WithCancel(failed)
		done, previous := make(chan struct{}), before
		all.Go(func() error {
			defer close(done)
			defer end()
			if err := plays[i](mine); err != nil {
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

// persist plays a role behind live traffic: it opens it once the bus is there, if it is
// not open yet, and opens and plays it again when it fails, later each time, until ctx ends.
func (p *process) persist(r role, play func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if p.await(ctx) != nil {
			return nil
		}
		for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
			var err error
			began := time.Now()
			if play == nil {
				play, err = r.open(p, ctx)
			}
			if err == nil {
				err = play(ctx)
			}
			if ctx.Err() != nil || err == nil {
				return err
			}
			if time.Since(began) > lastRetry { // it had been well
				wait = firstRetry
			}
			p.log.ErrorContext(ctx, "alarm: role failed, live traffic goes on and samples wait on the bus", "role", r.name, "again_in", wait, "error", err)
			play = nil
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// isFull says whether a disk has no room, which may be so whenever a process begins.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// tap taps the live traffic for the bus.
func (p *process) tap(context.Context) (func(context.Context) error, error) {
	t, err := openTap(p.setup, p.source, front{p}, p.log)
	if err != nil {
		return nil, err
	}
	if err := p.changes.each(roleTap, p.cfg, func(c *config.Config) error { return t.Redraw(c.Tap.Rate, c.Tap.Salt) }); err != nil {
		return nil, err
	}
	upstream, err := upstreamOf(p.cfg)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", p.cfg.Tap.Listen)
	if err != nil {
		return nil, fmt.Errorf("%s: tap.listen: %w", p.cfg.At("tap.listen"), err)
	}
	intake, err := p.openIntake(t)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return func(ctx context.Context) error {
		p.log.InfoContext(ctx, "tap listens", "address", listener.Addr().String(), "upstream", upstream.Host,
			"tapped", t.Tapped(), "rate", p.cfg.Tap.Rate)
		if p.listening != nil {
			p.listening(listener.Addr().String())
		}
		return serveTap(ctx, t, upstream, listener, intake, p.log)
	}, nil
}

// candidates has every sample answered by every candidate.
func (p *process) candidates(ctx context.Context) (func(context.Context) error, error) {
	asker, err := openCandidates(p.cfg, p.spend, p.log)
	if err != nil {
		return nil, err
	}
	if err := p.changes.each(roleCandidates, p.cfg, func(c *config.Config) error { return asker.SetShares(sharesOf(c)) }); err != nil {
		return nil, err
	}
	logEndpoints(ctx, p.log, p.cfg)
	return func(ctx context.Context) error {
		return p.bus.EachSample(ctx, func(ctx context.Context, s shadow.Sample) error {
			t, err := asker.Try(ctx, s)
			if err != nil {
				return err
			}
			return p.publishTrial(ctx, t)
		}, bus.Concurrency(p.inFlight), bus.Grace(workGrace))
	}, nil
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
func (p *process) judge(context.Context) (func(context.Context) error, error) {
	j, err := openJudge(p.setup, p.spend, p.countPause, p.log)
	if err != nil {
		return nil, err
	}
	p.bench.Store(j)
	return func(ctx context.Context) error {
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
	}, nil
}

// gradedID names the fact "this sample, graded by this experiment's judge and rubric".
func (p *process) gradedID(id shadow.SampleID) string {
	return fmt.Sprintf("%s.%.16s", id, p.experiment.Digest)
}
