package bus_test

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
)

// A server that demands TLS, a client certificate and a user's credentials carries
// samples as any other does.
func TestExternalServer(t *testing.T) {
	ca := newAuthority(t)
	o := &server.Options{TLSVerify: true, TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{ca.issue(time.Now().Add(time.Hour))},
		ClientCAs:    ca.pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
	}}
	op := guard(t, o)
	s := startExternal(t, o)
	creds, _ := op.creds(op.account, nil)
	b := connect(t, bus.Options{URL: s.ClientURL(), Creds: creds, TLS: &tls.Config{
		RootCAs: ca.pool, Certificates: []tls.Certificate{ca.issue(time.Now().Add(time.Hour))}, MinVersion: tls.VersionTLS12,
	}})
	publishSamples(t, b, 0, 3)
	got := make(chan shadow.Sample, 10)
	stop := consume(t, func(ctx context.Context) error {
		return b.EachSample(ctx, func(_ context.Context, s shadow.Sample) error { got <- s; return nil })
	})
	take(t, got, 3)
	settled(t, b)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// NATS' own default of 1 MiB is what most servers have: it is read at the start, and
// what does not fit is refused before it is sent.
func TestExternalMaxPayload(t *testing.T) {
	b := connect(t, bus.Options{URL: startExternal(t, &server.Options{}).ClientURL()})
	if got := b.MaxPayload(); got != 1<<20 {
		t.Errorf("max payload %d, want what the server says", got)
	}
	s := sample(1)
	for _, size := range []int{1 << 20, 3 << 20} {
		s.Request = make([]byte, size)
		if err := b.PublishSample(t.Context(), s); !errors.Is(err, shadow.ErrTooLarge) {
			t.Errorf("sample with %d bytes of request: %v", size, err)
		}
	}
	if !b.Connected() {
		t.Error("the connection was lost over a sample too large")
	}
	publishSamples(t, b, 2, 3)
}

// What can only be wrong configuration is an error at once, which says what is wrong
// and shows no secret.
func TestExternalRefuses(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	serverTLS := &tls.Config{
		Certificates: []tls.Certificate{ca.issue(time.Now().Add(time.Hour))},
		ClientCAs:    ca.pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
	}
	older := serverTLS.Clone()
	older.MaxVersion = tls.VersionTLS12
	sealed := startExternal(t, &server.Options{TLSVerify: true, TLSConfig: serverTLS}).ClientURL()
	sealed12 := startExternal(t, &server.Options{TLSVerify: true, TLSConfig: older}).ClientURL()
	expired := startExternal(t, &server.Options{TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{ca.issue(time.Now().Add(-time.Hour))}, MinVersion: tls.VersionTLS12,
	}}).ClientURL()
	open := startExternal(t, &server.Options{}).ClientURL()
	withPassword := startExternal(t, &server.Options{Username: "user", Password: "hunter2"}).ClientURL()
	guarded := &server.Options{}
	op := guard(t, guarded)
	byCreds := startExternal(t, guarded).ClientURL()

	right, _ := op.creds(op.account, nil)
	foreign, seed := op.creds(must(nkeys.CreateAccount()), nil)
	old, oldSeed := op.creds(op.account, func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Hour).Unix() })
	noStreams, _ := op.creds(op.system, nil)
	narrow, _ := op.creds(op.account, func(c *jwt.UserClaims) { c.Pub.Allow.Add("understudy.>") })
	narrowRead, _ := op.creds(op.account, func(c *jwt.UserClaims) { c.Sub.Allow.Add("understudy.>") })
	broken := filepath.Join(t.TempDir(), "broken.creds")
	text := must(os.ReadFile(right))
	cut := strings.Replace(string(text), "\nSU", "\nSUhunter2", 1)
	if err := os.WriteFile(broken, []byte(cut), 0o600); err != nil {
		t.Fatal(err)
	}
	mine := []tls.Certificate{ca.issue(time.Now().Add(time.Hour))}
	theirs := []tls.Certificate{stranger.issue(time.Now().Add(time.Hour))}
	client := func(a *authority, own []tls.Certificate) *tls.Config {
		return &tls.Config{RootCAs: a.pool, Certificates: own, MinVersion: tls.VersionTLS12}
	}
	tests := []struct {
		name string
		o    bus.Options
		says string
	}{
		{"wrong authority", bus.Options{URL: sealed, TLS: client(stranger, mine)}, "certificate"},
		{"no authority", bus.Options{URL: sealed}, "certificate"},
		{"no client certificate", bus.Options{URL: sealed, TLS: client(ca, nil)}, "certificate"},
		{"no client certificate, TLS 1.2", bus.Options{URL: sealed12, TLS: client(ca, nil)}, "handshake"},
		{"foreign client certificate", bus.Options{URL: sealed, TLS: client(ca, theirs)}, "certificate"},
		{"server's certificate has expired", bus.Options{URL: expired, TLS: client(ca, nil)}, "expired"},
		{"server without TLS", bus.Options{URL: open, TLS: client(ca, mine)}, "secure"},
		{"no password", bus.Options{URL: withPassword}, "Authorization"},
		{"wrong password", bus.Options{URL: strings.Replace(withPassword, "://", "://user:hunter3@", 1)}, "Authorization"},
		{"no credentials", bus.Options{URL: byCreds}, "Authorization"},
		{"credentials of another account", bus.Options{URL: byCreds, Creds: foreign}, "Authorization"},
		{"credentials have expired", bus.Options{URL: byCreds, Creds: old}, "Authorization"},
		{"credentials are damaged", bus.Options{URL: byCreds, Creds: broken}, "broken.creds"},
		{"account without streams", bus.Options{URL: byCreds, Creds: noStreams}, "not enabled for account"},
		{"user may not publish", bus.Options{URL: byCreds, Creds: narrow}, "ermission"},
		{"user may not subscribe", bus.Options{URL: byCreds, Creds: narrowRead}, "ermission"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // only to end a test that hangs
			defer cancel()
			var log lines
			tt.o.Experiment, tt.o.Log = experiment, textLog(&log)
			b, err := bus.Connect(ctx, tt.o)
			if err == nil {
				b.Close()
				t.Fatal("connected")
			}
			if ctx.Err() != nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one at once that says %q", err, tt.says)
			}
			for _, secret := range []string{"hunter2", "hunter3", seed, oldSeed} {
				if strings.Contains(err.Error()+log.String(), secret) {
					t.Errorf("a secret is shown: %v, log %s", err, log.String())
				}
			}
		})
	}
}
