package tap

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// headDelay is how long the head of an answer may wait for the first bytes of its body,
// with which it then goes out as one packet.
const headDelay = time.Millisecond

// flushed reads an answer of unknown length and flushes what was passed on before it
// waits for more. The standard proxy flushes each piece by itself instead, the head
// and the end too, which is three packets and a goroutine for an answer in one piece.
type flushed struct {
	io.ReadCloser
	out   *http.ResponseController
	begun bool
}

func (f *flushed) Read(p []byte) (int, error) {
	if f.begun {
		_ = f.out.Flush() // who cannot flush is flushed by the server; who has left fails at the next write
		return f.ReadCloser.Read(p)
	}
	f.begun = true
	var flushing sync.WaitGroup
	flushing.Add(1)
	head := time.AfterFunc(headDelay, func() {
		defer flushing.Done()
		_ = f.out.Flush()
	})
	n, err := f.ReadCloser.Read(p)
	if !head.Stop() {
		flushing.Wait()
	}
	return n, err
}

// flushBeforeWaiting has an answer of unknown length to w flushed as it comes. The
// standard proxy takes a length of -1 as a wish to flush everything at once, and looks
// at it for nothing else. It flushes event streams in any case.
func flushBeforeWaiting(resp *http.Response, w http.ResponseWriter) {
	if resp.ContentLength != -1 || resp.StatusCode == http.StatusSwitchingProtocols ||
		strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return
	}
	resp.ContentLength = 0
	resp.Body = &flushed{ReadCloser: resp.Body, out: http.NewResponseController(w)}
}
