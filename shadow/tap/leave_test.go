package tap_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// moments are when a client may leave.
var moments = []string{"before the answer", "after its first byte", "while it streams"}

// leaving is a service behind tap and proxy, all in one version of HTTP, whose clients
// leave at a moment.
type leaving struct {
	rig     *rig
	url     string
	client  *http.Client
	moment  string
	reached chan struct{}  // the moment is there: the upstream has the request, or the client a byte
	ended   chan time.Time // the upstream's call is over
	serving sync.WaitGroup
}

func newLeaving(t testing.TB, version int, moment string) *leaving {
	t.Helper()
	l := &leaving{rig: start(t, options(), &store{}), moment: moment, reached: make(chan struct{}, 1), ended: make(chan time.Time, 1)}
	upstream := secure(t, http.HandlerFunc(l.serve), version)
	t.Cleanup(upstream.Close)
	u, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	known.AddCert(upstream.Certificate())
	transport := &http.Transport{DisableCompression: true, ForceAttemptHTTP2: version == 2, TLSClientConfig: &tls.Config{RootCAs: known}}
	t.Cleanup(transport.CloseIdleConnections)
	tapped := l.rig.Middleware(tap.ReverseProxy(u, tap.ProxyOptions{Transport: transport}))
	front := secure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.serving.Add(1) // in HTTP/2 a server does not wait for its handlers
		defer l.serving.Done()
		tapped.ServeHTTP(w, r)
	}), version)
	t.Cleanup(front.Close)
	l.url, l.client = front.URL+chatPath, front.Client()
	t.Cleanup(l.client.CloseIdleConnections)
	return l
}

func secure(t testing.TB, h http.Handler, version int) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = version == 2
	s.StartTLS()
	return s
}

func (l *leaving) serve(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	flush := http.NewResponseController(w).Flush
	if l.moment == moments[0] {
		l.reached <- struct{}{}
	} else {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, roleChunk)
		_ = flush()
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if l.moment == moments[2] {
				_, _ = io.WriteString(w, chunk("Ja"))
				_ = flush()
			}
		case <-r.Context().Done():
			l.ended <- time.Now()
			return
		}
	}
}

// once sends a request, leaves, and gives how long after that the upstream's call ended.
func (l *leaving) once(t testing.TB, version int) time.Duration {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	left := make(chan struct{})
	go func() {
		defer close(left)
		req, err := http.NewRequestWithContext(ctx, "POST", l.url, strings.NewReader(streamed))
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := l.client.Do(req)
		if err != nil {
			return // it left
		}
		defer resp.Body.Close()
		if resp.ProtoMajor != version {
			t.Errorf("HTTP/%d, want %d", resp.ProtoMajor, version)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err == nil {
			l.reached <- struct{}{}
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}()
	<-l.reached
	began := time.Now()
	leave()
	<-left
	select {
	case at := <-l.ended:
		l.serving.Wait()
		return at.Sub(began)
	case <-time.After(30 * time.Second): // where it would hang
		t.Fatal("the upstream's call goes on")
		return 0
	}
}

// A client that leaves ends the upstream's call, whenever it does and in both versions of
// HTTP, and is a sample that says so. BenchmarkClientLeaves says how soon.
func TestClientThatLeavesEndsTheCall(t *testing.T) {
	for _, version := range []int{1, 2} {
		for _, moment := range moments {
			t.Run(string(rune('0'+version))+" "+moment, func(t *testing.T) {
				l := newLeaving(t, version, moment)
				l.once(t, version)
				live := l.rig.one(t).Live
				if live.Failure != "client_abort" || !live.Censored || live.Took <= 0 || live.Answered() {
					t.Errorf("%+v", live)
				}
				sameCounts(t, l.rig.counts(), want("seen", 1, string(shadow.EntrySampled), 1, "published", 1))
			})
		}
	}
}

// A service that sees the user leave may end its answer properly, with nothing in it: the
// user left all the same. Who got a refusal or a whole answer did not.
func TestAnswerToWhoHasLeft(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		status     int
		failure    llm.Reason
	}{
		{"nothing", "", 200, llm.ClientAbort},
		{"no content", "", 204, llm.ClientAbort},
		{"a whole answer", wholeAnswer, 200, ""},
		{"a bare refusal", "", 401, llm.DeniedReason},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			r := start(t, options(), &store{})
			r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				leave()
				w.Header().Set("Content-Length", strconv.Itoa(len(tt.body)))
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})).ServeHTTP(&nullWriter{http.Header{}}, request(t, "POST", chatPath, question).WithContext(ctx))
			if live := r.one(t).Live; live.Failure != tt.failure {
				t.Errorf("%+v", live)
			}
		})
	}
}

// BenchmarkClientLeaves measures the time from a client's leave to the end of the
// upstream's call: the median and the largest, in milliseconds.
func BenchmarkClientLeaves(b *testing.B) {
	for _, version := range []int{1, 2} {
		for _, moment := range moments {
			b.Run("HTTP "+string(rune('0'+version))+" "+moment, func(b *testing.B) {
				l := newLeaving(b, version, moment)
				var took []time.Duration
				for b.Loop() {
					took = append(took, l.once(b, version))
				}
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2].Seconds()*1e3, "ms-p50")
				b.ReportMetric(took[len(took)-1].Seconds()*1e3, "ms-max")
				l.rig.drained(b)
			})
		}
	}
}
