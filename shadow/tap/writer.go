package tap

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// writer passes an answer on and copies it. [http.ResponseController] reaches what
// is below through Unwrap; the types that follow it offer by themselves exactly the
// optional interfaces that the writer below has, since handlers ask for them.
type writer struct {
	x       *exchange
	under   http.ResponseWriter
	flusher http.Flusher // under, where it is one: asking each time costs
}

func (w *writer) Header() http.Header         { return w.under.Header() }
func (w *writer) Unwrap() http.ResponseWriter { return w.under }

func (w *writer) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.head(status)
	}
	w.under.WriteHeader(status)
}

func (w *writer) head(status int) {
	if c := w.x.c.Load(); c != nil && c.status == 0 {
		c.head(status, w.under.Header())
	}
}

// Write times the bytes when they come from the model, not when the user's
// connection has taken them.
func (w *writer) Write(p []byte) (int, error) {
	c := w.x.c.Load()
	if c == nil {
		return w.under.Write(p)
	}
	at := time.Since(c.at)
	n, err := w.under.Write(p)
	w.wrote(p, n, at, err)
	return n, err
}

func (w *writer) WriteString(s string) (int, error) {
	c := w.x.c.Load()
	if c == nil {
		return io.WriteString(w.under, s)
	}
	at := time.Since(c.at)
	n, err := io.WriteString(w.under, s)
	w.wrote([]byte(s), n, at, err)
	return n, err
}

// wrote takes what the user's connection has taken of p, which was there at a time.
func (w *writer) wrote(p []byte, n int, at time.Duration, err error) {
	c := w.x.c.Load() // anew: the end may have come meanwhile
	if c == nil {
		return
	}
	if c.status == 0 {
		c.head(http.StatusOK, w.under.Header())
	}
	c.addResponse(p[:min(max(n, 0), len(p))], at)
	if err != nil {
		c.left(err)
	}
}

// ReadFrom keeps the way of large files into the socket open: the writer below reads
// from src by itself, through a copy.
func (w *writer) ReadFrom(src io.Reader) (int64, error) {
	under, ok := w.under.(io.ReaderFrom)
	if !ok {
		return io.Copy(struct{ io.Writer }{w}, src)
	}
	w.head(http.StatusOK)
	tee := &teeReader{x: w.x, src: src}
	n, err := under.ReadFrom(tee)
	if err != nil && tee.err == nil {
		w.x.note(func(c *capture) { c.left(err) })
	}
	return n, err
}

type teeReader struct {
	x   *exchange
	src io.Reader
	err error // of src, but for its end
}

func (r *teeReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if n > 0 {
		r.x.came(p[:min(n, len(p))])
	}
	if err != io.EOF {
		r.err = err
	}
	return n, err
}

// wrap gives the writer with the optional interfaces of the one below.
func (w *writer) wrap() http.ResponseWriter {
	w.flusher, _ = w.under.(http.Flusher)
	flush := w.flusher != nil
	_, hijack := w.under.(http.Hijacker)
	_, notify := w.under.(closeNotifier)
	_, push := w.under.(http.Pusher)
	switch {
	case flush && hijack && notify:
		return writerFHC{writerFH{writerF{w}}}
	case flush && hijack:
		return writerFH{writerF{w}}
	case flush && notify && push:
		return writerFCP{writerFC{writerF{w}}}
	case flush && notify:
		return writerFC{writerF{w}}
	case flush:
		return writerF{w}
	case hijack:
		return writerH{w}
	}
	return w
}

// closeNotifier is http.CloseNotifier, which is deprecated and still asked for.
type closeNotifier interface{ CloseNotify() <-chan bool }

type (
	writerF   struct{ *writer }
	writerH   struct{ *writer }
	writerFH  struct{ writerF }
	writerFC  struct{ writerF }
	writerFHC struct{ writerFH }
	writerFCP struct{ writerFC }
)

func (w writerF) Flush() {
	w.head(http.StatusOK)
	w.flusher.Flush()
}

func (w writerF) FlushError() error {
	w.head(http.StatusOK)
	return http.NewResponseController(w.under).Flush()
}

func (w writerH) Hijack() (net.Conn, *bufio.ReadWriter, error)  { return w.hijack() }
func (w writerFH) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }
func (w writerFC) CloseNotify() <-chan bool                     { return w.notify() }
func (w writerFHC) CloseNotify() <-chan bool                    { return w.notify() }
func (w writerFCP) Push(target string, o *http.PushOptions) error {
	return w.under.(http.Pusher).Push(target, o)
}

func (w *writer) notify() <-chan bool { return w.under.(closeNotifier).CloseNotify() }

func (w *writer) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.under.(http.Hijacker).Hijack()
	if err == nil {
		w.x.note(func(c *capture) { c.hidden = true })
	}
	return conn, rw, err
}

// fail is for the proxy, which alone knows why an upstream gave no answer.
func (w *writer) fail(ctx context.Context, err error) { w.x.fail(ctx, err) }
