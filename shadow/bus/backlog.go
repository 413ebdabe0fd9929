package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Backlog is what waits on the bus for this experiment, per stage.
type Backlog struct {
	Samples, Trials, Graded, Books Stage
}

// Stage is the backlog of one stage in messages.
type Stage struct {
	// Waiting were not delivered yet; Working were, and are not acknowledged: in
	// work, waiting for another try, or lost with a worker until AckWait is over.
	Waiting, Working uint64
	// Dead is how many dead letters the stage has.
	Dead uint64
}

// Left is how many messages the stage still has to work on.
func (s Stage) Left() uint64 { return s.Waiting + s.Working }

// Left is how many messages still have to be worked on by any stage. A message
// between two stages is counted at least once.
func (b Backlog) Left() uint64 {
	return b.Samples.Left() + b.Trials.Left() + b.Graded.Left() + b.Books.Left()
}

// Dead is how many dead letters there are in all.
func (b Backlog) Dead() uint64 {
	return b.Samples.Dead + b.Trials.Dead + b.Graded.Dead + b.Books.Dead
}

// Backlog asks the server what waits. The stages are read from first to last, so
// that a message that moves on meanwhile is rather counted twice than not at all.
func (b *Bus) Backlog(ctx context.Context) (Backlog, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, errSlow)
	defer cancel()
	var all Backlog
	for _, one := range []struct {
		kind string
		into *Stage
	}{
		{KindSample, &all.Samples}, {KindTrial, &all.Trials}, {KindGraded, &all.Graded}, {KindBooks, &all.Books},
	} {
		stage, err := b.stage(ctx, one.kind)
		if err != nil {
			return Backlog{}, fmt.Errorf("backlog of %s: %w", one.kind, err)
		}
		*one.into = stage
	}
	return all, nil
}

// stage reads the dead letters last: they are stored before their message is out of
// the stage's work.
func (b *Bus) stage(ctx context.Context, kind string) (Stage, error) {
	var stage Stage
	consumer, err := b.js.Consumer(ctx, streamName(kind), b.durable(kind))
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return Stage{}, err
	}
	if err == nil && consumer.CachedInfo().Delivered.Consumer > 0 { // as of the lookup just now
		info := consumer.CachedInfo()
		stage.Waiting, stage.Working = info.NumPending, uint64(info.NumAckPending)
	} else if stage.Waiting, err = b.count(ctx, kind, b.subject(kind)); err != nil {
		// Nothing was delivered yet: all there is waits. A consumer that is just being
		// created says 0 until the server has counted for it.
		return Stage{}, err
	}
	stage.Dead, err = b.count(ctx, kindDead, b.deadSubject(kind))
	return stage, err
}

// count counts the messages of a stream that have a subject.
func (b *Bus) count(ctx context.Context, kind, subject string) (uint64, error) {
	stream, err := b.js.Stream(ctx, streamName(kind))
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return 0, err
	}
	return info.State.Subjects[subject], nil
}
