package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Defaults of [Options].
const (
	DefaultMaxPayload = 8 << 20 // request, answer and several candidates' answers in one message
	startTimeout      = 30 * time.Second
	startStep         = 250 * time.Millisecond // how soon a server that gave up is noticed
	maxMemory         = 64 << 20
)

// ErrInUse is a folder that another process (or server) uses right now.
var ErrInUse = errors.New("folder is in use by another bus, of an understudy that still runs")

// Options say where the server keeps its files and who may connect.
type Options struct {
	// Dir holds the streams; it is created with mode 0700. Required.
	Dir string
	// Sync is how long an acknowledged message may wait in memory before it is
	// written to disk. Zero, the default, is not at all: at a power failure nothing
	// that was acknowledged is lost, for one write to the disk itself a message (0.3 ms
	// on a fast one, 5 ms on a slow one). Otherwise up to Sync of acknowledged messages
	// is lost then. A crash of the process alone loses nothing either way.
	Sync time.Duration
	// MaxPayload is the largest message in bytes; 8 MiB if zero.
	MaxPayload int32
	// MaxStore bounds the files in bytes; if zero, three quarters of what is free
	// and of what the bus has already.
	MaxStore int64
	// Listen is host:port on loopback for other processes on this machine (port 0:
	// any); empty opens no port at all.
	Listen string
	// Log gets the server's warnings and errors, and the rest at debug level; nil discards them.
	Log *slog.Logger
}

// Server is a running bus.
type Server struct {
	nats   *server.Server
	unlock func() error
	stop   sync.Once
}

// Start starts a server and returns once it takes connections. Errors: ErrInUse; a
// folder that cannot be written; an address that is not on loopback, or taken.
func Start(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	opts, err := o.server()
	if err != nil {
		return nil, fmt.Errorf("embedded bus: %w", err)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("embedded bus: %w", err)
	}
	unlock, err := lock(filepath.Join(o.Dir, "understudy.lock"))
	if err != nil {
		return nil, fmt.Errorf("embedded bus: %s: %w", o.Dir, err)
	}
	if opts.JetStreamMaxStore == 0 {
		opts.JetStreamMaxStore = storeLimit(o.Dir)
	}
	s, err := start(opts, o.Log)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("embedded bus: %w", err), unlock())
	}
	return &Server{nats: s, unlock: unlock}, nil
}

func start(opts *server.Options, log *slog.Logger) (*server.Server, error) {
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, err
	}
	l := &logger{log: log}
	s.SetLoggerV2(l, false, false, false)
	s.Start()
	for began := time.Now(); time.Since(began) < startTimeout && l.worst() == ""; {
		if s.ReadyForConnections(startStep) && s.JetStreamEnabled() {
			return s, nil
		}
	}
	s.Shutdown()
	s.WaitForShutdown()
	return nil, errors.New(cmp.Or(l.worst(), "not ready in time"))
}

// server translates the options.
func (o Options) server() (*server.Options, error) {
	switch {
	case o.Dir == "":
		return nil, errors.New("no folder given")
	case o.Sync < 0 || o.MaxPayload < 0 || o.MaxStore < 0:
		return nil, errors.New("negative option")
	}
	opts := &server.Options{
		ServerName: "understudy", NoSigs: true,
		JetStream: true, StoreDir: o.Dir,
		JetStreamMaxStore: o.MaxStore, JetStreamMaxMemory: maxMemory,
		SyncAlways: o.Sync == 0, SyncInterval: o.Sync,
		MaxPayload: cmp.Or(o.MaxPayload, DefaultMaxPayload),
		DontListen: o.Listen == "",
	}
	opts.MaxPending = max(int64(server.MAX_PENDING_SIZE), 4*int64(opts.MaxPayload))
	if o.Listen == "" {
		return opts, nil
	}
	host, port, err := loopback(o.Listen)
	if err != nil {
		return nil, err
	}
	opts.Host, opts.Port = host, port
	return opts, nil
}

// loopback splits an address and refuses what others on the network could reach.
func loopback(listen string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("address %q: want host:port", listen)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: port %q is not in 0..65535", listen, text)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", 0, fmt.Errorf("address %q is not on loopback: the embedded bus asks nobody for a password", listen)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// URL is the address for other processes; empty without a port.
func (s *Server) URL() string {
	if s.nats.Addr() == nil {
		return ""
	}
	return s.nats.ClientURL()
}

// InProcessConn gives package bus a connection that needs no port.
func (s *Server) InProcessConn() (net.Conn, error) { return s.nats.InProcessConn() }

// Shutdown ends the server, waits until its files are closed, and frees the folder.
// It is safe to call twice.
func (s *Server) Shutdown() error {
	var err error
	s.stop.Do(func() {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
		err = s.unlock()
	})
	return err
}
