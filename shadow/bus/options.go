package bus

import (
	"cmp"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"time"
)

// Defaults of [Options].
const (
	DefaultKeepTrials  = 30 * 24 * time.Hour
	DefaultAckWait     = 30 * time.Second // above the judge's budget of 20 s
	DefaultMaxInFlight = 64 << 20
	DefaultAttempts    = 10
	DefaultRetryDelay  = time.Second
	DefaultGiveUp      = 24 * time.Hour
)

const (
	// pullBytes bounds one pull: consumers bounded by count only were measured to
	// collapse to 83 messages a second at 256 KiB each.
	pullBytes = 8 << 20
	// publishBytes bounds what is on its way to the server and not stored yet, and
	// sendQueue how many of them are not written yet.
	publishBytes = 8 << 20
	sendQueue    = 128
	// headRoom is what a message's headers may take of max_payload, so that it can
	// still become a dead letter with its reasons.
	headRoom = 4 << 10
	// maxRetryDelay bounds the growing delay of redeliveries.
	maxRetryDelay = time.Minute
	// publishTimeout bounds a publish whose caller set no deadline.
	publishTimeout = 5 * time.Second
	// flushTimeout bounds a write to a server that does not read; the library's own
	// default is a minute.
	flushTimeout = time.Second
)

// InProcess gives connections to a server in this process; *embedded.Server is one.
type InProcess interface {
	InProcessConn() (net.Conn, error)
}

// Options say how to reach the bus. Experiment and one of URL and InProcess are required.
type Options struct {
	// URL is nats://host:port or tls://host:port, or several separated by commas.
	URL string
	// InProcess, when set, is used instead of URL.
	InProcess InProcess
	// Experiment names whose messages are published and consumed; any text.
	Experiment string
	// Creds is the path of a credentials file (JWT and seed); it is read again at
	// every reconnect.
	Creds string
	// TLS, when set, is required of the server.
	TLS *tls.Config
	// Log gets state changes; nil discards them.
	Log *slog.Logger
	// KeepTrials is how long trials stay after they were judged. Where the stream
	// exists it is only ever lengthened: another experiment may need the longer time.
	KeepTrials time.Duration
	// AckWait is how long the server waits for a sign of life before it delivers a
	// message to another worker. Held messages are signalled three times in it. It
	// holds for consumers that do not exist yet.
	AckWait time.Duration
	// MaxInFlight bounds the bytes of messages that one Each call holds. One message
	// is always admitted, however large.
	MaxInFlight int
	// Attempts is after how many failures a message becomes a dead letter, provided
	// that others of its stage succeeded meanwhile: when all fail, the fault is not
	// the message's, and it waits. GiveUp is after how long it becomes one all the same.
	Attempts int
	GiveUp   time.Duration
	// RetryDelay is the delay before a failed message comes again; it doubles with
	// each failure up to a minute.
	RetryDelay time.Duration
	// Replicas is the number of copies that a NATS cluster keeps of each new stream; 0 is 1.
	Replicas int
	// OnDead is told of each dead letter once it is stored: the kind of message and
	// one of the Dead constants. It may be called from several goroutines at once.
	OnDead func(stage, reason string)
}

// check refuses options that cannot work and fills in the defaults.
func (o Options) check() (Options, error) {
	switch {
	case o.Experiment == "":
		return o, errors.New("bus: no experiment named")
	case o.URL == "" && o.InProcess == nil:
		return o, errors.New("bus: neither an address nor a server in the process")
	case o.KeepTrials < 0 || o.AckWait < 0 || o.MaxInFlight < 0 || o.Attempts < 0 ||
		o.GiveUp < 0 || o.RetryDelay < 0 || o.Replicas < 0:
		return o, errors.New("bus: negative option")
	}
	o.KeepTrials = cmp.Or(o.KeepTrials, DefaultKeepTrials)
	o.AckWait = cmp.Or(o.AckWait, DefaultAckWait)
	o.MaxInFlight = cmp.Or(o.MaxInFlight, DefaultMaxInFlight)
	o.Attempts = cmp.Or(o.Attempts, DefaultAttempts)
	o.GiveUp = cmp.Or(o.GiveUp, DefaultGiveUp)
	o.RetryDelay = cmp.Or(o.RetryDelay, DefaultRetryDelay)
	o.Replicas = cmp.Or(o.Replicas, 1)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}
