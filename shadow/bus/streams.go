package bus

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// dedupeWindow is how long the server remembers ids; it does so in memory, for each
// message of each stream. A crashed process is back within it, and a product that is
// made again later is known by its key when the rows are read.
const dedupeWindow = 2 * time.Minute

// errIncompatible is a stream of our name that cannot carry our messages.
var errIncompatible = errors.New("incompatible stream")

// Limits of new streams in bytes. Samples have less than trials and graded together,
// so that samples that pile up cannot take the room that working them off needs.
// Servers reserve a limit when a stream is created; where the room is not there, a
// quarter is asked for, and a quarter of that.
const (
	maxSampleBytes = 4 << 30
	maxTrialBytes  = 16 << 30
	maxGradedBytes = 4 << 30
	maxBooksBytes  = 256 << 20
	maxDeadBytes   = 1 << 30
	minStreamBytes = 4 << 20
)

// streamConfigs lists the streams as this process would create them. New messages
// are refused when a stream is full: old ones are never discarded silently.
func (b *Bus) streamConfigs() []jetstream.StreamConfig {
	config := func(kind string, subject string, maxBytes int64) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: streamName(kind), Subjects: []string{subject},
			Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
			Storage: jetstream.FileStorage, MaxBytes: maxBytes,
			Duplicates: dedupeWindow, Replicas: b.o.Replicas,
		}
	}
	trials := config(KindTrial, "understudy.trial.*", maxTrialBytes)
	trials.Retention = jetstream.LimitsPolicy
	trials.MaxAge = b.o.KeepTrials
	trials.Duplicates = min(dedupeWindow, b.o.KeepTrials)
	dead := config(kindDead, "understudy.dead.*.*", maxDeadBytes)
	dead.Retention = jetstream.LimitsPolicy
	return []jetstream.StreamConfig{
		config(KindSample, "understudy.sample.*", maxSampleBytes),
		trials,
		config(KindGraded, "understudy.graded.*", maxGradedBytes),
		config(KindBooks, "understudy.books.*", maxBooksBytes),
		dead,
	}
}

// ensureStreams creates the streams that are missing. Existing ones are left as
// they are, but for a longer life of trials.
func (b *Bus) ensureStreams(ctx context.Context) error {
	for _, want := range b.streamConfigs() {
		if err := b.ensureStream(ctx, want); err != nil {
			return fmt.Errorf("stream %s: %w", want.Name, err)
		}
	}
	return nil
}

func (b *Bus) ensureStream(ctx context.Context, want jetstream.StreamConfig) error {
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, errors.New("bus set-up time limit"))
	defer cancel()
	stream, err := b.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = b.createStream(ctx, want)
	}
	if err != nil {
		return err
	}
	return b.reconcile(ctx, stream.CachedInfo().Config, want)
}

// createStream creates a stream, smaller where the server has too little room, and
// takes what another process created in the same moment.
func (b *Bus) createStream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	for {
		stream, err := b.js.CreateStream(ctx, want)
		var api *jetstream.APIError
		switch {
		case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse):
			return b.js.Stream(ctx, want.Name)
		case errors.As(err, &api) && isNoRoom(api) && want.MaxBytes/4 >= minStreamBytes:
			want.MaxBytes /= 4
			continue
		case err == nil:
			b.o.Log.InfoContext(ctx, "bus stream created", "stream", want.Name, "max_bytes", want.MaxBytes)
		}
		return stream, err
	}
}

// isNoRoom says whether a server refuses a stream because its limit does not fit:
// "insufficient storage resources" or "resource limits exceeded".
func isNoRoom(err *jetstream.APIError) bool {
	return err.ErrorCode == 10047 || err.ErrorCode == 10002 || err.ErrorCode == 10023
}

// reconcile checks that an existing stream keeps our promises and makes its life
// longer where this process needs that; it never shortens it.
func (b *Bus) reconcile(ctx context.Context, have, want jetstream.StreamConfig) error {
	switch {
	case have.Retention != want.Retention:
		return fmt.Errorf("%w: retention %s, want %s", errIncompatible, have.Retention, want.Retention)
	case have.Discard != jetstream.DiscardNew:
		return fmt.Errorf("%w: it discards old messages silently", errIncompatible)
	case len(have.Subjects) != 1 || have.Subjects[0] != want.Subjects[0]:
		return fmt.Errorf("%w: subjects %q, want %q", errIncompatible, have.Subjects, want.Subjects)
	case have.MaxAge == want.MaxAge || have.MaxAge == 0:
		return nil
	case have.MaxAge > want.MaxAge && want.MaxAge != 0:
		b.o.Log.WarnContext(ctx, "bus keeps messages longer than configured",
			"stream", have.Name, "kept", have.MaxAge, "configured", want.MaxAge)
		return nil
	}
	have.MaxAge = want.MaxAge
	_, err := b.js.UpdateStream(ctx, have)
	return err
}

// isCertificate says whether a connection failed because of a certificate, ours or the
// server's: a server that refuses ours says so in an alert of TLS.
func isCertificate(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     *net.OpError
	)
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) ||
		errors.As(err, &invalid) || errors.As(err, &record) || errors.As(err, &alert) && alert.Op == "remote error"
}
