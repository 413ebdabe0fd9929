package tap_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// hostile are answers that are made to break a decoder, and plain ones among them.
func hostile(t *testing.T) map[string]struct{ encoding, body string } {
	return map[string]struct{ encoding, body string }{
		"whole":         {"", wholeAnswer},
		"stream":        {"", roleChunk + chunk("Gern.") + stopChunk + doneEvent},
		"gzip":          {"gzip", packed(t, "gzip", wholeAnswer)},
		"bomb":          {"gzip", packed(t, "gzip", strings.Repeat("0", 2<<20))},
		"broken zstd":   {"zstd", "\x28\xb5\x2f\xfd\xff\xff\xff\xff"},
		"broken br":     {"br", "\x0b\x02\x80\xff\xff"},
		"three layers":  {"gzip, gzip, br", "x"},
		"deep":          {"", strings.Repeat(`{"choices":[`, 500)},
		"no UTF-8":      {"", `{"choices":[{"message":{"content":"` + "\xff\xfe" + `"},"finish_reason":"stop"}]}`},
		"huge number":   {"", `{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":1e999}}`},
		"lines of dust": {"", strings.Repeat("data: \n\n", 2000)},
	}
}

// faults are what may be wrong behind the tap.
func faults() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"none":      func(context.Context) error { return nil },
		"down":      func(context.Context) error { return errors.New("connection refused") },
		"stalled":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"full":      func(context.Context) error { return errors.New("maximum bytes exceeded") },
		"too large": func(context.Context) error { return shadow.ErrTooLarge },
		"panics":    func(context.Context) error { panic("a publisher's bug") },
		"slow":      func(context.Context) error { time.Sleep(time.Millisecond); return nil },
	}
}

// Faults and none by turns in one process: each user gets what the upstream said, byte
// for byte, and no error; the books account for every request. A full disk is a bus that
// is full; behind the bus the tap knows nothing of candidates and judges.
func TestFaultsAreNotNoticed(t *testing.T) {
	answers := hostile(t)
	upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.Header.Get("X-Answer")]
		_, _ = io.Copy(io.Discard, r.Body)
		if a.encoding != "" {
			w.Header().Set("Content-Encoding", a.encoding)
		}
		_, _ = io.WriteString(w, a.body)
	}))
	all := faults()
	var now atomic.Pointer[string]
	at := func(ctx context.Context) error { return all[*now.Load()](ctx) }
	o := options()
	o.PublishTimeout, o.DrainLimit, o.BooksEvery = 20*time.Millisecond, time.Second, 10*time.Millisecond
	o.Publishers, o.Queue = 1, tap.Queue{Items: 4, Bytes: 1 << 20}
	s := &store{sample: func(ctx context.Context, _ shadow.Sample) error { return at(ctx) },
		book: func(ctx context.Context, _ shadow.Books) error { return at(ctx) }}
	none := "none"
	now.Store(&none)
	r := start(t, o, s)
	front := r.proxied(t, upstream.URL)
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}
	defer transport.CloseIdleConnections()
	took := map[string][]time.Duration{}
	asked := 0
	for name := range all {
		for _, turn := range []string{name, none} {
			now.Store(&turn)
			took[turn] = append(took[turn], askAll(t, transport, front.URL, turn, answers)...)
			asked += len(answers) * each
		}
	}
	r.drained(t)
	r.balanced(t)
	if sum := r.counts(); sum["seen"] != int64(asked) || sum["dropped[bus_down]"] == 0 || sum["dropped[queue_full]"] == 0 || sum["published"] == 0 {
		t.Errorf("%d asked: %v", asked, sum)
	}
	for name, times := range took {
		t.Logf("bus %s: n %d, p50 %.3f ms, p99 %.3f ms", name, len(times), quantile(times, 0.5), quantile(times, 0.99))
	}
}

// each is how many users ask for an answer at once.
const each = 3

// askAll asks for each answer, and compares.
func askAll(t *testing.T, transport http.RoundTripper, base, turn string, answers map[string]struct{ encoding, body string }) []time.Duration {
	var mu sync.Mutex
	var took []time.Duration
	var users sync.WaitGroup
	for name, want := range answers {
		for range each {
			users.Go(func() {
				began := time.Now()
				req, _ := http.NewRequestWithContext(t.Context(), "POST", base+chatPath, strings.NewReader(question))
				req.Header.Set("X-Answer", name)
				resp, err := transport.RoundTrip(req)
				if err != nil {
					t.Errorf("bus %s, %s: %v", turn, name, err)
					return
				}
				defer resp.Body.Close()
				got, err := io.ReadAll(resp.Body)
				if err != nil || string(got) != want.body || resp.StatusCode != 200 || resp.Header.Get("Content-Encoding") != want.encoding {
					t.Errorf("bus %s, %s: status %d, %d bytes of %d, %v", turn, name, resp.StatusCode, len(got), len(want.body), err)
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			})
		}
	}
	users.Wait()
	return took
}

// A decoder that panics costs its sample and nothing else.
func TestDecoderThatPanics(t *testing.T) {
	s := &store{}
	tp, err := tap.New(options(), s)
	if err != nil {
		t.Fatal(err)
	}
	h := tp.Middleware(answering(200, wholeAnswer))
	for range 6 {
		w := &plainWriter{}
		h.ServeHTTP(w, request(t, "POST", chatPath, question))
		if w.body.String() != wholeAnswer {
			t.Errorf("%q", w.body.String())
		}
	}
	tp.BreakEverySecond()
	runOnce(t, tp)
	s.balanced(t)
	sameCounts(t, s.counts(), want("seen", 6, "sampled", 6, "published", 3, "dropped[malformed]", 3))
	if held := tp.Held(); held != 0 {
		t.Errorf("%d bytes of the budget are lost", held)
	}
}
