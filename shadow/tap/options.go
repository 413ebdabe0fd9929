package tap

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Defaults of the configuration.
const (
	DefaultRate       = 0.01
	DefaultSession    = "header:X-Session-Id"
	DefaultMaxBody    = 1 << 20
	DefaultQueueItems = 1000
	DefaultQueueBytes = 64 << 20
	// DefaultPublishTimeout is long for a bus nearby and short for a shutdown.
	DefaultPublishTimeout = 5 * time.Second
	// DefaultBooksEvery loses little if the process is killed, and is no load.
	DefaultBooksEvery = 5 * time.Second
	// DefaultDrainLimit leaves room within the 30 s that supervisors wait before they kill.
	DefaultDrainLimit = 10 * time.Second
	// DefaultDecoders is few, since decoding competes with the live service.
	DefaultDecoders = 2
	// DefaultPublishers is how many samples may wait for the bus at once: the server
	// writes what comes together in one go, and in bytes the bus bounds it.
	DefaultPublishers = 256

	maxMaxBody = 1 << 30
)

// By says what is drawn into the sample.
type By string

// What can be drawn. A session is sampled whole or not at all.
const (
	BySession By = "session"
	ByRequest By = "request"
)

// Queue bounds what waits between the live service and the bus.
type Queue struct {
	// Items is how many finished captures may wait; 0 is DefaultQueueItems.
	Items int
	// Bytes bounds all memory held for sampled requests, those still under way
	// included; 0 is DefaultQueueBytes.
	Bytes int64
}

// Options say how a tap samples. Experiment is required; any other field may be left
// zero, where Rate 0 samples nothing.
type Options struct {
	Experiment string
	// Source names this process and start in samples and books. It must be unique;
	// empty makes one up.
	Source string
	// Rate is the share of sessions or requests that is sampled, in [0, 1], and Salt
	// what makes the draw differ from that of another experiment.
	Rate float64
	Salt string
	// SampleBy is BySession unless set.
	SampleBy By
	// Session lists where a session's key may be; the first that is present counts.
	// nil is DefaultSession. A request without any is a session of its own.
	//
	// A key of the body is read before the request is passed on, so that with one
	// in the list every body of a tapped endpoint is buffered first, up to MaxBody:
	// this costs the upload's time and the memory of the bodies under way.
	Session []Key
	// Route is what samples can be split by; the zero Key is the path.
	Route Key
	// Tags are further facts that samples can be split by, such as the language, by
	// name. A request that does not have one is a sample without that tag.
	Tags map[string]Key
	// MaxBody bounds request and answer together, in bytes as they travel. A larger
	// one is not sampled (too_large), nor is an answer that unpacks to over
	// 8 times MaxBody. 0 is DefaultMaxBody.
	MaxBody int64
	Queue   Queue
	// Endpoints are what is tapped: POST to a path of one of these kinds; nil is all of
	// [llm.Surfaces]. Whoever taps an application that serves an /api/chat of its own
	// leaves Ollama's out.
	Endpoints []llm.Surface

	// Decoders is how many goroutines decode, Publishers how many samples may be on
	// their way to the bus at once, each for at most PublishTimeout.
	Decoders, Publishers int
	PublishTimeout       time.Duration
	// BooksEvery is how often the books are published, DrainLimit how long Run goes on
	// publishing what waits when it is told to stop.
	BooksEvery, DrainLimit time.Duration
	// Log gets state changes and drops; nil logs nothing.
	Log *slog.Logger
}

// withDefaults fills in what is not set and refuses what cannot be.
func (o Options) withDefaults() (Options, error) {
	if o.Session == nil {
		k, err := ParseKey(DefaultSession)
		if err != nil {
			return Options{}, err
		}
		o.Session = []Key{k}
	}
	if o.Endpoints == nil {
		o.Endpoints = llm.Surfaces()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Source == "" {
		o.Source = newID().String()
	}
	setDefault(&o.SampleBy, BySession)
	setDefault(&o.MaxBody, DefaultMaxBody)
	setDefault(&o.Queue.Items, DefaultQueueItems)
	setDefault(&o.Queue.Bytes, DefaultQueueBytes)
	setDefault(&o.Decoders, DefaultDecoders)
	setDefault(&o.Publishers, DefaultPublishers)
	setDefault(&o.PublishTimeout, DefaultPublishTimeout)
	setDefault(&o.BooksEvery, DefaultBooksEvery)
	setDefault(&o.DrainLimit, DefaultDrainLimit)
	return o, o.check()
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func checkRate(rate float64) error {
	if !(rate >= 0 && rate <= 1) {
		return fmt.Errorf("tap: rate %v is not in 0..1", rate)
	}
	return nil
}

func (o Options) check() error {
	switch {
	case o.Experiment == "":
		return errors.New("tap: no experiment named")
	case checkRate(o.Rate) != nil:
		return checkRate(o.Rate)
	case o.SampleBy != BySession && o.SampleBy != ByRequest:
		return fmt.Errorf("tap: sample by %q: want session or request", o.SampleBy)
	case o.MaxBody < 0, o.Queue.Items < 0, o.Queue.Bytes < 0, o.Decoders < 0, o.Publishers < 0:
		return errors.New("tap: a limit is negative")
	case o.MaxBody > maxMaxBody:
		return fmt.Errorf("tap: max body %d is over %d", o.MaxBody, int64(maxMaxBody))
	case o.PublishTimeout < 0, o.BooksEvery < 0, o.DrainLimit < 0:
		return errors.New("tap: a duration is negative")
	case slices.ContainsFunc(o.Session, func(k Key) bool { return k.kind == keyPath }):
		return errors.New("tap: the path is no session key")
	case o.Route.kind == keyTrace || o.Route.kind == keyOpening:
		return fmt.Errorf("tap: route by %s: that is for sessions", o.Route)
	}
	for name, k := range o.Tags {
		if name == "" || strings.ContainsAny(name, "= \t\r\n") || k.kind != keyHeader && k.kind != keyBaggage && k.kind != keyBody {
			return fmt.Errorf("tap: tag %q from %s: want a name without = or blank, from a header, baggage or the body", name, k)
		}
	}
	for _, e := range o.Endpoints {
		if e.Suffix == "" || !strings.ContainsAny(e.Suffix[:1], "/:") || e.Dialect == "" {
			return fmt.Errorf("tap: endpoint %q: want the end of a path that starts with / or : and a dialect", e.Suffix)
		}
	}
	return nil
}
