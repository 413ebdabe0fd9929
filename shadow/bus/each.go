package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
)

// Defaults of [EachOption].
const (
	DefaultConcurrency = 8
	DefaultBatchCount  = 1000
	DefaultBatchBytes  = 8 << 20
	DefaultBatchAge    = 5 * time.Second
)

type eachOptions struct {
	concurrency  int
	count, bytes int
	age, grace   time.Duration
}

// EachOption changes how messages are consumed.
type EachOption func(*eachOptions)

// Concurrency is how many calls of f run at once; 8 unless given. Batches are worked
// on one after the other, whatever it says.
func Concurrency(n int) EachOption { return func(o *eachOptions) { o.concurrency = n } }

// Batch says when a batch is handed over: when it has count messages or reaches that
// many bytes, or when its first message is older than age in this process, whatever
// comes first. 1000 messages, 8 MiB and 5 s unless given; a zero keeps the default.
func Batch(count, bytes int, age time.Duration) EachOption {
	return func(o *eachOptions) { o.count, o.bytes, o.age = count, bytes, age }
}

// Grace lets the calls of f that run when ctx ends go on for so long; nothing new is
// begun but the last incomplete batch. Zero, the default, ends them with ctx.
func Grace(d time.Duration) EachOption { return func(o *eachOptions) { o.grace = d } }

func eachDefaults(opts []EachOption) (eachOptions, error) {
	o := eachOptions{concurrency: DefaultConcurrency}
	for _, opt := range opts {
		opt(&o)
	}
	if o.concurrency < 1 || o.count < 0 || o.bytes < 0 || o.age < 0 || o.grace < 0 {
		return o, errors.New("bus: concurrency below 1, or a negative batch or grace")
	}
	if o.count == 0 {
		o.count = DefaultBatchCount
	}
	if o.bytes == 0 {
		o.bytes = DefaultBatchBytes
	}
	if o.age == 0 {
		o.age = DefaultBatchAge
	}
	return o, nil
}

// EachSample calls f for each waiting sample, several at once ([Concurrency]), until
// ctx ends (then it returns nil) or the connection is closed.
//
// nil from f acknowledges the sample. An error brings it back later, to this or
// another process, after a delay that grows; see [Options.Attempts] for when it
// becomes a dead letter instead. [Lasting] errors, shadow.ErrTooLarge and panics make
// it one at once, and so does a message that is no sample: f never sees that. While
// f runs the server is told that the sample is in work, so f may take any time. An
// error of f after ctx ended is no failure of the sample: it comes back soon.
//
// Delivery is at least once: after a crash f sees a sample again.
func (b *Bus) EachSample(ctx context.Context, f func(context.Context, shadow.Sample) error, opts ...EachOption) error {
	return eachOne(ctx, b, KindSample, shadow.DecodeSample, f, opts)
}

// EachTrial calls f for each trial that waits, as EachSample does for samples.
func (b *Bus) EachTrial(ctx context.Context, f func(context.Context, shadow.Trial) error, opts ...EachOption) error {
	return eachOne(ctx, b, KindTrial, shadow.DecodeTrial, f, opts)
}

// EachGraded calls f with batches of graded messages as they were published, in
// order and never empty, one batch at a time ([Batch]), until ctx ends. All of a
// batch is acknowledged when f returns nil. When f fails for good ([Lasting], a
// panic) or again and again, it is called with parts of the batch, so that one bad
// message becomes a dead letter and does not hold up the others; f must therefore
// take any part of a batch. f must not keep the slices.
func (b *Bus) EachGraded(ctx context.Context, f func(context.Context, [][]byte) error, opts ...EachOption) error {
	raw := func(data []byte) ([]byte, error) { return data, nil }
	return eachBatch(ctx, b, KindGraded, raw, f, opts)
}

// EachBooks calls f with batches of entries of the books, as EachGraded does.
func (b *Bus) EachBooks(ctx context.Context, f func(context.Context, []shadow.Books) error, opts ...EachOption) error {
	return eachBatch(ctx, b, KindBooks, shadow.DecodeBooks, f, opts)
}

// Lasting marks an error of f that no later try can mend: the message becomes a dead
// letter at once. Lasting(nil) is nil.
func Lasting(err error) error {
	if err == nil {
		return nil
	}
	return &lastingError{err}
}

type lastingError struct{ err error }

func (e *lastingError) Error() string { return e.err.Error() }
func (e *lastingError) Unwrap() error { return e.err }

// consumer finds the stage's consumer and creates it where it is missing. Its
// position outlives this process; another process's settings are left as they are.
func (b *Bus) consumer(ctx context.Context, kind string) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, errSlow)
	defer cancel()
	name, stream := b.durable(kind), streamName(kind)
	consumer, err := b.js.Consumer(ctx, stream, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if err := b.ensureStreams(ctx); err != nil {
			return nil, err
		}
		consumer, err = b.js.Consumer(ctx, stream, name)
	}
	if !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return consumer, err
	}
	consumer, err = b.js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Durable: name, FilterSubject: b.subject(kind),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: b.o.AckWait,
		MaxDeliver: -1, MaxAckPending: -1,
	})
	if errors.Is(err, jetstream.ErrConsumerExists) {
		return b.js.Consumer(ctx, stream, name)
	}
	return consumer, err
}

// openConsumer waits for the consumer until ctx ends or trying cannot help.
func (b *Bus) openConsumer(ctx context.Context, kind string) (jetstream.Consumer, error) {
	var found jetstream.Consumer
	err := b.retry(ctx, func() (err error) {
		found, err = b.consumer(ctx, kind)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("consume %s: %w", kind, err)
	}
	return found, nil
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
