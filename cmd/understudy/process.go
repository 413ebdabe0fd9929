package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
)

// busPatience is how long a tap waits for the bus before it begins without it.
const busPatience = 2 * time.Second

// process is one understudy process: it plays some of an experiment's roles on one bus.
type process struct {
	*setup
	source string // names this process and start in samples and books
	ledger *shadow.Ledger
	log    *slog.Logger
	// inFlight bounds how many samples are asked at once.
	inFlight int
	changes  changes
	// bench is the judge once it is there, for the status.
	bench atomic.Pointer[judge.Judge]
	// listening is told the tap's address once it is open.
	listening func(address string)

	// there is closed once the bus is there and carries this experiment. Only then may
	// what follows be used.
	there chan struct{}
	bus   *bus.Bus
	spend *purses
}

// bareProcess makes a process that has no bus yet.
func bareProcess(s *setup, log *slog.Logger) *process {
	var id [8]byte
	rand.Read(id[:]) // never fails
	p := &process{setup: s, source: hex.EncodeToString(id[:]), log: log, inFlight: defaultInFlight, there: make(chan struct{})}
	p.ledger = shadow.NewLedger(s.experiment.Name, p.source+"-work")
	return p
}

// newProcess makes a process that has its bus. The function that it returns writes the
// last books and ends the bus.
func newProcess(ctx context.Context, s *setup, log *slog.Logger) (*process, func() error, error) {
	p := bareProcess(s, log)
	stop, err := p.link(ctx)
	if err != nil {
		return nil, nil, err
	}
	return p, stop, nil
}

// linked says whether the bus is there.
func (p *process) linked() bool {
	select {
	case <-p.there:
		return true
	default:
		return false
	}
}

// await waits until the bus is there. The error is the cause of ctx's end.
func (p *process) await(ctx context.Context) error {
	select {
	case <-p.there:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the bus is not there yet: %w", context.Cause(ctx))
	}
}

// link opens the bus and makes sure that it carries this very experiment. The function
// that it returns writes the last books and ends the bus.
func (p *process) link(ctx context.Context) (stop func() error, err error) {
	b, closeBus, err := openBus(ctx, p.cfg, p.countDead, p.log)
	if err != nil {
		return nil, err
	}
	if err := announce(ctx, b, p.experiment); err != nil {
		return nil, errors.Join(err, closeBus())
	}
	p.bus, p.spend = b, newPurses(b, p.log)
	close(p.there)
	booking, endBooking := context.WithCancel(context.WithoutCancel(ctx))
	booked := make(chan struct{})
	go func() {
		defer close(booked)
		p.bookDead(booking)
	}()
	return func() error {
		endBooking()
		<-booked
		p.spend.close()
		return closeBus()
	}, nil
}

// linkBefore links before the roles begin. Users do not wait for a bus: where live
// traffic passes through this process it gives the bus a moment, then goes on trying in
// the background. What fails at once, other than for want of room on the disk, is an
// error; later it is an alarm. The function that it returns ends all that.
func (p *process) linkBefore(ctx context.Context, live bool) (stop func() error, err error) {
	ctx, giveUp := context.WithCancel(ctx)
	var unlink func() error
	result, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			stop, err := p.link(ctx)
			unlink = stop
			if !live || !isFull(err) {
				result <- err
				return
			}
			p.log.ErrorContext(ctx, "alarm: no room for the bus, live traffic goes on", "again_in", lastRetry, "error", err)
			select {
			case <-time.After(lastRetry):
			case <-ctx.Done():
				result <- context.Cause(ctx)
				return
			}
		}
	}()
	stop = func() error {
		giveUp()
		<-ended
		if unlink == nil {
			return nil
		}
		return unlink()
	}
	var patience <-chan time.Time
	if live {
		patience = time.After(busPatience)
	}
	select {
	case err := <-result:
		return stop, err
	case <-patience:
	}
	p.log.WarnContext(ctx, "the tap begins without the bus: users are served, samples are dropped and counted until it is there")
	go func() {
		if err := <-result; err != nil && ctx.Err() == nil {
			p.log.ErrorContext(ctx, "alarm: the bus cannot be used; live traffic goes on, nothing is sampled until a restart", "error", err)
		}
	}()
	return stop, nil
}

// front is the bus as the tap sees it, which may begin without one.
type front struct{ p *process }

// PublishSample fails as the bus does, and where there is none yet when ctx ends.
func (f front) PublishSample(ctx context.Context, s shadow.Sample) error {
	if err := f.p.await(ctx); err != nil {
		return err
	}
	return f.p.bus.PublishSample(ctx, s)
}

// PublishBooks fails as PublishSample does.
func (f front) PublishBooks(ctx context.Context, b shadow.Books) error {
	if err := f.p.await(ctx); err != nil {
		return err
	}
	return f.p.bus.PublishBooks(ctx, b)
}

// announce stores the experiment's record on the bus, or checks the one that is there.
func announce(ctx context.Context, b *bus.Bus, e reports.Experiment) error {
	data, err := record(e)
	if err != nil {
		return err
	}
	stored, err := b.PutExperiment(ctx, e.Name, data)
	if err != nil {
		return fmt.Errorf("store the experiment's record on the bus: %w", err)
	}
	return sameExperiment(stored, "the bus", e)
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
