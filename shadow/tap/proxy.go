package tap

import (
	"context"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

const (
	// idlePerHost keeps a connection for every call of a busy service: the default of
	// 2 was measured to dial again all the time.
	idlePerHost = 256
	idleTimeout = 90 * time.Second
	copyBytes   = 32 << 10
	// drainBytes is what Go's server reads of a body that a handler left, before it answers.
	drainBytes = 256 << 10
)

// ProxyOptions tune a ReverseProxy; the zero value is right for most.
type ProxyOptions struct {
	// Transport reaches the upstream; nil is a tuned one of its own: unlimited
	// connections, no decompression, HTTP/2 where offered, proxies as the environment says.
	Transport http.RoundTripper
	// Log gets failures of the upstream by their kind, never an address; nil logs nothing.
	Log *slog.Logger
}

// ReverseProxy passes requests on to upstream as they are: method, escaped path and
// query byte for byte (behind the path of upstream, if it has one), headers, body,
// trailers. Host is the upstream's, hop-by-hop headers end here, and nothing is added,
// no X-Forwarded header in particular; those of the client stay. Answers come back as
// they are, and event streams and answers of unknown length are flushed as they come.
//
// An upstream that cannot be reached gives 502 with an error body that names no
// address; one that breaks off is a broken connection for the client too.
//
// Upstream needs a scheme and a host. Its query and user are not used.
func ReverseProxy(upstream *url.URL, o ProxyOptions) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	target := &url.URL{Scheme: upstream.Scheme, Host: upstream.Host, Path: upstream.Path, RawPath: upstream.RawPath}
	return &proxy{log: o.Log, base: httputil.ReverseProxy{
		Rewrite:    func(pr *httputil.ProxyRequest) { rewrite(pr, target) },
		Transport:  o.Transport,
		BufferPool: &buffers{},
		ErrorLog:   log.New(io.Discard, "", 0), // its lines hold addresses
	}}
}

func newTransport() *http.Transport {
	dialer := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   idlePerHost,
		IdleConnTimeout:       idleTimeout,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
	}
}

type proxy struct {
	log  *slog.Logger
	base httputil.ReverseProxy
}

// ServeHTTP lets the upstream answer before it has read the request: without full
// duplex, net/http closes the request's body with the first byte of the answer, which
// cuts streams off on a busy machine.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
		p.log.DebugContext(r.Context(), "no full duplex", "err", err)
	}
	// An answer gets no header that the upstream did not send.
	w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
	if r.Header.Get("Expect") != "" {
		w = once{w}
	}
	one := p.base
	one.ErrorHandler = func(_ http.ResponseWriter, _ *http.Request, err error) { p.fail(w, r, err) }
	one.ModifyResponse = func(resp *http.Response) error { flushBeforeWaiting(resp, w); return nil }
	one.ServeHTTP(w, r)
}

// once keeps "100 Continue" to one. The upstream's lets the body be read, with which
// the server says it by itself; passing the upstream's on as well may say it twice.
type once struct{ http.ResponseWriter }

func (w once) WriteHeader(status int) {
	if status != http.StatusContinue {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Unwrap lets a ResponseController reach the connection.
func (w once) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// rewrite undoes what the standard proxy does to a request beyond passing it on.
func rewrite(pr *httputil.ProxyRequest, target *url.URL) {
	pr.SetURL(target)
	out, in := pr.Out, pr.In
	out.URL.RawQuery, out.URL.ForceQuery = in.URL.RawQuery, in.URL.ForceQuery
	if raw, _, _ := strings.Cut(in.RequestURI, "?"); target.Path == "" && strings.HasPrefix(raw, "/") &&
		!strings.HasPrefix(raw, "//") && raw != out.URL.EscapedPath() {
		out.URL.Opaque = raw // an unusual path that Go would escape in another way
	}
	for _, name := range [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := in.Header[name]; ok {
			out.Header[name] = values
		}
	}
	out.Trailer = in.Trailer // filled in when the body is read
	// On a connection that is kept the transport sends a body that the upstream refused.
	out.Close = in.Header.Get("Expect") != ""
}

// fail answers for an upstream that gave no answer. It reads the rest of a small
// request first, as Go's server would: the connection stays usable, and a tap sees
// the whole request.
func (p *proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := llm.FailureFromError(r.Context(), err)
	p.log.WarnContext(r.Context(), "upstream failed", "reason", string(f.Reason))
	tell(w, r.Context(), err)
	expects := r.Header.Get("Expect") != ""
	if r.Context().Err() == nil && r.Body != nil && !expects {
		_, _ = io.CopyN(io.Discard, r.Body, drainBytes) // what fails here fails for the server again
	}
	const body = `{"error":{"message":"the upstream did not answer","type":"server_error","code":"bad_gateway","param":null}}` + "\n"
	h := w.Header()
	delete(h, "Date")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(w, body) // a user who has left cannot be told
}

// tell lets the exchange that taps this answer, if there is one, know the cause.
func tell(w http.ResponseWriter, ctx context.Context, err error) {
	for w != nil {
		if tapped, ok := w.(interface {
			fail(ctx context.Context, err error)
		}); ok {
			tapped.fail(ctx, err)
			return
		}
		below, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = below.Unwrap()
	}
}

// buffers keeps copy buffers for the next answer.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if kept, ok := b.pool.Get().(*[]byte); ok {
		return *kept
	}
	return make([]byte, copyBytes)
}

func (b *buffers) Put(buffer []byte) { b.pool.Put(&buffer) }
