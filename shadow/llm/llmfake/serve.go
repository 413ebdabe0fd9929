package llmfake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Fake is a provider. It is an [http.Handler], and serves itself with Start (on
// loopback) or Dial (in memory).
type Fake struct {
	script Script
	models []string

	calls   atomic.Int64
	open    atomic.Int64
	left    atomic.Int64
	sockets atomic.Int64
	running sync.WaitGroup // handlers and servers

	mu      sync.Mutex
	servers []*http.Server
	memory  *pipeListener
	closed  bool
}

// New makes a fake that answers as script says. models is what its lists of models
// name; calls for other models are answered all the same.
func New(script Script, models ...string) *Fake {
	return &Fake{script: script, models: models}
}

// Calls counts the calls to models so far; lists of models are not among them.
func (f *Fake) Calls() int { return int(f.calls.Load()) }

// Open counts the calls that are being answered now.
func (f *Fake) Open() int { return int(f.open.Load()) }

// Left counts the calls whose client left before the answer was over.
func (f *Fake) Left() int { return int(f.left.Load()) }

// Connections counts the connections that were accepted so far.
func (f *Fake) Connections() int { return int(f.sockets.Load()) }

// Start serves on a free port of loopback until Close, and gives the base URL
// without a path, e.g. "http://127.0.0.1:40123".
func (f *Fake) Start() (url string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("start fake provider: %w", err)
	}
	if err := f.serve(l); err != nil {
		return "", errors.Join(err, l.Close())
	}
	return "http://" + l.Addr().String(), nil
}

// Dial opens a connection to the fake in memory, whatever the address: it fits
// [http.Transport.DialContext]. Without a socket in it, it may be used inside
// testing/synctest; the fake must be closed inside the same bubble.
func (f *Fake) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	l, err := f.inMemory()
	if err != nil {
		return nil, err
	}
	return l.dial(ctx)
}

// Client is an HTTP client that reaches the fake in memory, whatever the URL's host.
// Its idle connections are the caller's to close.
func (f *Fake) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: f.Dial, MaxIdleConnsPerHost: 1024, DisableCompression: true}}
}

func (f *Fake) inMemory() (*pipeListener, error) {
	f.mu.Lock()
	l := f.memory
	if l == nil {
		l = &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
		f.memory = l
	}
	f.mu.Unlock()
	var err error
	l.start.Do(func() { err = f.serve(l) })
	return l, err
}

func (f *Fake) serve(l net.Listener) error {
	s := &http.Server{Handler: f, ErrorLog: log.New(io.Discard, "", 0), ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			f.sockets.Add(1)
		}
	}}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return fmt.Errorf("start fake provider: %w", net.ErrClosed)
	}
	f.servers = append(f.servers, s)
	f.running.Go(func() { _ = s.Serve(l) }) // ends with ErrServerClosed in Close
	return nil
}

// Close ends all calls and waits for them. A fake that is closed stays closed.
func (f *Fake) Close() error {
	f.mu.Lock()
	f.closed = true
	servers := f.servers
	f.servers = nil
	f.mu.Unlock()
	var err error
	for _, s := range servers {
		err = errors.Join(err, s.Close())
	}
	f.running.Wait()
	return err
}

// begin notes a call; no call begins once Close was called.
func (f *Fake) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.running.Add(1)
	f.open.Add(1)
	return true
}

func (f *Fake) end() {
	f.open.Add(-1)
	f.running.Done()
}

// pipeListener accepts connections that are made in memory.
type pipeListener struct {
	start sync.Once
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements [net.Listener].
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements [net.Listener].
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
