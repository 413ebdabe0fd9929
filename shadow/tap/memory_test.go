package tap_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// heap gives what is in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// endless gives n bytes that nobody keeps.
func endless(n int64) io.Reader { return io.LimitReader(repeated{}, n) }

type repeated struct{}

func (repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// While large bodies go both ways, and streams without end, and nothing can be
// published, the tap and its proxy hold no more than the queue's bytes and a fixed part.
func TestMemoryWhateverClientsSend(t *testing.T) {
	// Fixed: what two decoders may unpack, of 8 times MaxBody each, and as much again for
	// what the runtime has not given back and the test itself.
	const body, users, queue, fixed = 50 << 20, 2, 8 << 20, 32 << 20
	half := make(chan bool)
	release := make(chan bool)
	upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.Copy(w, endless(body/2))
		half <- true
		<-release
		_, _ = io.Copy(w, endless(body/2))
	}))
	o := options()
	o.Queue.Bytes = queue
	r := start(t, o, &store{sample: func(ctx context.Context, _ shadow.Sample) error { <-ctx.Done(); return ctx.Err() }})
	front := r.proxied(t, upstream.URL)
	small := answering(200, strings.Replace(wholeAnswer, "Gern.", strings.Repeat("y", 100<<10), 1))
	h := r.Middleware(small)
	before := heap()
	var all sync.WaitGroup
	for range users {
		all.Go(func() {
			resp, err := http.Post(front.URL+chatPath, "application/json", endless(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if n, err := io.Copy(io.Discard, resp.Body); n != body || err != nil {
				t.Errorf("%d bytes came, %v", n, err)
			}
		})
	}
	for range users {
		<-half
	}
	for range 200 { // twice what the queue may hold
		h.ServeHTTP(discarding{http.Header{}}, request(t, "POST", chatPath, question))
	}
	grown := heap() - before
	for range 20 { // what is only being thrown away is not held
		if grown <= queue+fixed {
			break
		}
		time.Sleep(50 * time.Millisecond)
		grown = min(grown, heap()-before)
	}
	if grown > queue+fixed {
		t.Errorf("%d MiB are held, with a queue of %d MiB", grown>>20, queue>>20)
	} else {
		t.Logf("%d KiB are held", grown>>10)
	}
	if held := r.Held(); held > queue {
		t.Errorf("the budget gave out %d of %d", held, queue)
	}
	close(release)
	all.Wait()
	http.DefaultClient.CloseIdleConnections()
	r.drained(t)
	r.balanced(t)
	if sum := r.counts(); sum["not_sampled[too_large]"] != users || sum["dropped[queue_full]"] == 0 {
		t.Errorf("%v", sum)
	}
	if held := r.Held(); held != 0 {
		t.Errorf("%d bytes of the budget are lost", held)
	}
}

// discarding is a writer that keeps nothing.
type discarding struct{ header http.Header }

func (w discarding) Header() http.Header         { return w.header }
func (w discarding) WriteHeader(int)             {}
func (w discarding) Write(p []byte) (int, error) { return len(p), nil }

// Connections that wait, each after a request, cost what net/http keeps for one and
// nothing of the tap's.
func TestIdleConnections(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	o := options()
	o.Rate = 0.01
	r := start(t, o, &store{})
	l := &inMemory{conns: make(chan net.Conn), closed: make(chan bool)}
	server := &http.Server{Handler: r.Middleware(answering(200, wholeAnswer))}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	ask := "POST " + chatPath + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
	before := heap()
	conns := make([]net.Conn, n)
	buffer := make([]byte, 4<<10)
	for i := range conns {
		client, there := net.Pipe()
		l.conns <- there
		_, _ = io.WriteString(client, ask)
		if _, err := client.Read(buffer); err != nil {
			t.Fatal(err)
		}
		conns[i] = client
	}
	each := (heap() - before) / int64(n)
	t.Logf("%d connections: %d bytes each", n, each)
	if each > 32<<10 {
		t.Errorf("an idle connection holds %d bytes", each)
	}
	if held := r.Held(); held > 64<<10 {
		t.Errorf("idle connections hold %d bytes of the budget", held)
	}
	for _, c := range conns {
		c.Close()
	}
	_ = server.Close()
	<-served
	r.drained(t)
	r.balanced(t)
}

// inMemory is a listener for pipes: ten thousand connections need no file each.
type inMemory struct {
	conns  chan net.Conn
	closed chan bool
	once   sync.Once
}

func (l *inMemory) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *inMemory) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *inMemory) Addr() net.Addr { return &net.TCPAddr{} }
