package config

import (
	"slices"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Config is a whole configuration, with defaults filled in and all rules checked.
type Config struct {
	// File is the path that it was read from; relative paths were taken from its folder.
	File       string
	Experiment Experiment
	Models     []Model  // in the order of the file
	Policies   []Policy // in the order of the file
	Tap        Tap
	Bus        Bus
	Candidates []Candidate // in the order of the file; may be empty
	Judge      Judge
	Spend      Spend
	Sinks      Sinks
	Report     Report
	Gate       Gate
	// Warnings are things to know that stop nothing, each an [*Error]; those about
	// keys come from [Config.Secrets].
	Warnings []error

	places map[string]Position
	source []byte // the file
}

// Model gives the model of that name.
func (c *Config) Model(name string) (Model, bool) {
	i := slices.IndexFunc(c.Models, func(m Model) bool { return m.Name == name })
	if i < 0 {
		return Model{}, false
	}
	return c.Models[i], true
}

// At says where a key stands, e.g. tap.rate, candidates.cand-a.model or
// report.limits[1]; where it is absent, where the nearest part of its path stands,
// at least the start of the file. Sections are placed at their key, values at the value.
func (c *Config) At(key string) Position { return place(c.File, c.places, key) }

// Experiment names what is compared and when.
type Experiment struct {
	// Name is part of subjects and file names: letters, digits, - and _.
	Name string
	// Start is the first UTC day, Stop the day after the last; zero when open.
	Start time.Time
	Stop  time.Time
}

// Model is an endpoint that can be asked.
type Model struct {
	Name     string
	Provider llm.Provider
	// Model is the id that is asked for.
	Model string
	// BaseURL is the address without a slash at its end; the vendor's if none was given.
	BaseURL string
	// SelfHosted says that BaseURL is not the vendor's; always so for ollama.
	SelfHosted bool
	Key        Secret // zero: no credential is sent
	// Digest names the weights of a self-hosted model: lower-case hexadecimal
	// without sha256:, possibly the first digits only; empty if not given.
	Digest string
	// Extra are the provider's own fields, added to each request: nil, bool,
	// json.Number, string, []any and map[string]any.
	Extra map[string]any
	// Headers are sent with each request; names in lower case, no credentials among them.
	Headers map[string]string
	// Reasoning is none, minimal, low, medium, high, xhigh or max; empty leaves it
	// to the model.
	Reasoning string
	// Responses asks an openai model by the Responses API where the choice is ours.
	Responses bool
	// Images says whether it can see, for a judge; nil leaves it to a catalogue.
	Images *bool
	// Concurrency bounds calls at a time; 0 is no bound.
	Concurrency int
	// Price is what the file says that it costs; nil leaves it to a catalogue.
	Price *Price
}

// Price is in USD per million tokens, each 0 or more; all 0 is free.
type Price struct {
	In  float64
	Out float64
	// CachedIn is for tokens of the request that the provider had in its cache; In if
	// the file does not say.
	CachedIn float64
}

// Source is a part of a request: a header's value, an entry of its baggage, its trace,
// a value in its JSON body, the opening of its conversation, or its path.
type Source struct {
	Kind SourceKind
	// Name is the name of the header or of the entry, or the body's path with dots
	// (metadata.user_id); empty for the other kinds.
	Name string
}

// SourceKind says which part of a request a [Source] reads.
type SourceKind string

// The parts of a request.
const (
	FromHeader  SourceKind = "header"
	FromBaggage SourceKind = "baggage"
	FromTrace   SourceKind = "traceparent"
	FromBody    SourceKind = "body"
	FromOpening SourceKind = "opening"
	FromPath    SourceKind = "path"
)

// String prints the source as the file has it, such as header:NAME, body:PATH or path.
func (s Source) String() string {
	if s.Name == "" {
		return string(s.Kind)
	}
	return string(s.Kind) + ":" + s.Name
}

// Tap is where live requests pass and how they are sampled.
type Tap struct {
	Listen   string // host:port; port 0 takes a free one
	Upstream string // the live service's URL
	// ClientTimeout is what the client or load balancer waits at most.
	ClientTimeout time.Duration
	Rate          float64 // share of requests, in (0, 1]
	BySession     bool    // draw by session, else by request
	Session       []Source
	Salt          string
	MaxBody       int64 // bytes of request and answer together
	QueueItems    int
	QueueBytes    int64
	Route         Source
	Tags          map[string]Source // what the report can be split by beside the route, by name
	Ingest        Ingest
}

// Ingest says where services that cannot stand behind the tap send what they recorded.
type Ingest struct {
	Listen string // host:port for HTTP; empty for none
	NATS   bool   // on the bus
}

// Bus is where samples and what is made of them are stored.
type Bus struct {
	// URL is empty for the embedded server, else nats:// or tls:// addresses,
	// separated by commas.
	URL string
	Dir string // of the embedded server
	// SyncEvery is how often the embedded server syncs its files; 0 is at every write.
	SyncEvery  time.Duration
	MaxPayload int64 // bytes of a message, embedded server only
	KeepTrials time.Duration
	Creds      Secret // a file: reference, or zero
	TLS        TLS
}

// Embedded says that the server runs in this process.
func (b Bus) Embedded() bool { return b.URL == "" }

// TLS names files for the connection to an external bus; empty fields are not used.
type TLS struct {
	CA   string
	Cert string
	Key  Secret // a file: reference
}

// IsZero says that nothing was configured.
func (t TLS) IsZero() bool { return t == TLS{} }

// Candidate is an arm beside the live one.
type Candidate struct {
	Name    string
	Model   string  // name of a model
	Share   float64 // of the samples, in (0, 1]
	Timeout time.Duration
	Control bool // the live model as a candidate
}

// Judge says who grades.
type Judge struct {
	// Rubric is the folder of a rubric; empty for the built-in standard one.
	Rubric     string
	Primary    string // name of a pinned model
	Reserve    string // another one, or empty
	HedgeAfter time.Duration
	Budget     time.Duration
	Share      float64 // of the samples, in (0, 1]
	// Failures in a row send a judge to second place for Cool.
	Failures    int
	Cool        time.Duration
	Concurrency int
	// Repeat, Agreement and Injection are the shares of graded answers, in [0, 1], that
	// are graded again: by the same judge, by the reserve, and by the same one with a
	// planted instruction.
	Repeat, Agreement, Injection float64
	// PrimaryReply and ReserveReply are the mechanisms that hold their replies to a
	// verdict's schema.
	PrimaryReply, ReserveReply llm.ReplyForm
	// MaxPrompt bounds a prompt in characters: earlier turns are left out until it fits.
	MaxPrompt int
	// AcceptEcho are further names by which replies may prove a judge's snapshot.
	AcceptEcho []string
}

// Sinks is where rows are written.
type Sinks struct {
	Dir      string
	KeepText time.Duration // 0 keeps none
	// FlushRows and FlushEvery: a file is written when either is reached.
	FlushRows  int
	FlushEvery time.Duration
}

// Report says what tables show.
type Report struct {
	Limits []time.Duration // rising
	Level  float64         // of confidence, in (0.5, 1)
}

// Gate is the rule of the decision, fixed before the run. Its JSON is a part
// of [Config.Digest]: the tags stay as they are.
type Gate struct {
	Margin       float64 `json:"margin"` // grades
	Alpha        float64 `json:"alpha"`
	PlannedPairs int     `json:"planned_pairs"`
	BurnIn       BurnIn  `json:"burn_in"`
	// Over and FirstTokenOver rise by Limit; empty is no limit.
	Over           []ShareLimit `json:"over,omitempty"`
	FirstTokenOver []ShareLimit `json:"first_token_over,omitempty"`
	// nil is no limit.
	P95Increase      *time.Duration `json:"p95_increase_ns,omitempty"`
	FailuresIncrease *float64       `json:"failures_increase,omitempty"`
	Problems         []ProblemLimit `json:"problems,omitempty"` // by name
	// CostIncrease is relative: 0.5 is half as much again; nil is no limit.
	CostIncrease *float64 `json:"cost_increase,omitempty"`
	// CostGiven says that the file names CostIncrease. The default one guards where
	// costs are known, and no more.
	CostGiven bool `json:"cost_given,omitempty"`
}

// BurnIn is how much must be seen before an interval is used at all.
type BurnIn struct {
	Pairs    int `json:"pairs"`
	Sessions int `json:"sessions"`
}

// ShareLimit allows at most Share of the calls, in (0, 1), to take longer than Limit.
type ShareLimit struct {
	Limit time.Duration `json:"limit_ns"`
	Share float64       `json:"share"`
}

// ProblemLimit allows a problem's share to rise by at most Increase, in (0, 1).
type ProblemLimit struct {
	Problem  string  `json:"problem"`
	Increase float64 `json:"increase"`
}
