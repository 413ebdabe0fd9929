package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

const replayedBucket = "understudy_replayed"

// ErrReplayed is an entry of the journal that somebody else has written meanwhile.
var ErrReplayed = errors.New("another replay of this experiment runs, or ran meanwhile")

// AddReplayed writes entry number, from 1 on, of the experiment's journal of what was
// replayed into it. Error: ErrReplayed if there is one already.
func (b *Bus) AddReplayed(ctx context.Context, number uint64, entry []byte) error {
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, errors.New("bus gave no answer in time"))
	defer cancel()
	bucket, err := b.bucket(ctx, replayedBucket, "journals of replays, by experiment")
	if err == nil {
		_, err = bucket.Create(ctx, b.replayedKey(number), entry)
	}
	switch {
	case errors.Is(err, jetstream.ErrKeyExists):
		return ErrReplayed
	case err != nil:
		return fmt.Errorf("write entry %d of the replay's journal: %w", number, err)
	}
	return nil
}

// Replayed gives entry number of the experiment's journal; nil after the last one.
func (b *Bus) Replayed(ctx context.Context, number uint64) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, errors.New("bus gave no answer in time"))
	defer cancel()
	bucket, err := b.bucket(ctx, replayedBucket, "journals of replays, by experiment")
	if err != nil {
		return nil, fmt.Errorf("read the replay's journal: %w", err)
	}
	entry, err := bucket.Get(ctx, b.replayedKey(number))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read entry %d of the replay's journal: %w", number, err)
	}
	return entry.Value(), nil
}

func (b *Bus) replayedKey(number uint64) string { return fmt.Sprintf("%s.%d", b.token, number) }
