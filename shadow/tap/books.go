package tap

import (
	"context"
	"fmt"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// keepBooks publishes what was counted, every BooksEvery until ctx ends. The log says
// when the bus stops taking them and when it goes on, not how often it was tried.
func (r *run) keepBooks(ctx context.Context) {
	tick := time.NewTicker(r.tap.o.BooksEvery)
	defer tick.Stop()
	waiting := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		one, cancel := context.WithTimeoutCause(r.hard, r.tap.o.PublishTimeout, errSlow)
		err := r.tap.publishBooks(one)
		cancel()
		log := r.tap.o.Log
		switch {
		case err == nil && waiting:
			log.InfoContext(ctx, "books go on")
		case err != nil && !waiting:
			log.WarnContext(ctx, "books wait, and while the bus is down samples are lost", "error", err)
		case err != nil:
			log.DebugContext(ctx, "books still wait", "error", err)
		}
		waiting = err != nil
	}
}

// publishBooks publishes what was counted until now: an entry that waits from an
// earlier try, and the next, or several if one cannot hold it all.
func (t *Tap) publishBooks(ctx context.Context) error {
	for began := time.Now(); ; {
		b, more := t.ledger.Take(time.Now())
		if !more {
			return nil
		}
		if err := t.offer(ctx, b); err != nil {
			return fmt.Errorf("publish entry %d of the books: %w", b.Number, err)
		}
		t.ledger.Taken(b.Number)
		t.sayDrops(ctx, b)
		if !b.To.Before(began) && len(b.Lines) < shadow.MaxLines {
			return nil
		}
	}
}

func (t *Tap) offer(ctx context.Context, b shadow.Books) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("publisher panicked: %T", p)
		}
	}()
	return t.publisher.PublishBooks(ctx, b)
}

// sayDrops logs what was lost, once per entry and reason rather than per sample.
func (t *Tap) sayDrops(ctx context.Context, b shadow.Books) {
	lost := map[string]int64{}
	for _, l := range b.Lines {
		if l.Entry == shadow.EntryDropped {
			lost[l.Reason] += l.Count
		}
	}
	for _, why := range shadow.DroppedReasons() {
		if n := lost[string(why)]; n > 0 {
			t.o.Log.WarnContext(ctx, "samples dropped", "reason", string(why), "count", n)
		}
	}
}
