package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Errors that a caller can tell apart.
var (
	// ErrEndpoint is an endpoint that cannot be used as it is described.
	ErrEndpoint = errors.New("endpoint")
	// ErrNoDigest is a model whose digest is not known: the provider lists none, or
	// does not list the model.
	ErrNoDigest = errors.New("no digest")
)

const (
	// DefaultMaxReply bounds a reply, in bytes. A stream takes about 300 bytes for a
	// token of text, so this holds 100,000 tokens.
	DefaultMaxReply = 32 << 20
	// idleTimeout is below the minute after which common servers and balancers close
	// an idle connection: a call on a connection that is being closed is lost.
	idleTimeout = 30 * time.Second
	dialTimeout = 10 * time.Second
)

// Endpoint says where a model is and how to ask it. Provider and Model are
// required; the rest has a useful zero.
type Endpoint struct {
	// Name is what the configuration calls the model; it is never sent.
	Name     string
	Provider llm.Provider
	// BaseURL is the provider's own API if it is empty. Without a path it gets the
	// provider's usual one. A query in it is kept.
	BaseURL string
	Model   string
	// Digest is the configured digest of a self-hosted model; see [Client.Digest].
	Digest string
	// Key gives the credential, read anew for each call, so that it may rotate; nil is none.
	Key func() (string, error)
	// Extra are fields of the provider's request body, in the dialect that is spoken
	// there; nil takes a field out, and an object is merged into the one that is there.
	Extra map[string]any
	// Headers are sent with each question, such as Anthropic-Version; none that carries
	// a credential, and none that belongs to the connection.
	Headers map[string]string
	// Reasoning is none, minimal, low, medium, high, xhigh or max in every dialect; empty
	// leaves it to the client and the provider.
	Reasoning string
	// Responses asks an OpenAI endpoint by the Responses API where the choice is ours: for
	// prompts and translations. It is an error with another provider.
	Responses bool
	// Concurrency is how many calls run at once; 0 is no limit.
	Concurrency int
	// Quota is told what each reply says of the account's limits; nil is not.
	Quota *Quota
	// MaxReply bounds a reply in bytes, unpacked; 0 is [DefaultMaxReply].
	MaxReply int64
	// Dial opens connections; nil dials the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client asks one model. It is safe for use by several goroutines.
type Client struct {
	end       Endpoint
	base      *url.URL
	extra     []llm.Edit
	slots     chan struct{} // nil without a limit
	transport *http.Transport
}

// New makes an endpoint a model. Its connections close by themselves after 30 s
// without a call; use [Open] to close them at once. Error: [ErrEndpoint].
func New(e Endpoint) (llm.Model, error) {
	c, err := Open(e)
	if err != nil {
		return llm.Model{}, err
	}
	return c.Model(), nil
}

// Open checks an endpoint and makes a client for it; nothing is sent. Error: [ErrEndpoint].
func Open(e Endpoint) (*Client, error) {
	base, err := baseURL(e.Provider, e.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", e.Name, err)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("model %s: %w", e.Name, err)
	}
	c := &Client{end: e, base: base}
	if c.extra, err = edits(e.Extra); err != nil {
		return nil, fmt.Errorf("model %s: %w", e.Name, err)
	}
	if e.Concurrency > 0 {
		c.slots = make(chan struct{}, e.Concurrency)
	}
	if c.end.MaxReply == 0 {
		c.end.MaxReply = DefaultMaxReply
	}
	dial := e.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	c.transport = &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dial, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: dialTimeout, IdleConnTimeout: idleTimeout,
		MaxIdleConnsPerHost: 1024, // one for every call at once, or calls dial anew each time
	}
	return c, nil
}

// Model is the client as a model. Its snapshot is the configured model id.
func (c *Client) Model() llm.Model {
	return llm.Model{Name: c.end.Name, Snapshot: llm.Snapshot(c.end.Model), Complete: c.Complete}
}

// CloseIdleConnections closes the connections that no call uses now.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

// reserved are fields that a request has from us; another model or another number
// of answers would make the reply something else than it is taken for.
var reserved = [...]string{"model", "messages", "input", "contents", "prompt", "stream", "n"}

func (e Endpoint) check() error {
	switch {
	case e.Model == "":
		return fmt.Errorf("%w: no model", ErrEndpoint)
	case e.Reasoning != "" && !slices.Contains(efforts, e.Reasoning):
		return fmt.Errorf("%w: reasoning %q, want one of %v", ErrEndpoint, e.Reasoning, efforts)
	case e.Responses && e.Provider != llm.ProviderOpenAI:
		return fmt.Errorf("%w: the Responses API is OpenAI's, and the provider is %s", ErrEndpoint, e.Provider)
	case e.Concurrency < 0 || e.MaxReply < 0:
		return fmt.Errorf("%w: concurrency or size of a reply is negative", ErrEndpoint)
	}
	for _, name := range reserved {
		if _, found := e.Extra[name]; found {
			return fmt.Errorf("%w: extra field %s cannot be set", ErrEndpoint, name)
		}
	}
	for name, value := range e.Headers {
		odd := strings.ContainsFunc(name, func(r rune) bool { return !plainName(r) }) || strings.ContainsFunc(value, unicode.IsControl)
		if name == "" || odd || reservedHeader(name) {
			return fmt.Errorf("%w: header %q cannot be set", ErrEndpoint, name)
		}
	}
	return nil
}

// reservedHeader says whether a header is no matter of the configuration: it carries a
// credential, or belongs to the connection or to the body's form.
func reservedHeader(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key",
		"Host", "Connection", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Accept-Encoding",
		"Te", "Trailer", "Upgrade", "Expect", "Keep-Alive":
		return true
	}
	return false
}

// edits writes the extra fields as JSON, in the order of their names.
func edits(extra map[string]any) ([]llm.Edit, error) {
	var out []llm.Edit
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		e := llm.Edit{Key: key}
		if extra[key] != nil {
			data, err := json.Marshal(extra[key])
			if err != nil {
				return nil, fmt.Errorf("%w: extra field %s: %w", ErrEndpoint, key, err)
			}
			e.Value = data
		}
		out = append(out, e)
	}
	return out, nil
}

// baseURL is the address up to the paths that this package adds. Its errors never
// show what was given: it may hold a password.
func baseURL(p llm.Provider, text string) (*url.URL, error) {
	var standard, version string
	switch p {
	case llm.ProviderOpenAI:
		standard, version = "https://api.openai.com/v1", "/v1"
	case llm.ProviderAnthropic:
		standard, version = "https://api.anthropic.com", "/v1"
	case llm.ProviderGoogle:
		standard, version = "https://generativelanguage.googleapis.com", "/v1beta"
	case llm.ProviderOllama:
		standard, version = "http://127.0.0.1:11434", "/v1"
	default:
		return nil, fmt.Errorf("%w: provider %q, want one of %v", ErrEndpoint, p, llm.Providers())
	}
	if text == "" {
		text = standard
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: base URL is not an http or https address with a host", ErrEndpoint)
	case u.User != nil:
		return nil, fmt.Errorf("%w: base URL holds a user or password; use the key", ErrEndpoint)
	}
	u.Path, u.RawPath, u.Fragment = strings.TrimRight(u.Path, "/"), "", ""
	switch {
	case p != llm.ProviderOpenAI:
		u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, version), "/api")
	case u.Path == "":
		u.Path = version
	}
	return u, nil
}
