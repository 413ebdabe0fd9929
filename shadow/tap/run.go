package tap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// Errors of Run.
var (
	ErrRunning = errors.New("tap runs already, or did")
	// ErrStuck is a publisher that did not return although its context had ended.
	ErrStuck = errors.New("publisher does not return")
	// errStop ends work that the drain limit leaves no time for.
	errStop = errors.New("tap stopped")
)

// stuckGrace is how long Run waits for a publisher after it cancelled its call.
const stuckGrace = time.Second

// item is a sample on its way to the publisher. It is counted exactly once, even if
// Run gives up waiting for a publisher that returns later.
type item struct {
	arrival
	sample  shadow.Sample
	weight  int64
	settled atomic.Bool
}

// Run decodes and publishes what the live side captures, and the books, until ctx
// ends. Then it takes nothing new, publishes what waits for at most DrainLimit, counts
// the rest as dropped[stopped], and publishes the last books. A tap runs once.
//
// It returns nil if all ended and the last books are published, or what kept them;
// ErrRunning; ErrStuck, with the call's goroutine left behind, if the publisher
// ignores its context. What fails meanwhile is counted, and said in the log.
func (t *Tap) Run(ctx context.Context) error {
	if !t.started.CompareAndSwap(false, true) {
		return ErrRunning
	}
	t.o.Log.InfoContext(ctx, "tapping", "endpoints", t.Tapped(), "rate", t.o.Rate, "experiment", t.o.Experiment)
	r := &run{tap: t, ready: make(chan *item), slots: make([]atomic.Pointer[item], t.o.Publishers)}
	var cancel context.CancelCauseFunc
	r.hard, cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(errStop)
	for range t.o.Decoders {
		r.decoders.Go(func() { r.decode(ctx) })
	}
	for i := range r.slots {
		r.publishers.Go(func() { r.publish(&r.slots[i]) })
	}
	r.books.Go(func() { r.keepBooks(ctx) })
	r.keeper.Go(func() { r.keepTurns(ctx) })
	<-ctx.Done()
	return r.stop(cancel)
}

type run struct {
	tap        *Tap
	hard       context.Context // ends with the drain limit
	ready      chan *item
	slots      []atomic.Pointer[item] // what each publisher is busy with
	decoders   sync.WaitGroup
	publishers sync.WaitGroup
	books      sync.WaitGroup
	keeper     sync.WaitGroup
}

func (r *run) stop(cancel context.CancelCauseFunc) error {
	t := r.tap
	t.stopped.Store(true)
	timer := time.AfterFunc(t.o.DrainLimit, func() { cancel(errStop) })
	defer timer.Stop()
	r.decoders.Wait() // they wait for nothing but ready and hard
	r.keeper.Wait()   // as they do
	r.settleTurns(time.Now(), true)
	close(r.ready)
	var stuck error
	if !within(r.hard, &r.publishers) || !within(r.hard, &r.books) {
		stuck = ErrStuck
	}
	t.drained.Store(true)
	t.discard()
	for i := range r.slots {
		if left := r.slots[i].Load(); left != nil {
			t.settle(left, fate{dropped: shadow.DroppedStopped})
		}
	}
	return errors.Join(stuck, r.closeBooks())
}

// closeBooks publishes the last books, and gives up on a publisher that hangs.
func (r *run) closeBooks() error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(r.hard), r.tap.o.PublishTimeout, errSlow)
	defer cancel()
	var last sync.WaitGroup
	var err error
	last.Go(func() { err = r.tap.publishBooks(ctx) })
	if !within(ctx, &last) {
		return ErrStuck
	}
	return err
}

// within waits for a group until ctx ends, and a moment more for what ends with it.
func within(ctx context.Context, group *sync.WaitGroup) bool {
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	grace := time.NewTimer(stuckGrace)
	defer grace.Stop()
	select {
	case <-done:
		return true
	case <-grace.C:
		return false
	}
}

// decode turns captures into items until ctx has ended and the queue is empty.
func (r *run) decode(ctx context.Context) {
	for {
		select {
		case c := <-r.tap.queue:
			r.take(c)
			continue
		default:
		}
		select {
		case c := <-r.tap.queue:
			r.take(c)
		case <-ctx.Done():
			if len(r.tap.queue) == 0 {
				return
			}
		}
	}
}

