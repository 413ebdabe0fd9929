package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/understudy-eval/understudy/shadow"
)

const experimentBucket = "understudy_experiments"

// PutExperiment stores the record of an experiment unless there is one already, and
// returns what is stored: the first writer wins, so compare it with your own. It
// fails like a publish: by ctx's deadline, or with shadow.ErrTooLarge.
func (b *Bus) PutExperiment(ctx context.Context, name string, record []byte) ([]byte, error) {
	if name == "" || len(record) == 0 {
		return nil, errors.New("put experiment: no name or no record")
	}
	if limit := b.MaxPayload(); int64(len(record)+headRoom) > limit {
		return nil, fmt.Errorf("put experiment %q: %w: %d bytes, limit %d", name, shadow.ErrTooLarge, len(record), limit)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, errSlow)
	defer cancel()
	stored, err := b.putOnce(ctx, token(name), record)
	if err != nil {
		return nil, fmt.Errorf("put experiment %q: %w", name, err)
	}
	return stored, nil
}

func (b *Bus) putOnce(ctx context.Context, key string, record []byte) ([]byte, error) {
	bucket, err := b.bucket(ctx, experimentBucket, "records of experiments, fixed before they run")
	if err != nil {
		return nil, err
	}
	_, err = bucket.Create(ctx, key, record)
	if err == nil {
		return record, nil
	}
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return nil, err
	}
	entry, err := bucket.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return entry.Value(), nil
}

func (b *Bus) bucket(ctx context.Context, name, what string) (jetstream.KeyValue, error) {
	bucket, err := b.js.KeyValue(ctx, name)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return bucket, err
	}
	bucket, err = b.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: name, Description: what,
		History: 1, Storage: jetstream.FileStorage, Replicas: b.o.Replicas,
	})
	if errors.Is(err, jetstream.ErrBucketExists) {
		return b.js.KeyValue(ctx, name)
	}
	return bucket, err
}
