package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
)

// PublishSample stores a sample. Its id is the message's, so the same sample is
// stored once however often it is published within the bus's window of two minutes.
// It returns nil once the server has it, and an error by ctx's deadline at the
// latest (five seconds without one). Errors: shadow.ErrTooLarge; shadow.ErrDuplicate if
// the server had one of this id already, this call's or another's; a sample that names
// another experiment; anything else means that the bus is down or full.
func (b *Bus) PublishSample(ctx context.Context, s shadow.Sample) error {
	if s.Experiment != "" && s.Experiment != b.o.Experiment {
		return fmt.Errorf("publish sample %s: of experiment %q on the bus of %q", s.ID, s.Experiment, b.o.Experiment)
	}
	data, err := shadow.EncodeSample(s)
	if err != nil {
		return err
	}
	return b.put(ctx, KindSample, s.ID.String(), data)
}

// PublishTrial stores a trial under its sample's id; of two trials of one sample
// the first stays. The answers in it cost money: while the bus is down or full they
// are not thrown away, and it tries again until ctx ends. Errors: shadow.ErrTooLarge;
// ctx's cause, with what was wrong last.
func (b *Bus) PublishTrial(ctx context.Context, t shadow.Trial) error {
	data, err := shadow.EncodeTrial(t)
	if err != nil {
		return err
	}
	return b.insist(ctx, KindTrial, t.Sample.ID.String(), data)
}

// PublishGraded stores the encoded rulings of a trial under an id that is the same
// whenever the fact is the same. It insists, and fails, as PublishTrial does.
func (b *Bus) PublishGraded(ctx context.Context, id string, data []byte) error {
	if id == "" {
		return errors.New("publish graded: no id")
	}
	return b.insist(ctx, KindGraded, id, data)
}

// PublishBooks stores an entry of the books under its source and number. Errors as PublishSample.
func (b *Bus) PublishBooks(ctx context.Context, books shadow.Books) error {
	data, err := shadow.EncodeBooks(books)
	if err != nil {
		return err
	}
	id := books.Source + "/" + strconv.FormatUint(books.Number, 10)
	return b.store(ctx, KindBooks, id, data)
}

// insist stores a product that must not be made again. The log says when the first of
// several products begins to wait.
func (b *Bus) insist(ctx context.Context, kind, id string, data []byte) error {
	var last error
	for wait := minBackoff; ; wait = min(2*wait, maxBackoff) {
		err := b.store(ctx, kind, id, data)
		switch {
		case err == nil, errors.Is(err, shadow.ErrTooLarge), b.nc.IsClosed():
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("publish %s %s: %w, last: %w", kind, id, context.Cause(ctx), cmp.Or(last, err))
		case last == nil:
			if b.insisting.Add(1) == 1 {
				b.o.Log.WarnContext(ctx, "products wait for the bus", "kind", kind, "error", err)
			}
			defer b.insisting.Add(-1)
		}
		last = err
		pause(ctx, wait)
	}
}

// store makes sure that the server has a message of that kind and id: a product that it
// has already is the same fact.
func (b *Bus) store(ctx context.Context, kind, id string, data []byte) error {
	if err := b.put(ctx, kind, id, data); !errors.Is(err, shadow.ErrDuplicate) {
		return err
	}
	return nil
}

// put publishes a message of a kind and waits for the server's word that it is stored.
// shadow.ErrDuplicate says that one of that kind and id was there before.
func (b *Bus) put(ctx context.Context, kind, id string, data []byte) error {
	if limit := b.MaxPayload(); int64(len(data)+headRoom) > limit {
		return fmt.Errorf("publish %s %s: %w: %d bytes, limit %d less %d for headers",
			kind, id, shadow.ErrTooLarge, len(data), limit, headRoom)
	}
	msg := &nats.Msg{Subject: b.subject(kind), Data: data, Header: nats.Header{}}
	// Ids are unique per stream, which experiments share.
	msg.Header.Set(nats.MsgIdHdr, b.token+"/"+id)
	if err := b.publish(ctx, msg); err != nil {
		return fmt.Errorf("publish %s %s: %w", kind, id, err)
	}
	return nil
}

// publish returns by ctx's deadline, even if the connection is stuck in a write. It
// creates the streams again if they are gone, e.g. with the server's store.
func (b *Bus) publish(ctx context.Context, msg *nats.Msg) error {
	if end, ok := ctx.Deadline(); !ok || time.Until(end) > publishTimeout {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, publishTimeout, errSlow)
		defer cancel()
	}
	err := b.sender.send(ctx, msg, b.closed)
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		if err = b.restoreStreams(ctx); err == nil {
			err = b.sender.send(ctx, msg, b.closed)
		}
	}
	return err
}

// errSlow is a bus that did not answer in time.
var errSlow = errors.New("bus gave no answer in time")

// restoreStreams returns by ctx's deadline; a write that is stuck ends by itself within
// the flush timeout.
func (b *Bus) restoreStreams(ctx context.Context) error {
	result := make(chan error, 1)
	b.running.Go(func() { result <- b.ensureStreams(ctx) })
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
