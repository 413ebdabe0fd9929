package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
)

const (
	spendBucket = "understudy_spend"
	// spendTries is how often a change of an account is tried while others change it too.
	spendTries = 100
)

// Draw takes want from what is left of an account's limit on a day, for all processes
// on this bus; see [shadow.Bank].
func (b *Bus) Draw(ctx context.Context, account, day string, want, limit shadow.Sum) (shadow.Sum, error) {
	var got shadow.Sum
	err := b.change(ctx, account, day, func(drawn *shadow.Sum) {
		got = shadow.Sum{Calls: part(want.Calls, drawn.Calls, limit.Calls), NanoUSD: part(want.NanoUSD, drawn.NanoUSD, limit.NanoUSD)}
		drawn.Calls += got.Calls
		drawn.NanoUSD += got.NanoUSD
	})
	if err != nil {
		return shadow.Sum{}, err
	}
	return got, nil
}

// part is what can be had of want.
func part(want, drawn, limit int64) int64 {
	if limit == 0 {
		return want
	}
	return max(0, min(want, limit-drawn))
}

// Return gives back what was drawn from an account's day and not spent.
func (b *Bus) Return(ctx context.Context, account, day string, back shadow.Sum) error {
	return b.change(ctx, account, day, func(drawn *shadow.Sum) {
		drawn.Calls = max(0, drawn.Calls-back.Calls)
		drawn.NanoUSD = max(0, drawn.NanoUSD-back.NanoUSD)
	})
}

// change changes what was drawn, anew when another process came in between.
func (b *Bus) change(ctx context.Context, account, day string, f func(*shadow.Sum)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, errSlow)
	defer cancel()
	bucket, err := b.bucket(ctx, spendBucket, "what was drawn from limits for a day")
	if err != nil {
		return fmt.Errorf("account %s: %w", account, err)
	}
	key := token(b.o.Experiment) + "." + token(account) + "." + token(day)
	for try := range spendTries {
		if err = changeOnce(ctx, bucket, key, f); !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			break
		}
		select {
		case <-time.After(time.Duration(try) * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("account %s: %w", account, context.Cause(ctx))
		}
	}
	if err != nil {
		return fmt.Errorf("account %s: %w", account, err)
	}
	return nil
}

// changeOnce reads an account, changes it and writes it unless it was written meanwhile:
// then the error is one of jetstream's for a key that exists or has another revision.
func changeOnce(ctx context.Context, bucket jetstream.KeyValue, key string, f func(*shadow.Sum)) error {
	var drawn shadow.Sum
	var revision uint64
	entry, err := bucket.Get(ctx, key)
	switch {
	case err == nil:
		revision = entry.Revision()
		if err := json.Unmarshal(entry.Value(), &drawn); err != nil {
			return fmt.Errorf("what was drawn cannot be read: %w", err)
		}
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return err
	}
	before := drawn
	if f(&drawn); drawn == before {
		return nil
	}
	data, err := json.Marshal(drawn)
	if err != nil {
		return err
	}
	if revision == 0 {
		_, err = bucket.Create(ctx, key, data)
	} else {
		_, err = bucket.Update(ctx, key, data, revision)
	}
	return err
}
