package bus

import (
	"context"
	"errors"
	"math/bits"
	"time"
)

// bisectAfter is how many failures a message has before its batch is worked on in
// parts: before that a batch's failure is taken for the stage's.
const bisectAfter = 3

func eachBatch[T any](ctx context.Context, b *Bus, kind string, decode func([]byte) (T, error),
	f func(context.Context, []T) error, opts []EachOption,
) error {
	o, err := eachDefaults(opts)
	if err != nil {
		return err
	}
	s := &stage{kind: kind, o: o}
	batch := &batcher[T]{stage: s, decode: decode, f: f}
	// The next batch fills while f works on this one.
	maxBytes := max(2*o.bytes+int(b.MaxPayload())+headRoom, b.o.MaxInFlight)
	return b.run(ctx, s, 2*o.count, maxBytes, func(workCtx context.Context, messages <-chan *message) {
		for {
			ms, more := batch.gather(messages)
			switch {
			case len(ms) == 0:
			case ctx.Err() != nil && o.grace == 0:
				batch.giveBack(ms)
			default:
				batch.work(workCtx, ms)
			}
			if !more {
				return
			}
		}
	})
}

type batcher[T any] struct {
	*stage
	decode func([]byte) (T, error)
	f      func(context.Context, []T) error
}

// gather collects a batch: it is full by count or bytes, or its first message is
// old enough. more is false once no message will come any more.
func (b *batcher[T]) gather(messages <-chan *message) (ms []*message, more bool) {
	m, more := <-messages
	if !more {
		return nil, false
	}
	ms, bytes := []*message{m}, len(m.Data())
	old := time.NewTimer(b.o.age)
	defer old.Stop()
	for len(ms) < b.o.count && bytes < b.o.bytes {
		select {
		case m, more = <-messages:
			if !more {
				return ms, false
			}
			ms, bytes = append(ms, m), bytes+len(m.Data())
		case <-old.C:
			return ms, true
		}
	}
	return ms, true
}

func (b *batcher[T]) giveBack(ms []*message) {
	for _, m := range ms {
		b.stage.giveBack(m, stopDelay)
	}
}

// work decodes a batch, has f work on it and settles every message.
func (b *batcher[T]) work(ctx context.Context, ms []*message) {
	var batch []*message
	var values []T
	for _, m := range ms {
		if b.done.has(m.key) {
			b.ack(m)
			continue
		}
		value, err := b.decode(m.Data())
		if err != nil {
			b.bury(ctx, m, &deadError{reason: decodeReason(err), err: err})
			continue
		}
		batch, values = append(batch, m), append(values, value)
	}
	if len(batch) == 0 {
		return
	}
	err := safely(func() error { return b.f(ctx, values) })
	if err == nil || !b.mayBeOne(ctx, batch, err) {
		b.settleAll(ctx, batch, err)
		return
	}
	budget := &search{left: 4*bits.Len(uint(len(batch))) + 4}
	budget.failed()
	b.parts(ctx, batch, values, err, budget)
}

// mayBeOne says whether a failed batch is worth searching for one bad message.
func (b *batcher[T]) mayBeOne(ctx context.Context, batch []*message, err error) bool {
	if len(batch) == 1 || ctx.Err() != nil {
		return false
	}
	var dead *deadError
	if errors.As(err, &dead) {
		return true
	}
	for _, m := range batch {
		if b.tries.count(m.key) >= bisectAfter {
			return true
		}
	}
	return false
}

// search bounds the search for bad messages: while no part has succeeded, only so
// many may fail, or a stage that fails as a whole would be called without end.
type search struct {
	left    int
	success bool
}

func (s *search) failed()     { s.left-- }
func (s *search) worth() bool { return s.success || s.left > 0 }

// parts works on the halves of a batch that failed with err, and on theirs.
func (b *batcher[T]) parts(ctx context.Context, batch []*message, values []T, err error, budget *search) {
	if len(batch) == 1 || !budget.worth() || ctx.Err() != nil {
		b.settleAll(ctx, batch, err)
		return
	}
	half := len(batch) / 2
	for _, part := range [][2]int{{0, half}, {half, len(batch)}} {
		ms, vs := batch[part[0]:part[1]], values[part[0]:part[1]]
		err := safely(func() error { return b.f(ctx, vs) })
		if err == nil {
			budget.success = true
			b.settleAll(ctx, ms, nil)
			continue
		}
		budget.failed()
		b.parts(ctx, ms, vs, err, budget)
	}
}

// settleAll settles messages that f worked on together.
func (b *batcher[T]) settleAll(ctx context.Context, ms []*message, err error) {
	var dead *deadError
	if len(ms) > 1 && errors.As(err, &dead) {
		err = dead.err // one of them is to blame, not each: they come again
	}
	for _, m := range ms {
		b.settle(ctx, m, err)
	}
}