func (r *run) take(c *capture) {
	t := r.tap
	defer t.release(c)
	if r.hard.Err() != nil {
		t.gone(c.arrival, fate{dropped: shadow.DroppedStopped})
		return
	}
	it := &item{arrival: c.arrival}
	f := t.contained(c, &it.sample)
	if f == (fate{}) {
		it.weight = weigh(it.sample)
		if !t.budget.take(it.weight) {
			it.weight, f = 0, fate{dropped: shadow.DroppedQueueFull}
		}
	}
	switch {
	case c.further || c.waits:
		r.attempt(c, it, f)
	case f != (fate{}):
		t.settle(it, f)
	default:
		r.send(it)
	}
}

// send numbers a sample and hands it to the publishers.
func (r *run) send(it *item) {
	it.sample.Seq = r.tap.seq.Add(1)
	select {
	case r.ready <- it:
	case <-r.hard.Done():
		r.tap.settle(it, fate{dropped: shadow.DroppedStopped})
	}
}

// weigh estimates the memory that a sample takes, and its message.
func weigh(s shadow.Sample) int64 {
	n := len(s.Request) + len(s.Live.Text) + len(s.Live.Refusal)
	for _, c := range s.Live.ToolCalls {
		n += len(c.Arguments) + len(c.Name) + len(c.ID)
	}
	return int64(n) + 1<<10
}

// contained decodes a capture; a panic is a bug of ours and costs this sample only.
func (t *Tap) contained(c *capture, s *shadow.Sample) (f fate) {
	defer func() {
		if p := recover(); p != nil {
			t.o.Log.Error("decoding panicked", "sample", c.id, "panic", fmt.Sprintf("%T", p))
			f = fate{dropped: shadow.DroppedMalformed}
		}
	}()
	*s, f = t.sample(c)
	return f
}

// publish hands items to the publisher, one at a time, and shows in slot which.
func (r *run) publish(slot *atomic.Pointer[item]) {
	for it := range r.ready {
		slot.Store(it)
		f := fate{dropped: shadow.DroppedStopped}
		if r.hard.Err() == nil {
			f = r.tap.fateAt(r.hard, it.sample)
		}
		r.tap.settle(it, f)
		slot.Store(nil)
	}
}

var errSlow = errors.New("the bus did not answer in time")

// fateAt publishes a sample under the tap's own deadline.
func (t *Tap) fateAt(hard context.Context, s shadow.Sample) (f fate) {
	ctx, cancel := context.WithTimeoutCause(hard, t.o.PublishTimeout, errSlow)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			t.o.Log.Error("publisher panicked", "sample", s.ID, "panic", fmt.Sprintf("%T", p))
			f = fate{dropped: shadow.DroppedBusDown}
		}
	}()
	err := t.publisher.PublishSample(ctx, s)
	var noValue *json.UnsupportedValueError
	var noText *json.MarshalerError
	switch {
	case err == nil:
		return fate{}
	case errors.Is(err, shadow.ErrTooLarge):
		return fate{notSampled: shadow.NotSampledTooLarge}
	case errors.Is(err, shadow.ErrDuplicate):
		return fate{notSampled: shadow.NotSampledDuplicate}
	case errors.As(err, &noValue), errors.As(err, &noText):
		return fate{dropped: shadow.DroppedEncode}
	case hard.Err() != nil:
		return fate{dropped: shadow.DroppedStopped}
	}
	t.o.Log.Debug("sample not published", "sample", s.ID, "err", err)
	return fate{dropped: shadow.DroppedBusDown}
}

// settle counts what became of an item, once.
func (t *Tap) settle(it *item, f fate) {
	if !it.settled.CompareAndSwap(false, true) {
		return
	}
	t.budget.give(it.weight)
	t.count(it.arrival, f)
	if numbered := it.sample.Seq > 0; numbered && (f.notSampled != "" || f.dropped == shadow.DroppedEncode) {
		t.ledger.Count(it.at, it.endpoint.name, shadow.EntryVoid, "")
	}
}
