package bus

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	dialTimeout    = 2 * time.Second
	reconnectWait  = 500 * time.Millisecond
	pingInterval   = 10 * time.Second
	startupBackoff = 500 * time.Millisecond
)

// Bus is a connection to the bus on behalf of one experiment. Its methods may be
// called from any number of goroutines.
type Bus struct {
	o          Options
	token      string
	nc         *nats.Conn
	js         jetstream.JetStream
	closed     chan struct{} // closed by isClosed once the connection is gone for good
	isClosed   func()
	denied     context.CancelCauseFunc // ends the set-up, which a missing permission would only let time out
	sender     *sender
	maxPayload atomic.Int64 // the client asks its connection under a lock that a stuck write holds
	insisting  atomic.Int64 // products that wait to be stored
	running    sync.WaitGroup
}

// Connect reaches the bus and creates the streams that are missing. While the bus
// is down it keeps trying until ctx ends, and says so in the log; what can only be
// wrong configuration (address, credentials, certificate, no JetStream) is an error
// at once. A connection that is lost later comes back by itself, without limit.
func Connect(ctx context.Context, o Options) (*Bus, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	b := &Bus{
		o: o, token: token(o.Experiment),
		closed: make(chan struct{}),
		sender: newSender(),
	}
	b.isClosed = sync.OnceFunc(func() { close(b.closed) })
	ctx, b.denied = context.WithCancelCause(ctx)
	defer b.denied(nil)
	opts, err := b.natsOptions()
	if err != nil {
		return nil, err
	}
	if err := b.retry(ctx, func() error { return b.dial(opts) }); err != nil {
		return nil, fmt.Errorf("connect to the bus: %w", err)
	}
	if err := b.retry(ctx, func() error { return b.ensureStreams(ctx) }); err != nil {
		b.Close()
		return nil, fmt.Errorf("set up the bus: %w", err)
	}
	return b, nil
}

// retry calls f until it succeeds, fails for good, or ctx ends.
func (b *Bus) retry(ctx context.Context, f func() error) error {
	for tries := 0; ; tries++ {
		err := f()
		if err == nil || isLasting(err) {
			return err
		}
		if tries == 0 && ctx.Err() == nil {
			b.o.Log.WarnContext(ctx, "bus not ready, waiting for it", "error", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, last: %w", context.Cause(ctx), err)
		case <-time.After(startupBackoff):
		}
	}
}

// isLasting says whether trying again cannot help.
func isLasting(err error) bool {
	for _, lasting := range []error{
		nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired,
		nats.ErrSecureConnRequired, nats.ErrSecureConnWanted, nats.ErrConnectionClosed,
		jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount,
		errIncompatible,
	} {
		if errors.Is(err, lasting) {
			return true
		}
	}
	return isCertificate(err)
}

func (b *Bus) dial(opts []nats.Option) error {
	nc, err := nats.Connect(b.o.URL, opts...)
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err == nil {
		err = b.sender.open(nc)
	}
	if err != nil {
		nc.Close()
		return err
	}
	b.nc, b.js = nc, js
	b.maxPayload.Store(nc.MaxPayload())
	b.running.Go(func() { b.sender.run(nc, b.closed) })
	return nil
}

// natsOptions translates the options. Whatever it refuses names no part of an
// address that may hold a password.
func (b *Bus) natsOptions() ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name("understudy"),
		nats.Timeout(dialTimeout),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(reconnectWait),
		nats.ReconnectBufSize(-1), // a publish while disconnected fails, it does not wait in memory
		nats.PingInterval(pingInterval),
		nats.MaxPingsOutstanding(2),
		nats.FlusherTimeout(flushTimeout),
		nats.DisconnectErrHandler(b.onDisconnect),
		nats.ReconnectHandler(b.onReconnect),
		nats.ErrorHandler(b.onError),
		nats.ClosedHandler(func(*nats.Conn) { b.isClosed() }),
	}
	if b.o.InProcess != nil {
		opts = append(opts, nats.InProcessServer(b.o.InProcess))
	} else if err := checkURL(b.o.URL); err != nil {
		return nil, err
	}
	if b.o.TLS != nil {
		opts = append(opts, nats.Secure(b.o.TLS))
	}
	if b.o.Creds != "" {
		if err := checkCreds(b.o.Creds); err != nil {
			return nil, fmt.Errorf("bus credentials: %w", err)
		}
		opts = append(opts, nats.UserCredentials(b.o.Creds))
	}
	return opts, nil
}

// checkCreds refuses a file that holds no usable credentials, without repeating what it
// holds. That they are the right ones only the server can say.
func checkCreds(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, part := range []string{"BEGIN NATS USER JWT", "BEGIN USER NKEY SEED"} {
		if !strings.Contains(string(data), part) {
			return fmt.Errorf("%s has no part %q", path, part)
		}
	}
	var parts nats.Options
	if err := nats.UserCredentials(path)(&parts); err != nil {
		return err
	}
	_, noToken := parts.UserJWT()
	_, noSignature := parts.SignatureCB(nil)
	return errors.Join(noToken, noSignature)
}

// checkURL refuses what is no address, without repeating it: it may hold a password.
func checkURL(list string) error {
	for i, one := range strings.Split(list, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" || u.Hostname() == "" {
			return fmt.Errorf("bus address %d is not of the form nats://host:port", i+1)
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return fmt.Errorf("bus address %d: scheme %q, want nats or tls", i+1, u.Scheme)
		}
	}
	return nil
}

func (b *Bus) onDisconnect(_ *nats.Conn, err error) {
	b.sender.lost()
	if err != nil {
		b.o.Log.Warn("bus disconnected, reconnecting", "error", err)
	}
}

func (b *Bus) onReconnect(nc *nats.Conn) {
	b.maxPayload.Store(nc.MaxPayload())
	b.o.Log.Info("bus reconnected")
}

func (b *Bus) onError(_ *nats.Conn, _ *nats.Subscription, err error) {
	if errors.Is(err, nats.ErrPermissionViolation) {
		b.denied(err)
	}
	b.o.Log.Warn("bus error", "error", err)
}

// MaxPayload is the largest message in bytes that the server takes, as it said when
// this process last connected.
func (b *Bus) MaxPayload() int64 { return b.maxPayload.Load() }

// Connected says whether the connection stands right now.
func (b *Bus) Connected() bool { return b.nc.IsConnected() }

// Close sends what is written, at most a second long, and ends the connection. End
// the Each calls first, by their ctx: those that still run fail. It waits for every
// goroutine of the bus and is safe to call twice.
func (b *Bus) Close() error {
	var err error
	if !b.nc.IsClosed() && b.nc.IsConnected() {
		err = b.nc.FlushTimeout(flushTimeout)
	}
	b.nc.Close()
	<-b.closed
	b.running.Wait()
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("close the bus: %w", err)
	}
	return nil
}
